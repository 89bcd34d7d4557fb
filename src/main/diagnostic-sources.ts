/** What `hedge doctor` checks: the data files, the way to the service, the shell's completion. */
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { parseBaseUrl } from '../client/base-url.ts';
import type { ConnectionOptions } from '../client/connect.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import { probeTls, proxyName } from '../client/tls-probe.ts';
import type { TradingHalt } from '../commands/command-context.ts';
import { openProfiles } from '../config/profiles.ts';
import type { Selection } from '../config/resolve.ts';
import { judgeCompletion } from '../diagnostics/completion-check.ts';
import type { CheckedProfile, DiagnosticSources, ServiceAddress } from '../diagnostics/examine.ts';
import type { DataFiles } from '../diagnostics/machine-checks.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { UnavailableError } from '../errors.ts';
import { haltPath } from '../journal/halt.ts';
import { type Journal, probeJournal } from '../journal/store.ts';
import { fileFacts } from '../platform/file-errors.ts';
import { openParents } from '../platform/parent-folders.ts';
import { readUserFile } from '../platform/user-file.ts';
import { checkAccount, type KnownKeys } from '../trading/account-keys.ts';
import type { PracticeLauncher } from './practice-launcher.ts';
import type { CommandRuntime } from './runtime-context.ts';

const MAX_SCRIPT_BYTES = 1_048_576;

export function diagnosticSources(
  parts: CommandRuntime,
  lent: {
    journal: () => Promise<Journal>;
    selection: () => Promise<Selection>;
    book: () => Promise<{ api: HedgeApi; whose: { environment: Environment }; key: string }>;
    account: () => Promise<KnownKeys>;
    /** Of --expect-env. */
    expected: () => Environment | undefined;
    practice: Pick<PracticeLauncher, 'open'>;
    brake: Pick<TradingHalt, 'read'>;
    trusting: (caFile: string | undefined) => Pick<ConnectionOptions, 'ca' | 'roots'>;
  },
): DiagnosticSources {
  const { machine, runtime, version, env, home } = parts;
  const { clock, host } = machine;
  const { selection, journal } = lent;
  const ours = (name: string, kind: DataFiles['kind'], path: string): DataFiles => ({
    name,
    kind,
    seen: fileFacts(path, host),
  });

  /** The service's address and the certificates it must have. Reads no key, unless --expect-env needs it. */
  const way = async (): Promise<{ baseUrl: string; trust: Pick<ConnectionOptions, 'ca' | 'roots'> }> => {
    if (lent.expected() !== undefined) await lent.book();
    const selected = await selection();
    if (selected.kind === 'practice') {
      const { url, ca } = await lent.practice.open();
      return { baseUrl: url, trust: { ca: [ca] } };
    }
    if (selected.kind === 'pair') return { baseUrl: selected.baseUrl, trust: lent.trusting(undefined) };
    const { base_url: baseUrl, ca_file: caFile } = selected.profile;
    return { baseUrl, trust: lent.trusting(caFile) };
  };

  return {
    clock,
    selection,
    profiles: () => openProfiles({ places: parts.places(), machine }).read(),
    journal,
    tryJournal: () => probeJournal({ places: parts.places(), machine }),
    installed: { version, ...runtime },
    files() {
      const places = parts.places();
      return [
        ours('config folder', 'folder', places.config),
        ours('profiles.json', 'file', join(places.config, 'profiles.json')),
        ours('state folder', 'folder', places.state),
        ours('journal.jsonl', 'file', join(places.state, 'journal.jsonl')),
        ours('halt.json', 'file', haltPath(places)),
        ours('practice folder', 'folder', join(places.state, 'practice')),
        ours('cache folder', 'folder', places.cache),
      ];
    },
    parents() {
      const { config, state, cache } = parts.places();
      const found = [config, state, cache].flatMap((path) => openParents(path, host));
      return [...new Map(found.map((parent) => [parent.path, parent])).values()];
    },
    halt: () => lent.brake.read(),
    completion: () =>
      judgeCompletion({ shell: env['SHELL'], home, env }, (path) => {
        const given = readUserFile(path, { maxBytes: MAX_SCRIPT_BYTES });
        return 'bytes' in given ? given.bytes.toString('utf8') : undefined;
      }),
    async account(): Promise<CheckedProfile> {
      const { api, whose, key } = await lent.book();
      return { api, environment: whose.environment, key };
    },
    async checkAccount() {
      const { identity, unclearWith } = await lent.account();
      checkAccount({ identity, accountUnclearWith: unclearWith, profile: (await selection()).name });
    },
    async address(): Promise<ServiceAddress> {
      const { baseUrl, trust } = await way();
      const { host: name, warning, href } = parseBaseUrl(baseUrl);
      const probing = {
        baseUrl: href,
        trust: { ca: trust.ca ?? [], roots: trust.ca === undefined || trust.roots === true },
        proxy: parts.settings.proxy,
        clock,
      };
      return {
        baseUrl: href,
        warning,
        host: name,
        proxy: () => proxyName(probing),
        lookUp: () => lookedUp(name),
        shakeHands: (signal) => probeTls(probing, signal),
      };
    },
  };
}

async function lookedUp(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new UnavailableError({
      code: 'unavailable',
      what: `${name} cannot be looked up${code}.`,
      hint: 'Check the host of the base address (hedge profile show), and the DNS of this machine.',
      cause: error,
    });
  }
}

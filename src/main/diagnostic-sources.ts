/** Sources of `hedge doctor`: data files, the connection to the service, shell completion. */
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { parseBaseUrl } from '../client/base-url.ts';
import type { ConnectionOptions } from '../client/connect.ts';
import { probeTls, proxyName } from '../client/tls-probe.ts';
import { openProfiles } from '../config/profiles.ts';
import { type Selection, serviceOf } from '../config/resolve.ts';
import type { FoundDesk } from '../desk/desk-of-account.ts';
import type { CheckedProfile, DiagnosticSources, ServiceAddress } from '../diagnostics/examine.ts';
import { checkCompletion, type DataFiles } from '../diagnostics/machine-checks.ts';
import { say, shell } from '../domain/hint.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { UnavailableError } from '../errors.ts';
import { examineDatabase, faultOfJournal, probeJournal } from '../journal/store/examine-database.ts';
import { type Journal, openJournal } from '../journal/store/journal.ts';
import { databaseFile, pendingFile, witnessFile } from '../journal/store/schema.ts';
import type { JournalAudit } from '../journal/verify.ts';
import { readUserFile } from '../platform/atomic-file.ts';
import { fileFacts } from '../platform/file-errors.ts';
import { openParents } from '../platform/parent-folders.ts';
import type { Paths } from '../platform/paths.ts';
import { sharedKeyNotes } from '../readings/known-keys.ts';
import { checkAccount } from '../trading/account-keys.ts';
import { recordedOperator } from './own-journal.ts';
import type { PracticeLauncher } from './practice-launcher.ts';
import type { DeskRuntime } from './runtime-context.ts';
import type { SelectedAccount } from './selected-account.ts';

const MAX_SCRIPT_BYTES = 1_048_576;

export function diagnosticSources(
  parts: DeskRuntime,
  ports: {
    audit: () => Promise<JournalAudit>;
    /** The account's journal: its desk's log was asked. */
    journal: () => Promise<Journal>;
    journalPlaces: () => Promise<Paths>;
    desk: () => Promise<FoundDesk | undefined>;
    selection: () => Promise<Selection>;
    openAccount: SelectedAccount['open'];
    account: SelectedAccount['knownOnDesk'];
    expected: () => Environment | undefined;
    practice: Pick<PracticeLauncher, 'open'>;
    trusting: (caFile: string | undefined) => Pick<ConnectionOptions, 'ca' | 'roots'>;
  },
): DiagnosticSources {
  const { machine, runtime, version, env, home } = parts;
  const { clock, host } = machine;
  const { selection } = ports;
  const dataFile = (name: string, kind: DataFiles['kind'], path: string): DataFiles => ({
    name,
    kind,
    seen: fileFacts(path, host),
  });
  /** Is there only at times: nothing is said of it while it is absent. */
  const passing = (name: string, path: string): readonly DataFiles[] =>
    [dataFile(name, 'file', path)].filter(({ seen }) => seen.is !== 'absent');

  /** The service's base URL and CA certificates. Reads the API key only for --expect-env. */
  const service = async (): Promise<{ baseUrl: string; trust: Pick<ConnectionOptions, 'ca' | 'roots'> }> => {
    if (ports.expected() !== undefined) await ports.openAccount();
    const selected = await selection();
    if (selected.kind === 'practice') {
      const { url, ca } = await ports.practice.open();
      return { baseUrl: url, trust: { ca: [ca] } };
    }
    const { baseUrl, caFile } = serviceOf(selected);
    return { baseUrl, trust: ports.trusting(caFile) };
  };

  const readProfiles = () => openProfiles({ places: parts.places(), machine }).read();
  return {
    clock,
    selection,
    profiles: readProfiles,
    // A slip of HEDGE_OPERATOR is named by its own check.
    journal: () => ports.journal().catch(() => openJournal({ places: parts.places(), machine })),
    async desk() {
      const found = await ports.desk();
      if (found === undefined) return undefined;
      const { name, state, url } = found.member;
      const { desk, trouble } = (await ports.journal()).read();
      const { shiftMs: offsetMs } = parts.machine.clock;
      const isAway = state !== 'following' || trouble !== undefined;
      const connection = isAway ? undefined : await serverOf(found.member, parts);
      const ownFault = faultOfJournal({ places: parts.places(), machine });
      return { name, state, url, desk, trouble, ownFault, offsetMs, connection };
    },
    database: async () => examineDatabase({ places: await ports.journalPlaces(), machine }),
    audit: ports.audit,
    operator: () => recordedOperator(parts, selection),
    tryJournal: async () => probeJournal({ places: await ports.journalPlaces(), machine }),
    installed: { version, ...runtime },
    files() {
      const places = parts.places();
      return [
        dataFile('config folder', 'folder', places.config),
        dataFile('profiles.json', 'file', join(places.config, 'profiles.json')),
        dataFile('state folder', 'folder', places.state),
        dataFile('journal.sqlite', 'file', databaseFile(places.state)),
        ...passing('journal.sqlite-wal', `${databaseFile(places.state)}-wal`),
        ...passing('journal.sqlite-shm', `${databaseFile(places.state)}-shm`),
        dataFile('journal.head', 'file', witnessFile(places.state)),
        ...passing('pending.sqlite', pendingFile(places.state)),
        dataFile('practice folder', 'folder', join(places.state, 'practice')),
        dataFile('cache folder', 'folder', places.cache),
      ];
    },
    parents() {
      const { config, state, cache } = parts.places();
      const found = [config, state, cache].flatMap((path) => openParents(path, host));
      return [...new Map(found.map((parent) => [parent.path, parent])).values()];
    },
    completion: () =>
      checkCompletion({ shell: env['SHELL'], home, env }, (path) => {
        const given = readUserFile(path, { maxBytes: MAX_SCRIPT_BYTES });
        return 'bytes' in given ? given.bytes.toString('utf8') : undefined;
      }),
    async account(): Promise<CheckedProfile> {
      const { api, whose, owner, key } = await ports.openAccount();
      return { api, environment: whose.environment, owner, key };
    },
    async checkAccount() {
      const { identity, unclearWith } = await ports.account();
      const selected = await selection();
      checkAccount({ identity, accountUnclearWith: unclearWith, profile: selected.name });
      return sharedKeyNotes(identity, selected.name, readProfiles().profiles);
    },
    async address(): Promise<ServiceAddress> {
      const { baseUrl, trust } = await service();
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
        async agent() {
          const { agentUse } = await import('./agent-control.ts');
          return agentUse(parts, { baseUrl: href, trust });
        },
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
      what: `DNS lookup of ${name} failed${code}.`,
      hint: say`Check the host of the base URL (${shell`hedge profile show`}) and this machine's DNS.`,
      cause: error,
    });
  }
}

/** Loaded with a desk only. */
async function serverOf(member: FoundDesk['member'], parts: DeskRuntime) {
  const { examineServer } = await import('./follow-desk.ts');
  return examineServer(member, parts);
}

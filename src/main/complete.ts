/**
 * `hedge __complete` and `hedge __complete-line`, what completion scripts ask at every TAB (cli/completion/answer.ts).
 * Reads files of this user alone and writes none: no network, no key. Never fails.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isHarmlessName, type KeptName, readNames } from '../cache/names.ts';
import { completeLine, completeWords } from '../cli/completion/answer.ts';
import type { CommandLineModel } from '../cli/completion/model.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { NameSource } from '../commands/define.ts';
import { ENVIRONMENT_PAIR, isProfileName, PRACTICE } from '../config/profile-names.ts';
import { fieldsIn, isFields } from '../domain/fields.ts';
import { type RecentAction, recentActions } from '../journal/recent-actions.ts';
import { readCacheFile } from '../platform/cache-file.ts';
import { type Host, hostOf } from '../platform/host.ts';
import { type Paths, pathsOf } from '../platform/paths.ts';
import { writeAllSync } from '../terminal/sync-write.ts';

/** Written in by the build (.build/bundle.mjs), so that no command is loaded at a TAB. */
declare const COMMAND_LINE: CommandLineModel;

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_PROFILES_BYTES = 262_144;

/** Writes the answer to standard output. Never throws. */
export function complete(
  process: NodeJS.Process,
  asked: { words: readonly string[] } | { line: string },
): void {
  const sources = {
    model: COMMAND_LINE,
    names: (of: readonly NameSource[], profile: string) => namesOrNone(of, { profile, process }),
  };
  try {
    writeAllSync('line' in asked ? completeLine(asked.line, sources) : completeWords(asked.words, sources));
  } catch {
    // A shell that completes has nobody to tell.
  }
}

/** Commands and options are completed whatever is wrong with the folders of hedge. */
function namesOrNone(
  sources: readonly NameSource[],
  { profile, process }: { profile: string; process: NodeJS.Process },
): readonly KeptName[] {
  const { env } = process;
  try {
    const host = hostOf(process);
    return knownNames(sources, { profile, places: pathsOf({ env, host, home: homedir() }), host, env });
  } catch {
    return [];
  }
}

interface Asking {
  /** That the line names; '' for none. */
  profile: string;
  places: Paths;
  host: Host;
  env: Environment;
}

/** Names that earlier commands saw on this machine, under the profile in force. */
export const knownNames = (sources: readonly NameSource[], asking: Asking): readonly KeptName[] =>
  sources.flatMap((source) => namesOf(source, asking)).filter(({ name }) => isHarmlessName(name));

function namesOf(source: NameSource, { profile: named, places, host, env }: Asking): readonly KeptName[] {
  const stored = storedProfiles(places, host);
  if (source === 'profiles') return stored.names.map((name) => ({ name, about: '' }));
  const profile = named === '' ? (chosenIn(env) ?? stored.chosen ?? '') : named;
  if (profile !== PRACTICE && profile !== ENVIRONMENT_PAIR && !isProfileName(profile)) return [];
  const recent = () => recentActions(places, host).filter((action) => action.profile === profile);
  if (source === 'actions') return recent().map(({ id, about }) => ({ name: id, about }));
  if (source === 'unresolved')
    return recent()
      .filter(({ open }) => open)
      .flatMap(namesOfAction);
  const from =
    profile === ENVIRONMENT_PAIR ? { baseUrl: parseBaseUrl(env['HEDGE_BASE_URL'] ?? '').href } : {};
  return readNames(places, { profile, host, ...from })?.[source] ?? [];
}

/** As config/resolve.ts has it, but for what only an error would tell. Whether there is a key, never which. */
function chosenIn(env: Environment): string | undefined {
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  if (isSet('HEDGE_API_KEY') || isSet('HEDGE_BASE_URL')) return ENVIRONMENT_PAIR;
  return isSet('HEDGE_PROFILE') ? env['HEDGE_PROFILE'] : undefined;
}

/** An action is known by its own id and by the deal id that the operator gave it. */
const namesOfAction = ({ id, dealId, about }: RecentAction): readonly KeptName[] => [
  { name: id, about },
  ...(typeof dealId === 'string' ? [{ name: dealId, about }] : []),
];

interface Stored {
  names: readonly string[];
  chosen: string | undefined;
}

/** Of the file that settings keeps, the names alone. */
function storedProfiles(places: Paths, host: Host): Stored {
  const bytes = readCacheFile(join(places.config, 'profiles.json'), { host, maxBytes: MAX_PROFILES_BYTES });
  const { profiles, default_profile: chosen } = fieldsIn(bytes);
  return {
    names: [PRACTICE, ...(isFields(profiles) ? Object.keys(profiles) : []).filter(isProfileName)],
    chosen: typeof chosen === 'string' ? chosen : undefined,
  };
}

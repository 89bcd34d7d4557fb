/**
 * `hedge __complete` and `hedge __complete-line`, run by completion scripts at every TAB (cli/completion/answer.ts).
 * Reads this user's files only; no network, no API key. Never fails.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type CachedName, isSafeName, readNames } from '../cache/names.ts';
import { completeLine, completeWords } from '../cli/completion/answer.ts';
import type { CommandLineModel } from '../cli/completion/model.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { NameSource } from '../commands/define.ts';
import { BUILT_IN, ENVIRONMENT_PAIR, isBuiltIn, isProfileName } from '../config/profile-names.ts';
import { fieldsIn, isFields } from '../domain/fields.ts';
import { type RecentAction, recentActions } from '../journal/recent-actions.ts';
import { readCacheFile } from '../platform/cache-file.ts';
import { type Host, hostOf } from '../platform/host.ts';
import { type Paths, pathsOf } from '../platform/paths.ts';
import { writeAllSync } from '../terminal/sync-write.ts';

/** Set by the build (.build/bundle.mjs), so that no command is loaded at a TAB. */
declare const COMMAND_LINE: CommandLineModel;

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_PROFILES_BYTES = 262_144;

/** Writes the candidates to standard output. Never throws. */
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
    // A completing shell shows no errors.
  }
}

/** Commands and options are completed even when hedge's folders cannot be read. */
function namesOrNone(
  sources: readonly NameSource[],
  { profile, process }: { profile: string; process: NodeJS.Process },
): readonly CachedName[] {
  const { env } = process;
  try {
    const host = hostOf(process);
    return knownNames(sources, { profile, places: pathsOf({ env, host, home: homedir() }), host, env });
  } catch {
    return [];
  }
}

interface Asking {
  /** Given on the command line; '' for none. */
  profile: string;
  places: Paths;
  host: Host;
  env: Environment;
}

/** Names that earlier commands saw on this machine under the selected profile. */
export const knownNames = (sources: readonly NameSource[], asking: Asking): readonly CachedName[] =>
  sources.flatMap((source) => namesOf(source, asking)).filter(({ name }) => isSafeName(name));

function namesOf(source: NameSource, { profile: named, places, host, env }: Asking): readonly CachedName[] {
  const stored = storedProfiles(places, host);
  if (source === 'profiles') return stored.names.map((name) => ({ name, about: '' }));
  if (source === 'operators') {
    const names = recentActions(places, host).flatMap(({ operator }) => operator);
    return [...new Set(names)].map((name) => ({ name, about: '' }));
  }
  const profile = named === '' ? (chosenIn(env) ?? stored.chosen ?? '') : named;
  if (!isBuiltIn(profile) && profile !== ENVIRONMENT_PAIR && !isProfileName(profile)) return [];
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

/** As config/resolve.ts, without its errors and without reading the key. */
function chosenIn(env: Environment): string | undefined {
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  if (isSet('HEDGE_API_KEY') || isSet('HEDGE_BASE_URL')) return ENVIRONMENT_PAIR;
  return isSet('HEDGE_PROFILE') ? env['HEDGE_PROFILE'] : undefined;
}

/** By its ID and by its deal ID. */
const namesOfAction = ({ id, dealId, about }: RecentAction): readonly CachedName[] => [
  { name: id, about },
  ...(typeof dealId === 'string' ? [{ name: dealId, about }] : []),
];

interface Stored {
  names: readonly string[];
  chosen: string | undefined;
}

/** The names in the profiles file. */
function storedProfiles(places: Paths, host: Host): Stored {
  const bytes = readCacheFile(join(places.config, 'profiles.json'), { host, maxBytes: MAX_PROFILES_BYTES });
  const { profiles, default_profile: chosen } = fieldsIn(bytes);
  return {
    names: [...BUILT_IN, ...(isFields(profiles) ? Object.keys(profiles) : []).filter(isProfileName)],
    chosen: typeof chosen === 'string' ? chosen : undefined,
  };
}

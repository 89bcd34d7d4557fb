/**
 * `hedge __complete` and `hedge __complete-line`, run by completion scripts at every TAB (cli/completion/answer.ts).
 * Reads this user's files only; no network, no API key. Never fails.
 */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type CachedName, isSafeName, readNames } from '../cache/names.ts';
import { completeLine, completeWords } from '../cli/completion/answer.ts';
import type { CommandLineModel } from '../cli/completion/model.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { NameSource } from '../commands/define.ts';
import { BUILT_IN, ENVIRONMENT_PAIR, isBuiltIn, isProfileName } from '../config/profile-names.ts';
import { fieldsIn, isFields } from '../domain/fields.ts';
import type { Action } from '../journal/replay.ts';
import type { JournalState } from '../journal/state.ts';
import { readCacheFile } from '../platform/cache-file.ts';
import { systemClock } from '../platform/clock.ts';
import { type Host, hostOf } from '../platform/host.ts';
import { type Paths, pathsOf } from '../platform/paths.ts';
import { systemRandom } from '../platform/random.ts';
import { writeAllSync } from '../terminal/sync-write.ts';

/** Set by the build (.build/bundle.mjs), so that no command is loaded at a TAB. */
declare const COMMAND_LINE: CommandLineModel;

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_PROFILES_BYTES = 262_144;

/** Writes the candidates to standard output. Never throws. */
export async function complete(
  process: NodeJS.Process,
  asked: { words: readonly string[] } | { line: string },
): Promise<void> {
  const sources = {
    model: COMMAND_LINE,
    names: (of: readonly NameSource[], profile: string) => namesOrNone(of, { profile, process }),
  };
  try {
    const answer = 'line' in asked ? completeLine(asked.line, sources) : completeWords(asked.words, sources);
    writeAllSync(await answer);
  } catch {
    // A completing shell shows no errors.
  }
}

/** Commands and options are completed even when hedge's folders cannot be read. */
async function namesOrNone(
  sources: readonly NameSource[],
  { profile, process }: { profile: string; process: NodeJS.Process },
): Promise<readonly CachedName[]> {
  const { env } = process;
  try {
    const host = hostOf(process);
    return await knownNames(sources, { profile, places: pathsOf({ env, host, home: homedir() }), host, env });
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
export async function knownNames(
  sources: readonly NameSource[],
  asking: Asking,
): Promise<readonly CachedName[]> {
  const found = await Promise.all(sources.map((source) => namesOf(source, asking).catch(() => [])));
  return found.flat().filter(({ name }) => isSafeName(name));
}

async function namesOf(
  source: NameSource,
  { profile: named, places, host, env }: Asking,
): Promise<readonly CachedName[]> {
  const stored = storedProfiles(places, host);
  if (source === 'profiles') return stored.names.map((name) => ({ name, about: '' }));
  if (source === 'operators') {
    const names = (await recentActions(places, host)).flatMap(operatorWords);
    return [...new Set(names)].map((name) => ({ name, about: '' }));
  }
  const profile = named === '' ? (chosenIn(env) ?? stored.chosen ?? '') : named;
  if (!isBuiltIn(profile) && profile !== ENVIRONMENT_PAIR && !isProfileName(profile)) return [];
  if (source === 'actions' || source === 'unresolved') {
    const recent = (await recentActions(places, host)).filter(({ intent }) => intent.profile === profile);
    if (source === 'actions') return recent.map((each) => ({ name: each.id, about: aboutAction(each) }));
    const { isEnded } = await import('../journal/replay.ts');
    return recent.filter((each) => !isEnded(each)).flatMap(namesOfAction);
  }
  const from =
    profile === ENVIRONMENT_PAIR ? { baseUrl: parseBaseUrl(env['HEDGE_BASE_URL'] ?? '').href } : {};
  return readNames(places, { profile, host, ...from })?.[source] ?? [];
}

/** Selects like config/resolve.ts, without its errors and without reading the key. */
function chosenIn(env: Environment): string | undefined {
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  if (isSet('HEDGE_API_KEY') || isSet('HEDGE_BASE_URL')) return ENVIRONMENT_PAIR;
  return isSet('HEDGE_PROFILE') ? env['HEDGE_PROFILE'] : undefined;
}

const MOST_RECENT = 50;

/** Newest first: the latest, and all that have not ended. Creates no journal. */
async function recentActions(places: Paths, host: Host): Promise<readonly Action[]> {
  const folders = journalFolders(places.state);
  // Without one the library of the database is not loaded.
  if (folders.length === 0) return [];
  const { openJournal } = await import('../journal/store/journal.ts');
  const machine = { host, clock: systemClock, random: systemRandom };
  return folders.flatMap((state) =>
    newestOf(openJournal({ places: { config: '', cache: '', state }, machine }).read()),
  );
}

/** The journals of this machine and of its desks. */
function journalFolders(state: string): readonly string[] {
  const desks = existsSync(state) ? readdirSync(state).filter((name) => name.startsWith('desk-')) : [];
  return [state, ...desks.map((name) => join(state, name))].filter((folder) =>
    existsSync(join(folder, 'journal.sqlite')),
  );
}

function newestOf(state: JournalState): readonly Action[] {
  const recent: Action[] = [];
  for (const each of state.newest()) {
    recent.push(each);
    if (recent.length === MOST_RECENT) break;
  }
  const older = state.current.filter(({ id }) => !recent.some((each) => each.id === id));
  return [...recent, ...older.toReversed()];
}

/** `open buy 2026-11-20 09:02` */
const aboutAction = ({ intent: { action, side, at } }: Action): string =>
  `${action} ${side} ${at.slice(0, 16).replace('T', ' ')}`;

/** The user, and the words of the name. */
const operatorWords = ({ intent: { operator } }: Action): readonly string[] =>
  operator === undefined ? [] : [operator.user, ...(operator.name?.split(' ') ?? [])];

/** By its ID and by its deal ID. */
function namesOfAction(action: Action): readonly CachedName[] {
  const { id, intent } = action;
  const about = aboutAction(action);
  return [{ name: id, about }, ...(intent.deal_id === undefined ? [] : [{ name: intent.deal_id, about }])];
}

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

/**
 * `hedge __complete KIND [--profile=NAME] [PREFIX]`: what a shell may offer, one name a line, after a tab a few words
 * about it. Asks files of this user alone: no network, no key, nothing but the modules this takes. Whatever is
 * wrong is as if there were nothing to offer.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isHarmlessName, type KeptName, type NameKind, readNames } from '../cache/names.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import { ENVIRONMENT_PAIR, isProfileName, PRACTICE } from '../config/profile-names.ts';
import { fieldsIn, isFields, ownField } from '../domain/fields.ts';
import { type RecentAction, recentActions } from '../journal/recent-actions.ts';
import { readCacheFile } from '../platform/cache-file.ts';
import { type Host, hostOf } from '../platform/host.ts';
import { type Paths, pathsOf } from '../platform/paths.ts';
import { writeAllSync } from '../terminal/sync-write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** In one word, because a shell may drop an empty one. */
const PROFILE_OPTION = '--profile=';
const MAX_PROFILES_BYTES = 262_144;

/** Writes what may be offered to standard output. Never throws. */
export function complete(process: NodeJS.Process, words: readonly string[]): void {
  const { env } = process;
  try {
    const host = hostOf(process);
    const places = pathsOf({ env, host, home: homedir() });
    writeAllSync(offeredNames(words, { places, host, env }));
  } catch {
    // A shell that completes has nobody to tell.
  }
}

export function offeredNames(
  words: readonly string[],
  { places, host, env }: { places: Paths; host: Host; env: Environment },
): string {
  const [kind = '', prefix = ''] = words.filter((word) => !word.startsWith(PROFILE_OPTION));
  const option = words.find((word) => word.startsWith(PROFILE_OPTION))?.slice(PROFILE_OPTION.length);
  return beginning(prefix, namesOf(kind, { option, places, host, env }))
    .map(({ name, about }) => (about === '' ? `${name}\n` : `${name}\t${about}\n`))
    .join('');
}

/** Those that begin so; where none does, those that do in another case. */
function beginning(prefix: string, names: readonly KeptName[]): readonly KeptName[] {
  const harmless = names.filter(({ name }) => isHarmlessName(name));
  const exact = harmless.filter(({ name }) => name.startsWith(prefix));
  const lower = prefix.toLowerCase();
  return exact.length > 0 ? exact : harmless.filter(({ name }) => name.toLowerCase().startsWith(lower));
}

function namesOf(
  kind: string,
  {
    option = '',
    places,
    host,
    env,
  }: { option: string | undefined; places: Paths; host: Host; env: Environment },
): readonly KeptName[] {
  const stored = storedProfiles(places, host);
  if (kind === 'profiles') return stored.names.map((name) => ({ name, about: '' }));
  const profile = option === '' ? (chosenIn(env) ?? stored.chosen ?? '') : option;
  if (profile !== PRACTICE && profile !== ENVIRONMENT_PAIR && !isProfileName(profile)) return [];
  const recent = () => recentActions(places, host).filter((action) => action.profile === profile);
  if (kind === 'matters')
    return recent()
      .filter(({ open }) => open)
      .flatMap(namesOfAction);
  const from =
    profile === ENVIRONMENT_PAIR ? { baseUrl: parseBaseUrl(env['HEDGE_BASE_URL'] ?? '').href } : {};
  const kept = readNames(places, { profile, host, ...from });
  return (ownField(KINDS, kind) ?? []).flatMap((each) =>
    each === 'actions' ? recent().map(byItsId) : (kept?.[each] ?? []),
  );
}

/** As config/resolve.ts has it, but for what only an error would tell. Whether there is a key, never which. */
function chosenIn(env: Environment): string | undefined {
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  if (isSet('HEDGE_API_KEY') || isSet('HEDGE_BASE_URL')) return ENVIRONMENT_PAIR;
  return isSet('HEDGE_PROFILE') ? env['HEDGE_PROFILE'] : undefined;
}

const byItsId = ({ id, about }: RecentAction): KeptName => ({ name: id, about });

/** An action is known by its own id and by the deal id that the operator gave it. */
const namesOfAction = ({ id, dealId, about }: RecentAction): readonly KeptName[] => [
  { name: id, about },
  ...(typeof dealId === 'string' ? [{ name: dealId, about }] : []),
];

/** What each kind offers: whatever the word may be. */
const KINDS: Readonly<Record<string, readonly ('actions' | NameKind)[]>> = {
  markets: ['markets'],
  deals: ['deals'],
  hedges: ['hedges', 'deals'],
  anything: ['actions', 'hedges', 'deals'],
};

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

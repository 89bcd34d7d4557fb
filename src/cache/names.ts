/**
 * Names for completion (markets, hedge IDs, deal IDs), one private file per profile. A name with a character that is
 * special to a shell is neither stored nor returned.
 */
import { join } from 'node:path';
import { fieldsIn } from '../domain/fields.ts';
import { SIDES } from '../domain/vocabulary.ts';
import { readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Host, Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

export const NAME_KINDS = ['markets', 'hedges', 'deals'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

export interface CachedName {
  name: string;
  /** A short description: `buy USDTNGN 10000 filled`; may be ''. */
  about: string;
}

export interface NamesOwner {
  profile: string;
  /** Equal exactly for the same account. */
  identity: string;
  baseUrl: string;
}

export type CachedNames = Readonly<Record<NameKind, readonly CachedName[]>>;

const FOLDER = 'names';
const FORMAT = 1;
const MAX_BYTES = 131_072;
const MOST: Readonly<Record<NameKind, number>> = { markets: 100, hedges: 200, deals: 200 };

/** No character that is special to a shell, and no dash at the start. */
const HARMLESS_NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,79}$/;
const HARMLESS_ABOUT = /^[A-Za-z0-9._/-]+(?: [A-Za-z0-9._/-]+){0,5}$/;
const LONGEST_ABOUT = 80;

export const isSafeName = (name: unknown): name is string =>
  typeof name === 'string' && HARMLESS_NAME.test(name);

/** Describes a hedge; skips words with special characters. */
export function describeHedge(words: {
  side: unknown;
  market: unknown;
  notional: string | undefined;
  status: unknown;
}): string {
  const { side, market, notional, status } = words;
  const plain = [SIDES.find((each) => each === side), market, notional, status].filter(isSafeName);
  return plain.join(' ').slice(0, LONGEST_ABOUT).trim();
}

/** The names stored for a profile; undefined without any. `baseUrl`: only of that service. */
export function readNames(
  places: Paths,
  { profile, baseUrl, host }: { profile: string; baseUrl?: string; host: Host },
): CachedNames | undefined {
  const file = load(pathOf(places, profile), host);
  return file === undefined || (baseUrl !== undefined && file.baseUrl !== baseUrl) ? undefined : file.names;
}

export interface NameCache {
  /** Newest first. */
  learn(kind: NameKind, names: readonly { name: unknown; about?: string | undefined }[]): void;
  /** The complete list. */
  learnAll(kind: NameKind, names: readonly { name: unknown }[]): void;
  /** Writes the changes, if any. Never throws. */
  keep(): void;
}

/** Names of one account; those of another account under the same profile are dropped. */
export function openNameCache(places: Paths, machine: Machine, owner: NamesOwner): NameCache {
  const fresh = { markets: NOTHING_NEW, hedges: NOTHING_NEW, deals: NOTHING_NEW };
  return {
    learn(kind, names) {
      const { all, names: before } = fresh[kind];
      fresh[kind] = { all, names: together(harmless(names), before).slice(0, MOST[kind]) };
    },
    learnAll(kind, names) {
      fresh[kind] = { all: true, names: harmless(names).slice(0, MOST[kind]) };
    },
    keep() {
      if (NAME_KINDS.every((kind) => isNothing(fresh[kind]))) return;
      const path = pathOf(places, owner.profile);
      const before = load(path, machine.host);
      const stored = before?.identity === owner.identity ? before.names : NO_NAMES;
      const merged = (kind: NameKind): readonly CachedName[] =>
        together(fresh[kind].names, fresh[kind].all ? [] : stored[kind]).slice(0, MOST[kind]);
      const after = { markets: merged('markets'), hedges: merged('hedges'), deals: merged('deals') };
      const content = written(owner, after);
      if (before === undefined || content !== written(before, before.names))
        writeCacheFile(path, content, { ...machine, within: places.cache });
    },
  };
}

const harmless = (names: readonly { name: unknown; about?: string | undefined }[]): readonly CachedName[] =>
  names.flatMap(({ name, about = '' }) => (isSafeName(name) ? [{ name, about }] : []));

interface Fresh {
  /** The list is complete. */
  all: boolean;
  names: readonly CachedName[];
}

const NOTHING_NEW: Fresh = { all: false, names: [] };
const isNothing = ({ all, names }: Fresh): boolean => !all && names.length === 0;

const NO_NAMES: CachedNames = { markets: [], hedges: [], deals: [] };

const pathOf = (places: Paths, profile: string): string => join(places.cache, FOLDER, `${profile}.json`);

/** Each name once, the first list first; of two entries of a name the first with a description. */
function together(first: readonly CachedName[], then: readonly CachedName[]): readonly CachedName[] {
  const found = new Map<string, CachedName>();
  for (const each of [...first, ...then]) {
    const known = found.get(each.name);
    if (known === undefined || known.about === '') found.set(each.name, each);
  }
  return [...found.values()];
}

const written = ({ identity, baseUrl }: Omit<NamesOwner, 'profile'>, names: CachedNames): string => {
  const lists = NAME_KINDS.map(
    (kind) => [kind, names[kind].map(({ name, about }) => [name, about])] as const,
  );
  return `${JSON.stringify({ format: FORMAT, identity, base_url: baseUrl, ...Object.fromEntries(lists) })}\n`;
};

interface Loaded {
  identity: string;
  baseUrl: string;
  names: CachedNames;
}

/** Without a schema library, which would double the start-up time while a shell waits. */
function load(path: string, host: Host): Loaded | undefined {
  const file = fieldsIn(readCacheFile(path, { host, maxBytes: MAX_BYTES }));
  if (file['format'] !== FORMAT) return undefined;
  const { identity, base_url: baseUrl, markets, hedges, deals } = file;
  if (typeof identity !== 'string' || typeof baseUrl !== 'string') return undefined;
  return {
    identity,
    baseUrl,
    names: { markets: namesOf(markets), hedges: namesOf(hedges), deals: namesOf(deals) },
  };
}

const namesOf = (list: unknown): readonly CachedName[] =>
  Array.isArray(list) ? list.flatMap((pair: unknown) => (Array.isArray(pair) ? nameOf(pair) : [])) : [];

function nameOf([name, about]: readonly unknown[]): readonly CachedName[] {
  if (!isSafeName(name)) return [];
  const kept = typeof about === 'string' && about.length <= LONGEST_ABOUT && HARMLESS_ABOUT.test(about);
  return [{ name, about: kept ? about : '' }];
}

/**
 * Locally recorded mids for charts, one private file of limited size per market and account, as the service has no price
 * history. They are never traded on.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Big } from 'big.js';
import { appendCacheFile, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

export interface SeenPrice {
  /** Milliseconds since the epoch by the service's clock. */
  at: number;
  /** Quote currency per USDT. */
  mid: Big;
}

export interface PriceCache {
  /** Never throws, and never waits. */
  see(market: string, seen: SeenPrice): void;
  /** All recorded, oldest first. */
  seen(market: string): readonly SeenPrice[];
  /** Recorded by this process, oldest first; the first always stays, later ones thin out. */
  sinceStart(market: string): readonly SeenPrice[];
}

const FOLDER = 'prices';
const MAX_BYTES = 262_144;
/** A file that is too large keeps the newest, and every other of the older ones. */
const KEPT_NEWEST = 2_000;
const KEPT_OLDER = 2_000;
/** A process records a market at most this often. */
const APART_MS = 5_000;
const MOST_IN_PROCESS = 2_000;

const LINE = /^(\d{12,14}) (\d{1,20}(?:\.\d{1,20})?)$/;

/** `account`: environment and base URL, since a market of another service is another market. */
export function openPriceCache(places: Paths, machine: Machine, account: string): PriceCache {
  const { host } = machine;
  const own = new Map<string, SeenPrice[]>();
  const writtenAt = new Map<string, number>();
  const pathOf = (market: string): string => {
    const name = createHash('sha256').update(`${account}\n${market}`).digest('hex').slice(0, 32);
    return join(places.cache, FOLDER, `${name}.txt`);
  };
  const read = (market: string): SeenPrice[] =>
    parse(readCacheFile(pathOf(market), { host, maxBytes: MAX_BYTES * 2 })?.toString('utf8') ?? '');

  return {
    see(market, seen) {
      if (!LINE.test(lineOf(seen).trimEnd())) return;
      own.set(market, thinned([...(own.get(market) ?? []), seen]));
      const last = writtenAt.get(market);
      if (last !== undefined && Math.abs(seen.at - last) < APART_MS) return;
      writtenAt.set(market, seen.at);
      const size = appendCacheFile(pathOf(market), lineOf(seen), { host, within: places.cache });
      if (size === undefined || size <= MAX_BYTES) return;
      const kept = shortened(read(market));
      writeCacheFile(pathOf(market), kept.map(lineOf).join(''), { ...machine, within: places.cache });
    },
    seen: (market) => merged(read(market), own.get(market) ?? []),
    sinceStart: (market) => own.get(market) ?? [],
  };
}

const lineOf = ({ at, mid }: SeenPrice): string => `${at.toString()} ${mid.toFixed()}\n`;

/** Skips invalid and cut lines. */
function parse(text: string): SeenPrice[] {
  return text.split('\n').flatMap((each) => {
    const [, at, mid] = LINE.exec(each) ?? [];
    return at === undefined || mid === undefined ? [] : [{ at: Number(at), mid: new Big(mid) }];
  });
}

/** By time, each instant once. */
function merged(...lists: readonly (readonly SeenPrice[])[]): readonly SeenPrice[] {
  const byTime = new Map(lists.flat().map((seen) => [seen.at, seen]));
  return [...byTime.values()].toSorted((one, other) => one.at - other.at);
}

const everyOther = <T>(list: readonly T[]): T[] => list.filter((_, index) => index % 2 === 0);

const shortened = (all: readonly SeenPrice[]): readonly SeenPrice[] => [
  ...everyOther(all.slice(0, -KEPT_NEWEST)).slice(-KEPT_OLDER),
  ...all.slice(-KEPT_NEWEST),
];

const thinned = (all: SeenPrice[]): SeenPrice[] =>
  all.length <= MOST_IN_PROCESS
    ? all
    : [...everyOther(all.slice(0, -MOST_IN_PROCESS / 2)), ...all.slice(-MOST_IN_PROCESS / 2)];

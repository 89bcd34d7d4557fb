/**
 * Hedges that a reading showed closed before their maturity, one private file per account: once the maturity has passed,
 * the service may show them as it shows a settled one.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { once } from '../domain/once.ts';
import { appendCacheFile, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

export interface EarlyCloses {
  /** Never throws, and never waits. */
  see(hedgeId: string): void;
  seen(hedgeId: string): boolean;
}

const FOLDER = 'early-closes';
const DIGITS = 32;
const MAX_BYTES = 131_072;
const KEPT = 2_000;

/** IDs are the service's text: a digest of each is a line of known length. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, DIGITS);

/** `account`: equal exactly for the same account. */
export function openEarlyCloses(places: Paths, machine: Machine, account: string): EarlyCloses {
  const { host } = machine;
  const path = join(places.cache, FOLDER, `${digest(account)}.txt`);
  const known = once(() => {
    const text = readCacheFile(path, { host, maxBytes: MAX_BYTES * 2 })?.toString('latin1') ?? '';
    return new Set(text.split('\n').filter((line) => line.length === DIGITS));
  });
  return {
    see(hedgeId) {
      const line = digest(hedgeId);
      if (known().has(line)) return;
      known().add(line);
      const size = appendCacheFile(path, `${line}\n`, { host, within: places.cache });
      if (size === undefined || size <= MAX_BYTES) return;
      const kept = [...known()].slice(-KEPT).map((each) => `${each}\n`);
      writeCacheFile(path, kept.join(''), { ...machine, within: places.cache });
    },
    seen: (hedgeId) => known().has(digest(hedgeId)),
  };
}

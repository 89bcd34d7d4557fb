/**
 * Words of a service to slow down, one small file a key and address, so that every process of this user heeds what
 * one of them was told. 0600; holds no key; what is damaged, foreign or cannot be written is as if nothing had been
 * said. Knows no service.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
export interface RateLimitState {
  /** Until when nothing is to be sent, in milliseconds since the epoch; undefined: it may be. */
  until(): number | undefined;
  /** The service said so. Never throws. */
  tell(until: number): void;
}

/**
 * However far ahead a word reaches, it counts for no longer than this: then somebody asks again, and is told again.
 * What reaches further is none of ours, or the clock was set back: it counts for nothing.
 */
export const LONGEST_MS = 60_000;
/** A word that ends hardly later than the one that stands is not written again. */
const HARDLY_MS = 50;

const FOLDER = 'slow-down';
const MAX_BYTES = 4_096;

/** `identity`: equal exactly when it is the same key at the same address; never the key itself. */
export function rateLimitStateIn(places: Paths, machine: Machine, identity: string): RateLimitState {
  const { clock, host } = machine;
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  const path = join(places.cache, FOLDER, `${name}.json`);
  /** Where nothing can be written, this process heeds at least its own. */
  let own = 0;

  const credible = (until: number): number | undefined => {
    const ahead = until - clock.now();
    return ahead > 0 && ahead <= LONGEST_MS ? until : undefined;
  };
  const until = (): number | undefined => {
    const told = untilIn(readCacheFile(path, { host, maxBytes: MAX_BYTES }), identity);
    const latest = Math.max(credible(told) ?? 0, credible(own) ?? 0);
    return latest === 0 ? undefined : latest;
  };
  return {
    until,
    tell(asked) {
      const capped = Math.min(asked, clock.now() + LONGEST_MS);
      const stands = until();
      if (capped <= clock.now() || (stands !== undefined && capped <= stands + HARDLY_MS)) return;
      own = capped;
      writeCacheFile(path, `${JSON.stringify({ identity, until: capped })}\n`, {
        ...machine,
        within: places.cache,
      });
    },
  };
}

/** 0 where nothing can be read. Checked by hand: it is read before every request. */
function untilIn(bytes: Buffer | undefined, identity: string): number {
  if (bytes === undefined) return 0;
  try {
    const file: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof file !== 'object' || file === null) return 0;
    if (!('identity' in file) || file.identity !== identity) return 0;
    return 'until' in file && typeof file.until === 'number' ? file.until : 0;
  } catch {
    return 0;
  }
}

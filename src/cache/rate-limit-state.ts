/** Rate-limit state shared by all processes that use a key: one private file per key and base URL, without the key. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';

export interface RateLimitState {
  /** Milliseconds since the epoch; undefined when requests may be sent. */
  until(): number | undefined;
  /** Records a limit of the service. Never throws. */
  record(until: number): void;
}

/** Caps a wait at 60 s; ignores later timestamps (clock change). */
export const MAX_RATE_LIMIT_WAIT_MS = 60_000;
/** A limit that ends less than this later is not written again. */
const MIN_CHANGE_MS = 50;

const FOLDER = 'slow-down';
const MAX_BYTES = 4_096;

/** `identity`: equal exactly when it is the same key at the same address; never the key itself. */
export function openRateLimitState(places: Paths, machine: Machine, identity: string): RateLimitState {
  const { clock, host } = machine;
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  const path = join(places.cache, FOLDER, `${name}.json`);
  /** This process's own, in case nothing can be written. */
  let own = 0;

  const credible = (until: number): number | undefined => {
    const ahead = until - clock.now();
    return ahead > 0 && ahead <= MAX_RATE_LIMIT_WAIT_MS ? until : undefined;
  };
  const until = (): number | undefined => {
    const stored = untilIn(readCacheFile(path, { host, maxBytes: MAX_BYTES }), identity);
    const latest = Math.max(credible(stored) ?? 0, credible(own) ?? 0);
    return latest === 0 ? undefined : latest;
  };
  return {
    until,
    record(limitedUntil) {
      const capped = Math.min(limitedUntil, clock.now() + MAX_RATE_LIMIT_WAIT_MS);
      const current = until();
      if (capped <= clock.now() || (current !== undefined && capped <= current + MIN_CHANGE_MS)) return;
      own = capped;
      writeCacheFile(path, `${JSON.stringify({ identity, until: capped })}\n`, {
        ...machine,
        within: places.cache,
      });
    },
  };
}

/** 0 when nothing can be read. Without a schema library: it is read before every request. */
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

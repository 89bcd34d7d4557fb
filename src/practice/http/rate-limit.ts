/** A token bucket a key, in wall time: so many at once, then so many a second; the rest get 429 and a wait. */
import type { Environment } from '../door.ts';
import { type Database, whole } from '../store/database.ts';
import { Refusal } from '../wire/refusal.ts';

/** Takes a token, or throws `rate_limited`. Inside a transaction. Kept is when the bucket will be full again. */
export function takeToken(
  db: Database,
  environment: Environment,
  limit: { burst: number; perSecond: number },
  wallNow: number,
): void {
  const nowUs = Math.floor(wallNow * 1000);
  const tokenUs = Math.ceil(1_000_000 / limit.perSecond);
  const emptyUs = tokenUs * limit.burst;
  const row = db.get('SELECT wall_full_at_us FROM rate_buckets WHERE environment = ?', environment);
  const kept = row === undefined ? nowUs : whole(row, 'wall_full_at_us');
  // More than an empty bucket can only come from a wall clock that was set back: it must not lock the caller out.
  const fullAt = kept > nowUs + emptyUs ? nowUs : Math.max(kept, nowUs);
  const tooEarlyUs = fullAt + tokenUs - emptyUs - nowUs;
  if (tooEarlyUs > 0) throw limited(Math.max(1, Math.ceil(tooEarlyUs / 1_000_000)));
  db.run(
    'INSERT OR REPLACE INTO rate_buckets (environment, wall_full_at_us) VALUES (?, ?)',
    environment,
    fullAt + tokenUs,
  );
}

export function limited(seconds: number): Refusal {
  return new Refusal('rate_limited', 'Too many requests with this key; wait and try again.', {
    headers: { 'Retry-After': String(seconds) },
  });
}

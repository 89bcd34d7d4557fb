/** Compares the copy of a log with it, and names the first record that differs. */
import { recordHash } from '../journal/chain.ts';
import { JournalDamage } from '../journal/store/journal-database.ts';
import type { LogConnection } from './connection.ts';
import { contentHash, type Follower, LogChanged, NotNext } from './follower.ts';
import { NOTHING_NEW, PULLED_AT_ONCE, pullLog } from './log.ts';

/** Up to the record `last`, page by page, by their digests. @throws LogChanged */
export async function compareWhole(
  connection: LogConnection,
  follower: Follower,
  last: number,
): Promise<void> {
  for (let from = 1; from <= last; from += PULLED_AT_ONCE) {
    const range = { from, to: Math.min(last, from + PULLED_AT_ONCE - 1) };
    const own = follower.digest(range);
    const { digest } = await pullLog(connection, { copy: NOTHING_NEW, digestOf: range });
    if (own !== digest) await nameChange(connection, follower, range);
  }
}

/** Names the change in records that are not those of the log. @throws LogChanged for the first one that differs. */
export async function nameChange(
  connection: LogConnection,
  follower: Follower,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const before = { seq: from - 1, hash: '' };
  const { records } = await pullLog(connection, { copy: before });
  const there = new Map(records.map((each) => [each.seq, each]));
  let prev = follower.hashAt(from - 1);
  for (const own of follower.records(from, to)) {
    if (prev !== undefined && recordHash(prev, own) !== own.hash)
      throw new JournalDamage(follower.path, `record ${own.seq.toString()} is not what its hash says`);
    prev = own.hash;
    const other = there.get(own.seq);
    if (other === undefined) throw new LogChanged(own.seq, 'was removed');
    if (contentHash(own) !== contentHash(other) || own.hash !== other.hash)
      throw new LogChanged(own.seq, 'was edited after it was written');
  }
  // It was put in order again meanwhile, or another process has built the copy again.
  throw new NotNext();
}

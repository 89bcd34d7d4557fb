/** A journal of many actions: those of a home, and copies of them that were dealt before. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord } from '../../src/journal/records.ts';
import { storeJournal } from './stored-journal.ts';

const idOf = (word: string): string => createHash('sha256').update(word).digest('hex').slice(0, 16);

/** A day has so many at most. */
const EVERY_MS = 4_000;

/** Replaces the journal of a home: `count` copies of `one`, with deal IDs `OLD-0`, `OLD-1` and so on, then `last`. */
export function storeEarlierActions(
  home: string,
  { one, last, count }: { one: readonly JournalRecord[]; last: readonly JournalRecord[]; count: number },
): void {
  const asAnother = (record: JournalRecord, at: number): JournalRecord => {
    const number = at.toString();
    const earlierMs = Date.parse(record.at) - (count + 2 - at) * EVERY_MS;
    const own = { ...record, at: new Date(earlierMs).toISOString() };
    if ('action_id' in own) own.action_id = idOf(number);
    if ('idempotency_key' in own) own.idempotency_key = `key-${number}`;
    if ('deal_id' in own) own.deal_id = `OLD-${number}`;
    return own;
  };
  const many = Array.from({ length: count }, (_, at) => one.map((record) => asAnother(record, at))).flat();
  const state = join(home, 'state');
  rmSync(state, { recursive: true });
  mkdirSync(state, { mode: 0o700 });
  storeJournal(state, [...many, ...last]);
}

/** Records as they are appended: each with an ID of its own, an intent with its short ID. */
import { type JournalRecord, mintId } from '../records.ts';
import { SHORTEST_ID } from '../replay.ts';
import { neighborsOf } from './derived-tables.ts';
import type { NewRecord } from './insert-records.ts';
import type { JournalDatabase } from './journal-database.ts';

interface RandomBytes {
  bytes(count: number): Uint8Array;
}

/**
 * `db`: where the IDs of earlier actions are; without it each intent is shown with its whole ID, for the journal, into which
 * it goes later, cannot be asked.
 */
export function newRecords(
  records: readonly JournalRecord[],
  db: JournalDatabase | undefined,
  random: RandomBytes,
): readonly NewRecord[] {
  const begun: string[] = [];
  return records.map((record) => {
    const id = mintId(random);
    if (record.kind !== 'intent') return { id, record: JSON.stringify(record) };
    const { action_id: actionId } = record;
    const neighbors = db === undefined ? [actionId] : [...neighborsOf(db, actionId), ...begun];
    begun.push(actionId);
    const shared = Math.max(0, ...neighbors.map((each) => sharedDigits(each, actionId)));
    const shortId = actionId.slice(0, Math.max(SHORTEST_ID, shared + 1));
    return { id, record: JSON.stringify({ ...record, short_id: shortId }) };
  });
}

/** How many digits two IDs have in common at their beginning. */
export function sharedDigits(one: string, other: string): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
}

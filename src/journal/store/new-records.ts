/** Records as they are appended: each with an ID of its own, an intent with its short ID. */
import { exactInstant } from '../../domain/instants.ts';
import type { Machine } from '../../platform/host.ts';
import { type JournalRecord, mintId, type Operator, SCHEMA } from '../records.ts';
import { SHORTEST_ID } from '../replay.ts';
import { neighborsOf } from './derived-tables.ts';
import type { NewRecord } from './insert-records.ts';
import type { JournalDatabase } from './journal-database.ts';

interface RandomBytes {
  bytes(count: number): Uint8Array;
}

/** By whom a command signs what it records. `who`: the name that is shown. */
export interface Signature {
  who: string;
  operator: Operator;
  version: string;
}

/** The fields of every record. */
export const signedNow = ({ operator, version }: Signature, { clock }: Pick<Machine, 'clock'>) =>
  ({ schema: SCHEMA, at: exactInstant(clock.now()), operator, version }) as const;

export const newRecord = (record: JournalRecord, random: RandomBytes): NewRecord => ({
  id: mintId(random),
  record: JSON.stringify(record),
});

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
    if (record.kind !== 'intent') return newRecord(record, random);
    const { action_id: actionId } = record;
    const neighbors = db === undefined ? [actionId] : [...neighborsOf(db, actionId), ...begun];
    begun.push(actionId);
    const shared = Math.max(0, ...neighbors.map((each) => sharedDigits(each, actionId)));
    const shortId = actionId.slice(0, Math.max(SHORTEST_ID, shared + 1));
    return newRecord({ ...record, short_id: shortId }, random);
  });
}

/** How many digits two IDs have in common at their beginning. */
export function sharedDigits(one: string, other: string): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
}

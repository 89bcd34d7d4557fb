/** The halt of this machine: opens and adds stop while a halt record is not named by a later `unhalt`. Pure. */
import { containsKey } from '../domain/sanitize.ts';
import { UsageError } from '../errors.ts';
import type { HaltRecord, HaltSet } from './records.ts';

export type SignedHalt = Pick<HaltSet, 'who' | 'at' | 'why' | 'note'>;

/** The latest halt in force. `ids`: of each in force; `earlier`: those that were set before it, in order. */
export interface Halt extends SignedHalt {
  ids: readonly string[];
  earlier: readonly SignedHalt[];
}

/** The halt in force after these records, which are in order; undefined when none of them holds. */
export function haltFrom(records: Iterable<HaltRecord>): Halt | undefined {
  const held = new Map<string, HaltSet>();
  for (const record of records)
    if (record.kind === 'halt') {
      held.delete(record.halt_id);
      held.set(record.halt_id, record);
    } else for (const id of record.halt_ids) held.delete(id);
  const signed = [...held.values()].map(({ who, at, why, note }): SignedHalt => ({ who, at, why, note }));
  const last = signed.at(-1);
  return last && { ...last, ids: [...held.keys()], earlier: signed.slice(0, -1) };
}

const LONGEST = 500;

/** The reason as it is recorded. @throws UsageError */
export function haltReason(text: string): string {
  const reason = text.trim();
  const isOfLength = reason !== '' && reason.length <= LONGEST;
  if (isOfLength && !containsKey(reason)) return reason;
  throw new UsageError(
    isOfLength
      ? 'The reason contains what looks like an API key. The reason is stored and shown.'
      : `A halt needs a reason of 1 to ${LONGEST.toString()} characters.`,
    'hedge halt "venue down"',
  );
}

/** The halt of this machine: opens and adds stop while a halt record is not named by a later `unhalt`. Pure. */
import { containsKey } from '../domain/sanitize.ts';
import { UsageError } from '../errors.ts';
import type { HaltRecord, HaltSet } from './records.ts';

/** Each halt in force has its ID here; the rest is of the latest. `at`: ISO 8601 UTC. */
export interface Halt {
  ids: readonly string[];
  who: string;
  at: string;
  why: string;
  note?: string | undefined;
}

/** The halt in force after these records, which are in order; undefined when none of them holds. */
export function haltFrom(records: Iterable<HaltRecord>): Halt | undefined {
  const held = new Map<string, HaltSet>();
  for (const record of records)
    if (record.kind === 'halt') {
      held.delete(record.halt_id);
      held.set(record.halt_id, record);
    } else for (const id of record.halt_ids) held.delete(id);
  const last = [...held.values()].at(-1);
  if (last === undefined) return undefined;
  const { who, at, why, note } = last;
  return { ids: [...held.keys()], who, at, why, note };
}

const LONGEST = 500;

/** The reason as it is recorded. @throws UsageError */
export function haltReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > LONGEST)
    throw new UsageError(
      `A halt needs a reason of 1 to ${LONGEST.toString()} characters.`,
      'hedge halt "venue down"',
    );
  if (containsKey(reason))
    throw new UsageError(
      'The reason contains what looks like an API key. The reason is stored and shown.',
      'hedge halt "venue down"',
    );
  return reason;
}

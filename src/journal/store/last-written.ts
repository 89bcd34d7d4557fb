/**
 * The last records that were written, by `journal.head`: its witness, and behind it the mark of `pending.sqlite`, which is the ID
 * of the last record there. A file that lacks them was removed or put back: it may have had a halt or an unknown outcome.
 */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { fieldsIn } from '../../domain/fields.ts';
import type { Host } from '../../platform/host.ts';
import type { JournalTrouble } from '../trouble.ts';
import type { JournalDamage, JournalDatabase } from './journal-database.ts';
import { hasRecord, type JournalHead } from './record-rows.ts';
import { databaseFile, pendingFile, witnessFile } from './schema.ts';
import { MARK_AT, PLACE_BYTES, readWitness, rewoundFrom, witnessBytes, witnessIn } from './witness.ts';

/** Read before the databases: a record that is written in between is no loss. */
export interface LastWritten {
  witness: JournalHead | undefined;
  /** Undefined while nothing is pending. */
  mark: string | undefined;
}

export function readLastWritten(state: string, host: Host): LastWritten {
  const bytes = witnessBytes(state, host);
  const { pending } = fieldsIn(bytes.subarray(MARK_AT, MARK_AT + PLACE_BYTES));
  return { witness: witnessIn(bytes), mark: typeof pending === 'string' ? pending : undefined };
}

/** Undefined where both files have them. `all`, `damage`: of `pending.sqlite` now. @throws JournalDamage as `rewoundFrom` */
export const lossOf = (
  state: string,
  { witness, mark }: LastWritten,
  db: JournalDatabase | undefined,
  { all, damage }: { all: readonly { id: string }[]; damage?: JournalDamage },
): JournalTrouble | undefined =>
  rewoundFrom(witness, db, databaseFile(state)) ?? damage?.trouble ?? lostPending(state, mark, { all, db });

/** `id`: undefined once nothing is pending. Never throws, and writes to no witness that cannot be used: nothing is noticed then. */
export function writePendingMark(state: string, host: Host, id: string | undefined): void {
  if (readWitness(state, host) === undefined) return;
  const text = `${(id === undefined ? '' : JSON.stringify({ pending: id })).padEnd(PLACE_BYTES - 1)}\n`;
  try {
    const fd = openSync(witnessFile(state), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (fstatSync(fd).size >= MARK_AT) writeSync(fd, Buffer.from(text), 0, PLACE_BYTES, MARK_AT);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The system's reason is that of the witness, which is checked.
  }
}

/** `all`: the pending records. `db`: undefined where it cannot be asked. */
export function lostPending(
  state: string,
  mark: string | undefined,
  { all, db }: { all: readonly { id: string }[]; db: JournalDatabase | undefined },
): JournalTrouble | undefined {
  if (mark === undefined || all.some(({ id }) => id === mark) || hasRecord(db, mark)) return undefined;
  const path = pendingFile(state);
  const what = `${path} lacks a record that was written there on this machine: it was removed, or an older copy was put in its place.`;
  return { kind: 'rewound', path, what };
}

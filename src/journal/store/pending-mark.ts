/**
 * The mark of `pending.sqlite`: the ID of its last record, behind the two places of the witness. Without that record in
 * either database, a file was removed or put back that may have had a halt, or an action whose outcome is not known.
 */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { fieldsIn } from '../../domain/fields.ts';
import type { Host } from '../../platform/host.ts';
import type { JournalTrouble } from '../trouble.ts';
import type { JournalDatabase } from './journal-database.ts';
import { hasRecord } from './record-rows.ts';
import { pendingFile, witnessFile } from './schema.ts';
import { MARK_AT, PLACE_BYTES, readWitness, witnessBytes } from './witness.ts';

/** Undefined without one. Read before the databases. */
export function readPendingMark(state: string, host: Host): string | undefined {
  const { pending } = fieldsIn(witnessBytes(state, host).subarray(MARK_AT, MARK_AT + PLACE_BYTES));
  return typeof pending === 'string' ? pending : undefined;
}

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

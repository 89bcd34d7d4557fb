/**
 * `journal.head`: the last records that were written. The witness is the head of the journal after the last commit, and the mark
 * behind it is the ID of the last record of `pending.sqlite`. A file that lacks them was removed or put back: it may have had a halt or
 * an unknown outcome. It is made once and synced; afterwards it is written over and not synced. The witness has two places, of which
 * the older one is written over, so that a write that fails half-way leaves the other: an older head does no harm.
 */
import { constants, fstatSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Fields, fieldsIn } from '../../domain/fields.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import { readOwnFile, withOpened, writeAtomically } from '../../platform/atomic-file.ts';
import { attempting, refusedAccess } from '../../platform/file-errors.ts';
import type { Host, Machine } from '../../platform/host.ts';
import { isHash } from '../chain.ts';
import type { JournalTrouble } from '../trouble.ts';
import { hasBrokenLog } from './broken-log.ts';
import { JournalDamage, type JournalDatabase } from './journal-database.ts';
import { hashAt, hasRecord, headOf, type JournalHead, NO_HEAD } from './record-rows.ts';
import { databaseFile, inodeOf, pendingFile, witnessFile } from './schema.ts';

/** Size of a place, filled with spaces: more than any number and a hash need. All are in one sector of the disk. */
const PLACE_BYTES = 128;
/** Those of the witness; that of the mark is behind them. */
const PLACES = 2;
const MOST_BYTES = 1_024;
const TO_WRITE = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Read before the databases: a record that is written in between is no loss. */
export interface LastWritten {
  /** Undefined when the file is missing, cannot be read, or is a link or a file that others may write. */
  witness: JournalHead | undefined;
  /** Undefined while nothing is pending. */
  mark: string | undefined;
}

/** `place`: of the witness. */
export function readLastWritten(state: string, host: Host): LastWritten & { place: number } {
  const bytes = unless(DamagedFileError, () =>
    readOwnFile(witnessFile(state), { host, maxBytes: MOST_BYTES }),
  );
  const fieldsAt = (place: number): Fields =>
    fieldsIn(bytes?.subarray(place * PLACE_BYTES, (place + 1) * PLACE_BYTES));
  const [one, other, { pending }] = [headIn(fieldsAt(0)), headIn(fieldsAt(1)), fieldsAt(PLACES)];
  const place = other !== undefined && other.seq > (one?.seq ?? -1) ? 1 : 0;
  return {
    witness: place === 1 ? other : one,
    mark: typeof pending === 'string' ? pending : undefined,
    place,
  };
}

export const readWitness = (state: string, host: Host): JournalHead | undefined =>
  readLastWritten(state, host).witness;

function headIn({ seq, hash, again = seq }: Fields): JournalHead | undefined {
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0 || again !== seq) return undefined;
  return isHash(hash) ? { seq, hash } : undefined;
}

const textOfPlace = (fields: Fields | undefined): string =>
  `${(fields === undefined ? '' : JSON.stringify(fields)).padEnd(PLACE_BYTES - 1)}\n`;

/** Whether there is one, readable or not. @throws DamagedFileError */
const hasWitnessFile = (state: string): boolean => inodeOf(witnessFile(state)) !== undefined;

/** Never a lower `seq`, unless it is replaced by a person's decision. @throws DamagedFileError */
export function writeWitness(
  state: string,
  machine: Machine,
  { seq, hash }: JournalHead,
  { replace = false }: { replace?: boolean } = {},
): void {
  const { witness, mark, place } = readLastWritten(state, machine.host);
  if (!replace && witness !== undefined && witness.seq >= seq) return;
  const path = witnessFile(state);
  // Its number comes last again: a place that was written over in part has two.
  const text = textOfPlace({ seq, hash, again: seq });
  if (!replace && witness !== undefined && isWrittenOver(path, text, 1 - place)) return;
  const marked = mark === undefined ? '' : textOfPlace({ pending: mark });
  writeAtomically(path, `${text.repeat(PLACES)}${marked}`, machine);
}

/** `id`: undefined once nothing is pending. Never throws, and writes to no witness that cannot be used: nothing is noticed then. */
export function writePendingMark(state: string, host: Host, id: string | undefined): void {
  if (readWitness(state, host) === undefined) return;
  const text = textOfPlace(id === undefined ? undefined : { pending: id });
  unless(DamagedFileError, () => isWrittenOver(witnessFile(state), text, PLACES));
}

/** False for a file of another length, which would have to be synced. The file is one that was just read. */
function isWrittenOver(path: string, text: string, place: number): boolean {
  const write = (fd: number): boolean =>
    fstatSync(fd).size >= PLACES * PLACE_BYTES &&
    writeSync(fd, Buffer.from(text), 0, PLACE_BYTES, place * PLACE_BYTES) === PLACE_BYTES;
  return attempting('write', path, () => withOpened(path, TO_WRITE, write));
}

/** Before a database is made: one without a witness is not new. @throws DamagedFileError */
export function beginWitness(state: string, machine: Machine): void {
  if (!hasWitnessFile(state)) writeWitness(state, machine, NO_HEAD);
}

/**
 * Before a commit, as the only writer: without a witness that can be written an older journal would pass.
 * `witness`: as it was read; undefined where there is none yet. @throws DamagedFileError
 */
export function followBefore(db: JournalDatabase, witness: JournalHead | undefined, machine: Machine): void {
  const [head, state] = [headOf(db), dirname(db.path)];
  if (witness === undefined) return;
  if (refusedAccess(witnessFile(state), constants.W_OK) !== undefined)
    writeWitness(state, machine, head, { replace: true });
  else if (witness.seq < head.seq) writeWitness(state, machine, head);
}

/** Undefined where both files have them. `all`, `damage`: of `pending.sqlite` now. @throws JournalDamage as `rewoundFrom` */
export const lossOf = (
  state: string,
  { witness, mark }: LastWritten,
  db: JournalDatabase | undefined,
  { all, damage }: { all: readonly { id: string }[]; damage?: JournalDamage },
): JournalTrouble | undefined =>
  rewoundFrom(witness, db, databaseFile(state)) ?? damage?.trouble ?? lostPending(state, mark, { all, db });

/**
 * After a commit, while the journal has its witness. Another process may have committed and written meanwhile: the last
 * word is the head of the database. Never throws: an older witness does no harm.
 */
export function followHead(db: JournalDatabase, state: string, machine: Machine): void {
  unless(DamagedFileError, () => {
    for (let written = -1; ; ) {
      const head = headOf(db);
      if (head.seq === written) return;
      writeWitness(state, machine, head);
      written = head.seq;
    }
  });
}

/**
 * `witness` was read before the snapshot of `db`. Undefined when the journal has it, or neither is there: a database gets its
 * witness before it is made. @throws JournalDamage where the log has the record, and SQLite does not read it
 */
export function rewoundFrom(
  witness: JournalHead | undefined,
  db: JournalDatabase | undefined,
  path: string,
): JournalTrouble | undefined {
  if (witness === undefined) {
    if (db !== undefined)
      return rewound(
        path,
        `Its witness, journal.head, is missing or cannot be used: whether ${path} has every record is not known.`,
      );
    return hasWitnessFile(dirname(path))
      ? rewound(path, `${path} is missing, and its witness, journal.head, cannot be used.`)
      : undefined;
  }
  const { seq } = headOf(db);
  const found = db && hashAt(db, witness.seq);
  if (witness.seq === 0 || found === witness.hash) return undefined;
  const number = witness.seq.toString();
  if (db === undefined) return rewound(path, `${path} is missing: it had ${number} records.`);
  if (seq < witness.seq && hasBrokenLog(db))
    throw new JournalDamage(
      path,
      `its log has records after record ${seq.toString()}, and a wrong byte before them`,
    );
  const instead =
    seq < witness.seq
      ? `its last one is ${seq.toString()}. An older copy was`
      : 'it has another one there. An older copy or another journal was';
  const lacks = `${path} lacks record ${number}, which was written on this machine`;
  return rewound(path, `${lacks}: ${instead} put in its place.`);
}

/** `all`: the pending records. `db`: undefined where it cannot be asked. */
export function lostPending(
  state: string,
  mark: string | undefined,
  { all, db }: { all: readonly { id: string }[]; db: JournalDatabase | undefined },
): JournalTrouble | undefined {
  if (mark === undefined || all.some(({ id }) => id === mark) || hasRecord(db, mark)) return undefined;
  const path = pendingFile(state);
  return rewound(
    path,
    `${path} lacks a record that was written there on this machine: it was removed, or an older copy was put in its place.`,
  );
}

const rewound = (path: string, what: string): JournalTrouble => ({ kind: 'rewound', path, what });

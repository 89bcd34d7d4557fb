/**
 * The witness: the head of the journal after the last commit, in a file of its own. A journal that lacks it was put back or replaced.
 * It is made once and synced; afterwards it is written over and not synced. It has two places, of which the older one is
 * written over, so that a write that fails half-way leaves the other: an older head does no harm.
 */
import { accessSync, closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fieldsIn } from '../../domain/fields.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import { readOwnFile, writeAtomically } from '../../platform/atomic-file.ts';
import { fileError } from '../../platform/file-errors.ts';
import type { Host, Machine } from '../../platform/host.ts';
import { isHash } from '../chain.ts';
import type { JournalTrouble } from '../trouble.ts';
import { hasBrokenLog } from './broken-log.ts';
import { JournalDamage, type JournalDatabase } from './journal-database.ts';
import { hashAt, headOf, type JournalHead, NO_HEAD } from './record-rows.ts';
import { inodeOf, witnessFile } from './schema.ts';

/** Size of a place, filled with spaces: more than any number and a hash need. Both are in one sector of the disk. */
export const PLACE_BYTES = 128;
const WITNESS_BYTES = 1_024;

/** Undefined when it is missing, cannot be read, or is a link or a file that others may write. */
export const readWitness = (state: string, host: Host): JournalHead | undefined =>
  witnessIn(witnessBytes(state, host));

export const witnessIn = (bytes: Buffer): JournalHead | undefined => latestPlace(bytes)?.head;

/** Empty for one that cannot be used. */
export const witnessBytes = (state: string, host: Host): Buffer =>
  unless(DamagedFileError, () => readOwnFile(witnessFile(state), { host, maxBytes: WITNESS_BYTES })) ??
  Buffer.alloc(0);

/** The head at the place with the higher number. */
function latestPlace(bytes: Buffer): { head: JournalHead; place: number } | undefined {
  const places = [0, 1].flatMap((place) => {
    const head = headIn(bytes.subarray(place * PLACE_BYTES, (place + 1) * PLACE_BYTES));
    return head === undefined ? [] : [{ head, place }];
  });
  return places.toSorted((one, other) => other.head.seq - one.head.seq)[0];
}

function headIn(bytes: Buffer): JournalHead | undefined {
  const { seq, hash, again = seq } = fieldsIn(bytes);
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0 || again !== seq) return undefined;
  return isHash(hash) ? { seq, hash } : undefined;
}

/** Whether there is one, readable or not. @throws DamagedFileError */
const hasWitnessFile = (state: string): boolean => inodeOf(witnessFile(state)) !== undefined;

/** Never a lower `seq`, unless it is replaced by a person's decision. @throws DamagedFileError */
export function writeWitness(
  state: string,
  machine: Machine,
  head: JournalHead,
  { replace = false }: { replace?: boolean } = {},
): void {
  const latest = replace ? undefined : latestPlace(witnessBytes(state, machine.host));
  if (latest !== undefined && latest.head.seq >= head.seq) return;
  const path = witnessFile(state);
  // Its number comes last again: a place that was written over in part has two.
  const text = `${JSON.stringify({ seq: head.seq, hash: head.hash, again: head.seq }).padEnd(PLACE_BYTES - 1)}\n`;
  if (latest === undefined || !isOverwritten(path, text, 1 - latest.place))
    writeAtomically(path, `${text.repeat(PLACES)}${markIn(state, machine.host)}`, machine);
}

const markIn = (state: string, host: Host): string =>
  witnessBytes(state, host)
    .subarray(MARK_AT, MARK_AT + PLACE_BYTES)
    .toString('latin1');

/** Before a database is made: one without a witness is not new. @throws DamagedFileError */
export function beginWitness(state: string, machine: Machine): void {
  if (!hasWitnessFile(state)) writeWitness(state, machine, NO_HEAD);
}

const PLACES = 2;
/** The mark of pending.sqlite (last-written.ts). */
export const MARK_AT = PLACES * PLACE_BYTES;

/** False for a file of another length, which would have to be synced. The file is one that was just read. */
function isOverwritten(path: string, text: string, place: number): boolean {
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
    try {
      return (
        fstatSync(fd).size >= MARK_AT &&
        writeSync(fd, Buffer.from(text), 0, PLACE_BYTES, place * PLACE_BYTES) === PLACE_BYTES
      );
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw fileError('write', path, error);
  }
}

/**
 * Before a commit, as the only writer: without a witness that can be written an older journal would pass.
 * `witness`: as it was read; undefined where there is none yet. @throws DamagedFileError
 */
export function followBefore(db: JournalDatabase, witness: JournalHead | undefined, machine: Machine): void {
  const [head, state] = [headOf(db), dirname(db.path)];
  if (witness === undefined) return;
  if (!isWritable(witnessFile(state))) writeWitness(state, machine, head, { replace: true });
  else if (witness.seq < head.seq) writeWitness(state, machine, head);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * After a commit, while the journal has its witness. Another process may have committed and written meanwhile: the last
 * word is the head of the database. Never throws: an older witness does no harm.
 */
export function followHead(db: JournalDatabase, state: string, machine: Machine): void {
  try {
    for (let written = -1; ; ) {
      const head = headOf(db);
      if (head.seq === written) return;
      writeWitness(state, machine, head);
      written = head.seq;
    }
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
  }
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
  const expected = `${path} lacks record ${witness.seq.toString()}, which was written on this machine`;
  if (seq < witness.seq && db !== undefined && hasBrokenLog(db))
    throw new JournalDamage(
      path,
      `its log has records after record ${seq.toString()}, and a wrong byte before them`,
    );
  if (seq < witness.seq)
    return rewound(
      path,
      db === undefined
        ? `${path} is missing: it had ${witness.seq.toString()} records.`
        : `${expected}: its last one is ${seq.toString()}. An older copy was put in its place.`,
    );
  const found = db === undefined ? undefined : hashAt(db, witness.seq);
  if (witness.seq === 0 || found === witness.hash) return undefined;
  return rewound(
    path,
    `${expected}: it has another one there. An older copy or another journal was put in its place.`,
  );
}

const rewound = (path: string, what: string): JournalTrouble => ({ kind: 'rewound', path, what });

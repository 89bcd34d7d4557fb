/** Checks the files of the journal for `hedge doctor`, as far as that takes no look at each record, and whether it can be written. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DamagedFileError } from '../../errors.ts';
import { checkFolder, removeLeft, writeAtomically } from '../../platform/atomic-file.ts';
import { codeOf, fileError } from '../../platform/file-errors.ts';
import type { Machine } from '../../platform/host.ts';
import type { Paths } from '../../platform/paths.ts';
import { JournalBusy, type JournalDatabase, openJournalDatabase, sizeOf } from './journal-database.ts';
import { headOf } from './record-rows.ts';
import { databaseFile, openJournalFile, pendingFile, witnessFile } from './schema.ts';
import { readWitness, rewoundFrom } from './witness.ts';

export interface DatabaseFindings {
  /** The findings of SQLite's `quick_check`, in its own sentences; empty when all pages are sound. */
  quickCheck: readonly string[];
  /** In the journal. */
  records: number;
  /** Size of the database and its log. */
  bytes: number;
  /** Records that wait in `pending.sqlite`. */
  pending: number;
  /** `none`: nothing was written so far. `ahead`: the journal lacks the record that the witness names. */
  witness: 'agrees' | 'missing' | 'ahead' | 'none';
}

/** @throws DamagedFileError for files that cannot be read at all. */
export function examineDatabase({
  places: { state },
  machine: { host },
}: {
  places: Paths;
  machine: Pick<Machine, 'host'>;
}): DatabaseFindings {
  const path = databaseFile(state);
  // Before the snapshot: another process may write meanwhile.
  const witness = readWitness(state, host);
  const [db, pending] = [openJournalDatabase(path, host), openJournalDatabase(pendingFile(state), host)];
  try {
    const lacks = rewoundFrom(witness, db, path) !== undefined;
    return {
      quickCheck: db === undefined ? [] : faultsIn(db),
      // The chain of each has no gaps, so its last number is the count.
      records: headOf(db).seq,
      bytes: bytesOnDisk(path),
      pending: headOf(pending).seq,
      witness: witness === undefined ? (lacks ? 'missing' : 'none') : lacks ? 'ahead' : 'agrees',
    };
  } finally {
    db?.close();
    pending?.close();
  }
}

/** The first damage that SQLite finds in the pages of a journal, as a sentence. */
export function faultOfJournal(of: Parameters<typeof examineDatabase>[0]): string | undefined {
  try {
    return damageOf(databaseFile(of.places.state), examineDatabase(of));
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return error.what;
  }
}

/** The first damage in the pages of the file at `path`, as a sentence. */
export const damageOf = (path: string, { quickCheck: [fault] }: DatabaseFindings): string | undefined =>
  fault && `${path} is damaged: ${fault.replace(/\s+/g, ' ')}.`;

const MOST_FAULTS = 5;

/** The findings of SQLite's `quick_check` of the database, or of one table, in its own sentences; empty when all pages are sound. */
export function faultsIn(db: JournalDatabase, table?: string): readonly string[] {
  const found = db.all(`PRAGMA quick_check(${table ?? MOST_FAULTS.toString()})`);
  const lines = found.map((row) => String(Object.values(row)[0]));
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
}

/** The size of a database and its log. */
export const bytesOnDisk = (path: string): number => sizeOf(path) + sizeOf(`${path}-wal`);

/** More than the records of one action. */
const PROBE_BYTES = 16_384;

/** Takes the place of the writer, and writes a file as large as an append; leaves nothing behind. @throws DamagedFileError */
export function probeJournal({ places, machine }: { places: Paths; machine: Machine }): void {
  const { state } = places;
  checkFolder(state, machine.host);
  if (!existsSync(state)) {
    tryFolder(nearest(state), machine);
    return;
  }
  const db = openJournalFile(databaseFile(state), machine.host);
  try {
    // A file that may only be read is opened all the same.
    for (const each of [databaseFile(state), witnessFile(state)]) checkWritable(each);
    db?.writing(() => undefined);
  } catch (error) {
    // Another process is writing, so it can be written.
    if (!(error instanceof JournalBusy)) throw error;
  } finally {
    db?.close();
  }
  tryFolder(state, machine);
}

/** @throws DamagedFileError for one that is there and cannot be written */
function checkWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw fileError('write', path, error);
  }
}

/** The nearest existing parent. */
function nearest(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? above : nearest(above);
}

function tryFolder(folder: string, machine: Machine): void {
  const name = `hedge-${Buffer.from(machine.random.bytes(8)).toString('hex')}.try`;
  const path = join(folder, name);
  try {
    writeAtomically(path, '\n'.repeat(PROBE_BYTES), machine);
  } finally {
    removeLeft(path);
  }
}

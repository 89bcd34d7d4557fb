/** Checks the files of the journal for `hedge doctor`, as far as that takes no look at each record. Changes nothing. */
import { lstatSync } from 'node:fs';
import type { Machine } from '../../platform/host.ts';
import type { Paths } from '../../platform/paths.ts';
import { type JournalDatabase, numberOf, openJournalDatabase } from './journal-database.ts';
import { headOf } from './record-rows.ts';
import { databaseFile, pendingFile } from './schema.ts';
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
  const db = openJournalDatabase(path, host);
  try {
    const lacks = rewoundFrom(witness, db, path) !== undefined;
    return {
      quickCheck: db === undefined ? [] : faultsIn(db),
      // The chain has no gaps, so its last number is the count.
      records: db === undefined ? 0 : headOf(db).seq,
      bytes: sizeOf(path) + sizeOf(`${path}-wal`),
      pending: pendingIn(state, host),
      witness: witness === undefined ? (lacks ? 'missing' : 'none') : lacks ? 'ahead' : 'agrees',
    };
  } finally {
    db?.close();
  }
}

const MOST_FAULTS = 5;

function faultsIn(db: JournalDatabase): readonly string[] {
  const found = db.all(`PRAGMA quick_check(${MOST_FAULTS.toString()})`);
  const lines = found.map((row) => String(Object.values(row)[0]));
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
}

function pendingIn(state: string, host: Machine['host']): number {
  const path = pendingFile(state);
  const db = openJournalDatabase(path, host);
  if (db === undefined) return 0;
  try {
    return numberOf(db.get('SELECT count(*) AS count FROM records') ?? {}, 'count', path);
  } finally {
    db.close();
  }
}

const sizeOf = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** The rows of a journal, put into its database as somebody would who goes past hedge, and as an export. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord } from '../../src/journal/records.ts';
import { writeSummary } from '../../src/journal/store/derived-tables.ts';
import { type JournalDatabase, openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { insertRecords } from '../../src/journal/store/new-records.ts';
import { headOf, type StoredRecord, storedRecords } from '../../src/journal/store/record-rows.ts';
import { RecordSource } from '../../src/journal/store/record-source.ts';
import { createJournalFile, databaseFile, pendingFile } from '../../src/journal/store/schema.ts';
import { writeWitness } from '../../src/journal/store/witness.ts';
import type { NumberedRecord } from '../../src/journal/summary.ts';
import { testMachine } from './own-folder.ts';

const MACHINE = testMachine();

/** A new database with the records, and its witness. Returns its rows. `state`: an empty folder of 0700. */
export function storeJournal(state: string, records: readonly JournalRecord[]): readonly StoredRecord[] {
  const path = databaseFile(state);
  createJournalFile(path, MACHINE, (db) => {
    insertRecords(
      db,
      records.map((record, at) => ({
        id: at.toString(16).padStart(16, '0'),
        record: JSON.stringify(record),
      })),
    );
  });
  return withRows(path, (db) => {
    writeWitness(state, MACHINE, headOf(db));
    return [...storedRecords(db)];
  });
}

/** In `pending.sqlite`. */
export function storePending(state: string, records: readonly { id: string; record: JournalRecord }[]): void {
  createJournalFile(pendingFile(state), MACHINE, (db) => {
    insertRecords(
      db,
      records.map(({ id, record }) => ({ id, record: JSON.stringify(record) })),
    );
  });
}

/** `work` has the database open, and nothing checks what it does. */
export function withRows<T>(path: string, work: (db: JournalDatabase) => T): T {
  const db = openJournalDatabase(path, MACHINE.host);
  if (db === undefined) throw new Error(`there is no ${path}`);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** These rows and no others, as they are. `witness`: made again too, with the summary. */
export function replaceRows(
  state: string,
  rows: readonly StoredRecord[],
  { witness = false }: { witness?: boolean } = {},
): void {
  withRows(databaseFile(state), (db) => {
    db.writing(() => {
      db.exec('DELETE FROM records; DELETE FROM lookup');
      for (const { seq, id, record, stamp, hash } of rows)
        db.run(
          'INSERT INTO records (seq, id, record, stamp, hash) VALUES (?, ?, ?, ?, ?)',
          seq,
          id,
          record,
          stamp,
          Buffer.from(hash, 'hex'),
        );
    });
    if (!witness) return;
    const records = rows.map(({ seq, record }): NumberedRecord => ({ seq, record: JSON.parse(record) }));
    writeSummary(db, new RecordSource(undefined, records).summary(), headOf(db).hash);
    writeWitness(state, MACHINE, headOf(db), { replace: true });
  });
}

/** The rows as lines of an export. Gives its path. */
export function exportRows(folder: string, rows: readonly StoredRecord[]): string {
  const path = join(folder, 'export.jsonl');
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
  writeFileSync(path, lines.join(''));
  return path;
}

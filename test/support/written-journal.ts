/** A journal on disk as a run of the program, a disk or a person would have left it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { NO_RECORD, recordHash } from '../../src/journal/chain.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { type JournalDatabase, openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { insertRecords, newRecords } from '../../src/journal/store/new-records.ts';
import { headOf, parseRecord, storedRecords } from '../../src/journal/store/record-rows.ts';
import { createJournalFile, databaseFile, pendingFile } from '../../src/journal/store/schema.ts';
import { writeWitness } from '../../src/journal/store/witness.ts';
import { testMachine } from './own-folder.ts';

const MACHINE = testMachine();

const stateOf = (home: string): string => join(home, 'state');

/** The database of this home. */
export const journalFile = (home: string): string => databaseFile(stateOf(home));

/** Every record in order, pending ones last, one a line; empty without a journal. Of a damaged one what can be read. */
export const journalText = (home: string): string =>
  [journalFile(home), pendingFile(stateOf(home))]
    .flatMap(textsIn)
    .map((record) => `${record}\n`)
    .join('');

/** Every record in order, pending ones last. */
export const readRecords = (home: string): readonly JournalRecord[] =>
  [journalFile(home), pendingFile(stateOf(home))].flatMap(textsIn).map((text) => {
    const record = parseRecord(text);
    if (typeof record === 'string') throw new Error(`a record ${record}: ${text}`);
    return record;
  });

/** A collected handle crashes the process. */
const handles: InstanceType<typeof DatabaseSync>[] = [];

/**
 * Asked without a prepared statement, which would outlive `close` and keep the files open: tests look often, and take the
 * files away.
 */
function textsIn(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const db = new DatabaseSync(path, { timeout: 5_000 });
  handles.push(db);
  const found: string[] = [];
  let last = 0;
  try {
    db.function('take', (seq: unknown, text: unknown) => {
      found.push(String(text));
      last = Number(seq);
    });
    // A page that cannot be read ends it, and the records behind it are asked for one by one.
    for (let misses = 0; misses < PAST_THE_END; ) {
      try {
        db.exec(`SELECT take(seq, record) FROM records WHERE seq > ${last.toString()} ORDER BY seq`);
        break;
      } catch {
        last += 1;
        misses += 1;
      }
    }
    return found;
  } finally {
    db.close();
  }
}

const PAST_THE_END = 100;

/** Adds the records, without short IDs of their own where they have none, and gives the path of the database. */
export function writeJournal(home: string, records: readonly JournalRecord[]): string {
  const path = journalFile(home);
  mkdirSync(stateOf(home), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) createJournalFile(path, MACHINE);
  withDatabase(path, (db) => {
    db.writing(() => insertRecords(db, newRecords(records, db, MACHINE.random)));
    writeWitness(stateOf(home), MACHINE, headOf(db));
  });
  return path;
}

/** A journal with the changed text of all records, one a line, as if it had been written so. */
export function rewriteJournal(home: string, change: (text: string) => string): void {
  const before = withDatabase(journalFile(home), (db) => [...storedRecords(db)]);
  const text = change(before.map(({ record }) => `${record}\n`).join(''));
  removeJournal(home);
  createJournalFile(journalFile(home), MACHINE);
  const lines = text.split('\n').filter((line) => line !== '');
  const records = lines.map((record, at) => ({ id: before[at]?.id ?? `new-${at.toString()}`, record }));
  withDatabase(journalFile(home), (db) => {
    db.writing(() => insertRecords(db, records));
    writeWitness(stateOf(home), MACHINE, headOf(db), { replace: true });
  });
}

/** A bad page at its beginning; the records that `lost` names cannot be read any more. Gives the path. */
export function damageJournal(home: string, lost: (record: string) => boolean = () => false): string {
  const path = journalFile(home);
  withDatabase(path, (db) => {
    for (const { seq, record } of [...storedRecords(db)].filter((each) => lost(each.record)))
      db.run('UPDATE records SET record = ? WHERE seq = ?', record.replace('"schema":3', '"schema": 3'), seq);
    db.exec('PRAGMA application_id = 7');
  });
  return path;
}

/** Changes the text of one record in place, and not its hash. */
export const rewriteRecord = (home: string, seq: number, from: string, to: string): void =>
  withDatabase(journalFile(home), (db) => {
    db.run('UPDATE records SET record = replace(record, ?, ?) WHERE seq = ?', from, to, seq);
  });

/**
 * In place of the last record, with a hash and a witness that fit it, as somebody would who goes past hedge. What is not
 * valid JSON the database does not take: then all stays as it is.
 */
export function forgeLastRecord(home: string, record: string): void {
  const db = new DatabaseSync(journalFile(home));
  handles.push(db);
  let last: { seq: number; id: string; prev: string } = { seq: 0, id: '', prev: NO_RECORD };
  db.function('take', (seq: number, id: string, prev: string) => {
    last = { seq, id, prev: prev || NO_RECORD };
  });
  db.exec(
    'SELECT take(r.seq, r.id, lower(hex(p.hash))) FROM records r LEFT JOIN records p ON p.seq = r.seq - 1 ORDER BY r.seq DESC LIMIT 1',
  );
  const hash = recordHash(last.prev, { id: last.id, record, stamp: '' });
  db.function('text', () => record);
  try {
    db.exec(
      `BEGIN; DELETE FROM records WHERE seq = ${last.seq.toString()}; DELETE FROM lookup WHERE seq = ${last.seq.toString()};
      INSERT INTO records (seq, id, record, stamp, hash) VALUES (${last.seq.toString()}, '${last.id}', text(), '', x'${hash}'); COMMIT`,
    );
    writeWitness(stateOf(home), MACHINE, { seq: last.seq, hash }, { replace: true });
  } catch {
    if (db.isTransaction) db.exec('ROLLBACK');
  } finally {
    db.close();
  }
}

/** As a later version of hedge would mark it. */
export const makeNewerJournal = (home: string): void =>
  withDatabase(journalFile(home), (db) => db.exec('PRAGMA user_version = 2'));

/** An older copy is put in its place: without its last `count` records. Gives the path. */
export function rewindJournal(home: string, count = 1): string {
  const path = journalFile(home);
  const witness = readFileSync(witnessOf(home));
  const kept = withDatabase(path, (db) => [...storedRecords(db)].slice(0, -count));
  removeJournal(home);
  createJournalFile(path, MACHINE, (db) => {
    insertRecords(db, kept);
  });
  writeFileSync(witnessOf(home), witness, { mode: 0o600 });
  return path;
}

/** As on another machine, or in a new folder. */
export function removeJournal(home: string): void {
  const files = [journalFile(home), pendingFile(stateOf(home))];
  for (const path of [...files.flatMap((file) => [file, `${file}-wal`, `${file}-shm`]), witnessOf(home)])
    rmSync(path, { force: true });
}

/** The journal as it is now: the result puts it back, its witness too, as if nothing had been recorded since. */
export function keepJournal(home: string): () => void {
  const kept = withDatabase(journalFile(home), (db) => [...storedRecords(db)]);
  return () => {
    removeJournal(home);
    createJournalFile(journalFile(home), MACHINE, (db) => {
      const head = insertRecords(db, kept);
      writeWitness(stateOf(home), MACHINE, head, { replace: true });
    });
  };
}

/** Another process writes to it, until the result is called. */
export function holdJournal(home: string): () => void {
  const db = new DatabaseSync(journalFile(home));
  handles.push(db);
  db.exec('BEGIN IMMEDIATE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}

/** What waits in the log goes into the database, so that the log can be deleted and the database copied alone. */
export function settleJournal(home: string): void {
  for (const path of [journalFile(home), pendingFile(stateOf(home))]) {
    if (!existsSync(path)) continue;
    const db = new DatabaseSync(path, { timeout: 5_000 });
    handles.push(db);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  }
}

/** By other processes: a file that this one opened and closed would lose SQLite's locks. */
export const copyFolder = (from: string, to: string): void => {
  execFileSync('cp', ['-a', from, to]);
};

const dd = (path: string, at: number, how: 'if' | 'of', input?: Uint8Array): Buffer =>
  execFileSync(
    'dd',
    [
      `${how}=${path}`,
      'bs=1',
      `${how === 'if' ? 'skip' : 'seek'}=${at.toString()}`,
      'count=1',
      'conv=notrunc',
      'status=none',
    ],
    { input },
  );

/** Turns one bit of a file over, by another process. `part`: where in the file, from 0 up to 1. */
export function flipBit(path: string, { part, bit }: { part: number; bit: number }): void {
  const at = Math.floor(part * statSync(path).size);
  const [byte = 0] = dd(path, at, 'if');
  dd(path, at, 'of', Buffer.of(byte ^ (1 << bit)));
}

const witnessOf = (home: string): string => join(stateOf(home), 'journal.head');

function withDatabase<T>(path: string, work: (db: JournalDatabase) => T): T {
  const db = openJournalDatabase(path, MACHINE.host);
  if (db === undefined) throw new Error(`there is no ${path}`);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

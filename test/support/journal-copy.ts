/** The journal of a home as its files have it, read from a copy: the program under test finds them as it left them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DamagedFileError } from '../../src/errors.ts';
import { NO_RECORD, recordHash } from '../../src/journal/chain.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import type { Action } from '../../src/journal/replay.ts';
import type { JournalState } from '../../src/journal/state.ts';
import type { JournalDatabase } from '../../src/journal/store/journal-database.ts';
import { parseRecord, type StoredRecord, storedRecords } from '../../src/journal/store/record-rows.ts';
import { databaseFile, openJournalFile, pendingFile } from '../../src/journal/store/schema.ts';
import { readWitness, rewoundFrom } from '../../src/journal/store/witness.ts';
import { expectAlike } from '../journal/alike.ts';
import { readerOf } from '../journal/in-memory.ts';
import { actionsIn, stateFrom } from '../journal/records.ts';
import type { DiskModel, Survival } from './disk-model.ts';
import { testMachine } from './own-folder.ts';

export interface CopiedJournal {
  stored: readonly StoredRecord[];
  /** As the records say, without the tables that are derived from them. */
  actions: readonly Action[];
  /** Rolls that have not ended. */
  rolls: JournalState['rolls'];
  /** In `pending.sqlite`, and not in the journal. */
  pending: readonly StoredRecord[];
  /** It lacks what was written on this machine, in a sentence. */
  rewound: string | undefined;
  /** Where its parts contradict each other, in words. */
  wrong: readonly string[];
}

const { host } = testMachine();
const NOW = Date.now();

export function copiedJournal(home: string): CopiedJournal {
  const copy = mkdtempSync(join(tmpdir(), 'hedge-copy-'));
  try {
    if (existsSync(join(home, 'state'))) execFileSync('cp', ['-a', join(home, 'state'), copy]);
    return journalIn(join(copy, 'state'));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Of a home that is left of a disk when the power is cut. */
export function journalAfter(disk: DiskModel, survival: Survival): CopiedJournal {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-cut-'));
  try {
    const home = join(folder, 'home');
    disk.write(home, survival);
    return journalIn(join(home, 'state'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of files that nobody else needs. One that is damaged has no records, and is wrong. */
export function journalIn(state: string): CopiedJournal {
  try {
    return readJournal(state);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return { stored: [], actions: [], rolls: [], pending: [], rewound: undefined, wrong: [error.what] };
  }
}

function readJournal(state: string): CopiedJournal {
  const witness = readWitness(state, host);
  const path = databaseFile(state);
  const waiting = withJournal(pendingFile(state), (db) => (db === undefined ? [] : [...storedRecords(db)]));
  return withJournal(path, (db) => {
    const stored = db === undefined ? [] : [...storedRecords(db)];
    const ids = new Set(stored.map(({ id }) => id));
    const records = stored.map(recordIn);
    const told = stateFrom(records, { path, nowMs: NOW });
    return {
      stored,
      actions: actionsIn(told),
      rolls: told.rolls,
      pending: waiting.filter(({ id }) => !ids.has(id)),
      rewound: rewoundFrom(witness, db, path)?.what,
      wrong: db === undefined ? [] : [...wrongLinks(stored), ...wrongTables(db, { records, told })],
    };
  });
}

function withJournal<T>(path: string, work: (db: JournalDatabase | undefined) => T): T {
  const db = openJournalFile(path, host);
  try {
    return work(db);
  } finally {
    db?.close();
  }
}

/** As the journal hands it out: with what an import added. */
function recordIn({ record }: StoredRecord): JournalRecord {
  const read: unknown = JSON.parse(record);
  if (isRecord(read, record)) return read;
  throw new Error(`no record: ${record}`);
}

const isRecord = (_read: unknown, text: string): _read is JournalRecord =>
  typeof parseRecord(text) === 'object';

function wrongLinks(stored: readonly StoredRecord[]): readonly string[] {
  let prev = NO_RECORD;
  return stored.flatMap((each, at) => {
    const hash = recordHash(prev, each);
    prev = each.hash;
    return each.seq === at + 1 && hash === each.hash
      ? []
      : [`record ${each.seq.toString()} at place ${(at + 1).toString()} does not continue the chain`];
  });
}

/** Of more records every question would take seconds. */
const MOST_ASKED = 60;

function wrongTables(
  db: JournalDatabase,
  { records, told }: { records: readonly JournalRecord[]; told: JournalState },
): readonly string[] {
  const found = db.all('PRAGMA integrity_check').map((row) => String(Object.values(row)[0]));
  const broken = found.join() === 'ok' ? [] : found;
  if (records.length > MOST_ASKED) return broken;
  try {
    expectAlike(readerOf(db, { isRunning: () => false, nowMs: NOW }), told, records);
    return broken;
  } catch (error) {
    return [...broken, `the tables differ from the records: ${error instanceof Error ? error.message : ''}`];
  }
}

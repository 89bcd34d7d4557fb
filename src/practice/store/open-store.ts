/** The store folder and its database: first creation, checks on opening. Existing files are never replaced. */
import { link, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type PracticeRandom, PracticeStoreError } from '../domain/practice-types.ts';
import { newApiKey, newToken } from '../domain/random-ids.ts';
import { CONTROL_TABLES } from './control-tables.ts';
import { type Database, insertRow, integerColumn, openDatabase, storeErrorOf } from './database.ts';
import { APPLICATION_ID, SCHEMA_VERSION, TABLES } from './tables.ts';

export interface StoreOptions {
  store: string;
  random: PracticeRandom;
  initialFaults: string;
  /** Fills a new database, in the transaction that creates its tables. */
  seed: (db: Database) => void;
}

export const DATABASE_NAME = 'practice.sqlite';

export async function openStore(options: StoreOptions): Promise<Database> {
  await makeFolders(options.store).catch((error: unknown) => {
    throw fileFailure(options.store, `The folder ${options.store} cannot be created.`, error);
  });
  const path = join(options.store, DATABASE_NAME);
  if (!(await isThere(path))) await createStore(path, options);
  return openExisting(path);
}

/** One level at a time, from the first that is there: Node's recursive mkdir never ends where no folder can be made. */
async function makeFolders(path: string): Promise<void> {
  const above = dirname(path);
  if (above !== path && !(await exists(path))) await makeFolders(above);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been first.
    if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) throw new PracticeStoreError(path, `${path} is not a regular file.`);
    if (found.size === 0) throw new PracticeStoreError(path, `${path} is empty, not a practice book.`);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (error instanceof PracticeStoreError) throw error;
    throw fileFailure(path, `${path} cannot be read.`, error);
  }
}

async function createStore(path: string, options: StoreOptions): Promise<void> {
  const draft = `${path}.${newToken(options.random)}.new`;
  try {
    await (await open(draft, 'wx', 0o600)).close();
    createDatabase(draft, options);
    await linkIntoPlace(draft, path);
  } catch (error) {
    const cause = error instanceof PracticeStoreError ? error.cause : error;
    throw (
      storeErrorOf(path, cause) ?? fileFailure(path, `The practice book ${path} cannot be created.`, cause)
    );
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/** A link never replaces the file of a process that was first; without links it is a rename. */
async function linkIntoPlace(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (!(await isThere(path))) await rename(draft, path);
  }
}

/** Built in memory and written as one file, so that no write-ahead log has to move with it. */
function createDatabase(draft: string, options: StoreOptions): void {
  const db = openDatabase(':memory:');
  try {
    fillDatabase(db, options);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.run('VACUUM INTO ?', draft);
  } finally {
    db.close();
  }
  const written = openDatabase(draft);
  written.exec('PRAGMA journal_mode = WAL');
  written.close();
}

type NewDatabase = Pick<StoreOptions, 'random' | 'initialFaults' | 'seed'>;

function fillDatabase(db: Database, options: NewDatabase): void {
  db.transaction(() => {
    db.exec(TABLES);
    db.exec(CONTROL_TABLES);
    insertRow(db, 'service', {
      one: 1,
      live_key: newApiKey('live', options.random),
      test_key: newApiKey('test', options.random),
      faults: options.initialFaults,
    });
    options.seed(db);
  });
}

/** A new book that ends with the process: SQLite keeps 2 MB of it in memory, and the rest in a file without a name. */
export function openMemoryStore(options: NewDatabase): Database {
  const db = openDatabase('');
  db.exec('PRAGMA journal_mode = MEMORY');
  fillDatabase(db, options);
  return db;
}

function openExisting(path: string): Database {
  const db = openChecked(path);
  try {
    const { application, version } = marksOf(db);
    if (application !== APPLICATION_ID) throw new PracticeStoreError(path, `${path} is not a practice book.`);
    if (version !== SCHEMA_VERSION) {
      throw new PracticeStoreError(
        path,
        `The practice book ${path} has version ${version}; this program reads version ${SCHEMA_VERSION}. Move the file away to start a new book.`,
      );
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function marksOf(db: Database): { application: number; version: number } {
  const row = db.get(
    'SELECT a.application_id, v.user_version FROM pragma_application_id a, pragma_user_version v',
  );
  return {
    application: integerColumn(row, 'application_id'),
    version: integerColumn(row, 'user_version'),
  };
}

function openChecked(path: string): Database {
  try {
    const db = openDatabase(path);
    // A killed process loses nothing; a power cut may lose the last writes, but keeps their order.
    db.exec('PRAGMA synchronous = NORMAL');
    return db;
  } catch (error) {
    if (error instanceof PracticeStoreError) throw error;
    throw fileFailure(path, `The practice book ${path} cannot be opened.`, error);
  }
}

/** The system refused: the file may be whole. */
export function fileFailure(path: string, message: string, cause: unknown): PracticeStoreError {
  return new PracticeStoreError(path, message, { cause, trouble: 'disk' });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

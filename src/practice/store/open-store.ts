/** The store folder and its database: tables, first creation, checks on opening. Existing files are never replaced. */
import { link, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type PracticeRandom, PracticeStoreError } from '../domain/practice-types.ts';
import { newApiKey, newToken } from '../domain/random-ids.ts';
import { CONTROL_TABLES } from './control-tables.ts';
import { type Database, insertRow, integerColumn, openDatabase, storeErrorOf } from './database.ts';

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

/** One level at a time: Node's recursive mkdir never ends where no folder can be made. */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const above = dirname(path);
    if (codeOf(error) !== 'ENOENT' || above === path || (await exists(above))) throw error;
    await makeFolders(above);
    await makeFolders(path);
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
    insertRow(db, 'service', {
      one: 1,
      live_key: newApiKey('live', options.random),
      test_key: newApiKey('test', options.random),
      weather: options.initialFaults,
    });
    options.seed(db);
  });
}

/** A new book that ends with the process. */
export function openMemoryStore(options: NewDatabase): Database {
  const db = openDatabase(':memory:');
  db.exec(CONTROL_TABLES);
  fillDatabase(db, options);
  return db;
}

function openExisting(path: string): Database {
  const db = openChecked(path);
  const marks = db.get(
    'SELECT a.application_id, v.user_version FROM pragma_application_id a, pragma_user_version v',
  );
  const application = marks === undefined ? 0 : integerColumn(marks, 'application_id');
  const version = marks === undefined ? 0 : integerColumn(marks, 'user_version');
  if (application !== APPLICATION_ID) {
    db.close();
    throw new PracticeStoreError(path, `${path} is not a practice book.`);
  }
  if (version !== SCHEMA_VERSION) {
    db.close();
    throw new PracticeStoreError(
      path,
      `The practice book ${path} has version ${version}; this program reads version ${SCHEMA_VERSION}. Move the file away to start a new book.`,
    );
  }
  db.exec(CONTROL_TABLES);
  return db;
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

/** Marks the file as a practice book ("hedg"). */
export const APPLICATION_ID = 0x68_65_64_67;
export const SCHEMA_VERSION = 1;

/** Amounts in micro-units, rates and fractions in 1e-8, times in ms since the epoch (`wall_` in wall time). */
export const TABLES = `
CREATE TABLE service (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  live_key TEXT NOT NULL,
  test_key TEXT NOT NULL,
  weather TEXT NOT NULL,
  authority_pem TEXT,
  certificate_pem TEXT,
  private_key_pem TEXT,
  wall_certificate_until INTEGER
) STRICT;

CREATE TABLE book (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  book_id TEXT NOT NULL,
  ahead_ms INTEGER NOT NULL,
  last_instant INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
  environment TEXT PRIMARY KEY,
  balance INTEGER NOT NULL,
  margin INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  house INTEGER NOT NULL,
  CHECK (balance + margin + reserved + house = 0)
) STRICT;

CREATE TABLE postings (
  seq INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  hedge_id TEXT,
  balance INTEGER NOT NULL,
  margin INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  house INTEGER NOT NULL,
  CHECK (balance + margin + reserved + house = 0)
) STRICT;

CREATE TABLE hedges (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  environment TEXT NOT NULL,
  client_reference TEXT,
  market TEXT NOT NULL,
  side TEXT NOT NULL,
  tenor_days INTEGER NOT NULL,
  status TEXT NOT NULL,
  notional INTEGER NOT NULL,
  struck INTEGER,
  margin INTEGER NOT NULL,
  order_tx_hash TEXT NOT NULL,
  fill_tx_hash TEXT,
  order_key TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  filled_at INTEGER,
  maturity_at INTEGER NOT NULL,
  closed_at INTEGER,
  close_reason TEXT,
  carry_owed INTEGER NOT NULL DEFAULT 0,
  carry_second INTEGER NOT NULL DEFAULT 0,
  platform_fees INTEGER NOT NULL DEFAULT 0,
  done_notional INTEGER NOT NULL DEFAULT 0,
  done_entry INTEGER NOT NULL DEFAULT 0,
  done_exit INTEGER NOT NULL DEFAULT 0,
  done_gross INTEGER NOT NULL DEFAULT 0,
  done_carry INTEGER NOT NULL DEFAULT 0,
  done_fees INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX hedges_listed ON hedges (environment, seq);
CREATE INDEX hedges_by_status ON hedges (environment, status, seq);
CREATE INDEX hedges_by_reference ON hedges (environment, client_reference, seq) WHERE client_reference IS NOT NULL;
CREATE INDEX hedges_held ON hedges (environment, maturity_at, seq) WHERE status = 'filled';
CREATE INDEX hedges_of_side ON hedges (environment, market, side, seq) WHERE status = 'filled';
CREATE INDEX hedges_open ON hedges (environment, market, side, notional) WHERE status IN ('submitted', 'filled');
CREATE INDEX hedges_past ON hedges (environment, closed_at, seq) WHERE status = 'closed';

CREATE TABLE orders (
  seq INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  kind TEXT NOT NULL,
  market TEXT NOT NULL,
  side TEXT NOT NULL,
  hedge_id TEXT,
  notional INTEGER NOT NULL,
  margin INTEGER NOT NULL,
  fee INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  lands INTEGER NOT NULL,
  order_tx_hash TEXT NOT NULL,
  fill_tx_hash TEXT NOT NULL,
  state TEXT NOT NULL
) STRICT;
CREATE INDEX orders_due ON orders (environment, due_at, seq) WHERE state = 'pending';

CREATE TABLE kept_answers (
  environment TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  holder TEXT NOT NULL,
  wall_busy_until INTEGER NOT NULL,
  wall_expires INTEGER NOT NULL,
  status INTEGER,
  body TEXT,
  PRIMARY KEY (environment, idempotency_key)
) STRICT;
CREATE INDEX kept_answers_expiry ON kept_answers (wall_expires);

CREATE TABLE rate_buckets (
  environment TEXT PRIMARY KEY,
  wall_full_at_us INTEGER NOT NULL
) STRICT;
`;

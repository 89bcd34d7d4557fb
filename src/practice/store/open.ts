/**
 * The folder of a practice service and its database: made whole under another name and linked into place, so
 * that two first starts at the same moment end with one book. Nothing that is there is ever replaced.
 */
import { link, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beginBook } from '../book/begin.ts';
import type { PracticeRandom } from '../door.ts';
import { PracticeStoreError } from '../failures.ts';
import { apiKey, holder } from '../ids.ts';
import type { Micro } from '../money/decimals.ts';
import { type Database, openDatabase, whole } from './database.ts';
import { APPLICATION_ID, SCHEMA_VERSION, TABLES } from './tables.ts';

export interface StoreOptions {
  store: string;
  random: PracticeRandom;
  openingBalance: Micro;
  calmWeather: string;
}

export const DATABASE_NAME = 'practice.sqlite';

export async function openStore(options: StoreOptions): Promise<Database> {
  await makeFolders(options.store).catch((error: unknown) => {
    throw new PracticeStoreError(options.store, `The folder ${options.store} cannot be made.`, {
      cause: error,
    });
  });
  const path = join(options.store, DATABASE_NAME);
  if (!(await isThere(path))) await make(path, options);
  return openExisting(path);
}

/** One by one from the first that is missing: Node's recursive making never ends where none can be made. */
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
    if (!found.isFile())
      throw new PracticeStoreError(path, `${path} is not a file; the practice book must be one.`);
    if (found.size === 0) throw new PracticeStoreError(path, `${path} is empty; it is not a practice book.`);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (error instanceof PracticeStoreError) throw error;
    throw new PracticeStoreError(path, `${path} cannot be read.`, { cause: error });
  }
}

async function make(path: string, options: StoreOptions): Promise<void> {
  const draft = `${path}.${holder(options.random)}.new`;
  try {
    await (await open(draft, 'wx', 0o600)).close();
    fill(draft, options);
    await place(draft, path);
  } catch (error) {
    throw new PracticeStoreError(path, `The practice book ${path} cannot be made.`, { cause: error });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/** Link refuses to replace what another process put there first; file systems without links get a rename. */
async function place(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (!(await isThere(path))) await rename(draft, path);
  }
}

/** Made in memory and written out in one piece, so that no log file has to move with it. */
function fill(draft: string, options: StoreOptions): void {
  const db = openDatabase(':memory:');
  try {
    db.immediate(() => {
      db.exec(TABLES);
      db.run(
        'INSERT INTO service (one, live_key, test_key, weather) VALUES (1, ?, ?, ?)',
        apiKey('live', options.random),
        apiKey('test', options.random),
        options.calmWeather,
      );
      beginBook(db, options.random, options.openingBalance);
    });
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.run('VACUUM INTO ?', draft);
  } finally {
    db.close();
  }
  const written = openDatabase(draft);
  written.exec('PRAGMA journal_mode = WAL');
  written.close();
}

function openExisting(path: string): Database {
  const db = openChecked(path);
  const marks = db.get(
    'SELECT a.application_id, v.user_version FROM pragma_application_id a, pragma_user_version v',
  );
  const application = marks === undefined ? 0 : whole(marks, 'application_id');
  const version = marks === undefined ? 0 : whole(marks, 'user_version');
  if (application !== APPLICATION_ID) {
    db.close();
    throw new PracticeStoreError(path, `${path} is a database of something else, not a practice book.`);
  }
  if (version !== SCHEMA_VERSION) {
    db.close();
    throw new PracticeStoreError(
      path,
      `The practice book ${path} is of version ${version}; this program reads version ${SCHEMA_VERSION}. Move the file away to begin a new book.`,
    );
  }
  return db;
}

function openChecked(path: string): Database {
  try {
    const db = openDatabase(path);
    // A killed process loses nothing this way; only a power cut may lose the last moments, never the order.
    db.exec('PRAGMA synchronous = NORMAL');
    return db;
  } catch (error) {
    if (error instanceof PracticeStoreError) throw error;
    throw new PracticeStoreError(path, `The practice book ${path} cannot be opened.`, { cause: error });
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The tables of the journal's database, where it is, how a new one is made, and how it is kept open. */
import { closeSync, existsSync, linkSync, openSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DamagedFileError } from '../../errors.ts';
import { removeLeft, statOf, syncFolder } from '../../platform/atomic-file.ts';
import { codeOf, fileError } from '../../platform/file-errors.ts';
import type { Host, Machine } from '../../platform/host.ts';
import { DERIVED_TABLES, LOOKUP_COLUMNS } from './derived-tables.ts';
import { JournalDamage, type JournalDatabase, numberOf, openJournalDatabase } from './journal-database.ts';
import { formatIn, logFits, versionOf } from './log-fits.ts';

export const databaseFile = (state: string): string => join(state, 'journal.sqlite');
/** Holds what the journal cannot take now. */
export const pendingFile = (state: string): string => join(state, 'pending.sqlite');
/** The head of the journal after the last commit. */
export const witnessFile = (state: string): string => join(state, 'journal.head');
/** Held by a repair and by an import; earlier versions hold it while they write. */
export const lockFile = (state: string): string => join(state, 'journal.lock');

/** `hdgJ` */
export const JOURNAL_APPLICATION_ID = 0x6864674a;
/** The lowest byte of `user_version`. */
export const USER_VERSION = 1;

/** Statements as SQLite stores their text. All but `records` can be made again from it. */
export const JOURNAL_TABLES: readonly string[] = [
  `CREATE TABLE records (seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, record TEXT NOT NULL, stamp TEXT NOT NULL, hash BLOB NOT NULL, ${LOOKUP_COLUMNS.join(', ')}) STRICT`,
  ...DERIVED_TABLES,
];

/** Checked; undefined when there is none. @throws DamagedFileError for one that is damaged, or of another program or version. */
export function openJournalFile(path: string, host: Host, how?: { copy: URL }): JournalDatabase | undefined {
  if (!logFits(path)) throw new JournalDamage(path, 'its log belongs to another copy, or has a wrong byte');
  const db = openJournalDatabase(path, host, how);
  if (db === undefined) {
    if (isHalfRepaired(path)) throw new JournalDamage(path, 'a repair of it was interrupted');
    return undefined;
  }
  try {
    checkIsJournal(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** In the name of a database that a repair has made, until it is in its place: `journal.repaired-2026-11-24T….sqlite`. */
export const REPAIRED = '.repaired-';

function isHalfRepaired(path: string): boolean {
  const [folder, start] = [dirname(path), `${basename(path, '.sqlite')}${REPAIRED}`];
  return (
    existsSync(folder) &&
    readdirSync(folder).some((name) => name.startsWith(start) && name.endsWith('.sqlite'))
  );
}

function checkIsJournal(db: JournalDatabase): void {
  const { path } = db;
  const marks = db.get('SELECT application_id, user_version FROM pragma_application_id, pragma_user_version');
  const [application, version] = [
    numberOf(marks ?? {}, 'application_id', path),
    formatIn(numberOf(marks ?? {}, 'user_version', path)),
  ];
  if (application !== JOURNAL_APPLICATION_ID) throw new JournalDamage(path, 'it is not a journal of hedge');
  if (version > USER_VERSION && version < NEXT_VERSIONS && !isOneBitOff(version)) throw newer(path, version);
  if (version !== USER_VERSION) throw new JournalDamage(path, 'its version is not one of hedge');
  const known = new Set(JOURNAL_TABLES);
  const found = db.all('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL');
  if (found.length !== known.size || !found.every(({ sql }) => typeof sql === 'string' && known.has(sql)))
    throw new JournalDamage(path, 'its tables are not those of a journal');
}

/** A larger one is damage. */
const NEXT_VERSIONS = 64;

/** The next version differs in two bits, as one alone may have been flipped. */
function isOneBitOff(version: number): boolean {
  const bits = version ^ USER_VERSION;
  return (bits & (bits - 1)) === 0;
}

const newer = (path: string, version: number): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} was written by a newer version of hedge (format ${version.toString()}; this one reads format ${USER_VERSION.toString()}).`,
    hint: 'Use that version of hedge.',
  });

/**
 * Makes a new file whole (0600), filled by `fill`, and puts it in place unless another process was first. The folder must
 * exist. @throws DamagedFileError
 */
export function createJournalFile(
  path: string,
  machine: Machine,
  fill: (db: JournalDatabase) => void = () => undefined,
): void {
  refuseLeftLog(path);
  const draft = `${path}.${Buffer.from(machine.random.bytes(8)).toString('hex')}.new`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    writeDraft(draft, machine, fill);
    linkSync(draft, path);
    syncFolder(dirname(path), machine.host);
  } catch (error) {
    const isOfSystem = error instanceof Error && 'syscall' in error;
    if (!isOfSystem) throw error;
    if (codeOf(error) !== 'EEXIST') throw fileError('create', path, error);
  } finally {
    removeLeft(draft);
  }
}

/** SQLite would take it for the log of the new file. */
function refuseLeftLog(path: string): void {
  const log = `${path}-wal`;
  // In this order: another process may be making the file.
  if (existsSync(log) && !existsSync(path))
    throw new JournalDamage(
      path,
      `it is missing, and its log is there: put it back, or move ${log} to another folder`,
    );
}

/**
 * Its log begins last, by a handle of its own: prepared statements outlive `close` until they are collected, and would
 * keep the log of the draft under the draft's name.
 */
function writeDraft(draft: string, { host, random }: Machine, fill: (db: JournalDatabase) => void): void {
  const version = versionOf(USER_VERSION, Buffer.from(random.bytes(4)).readUInt32BE());
  withDatabase(draft, host, (db) =>
    db.writing(() => {
      db.exec(
        `PRAGMA application_id = ${JOURNAL_APPLICATION_ID.toString()}; PRAGMA user_version = ${version.toString()}`,
      );
      db.exec(JOURNAL_TABLES.join(';\n'));
      fill(db);
    }),
  );
  withDatabase(draft, host, (db) => db.exec('PRAGMA journal_mode = WAL'));
}

function withDatabase(path: string, host: Host, work: (db: JournalDatabase) => void): void {
  const db = openJournalDatabase(path, host);
  if (db === undefined) throw fileError('create', path, new Error('it is gone'));
  try {
    work(db);
  } finally {
    db.close();
  }
}

/** A database of the journal, opened once and kept open; opened again when another file took its place. */
export class KeptOpen {
  readonly #path: string;
  readonly #host: Host;
  #opened: { db: JournalDatabase; inode: number } | undefined;

  constructor(path: string, host: Host) {
    this.#path = path;
    this.#host = host;
  }

  /** The file that is there now; undefined when there is none. @throws DamagedFileError */
  database(): JournalDatabase | undefined {
    const inode = inodeOf(this.#path);
    if (this.#opened !== undefined && this.#opened.inode === inode) return this.#opened.db;
    // The one before stays open: a state that was read may still ask it.
    const db = openJournalFile(this.#path, this.#host);
    this.#opened = db === undefined || inode === undefined ? undefined : { db, inode };
    return db;
  }

  /** The file that is there now, or a new one. The folder must exist. @throws DamagedFileError */
  made(machine: Machine): JournalDatabase {
    const known = this.database();
    if (known !== undefined) return known;
    createJournalFile(this.#path, machine);
    const db = this.database();
    if (db === undefined) throw new JournalDamage(this.#path, 'it is gone');
    return db;
  }

  close(): void {
    this.#opened?.db.close();
    this.#opened = undefined;
  }
}

export const inodeOf = (path: string): number | undefined => statOf(path)?.ino;

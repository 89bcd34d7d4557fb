/**
 * The adapter to SQLite. It keeps every handle for the life of the process: a collected handle crashes it. No file of a
 * database may be opened with node:fs in a process that has it open here: closing that descriptor drops SQLite's locks.
 */
import { constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { isFields, ownField } from '../../domain/fields.ts';
import { say, shell } from '../../domain/hint.ts';
import { DamagedFileError } from '../../errors.ts';
import { checkFolder, checkRegular, statOf } from '../../platform/atomic-file.ts';
import { fileError, refusedAccess } from '../../platform/file-errors.ts';
import type { Host, Machine } from '../../platform/host.ts';
import { CLOSE_STILL_WORKS, type JournalTrouble, troubleAdvice } from '../trouble.ts';
import { logFits } from './log-fits.ts';

export type SqlValue = number | string | null | Uint8Array;
export type SqlRow = Readonly<Record<string, unknown>>;

export interface JournalDatabase {
  readonly path: string;
  get(sql: string, ...binds: SqlValue[]): SqlRow | undefined;
  all(sql: string, ...binds: SqlValue[]): readonly SqlRow[];
  /** Each row as the list of its columns, which is quicker where there are many. */
  lists(sql: string, ...binds: SqlValue[]): readonly unknown[];
  run(sql: string, ...binds: SqlValue[]): void;
  exec(sql: string): void;
  /** Runs `work` over one snapshot; within `reading` or `writing` over theirs. */
  reading<T>(work: () => T): T;
  /** Runs `work` as the only writer, on disk on return; rolls back if it throws. @throws JournalBusy at once */
  writing<T>(work: () => T): T;
  close(): void;
}

type Handle = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<Handle['prepare']>;

const handles: Handle[] = [];

/** A page or a record is not what was written. */
export class JournalDamage extends DamagedFileError {
  /** `how`: the end of a sentence. */
  constructor(path: string, how: string, cause?: unknown) {
    super(path, {
      what: `${path} is damaged: ${how}.`,
      meaning: CLOSE_STILL_WORKS,
      hint: troubleAdvice({ kind: 'damaged' }),
      cause,
    });
  }

  get trouble(): JournalTrouble {
    return { kind: 'damaged', path: this.path, what: this.what };
  }
}

/** Another process is writing. */
export class JournalBusy extends DamagedFileError {
  constructor(path: string, cause?: unknown) {
    super(path, {
      what: `${path} is in use: another hedge was writing to it all the time.`,
      hint: 'Try again. If it stays so, look for a hedge that hangs.',
      retry: 'later',
      cause,
    });
  }
}

/** How long to wait for other writers. */
const LONGEST_WAIT_MS = 10_000;
const PAUSE_MS = 5;
const PAUSE_JITTER_MS = 20;

/** Tries again while another process writes. @throws JournalBusy after that time */
export async function whileBusy<T>(
  { clock, random }: Pick<Machine, 'clock' | 'random'>,
  work: () => T,
  busyMs = LONGEST_WAIT_MS,
): Promise<T> {
  for (const from = clock.monotonic(); ; )
    try {
      return work();
    } catch (error) {
      if (!(error instanceof JournalBusy) || clock.monotonic() - from >= busyMs) throw error;
      await clock.sleep(PAUSE_MS + Math.floor(random.fraction() * PAUSE_JITTER_MS));
    }
}

/** How long a reader waits for a log that is being recovered. */
const BUSY_MS = 2_000;
/** A writer waits in short pieces, so that it can be interrupted in between. */
const TURN_MS = 20;

/**
 * Undefined when there is no such file. `copy`: its address as a backup, which nobody writes, so that it needs no files
 * of its own unless it has a log.
 * @throws DamagedFileError naming it.
 */
export function openJournalDatabase(
  path: string,
  host: Host,
  { copy }: { copy?: URL } = {},
): JournalDatabase | undefined {
  if (!checkDatabaseFiles(path, host)) return undefined;
  // A copy of the folder has a log of its own.
  const place = copy === undefined || sizeOf(`${path}-wal`) > 0 ? path : `${copy.href}?immutable=1`;
  // SQLite would write a log of another state into it.
  const readOnly = copy !== undefined || !logFits(path);
  const handle = naming(path, () => new DatabaseSync(place, { timeout: BUSY_MS, readOnly }));
  handles.push(handle);
  const db = adapterOf(path, handle);
  try {
    db.exec('PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON');
    if (host.platform === 'darwin') db.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function adapterOf(path: string, handle: Handle): JournalDatabase {
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    const known = statements.get(sql) ?? handle.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const asking =
    <T>(ask: (statement: Statement, binds: readonly SqlValue[]) => T) =>
    (sql: string, ...binds: SqlValue[]): T =>
      naming(path, () => ask(prepared(sql), binds));
  const within = <T>(begin: string, work: () => T): T => {
    naming(path, () => handle.exec(begin));
    try {
      const result = work();
      naming(path, () => handle.exec('COMMIT'));
      return result;
    } catch (error) {
      if (handle.isTransaction) handle.exec('ROLLBACK');
      throw error;
    }
  };
  return {
    path,
    get: asking((statement, binds) => {
      const found: unknown = statement.get(...binds);
      return found === undefined ? undefined : rowOf(found, path);
    }),
    all: asking((statement, binds) => statement.all(...binds).map((each) => rowOf(each, path))),
    lists: asking((statement, binds) => {
      statement.setReturnArrays(true);
      return statement.all(...binds);
    }),
    run: asking((statement, binds) => void statement.run(...binds)),
    exec: (sql) => naming(path, () => handle.exec(sql)),
    reading: (work) => (handle.isTransaction ? work() : within('BEGIN', work)),
    writing(work) {
      naming(path, () => handle.exec(`PRAGMA busy_timeout = ${TURN_MS.toString()}`));
      try {
        return within('BEGIN IMMEDIATE', work);
      } finally {
        handle.exec(`PRAGMA busy_timeout = ${BUSY_MS.toString()}`);
      }
    },
    close() {
      statements.clear();
      handle.close();
    },
  };
}

function rowOf(found: unknown, path: string): SqlRow {
  if (isFields(found)) return found;
  throw new JournalDamage(path, 'a query returned no row');
}

/** Reads a column as one type. @throws JournalDamage for a row that has another there. */
const columnOf =
  <T>(isMeant: (value: unknown) => value is T, name: string) =>
  (row: SqlRow, column: string, path: string): T => {
    const value = ownField(row, column);
    if (isMeant(value)) return value;
    throw new JournalDamage(path, `a row has no ${name} in ${column}`);
  };

export const textOf = columnOf((value) => typeof value === 'string', 'text');
export const numberOf = columnOf((value) => typeof value === 'number', 'number');

/** 0 for a file that is not there. */
export const sizeOf = (path: string): number => statOf(path)?.size ?? 0;

/** SQLite's primary error codes. */
const BUSY: readonly number[] = [5, 6, 15];
const DAMAGED: readonly number[] = [1, 11, 18, 19, 20, 26];
const DISK: Readonly<Record<number, string>> = {
  8: 'EROFS',
  10: 'EIO',
  13: 'ENOSPC',
  14: 'EACCES',
};
/** Errors of `all` have the text alone; one that is not listed is of the general code. */
const TEXTS: Readonly<Record<string, number>> = {
  'out of memory': 7,
  'database is locked': 5,
  'locking protocol': 15,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
};

function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw errorOf(path, error);
  }
}

function errorOf(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DamagedFileError) return error;
  const code = 'errcode' in error ? Number(error.errcode) % 256 : codeOfText(error);
  if (BUSY.includes(code)) return new JournalBusy(path, error);
  // Its tables were compared with ours: a statement that does not fit them, or a row that is there twice, is damage too.
  if (DAMAGED.includes(code)) return new JournalDamage(path, error.message, error);
  const system = UNREACHABLE.includes(code) ? (refusalOf(path) ?? DISK[code]) : DISK[code];
  return system === undefined
    ? error
    : fileError('read or write', path, Object.assign(error, { code: system }));
}

/** SQLite does not say whose refusal it met: of the file, of one of its log, or of the folder. */
const UNREACHABLE: readonly number[] = [8, 14];

const refusalOf = (path: string): string | undefined =>
  [dirname(path), path, `${path}-wal`, `${path}-shm`]
    .map((each) => refusedAccess(each, constants.R_OK | constants.W_OK))
    .find((code) => code !== undefined && code !== 'ENOENT');

/** A number that does not fit into JavaScript's was not written by hedge. */
const codeOfText = (error: Error): number =>
  'code' in error && ['ERR_SQLITE_ERROR', 'ERR_OUT_OF_RANGE'].includes(String(error.code))
    ? (ownField(TEXTS, error.message) ?? 1)
    : 0;

const OTHERS = 0o077;

/**
 * Whether there is such a database: a regular file of this user alone, as those of its log are, on a disk of this machine.
 * @throws DamagedFileError
 */
function checkDatabaseFiles(path: string, host: Host): boolean {
  checkFolder(dirname(path), host);
  const isThere = checkOwnFile(path, host);
  for (const each of [`${path}-wal`, `${path}-shm`]) checkOwnFile(each, host);
  if (isThere) checkLocal(path, host);
  return isThere;
}

function checkOwnFile(path: string, host: Host): boolean {
  const stats = statOf(path);
  if (stats === undefined) return false;
  checkRegular(path, stats, host);
  if (host.uid === undefined || (stats.mode & OTHERS) === 0) return true;
  throw new DamagedFileError(path, {
    what: `${path} can be read or written by other users.`,
    hint: say`Check that nobody else changed it, then: ${shell`chmod 600 ${path}`}`,
  });
}

/** Types of Linux's statfs: SQLite's locks do not hold there. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
  0x5346414f: 'AFS',
  0xc36400: 'Ceph',
  0xbd00bd0: 'Lustre',
  0x47504653: 'GPFS',
};

/** @throws DamagedFileError for a folder on a network file system. */
function checkLocal(path: string, { platform }: Pick<Host, 'platform'>): void {
  if (platform !== 'linux') return;
  const folder = dirname(path);
  const name = NETWORK[statfsSync(folder).type];
  if (name === undefined) return;
  throw new DamagedFileError(path, {
    what: `${folder} is on a network file system (${name}). Two machines or processes could write to the journal there at once.`,
    hint: 'Set HEDGE_HOME to a folder on a disk of this machine.',
  });
}

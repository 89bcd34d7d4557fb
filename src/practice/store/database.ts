/** The adapter to SQLite. It keeps every handle for the life of the process: a collected handle crashes it. */
import { DatabaseSync } from '@photostructure/sqlite';
import { PracticeStoreError } from '../domain/practice-types.ts';

export type Bind = number | bigint | string | null;
export type Row = Readonly<Record<string, unknown>>;

export interface Database {
  get(sql: string, ...binds: Bind[]): Row | undefined;
  all(sql: string, ...binds: Bind[]): Row[];
  /** The number of rows that changed. */
  run(sql: string, ...binds: Bind[]): number;
  exec(sql: string): void;
  /** Runs `work` as the only writer; rolls back if it throws. */
  transaction<T>(work: () => T): T;
  close(): void;
}

type Handle = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<Handle['prepare']>;

const handles: Handle[] = [];

const BUSY_MS = 5_000;

/** Throws a `PracticeStoreError` that names the file if it is corrupt. Binds numbers, bigints, strings and nulls only. */
export function openDatabase(path: string): Database {
  const namingDamage = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw corruptionError(path, error) ?? error;
    }
  };
  const handle = namingDamage(() => new DatabaseSync(path, { timeout: BUSY_MS }));
  handles.push(handle);
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = handle.prepare(sql);
    statement.setReadBigInts(true);
    statements.set(sql, statement);
    return statement;
  };
  return {
    get: (sql, ...binds) =>
      namingDamage(() => {
        const found: unknown = prepared(sql).get(...binds);
        return found === undefined ? undefined : rowOf(found);
      }),
    all: (sql, ...binds) =>
      namingDamage(() =>
        prepared(sql)
          .all(...binds)
          .map(rowOf),
      ),
    run: (sql, ...binds) => namingDamage(() => prepared(sql).run(...binds).changes),
    exec: (sql) => namingDamage(() => handle.exec(sql)),
    transaction(work) {
      namingDamage(() => handle.exec('BEGIN IMMEDIATE'));
      try {
        const result = work();
        handle.exec('COMMIT');
        return result;
      } catch (error) {
        if (handle.isTransaction) handle.exec('ROLLBACK');
        throw error;
      }
    },
    close() {
      // Prepared statements outlive `close` until they are collected, and would keep the write-ahead log.
      try {
        handle.exec('PRAGMA wal_checkpoint(PASSIVE)');
      } finally {
        statements.clear();
        handle.close();
      }
    },
  };
}

function isRow(found: unknown): found is Row {
  return typeof found === 'object' && found !== null;
}

function rowOf(found: unknown): Row {
  if (isRow(found)) return found;
  throw new TypeError('The practice book returned no row.');
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** Another process held the book longer than `BUSY_MS`. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

function corruptionError(path: string, error: unknown): PracticeStoreError | undefined {
  const code = primaryCode(error);
  if (code !== SQLITE_CORRUPT && code !== SQLITE_NOTADB) return undefined;
  const found = code === SQLITE_NOTADB ? 'is not a database' : 'is damaged';
  return new PracticeStoreError(path, `The practice book ${path} ${found}. Nothing in it was changed.`, {
    cause: error,
  });
}

function primaryCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) % 256 : undefined;
}

export function insertRow(db: Database, table: string, row: Readonly<Record<string, Bind>>): void {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  db.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, ...Object.values(row));
}

export function bigintColumn(row: Row, column: string): bigint {
  const value = row[column];
  if (typeof value === 'bigint') return value;
  throw new TypeError(`The practice book holds no integer in ${column}.`);
}

export function integerColumn(row: Row, column: string): number {
  return Number(bigintColumn(row, column));
}

export function textColumn(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw new TypeError(`The practice book holds no text in ${column}.`);
}

export function textColumnOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : textColumn(row, column);
}

export function bigintColumnOrNull(row: Row, column: string): bigint | null {
  return row[column] === null ? null : bigintColumn(row, column);
}

export function integerColumnOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integerColumn(row, column);
}

export function enumColumn<T extends string>(row: Row, column: string, words: readonly T[]): T {
  const value = row[column];
  const found = words.find((each) => each === value);
  if (found === undefined) throw new TypeError(`The practice book holds an unknown word in ${column}.`);
  return found;
}

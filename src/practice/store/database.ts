/** The adapter to SQLite. It keeps every handle for the life of the process: a collected handle crashes it. */
import { DatabaseSync } from '@photostructure/sqlite';
import { DamagedRecordError, PracticeStoreError } from '../domain/practice-types.ts';

export type Bind = number | bigint | string | null;
export type Row = Readonly<Record<string, unknown>>;

export type Database = ReturnType<typeof openDatabase>;

type Handle = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<Handle['prepare']>;

const handles: Handle[] = [];

const BUSY_MS = 5_000;

/**
 * Throws a `PracticeStoreError` that names the file if it is damaged or busy, or the disk fails. Binds numbers, bigints, strings
 * and nulls only.
 */
export function openDatabase(path: string) {
  const namingFile = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw storeErrorOf(path, error) ?? error;
    }
  };
  const handle = namingFile(() => new DatabaseSync(path, { timeout: BUSY_MS }));
  handles.push(handle);
  const statements = new Map<string, Statement>();
  const bulkStatements = new Map<string, Statement>();
  const prepared = (sql: string, of = statements): Statement => {
    const known = of.get(sql);
    if (known !== undefined) return known;
    const statement = handle.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(of === bulkStatements);
    of.set(sql, statement);
    return statement;
  };
  return {
    get: (sql: string, ...binds: Bind[]): Row | undefined =>
      namingFile(() => {
        const found: unknown = prepared(sql).get(...binds);
        return found === undefined ? undefined : rowOf(found);
      }),
    all: (sql: string, ...binds: Bind[]): Row[] =>
      namingFile(() =>
        prepared(sql)
          .all(...binds)
          .map(rowOf),
      ),
    /** Values in the order of the columns: for many rows, several times as fast. */
    values: (sql: string, ...binds: Bind[]): (readonly unknown[])[] =>
      namingFile(() =>
        prepared(sql, bulkStatements)
          .all(...binds)
          .map(valuesOf),
      ),
    /** The number of rows that changed. */
    run: (sql: string, ...binds: Bind[]): number => namingFile(() => prepared(sql).run(...binds).changes),
    exec: (sql: string): void => namingFile(() => handle.exec(sql)),
    /** Runs `work` without a lock. */
    reading: namingFile,
    /** Runs `work` as the only writer; rolls back if it throws. */
    transaction: <T>(work: () => T): T =>
      namingFile(() => {
        handle.exec('BEGIN IMMEDIATE');
        try {
          const result = work();
          handle.exec('COMMIT');
          return result;
        } catch (error) {
          if (handle.isTransaction) handle.exec('ROLLBACK');
          throw error;
        }
      }),
    close(): void {
      // Prepared statements outlive `close` until they are collected, and would keep the write-ahead log.
      try {
        handle.exec('PRAGMA wal_checkpoint(PASSIVE)');
      } finally {
        statements.clear();
        bulkStatements.clear();
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
  throw new DamagedRecordError('a query returned no row');
}

function valuesOf(found: unknown): readonly unknown[] {
  if (Array.isArray(found)) return found;
  throw new DamagedRecordError('a query returned no values');
}

interface Failure {
  /** SQLite's primary error code, and its text for it. */
  code: number;
  text: string;
  /** Follows the name of the book. */
  means: string;
  trouble: PracticeStoreError['trouble'];
}

const FAILURES: readonly Failure[] = [
  {
    code: 5,
    text: 'database is locked',
    means: `is busy: another process has held it for ${BUSY_MS / 1_000} s`,
    trouble: 'busy',
  },
  {
    code: 8,
    text: 'attempt to write a readonly database',
    means: 'cannot be written: the file or its disk is read-only',
    trouble: 'disk',
  },
  {
    code: 10,
    text: 'disk I/O error',
    means: 'cannot be read or written: the disk is full or failing',
    trouble: 'disk',
  },
  { code: 11, text: 'database disk image is malformed', means: 'is damaged', trouble: 'file' },
  {
    code: 13,
    text: 'database or disk is full',
    means: 'cannot be written: the disk is full',
    trouble: 'disk',
  },
  { code: 14, text: 'unable to open database file', means: 'cannot be opened', trouble: 'disk' },
  { code: 26, text: 'file is not a database', means: 'is not a database', trouble: 'file' },
];

/** Undefined for an error that is neither of the file nor of its disk. */
export function storeErrorOf(path: string, error: unknown): PracticeStoreError | undefined {
  const found =
    error instanceof DamagedRecordError
      ? { means: `is damaged: ${error.message}`, trouble: 'file' as const }
      : failureOf(error);
  if (found === undefined) return undefined;
  const { means, trouble } = found;
  const message = `The practice book ${path} ${means}. Nothing in it was changed.`;
  return new PracticeStoreError(path, message, { cause: error, trouble });
}

/** Errors of `all` have the text alone. */
function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const primary = 'errcode' in error ? Number(error.errcode) % 256 : undefined;
  return FAILURES.find(({ code, text }) => code === primary || text === error.message);
}

export function insertRow(db: Database, table: string, row: Readonly<Record<string, Bind>>): void {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  db.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, ...Object.values(row));
}

/** `seq` is the key of the table. */
export function updateRow(
  db: Database,
  table: string,
  seq: number,
  row: Readonly<Record<string, Bind>>,
): void {
  const columns = Object.keys(row);
  db.run(`UPDATE ${table} SET ${columns.join(' = ?, ')} = ? WHERE seq = ?`, ...Object.values(row), seq);
}

/** For an aggregate, which always has a row. */
export function bigintColumn(row: Row | undefined, column: string): bigint {
  return bigintValue(row?.[column], column);
}

export function bigintValue(value: unknown, column: string): bigint {
  if (typeof value === 'bigint') return value;
  throw new DamagedRecordError(`no integer in ${column}`);
}

/** A sum that may exceed 64 bits, kept as text. */
export function bigTextColumn(row: Row, column: string): bigint {
  return bigTextValue(row[column], column);
}

export function bigTextValue(value: unknown, column: string): bigint {
  const text = textValue(value, column);
  if (/^-?\d+$/.test(text)) return BigInt(text);
  throw new DamagedRecordError(`no sum in ${column}`);
}

export function integerColumn(row: Row | undefined, column: string): number {
  return Number(bigintColumn(row, column));
}

export function textColumn(row: Row, column: string): string {
  return textValue(row[column], column);
}

export function textValue(value: unknown, column: string): string {
  if (typeof value === 'string') return value;
  throw new DamagedRecordError(`no text in ${column}`);
}

export function textColumnOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : textColumn(row, column);
}

export function integerColumnOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integerColumn(row, column);
}

export function enumColumn<T extends string>(row: Row, column: string, words: readonly T[]): T {
  return enumValue(row[column], column, words);
}

function enumValue<T extends string>(value: unknown, column: string, words: readonly T[]): T {
  const found = words.find((each) => each === value);
  if (found === undefined) throw new DamagedRecordError(`an unknown word in ${column}`);
  return found;
}

type Read<T> = (value: unknown, column: string) => T;

export const integerValue: Read<number> = (value, column) => Number(bigintValue(value, column));

export const wordValue =
  <T extends string>(words: readonly T[]): Read<T> =>
  (value, column) =>
    enumValue(value, column, words);

export const valueOrNull =
  <T>(read: Read<T>): Read<T | null> =>
  (value, column) =>
    value === null ? null : read(value, column);

/** Columns of a table, each with how it is read. A record has the same fields. */
export type Columns = Readonly<Record<string, Read<unknown>>>;
export type RecordOf<C extends Columns> = { [Name in keyof C]: ReturnType<C[Name]> };

/** How the records of a table are made from its rows, and from values in the order of the columns. */
export interface RecordReader<C extends Columns> {
  fromRow(this: void, row: Row): RecordOf<C>;
  fromValues(this: void, values: readonly unknown[]): RecordOf<C>;
}

export function recordsOf<C extends Columns>(declared: C): RecordReader<C>;
export function recordsOf(declared: Columns): RecordReader<Columns> {
  const readers = Object.entries(declared);
  const recordOf = (valueOf: (column: string, at: number) => unknown): Record<string, unknown> => {
    const record: Record<string, unknown> = {};
    // There may be many: several times as fast as from entries.
    readers.forEach(([column, read], at) => {
      record[column] = read(valueOf(column, at), column);
    });
    return record;
  };
  return {
    fromRow: (row) => recordOf((column) => row[column]),
    fromValues: (values) => recordOf((_column, at) => values[at]),
  };
}

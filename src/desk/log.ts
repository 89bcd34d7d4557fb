/** The questions to the log: for new records, with or without its lock, and to append. Each is one round trip. */
import { ownField } from '../domain/fields.ts';
import type { NewRecord } from '../journal/store/new-records.ts';
import type { JournalHead, StoredRecord } from '../journal/store/record-rows.ts';
import { type LogConnection, LogFailure, type LogRow, type StatementResult } from './connection.ts';
import { APPROVER, MOST_LOCKED } from './log-schema.ts';

/** A record as it is appended: the log stamps it. */
export type GivenRecord = Pick<NewRecord, 'id' | 'record'>;

export interface Pulled {
  /** After those of the copy, in order; not all where there are many. */
  records: readonly StoredRecord[];
  /** Its last record. */
  head: JournalHead;
  /** Hash of the record with the number of the copy's last one; undefined when there is none. */
  atCopy: string | undefined;
  /** Digest of the records that were asked for; undefined if none was. */
  digest: string | undefined;
  name: string;
  schemaVersion: number;
  oldestClient: string;
  login: string;
  isApprover: boolean;
  /** The database's time, in milliseconds since the epoch. */
  nowMs: number;
  /** Counts of changed and removed rows, and the file of the table: another value than before may mean a changed history. */
  changes: string;
}

/** In place of the copy's head: no record is asked for. */
export const NOTHING_NEW: JournalHead = { seq: Number.MAX_SAFE_INTEGER, hash: '' };

/** How many records a page of a long pull has, and how long it may take. */
export const PULLED_AT_ONCE = 4_000;
/** The first one of a connection: on a slow link it arrives within the time to reach the log, and tells its clock. */
const PULLED_FIRST = 200;
export const PAGE_MS = 30_000;
/** How long to wait for the lock, and for a commit. */
const LOCK_MS = 8_000;
const COMMIT_MS = 6_000;
/** Bytes of their texts. A larger record has a page of its own, and is none of the first. */
const PULLED_BYTES = 33_554_432;
const FIRST_BYTES = 1_048_576;

/** @throws LogFailure */
export async function pullLog(
  connection: LogConnection,
  {
    copy,
    digestOf,
    withinMs = PAGE_MS,
    isFirst = false,
  }: {
    copy: JournalHead;
    digestOf?: { from: number; to: number } | undefined;
    withinMs?: number;
    isFirst?: boolean;
  },
): Promise<Pulled> {
  const seq = copy.seq.toString();
  const results = await connection.run(
    [
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
      `SELECT seq, encode(hash, 'hex') AS hash, name, schema_version, oldest_client, session_user AS login, pg_has_role(session_user, '${APPROVER}', 'USAGE') AS approver, extract(epoch FROM clock_timestamp()) * 1000 AS now, (SELECT concat_ws(' ', n_tup_upd, n_tup_del, pg_relation_filenode(relid)) FROM pg_stat_all_tables WHERE relid = 'hedge.records'::regclass) AS changes FROM hedge.head`,
      `SELECT encode(hash, 'hex') AS hash FROM hedge.records WHERE seq = ${seq}`,
      digestOf === undefined
        ? 'SELECT NULL AS digest'
        : `SELECT encode(sha256(string_agg(hash || sha256(convert_to(id || record || stamp, 'UTF8')), ''::bytea ORDER BY seq)), 'hex') AS digest FROM hedge.records WHERE seq BETWEEN ${digestOf.from.toString()} AND ${digestOf.to.toString()}`,
      pageAfter(copy.seq, isFirst),
      'COMMIT',
    ].join('; '),
    withinMs,
  );
  const [, [head] = [], [at] = [], [digest] = [], records = []] = results.map(({ rows }) => rows);
  if (head === undefined) throw new LogFailure('no_desk', 'the database has no desk');
  return {
    records: records.map(storedOf),
    head: { seq: numberIn(head, 'seq'), hash: textIn(head, 'hash') },
    atCopy: at === undefined ? undefined : textIn(at, 'hash'),
    digest: digest?.['digest'] ?? undefined,
    name: textIn(head, 'name'),
    schemaVersion: numberIn(head, 'schema_version'),
    oldestClient: textIn(head, 'oldest_client'),
    login: textIn(head, 'login'),
    isApprover: textIn(head, 'approver') === 't',
    nowMs: numberIn(head, 'now'),
    changes: textIn(head, 'changes'),
  };
}

/** A login may append records of megabytes: a page of them would never arrive in time. */
function pageAfter(seq: number, isFirst: boolean): string {
  const limit = isFirst
    ? `bytes <= ${FIRST_BYTES.toString()}`
    : `(bytes <= ${PULLED_BYTES.toString()} OR seq = ${(seq + 1).toString()})`;
  const next = `SELECT * FROM hedge.records WHERE seq > ${seq.toString()} ORDER BY seq LIMIT ${(isFirst ? PULLED_FIRST : PULLED_AT_ONCE).toString()}`;
  return `SELECT seq, id, record, stamp, encode(hash, 'hex') AS hash FROM (SELECT *, sum(octet_length(record)) OVER (ORDER BY seq) AS bytes FROM (${next}) AS next) AS page WHERE ${limit} ORDER BY seq`;
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/**
 * Locks the log until `appendLocked` or `unlock`, and returns the new records; undefined where they are too many to send under the
 * lock, which then is released. @throws LogFailure
 */
export async function lockAndPull(
  connection: LogConnection,
  copy: JournalHead,
): Promise<readonly StoredRecord[] | undefined> {
  const [, pulled] = await connection.run(
    `${BEGIN}; SELECT seq, id, record, stamp, encode(hash, 'hex') AS hash FROM hedge.lock_and_pull(${copy.seq.toString()})`,
    LOCK_MS,
  );
  const rows = pulled?.rows ?? [];
  if (rows.length >= MOST_LOCKED) {
    await unlock(connection);
    return undefined;
  }
  return rows.map(storedOf);
}

export async function unlock(connection: LogConnection): Promise<void> {
  await connection.run('ROLLBACK', LOCK_MS);
}

/** Within the lock, which it releases. @throws LogFailure: after `no_answer` the records may be in the log. */
export const appendLocked = (
  connection: LogConnection,
  given: readonly GivenRecord[],
  copy: JournalHead,
): Promise<readonly StoredRecord[]> =>
  committed(connection, `${appendCall(given, { since: copy.seq, after: copy })}; COMMIT`, COMMIT_MS);

/**
 * Wherever the log ends: for what happened already. Returns the records after the copy; not all where there are many. A record that
 * the log has already is passed over. @throws LogFailure
 */
export const appendAnywhere = (
  connection: LogConnection,
  given: readonly GivenRecord[],
  {
    copy,
    isEarlier = false,
    withinMs = LOCK_MS,
  }: { copy: JournalHead; isEarlier?: boolean; withinMs?: number },
): Promise<readonly StoredRecord[]> =>
  committed(connection, `${BEGIN}; ${appendCall(given, { since: copy.seq, isEarlier })}; COMMIT`, withinMs);

/** Records of one append, so that the copy has all of them at once: fewer than a function returns. */
const MOST_DELIVERED = 400;

export function* inPages(records: readonly GivenRecord[]): Generator<readonly GivenRecord[]> {
  for (let from = 0; from < records.length; from += MOST_DELIVERED)
    yield records.slice(from, from + MOST_DELIVERED);
}

/** Records of any number, wherever the log ends; nothing is pulled. @throws LogFailure */
export async function appendPages(
  connection: LogConnection,
  records: readonly GivenRecord[],
  { isEarlier = false }: { isEarlier?: boolean } = {},
): Promise<void> {
  for (const given of inPages(records))
    await appendAnywhere(connection, given, { copy: NOTHING_NEW, isEarlier, withinMs: PAGE_MS });
}

function appendCall(
  given: readonly GivenRecord[],
  { since, after, isEarlier = false }: { since: number; after?: JournalHead; isEarlier?: boolean },
): string {
  const records = literal(JSON.stringify(given.map(({ id, record }) => ({ id, record: takenText(record) }))));
  const [seq, hash] =
    after === undefined ? ['NULL', 'NULL'] : [after.seq.toString(), `'\\x${after.hash}'::bytea`];
  return `SELECT seq, id, record, stamp, encode(hash, 'hex') AS hash FROM hedge.append(${since.toString()}, ${seq}, ${hash}, ${isEarlier ? 'true' : 'false'}, ${records})`;
}

/**
 * PostgreSQL takes no text with a NUL or half of a surrogate pair, which a service may send and a journal keeps: each becomes the
 * replacement character.
 */
const takenText = (record: string): string =>
  record.replace(ESCAPES, (escape) => (NOT_TAKEN.test(escape) ? '\\ufffd' : escape));

/** In JSON. A whole pair is one. */
const ESCAPES = /\\(?:u(?:d[89ab]..\\ud[c-f]..|....)|.)/gi;
const NOT_TAKEN = /^\\u(?:0000|d[89a-f]..)$/i;

/** A text of SQL. With backslashes the server could read it in two ways, unless it says that it has them. */
export const literal = (text: string): string => ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** The rows of the statement before COMMIT, if that did commit. */
async function committed(
  connection: LogConnection,
  sql: string,
  withinMs: number,
): Promise<readonly StoredRecord[]> {
  let results: readonly StatementResult[];
  try {
    results = await connection.run(sql, withinMs);
  } catch (error) {
    // An error of the server ended the transaction: it must not keep the lock.
    if (error instanceof LogFailure && error.kind !== 'no_answer') connection.close();
    throw error;
  }
  const [records, end] = results.slice(-2);
  if (end?.command !== 'COMMIT') throw new LogFailure('busy', 'the server ended the transaction');
  if (connection.isUnsure) {
    connection.close();
    throw new LogFailure('no_answer', 'the server did not reach its standby');
  }
  return (records?.rows ?? []).map(storedOf);
}

function storedOf(row: LogRow): StoredRecord {
  return {
    seq: numberIn(row, 'seq'),
    id: textIn(row, 'id'),
    record: textIn(row, 'record'),
    stamp: textIn(row, 'stamp'),
    hash: textIn(row, 'hash'),
  };
}

function textIn(row: LogRow, column: string): string {
  const value = ownField(row, column);
  if (typeof value === 'string') return value;
  throw new LogFailure('no_answer', 'its answer cannot be read');
}

const numberIn = (row: LogRow, column: string): number => Number(textIn(row, column));

/** By number. @throws LogFailure */
export async function hashesOf(
  connection: LogConnection,
  { from, to }: { from: number; to: number },
): Promise<ReadonlyMap<number, string>> {
  const [found] = await connection.run(
    `SELECT seq, encode(hash, 'hex') AS hash FROM hedge.records WHERE seq BETWEEN ${from.toString()} AND ${to.toString()}`,
    PAGE_MS,
  );
  return new Map((found?.rows ?? []).map((row) => [numberIn(row, 'seq'), textIn(row, 'hash')]));
}

/** The texts of records, by ID. @throws LogFailure */
export async function textsOf(
  connection: LogConnection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const [found] = await connection.run(
    `SELECT id, record FROM hedge.records WHERE id = ANY (ARRAY[${ids.map(literal).join(',')}]::text[])`,
    PAGE_MS,
  );
  return new Map((found?.rows ?? []).map((row) => [textIn(row, 'id'), textIn(row, 'record')]));
}

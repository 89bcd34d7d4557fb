/**
 * One connection to the log's server, with time limits of this side: TLS verified in full unless it is a local socket. What
 * goes wrong is a LogFailure, which says why in words.
 */
import type { Client, DatabaseError } from 'pg';
import { ownField } from '../domain/fields.ts';
import { quoted } from '../domain/quoted.ts';
import { aborted, type Clock } from '../platform/clock.ts';
import { isSocket, type LogAddress } from './address.ts';
import { APPEND_ONLY, ID_IN_USE, LOG_ENDS_ELSEWHERE, NO_RECORD_OF_HEDGE } from './log-schema.ts';

/**
 * `no_answer`: nothing came in time, or the connection broke. `refused`: the server does not let this login in. `untrusted`:
 * its certificate is not accepted. `forbidden`: the login may not do this. `no_desk`: the database has no log. `takes_none`: it can
 * be read, and takes no records now. `busy`: others held the log for too long. `moved`: the log does not end where it was
 * said to. `taken`: another record has the ID. `invalid`: the log does not take such a record.
 */
export type LogFailureKind =
  | 'no_answer'
  | 'refused'
  | 'untrusted'
  | 'forbidden'
  | 'no_desk'
  | 'takes_none'
  | 'busy'
  | 'moved'
  | 'taken'
  | 'invalid';

export class LogFailure extends Error {
  readonly kind: LogFailureKind;
  /** The end of a sentence. */
  readonly why: string;
  constructor(kind: LogFailureKind, why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.why = why;
  }
}

export interface LogRow {
  [column: string]: string | null;
}

/** One statement: its rows, and its command tag. */
export interface StatementResult {
  command: string;
  rows: readonly LogRow[];
}

export interface LogConnection {
  /** Runs statements in one round trip. @throws LogFailure; after `no_answer` the connection is closed. */
  run(sql: string, withinMs: number): Promise<readonly StatementResult[]>;
  /** A commit was not replicated to a standby that the server was told to wait for. */
  readonly isUnsure: boolean;
  close(): void;
}

export interface LogLogin {
  address: LogAddress;
  /** User of the operating system. */
  osUser: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Undefined: none is known. Asked only where the server wants one. */
  password(user: string): Promise<string | undefined>;
  /** PEM; undefined: Node's own list. */
  ca: readonly string[] | undefined;
}

export const userOf = ({ address, env, osUser }: Pick<LogLogin, 'address' | 'env' | 'osUser'>): string =>
  address.user ?? (env['PGUSER'] || osUser);

/** @throws LogFailure */
export async function connectToLog(
  login: LogLogin,
  { clock, withinMs }: { clock: Clock; withinMs: number },
): Promise<LogConnection> {
  const { address, ca } = login;
  const { host, port, database } = address;
  const user = userOf(login);
  // It may ask a person: the time limit is the server's.
  const password = await login.password(user);
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    password: () => {
      if (password === undefined) throw new NoPassword();
      return password;
    },
    ssl: isSocket(address)
      ? false
      : { ...(ca === undefined ? {} : { ca: [...ca] }), rejectUnauthorized: true },
    application_name: 'hedge',
    keepAlive: true,
    types: { getTypeParser: () => (value: string) => value },
  });
  let isUnsure = false;
  // Without a listener a connection that breaks later would end the process.
  client.on('error', () => undefined);
  client.on('notice', ({ code }) => {
    isUnsure ||= code === NOT_REPLICATED;
  });
  const within = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
    const late = new AbortController();
    const cancel = clock.after(ms, () => late.abort());
    const timeout = aborted(late.signal).then((): never => {
      throw new LogFailure('no_answer', `it did not respond within ${seconds(ms)} (HEDGE_DESK_TIMEOUT)`);
    });
    try {
      return await Promise.race([work(), timeout]);
    } catch (error) {
      const failure = failureOf(error, { host, user, database });
      if (failure.kind === 'no_answer') destroy(client);
      throw failure;
    } finally {
      cancel();
    }
  };
  try {
    await within(withinMs, () => client.connect());
  } catch (error) {
    // The server would wait for a password that is not known.
    destroy(client);
    throw error;
  }
  return {
    get isUnsure() {
      return isUnsure;
    },
    async run(sql, ms) {
      // Two statements or more: their results are a list.
      const results: unknown = await within(ms, () => client.query(`${OWN_NAMES}; ${sql}`));
      return (Array.isArray(results) ? results : []).slice(1).map(({ command, rows }) => ({ command, rows }));
    },
    close() {
      void client.end().catch(() => undefined);
    },
  };
}

/** Connects for one piece of work. @throws LogFailure */
export async function connectedToLog<T>(
  login: LogLogin,
  options: { clock: Clock; withinMs: number },
  work: (connection: LogConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectToLog(login, options);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/**
 * Another login may create functions in the schema `public` that suit the arguments better than PostgreSQL's own: they would run with
 * the rights of this one. It holds for the transaction, so that it works through a pooler.
 */
const OWN_NAMES = 'SET LOCAL search_path = pg_catalog, pg_temp';

const seconds = (ms: number): string => `${(Math.round(ms / 100) / 10).toString()} s`;

class NoPassword extends Error {}

/** Also while it connects, or waits for a result that does not come. */
function destroy(client: Client): void {
  void client.end().catch(() => undefined);
  const { connection }: { connection?: { stream?: { destroy?: () => void } } } = Object(client);
  connection?.stream?.destroy?.();
}

/** `WARNING`: the standby that the server waits for is missing, and somebody canceled the waiting. */
const NOT_REPLICATED = '01000';

const isOfServer = (error: Error): error is DatabaseError => 'severity' in error && 'code' in error;

/** By SQLSTATE, or its class of two characters. */
const BY_STATE: Readonly<Record<string, { kind: LogFailureKind; why: (said: string) => string }>> = {
  [LOG_ENDS_ELSEWHERE]: { kind: 'moved', why: () => 'another machine wrote to it meanwhile' },
  [ID_IN_USE]: { kind: 'taken', why: () => 'another record has the same ID' },
  [NO_RECORD_OF_HEDGE]: { kind: 'invalid', why: (said) => `it does not take the record: ${said}` },
  [APPEND_ONLY]: { kind: 'forbidden', why: () => 'it is only appended to' },
  '28P01': { kind: 'refused', why: () => 'the password is wrong' },
  '28000': { kind: 'refused', why: (said) => `the server does not let the login in (${said})` },
  '3D000': { kind: 'refused', why: () => 'the server has no such database' },
  '42501': { kind: 'forbidden', why: () => 'the login has no right to it' },
  '3F000': { kind: 'no_desk', why: () => 'the database has no desk' },
  '42P01': { kind: 'no_desk', why: () => 'the database has no desk' },
  '42883': { kind: 'no_desk', why: () => 'the database has no desk' },
  '25006': { kind: 'takes_none', why: () => 'the database is read-only' },
  '55P03': { kind: 'busy', why: () => 'other machines were writing to it all the time' },
  '57014': { kind: 'busy', why: () => 'the server stopped the statement' },
  '53': { kind: 'takes_none', why: (said) => `the server is out of resources (${said})` },
  // Whether it committed is not known.
  '40003': { kind: 'no_answer', why: quoted },
  '40': { kind: 'busy', why: () => 'another transaction was in the way' },
};

const TLS = /^(?:CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS|ERR_SSL|EPROTO|HOSTNAME_MISMATCH)/;

function failureOf(
  error: unknown,
  { host, user, database }: { host: string; user: string; database: string },
): LogFailure {
  if (error instanceof LogFailure) return error;
  if (error instanceof NoPassword)
    return new LogFailure('refused', `no password is known for the login ${quoted(user)}`);
  if (!(error instanceof Error)) return new LogFailure('no_answer', 'the connection broke', error);
  const code = 'code' in error ? String(error.code) : '';
  if (isOfServer(error)) {
    const { kind, why } = ownField(BY_STATE, code) ??
      ownField(BY_STATE, code.slice(0, 2)) ?? { kind: 'no_answer', why: quoted };
    const who =
      kind === 'refused' || kind === 'forbidden'
        ? ` (login ${quoted(user)}, database ${quoted(database)})`
        : '';
    return new LogFailure(kind, `${why(error.message)}${who}`, error);
  }
  if (TLS.test(code) || /SSL/.test(error.message))
    return new LogFailure('untrusted', `its certificate is not accepted (${code || error.message})`, error);
  const reason = ownField(CONNECTIONS, code);
  return new LogFailure('no_answer', reason?.(host) ?? 'the connection broke', error);
}

const CONNECTIONS: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => `${host} refused the connection`,
  ENOTFOUND: (host) => `${host} was not found`,
  EAI_AGAIN: (host) => `${host} could not be looked up`,
  EHOSTUNREACH: (host) => `there is no way to ${host}`,
  ENETUNREACH: (host) => `there is no way to ${host}`,
  ENOENT: (host) => `no database server runs at ${host}`,
};

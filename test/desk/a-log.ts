/** The log of a desk in a database of its own, and logins to it. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { onTestFinished } from 'vitest';
import type { LogConnection } from '../../src/desk/connection.ts';
import { connectToLog } from '../../src/desk/connection.ts';
import { installLog } from '../../src/desk/install-log.ts';
import { APPROVER, DEALER } from '../../src/desk/log-schema.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { ADMIN_PASSWORD, aDatabase, type PostgresServer } from '../support/postgres.ts';

export interface TestLog {
  server: PostgresServer;
  database: string;
  /** The owner of the log. */
  owner: pg.Client;
  /** `postgres://ada@127.0.0.1:5432/desk_1` */
  url(user: string): string;
  /** A login of this database alone, with a role or without, and a connection with it. */
  login(
    name: string,
    role?: 'dealer' | 'approver',
  ): Promise<{ user: string; password: string; client: pg.Client }>;
  /** A connection like the program's. */
  connect(user: string, password: string): Promise<LogConnection>;
}

export const FOUNDING = {
  id: '00000000000000aa',
  record: JSON.stringify({
    schema: 3,
    kind: 'desk',
    at: '2026-11-20T09:00:00.000Z',
    name: 'lagos',
    who: 'ada@one',
    identity: {
      environment: 'sandbox',
      base_url: 'https://127.0.0.1/partner/v2',
      account: null,
      key_fingerprint: '0123abcd',
    },
  }),
};

/** `isEmpty`: without its tables. */
export async function aLog({
  server: given,
  isEmpty = false,
  creating,
}: {
  server?: PostgresServer;
  isEmpty?: boolean;
  /** Options of CREATE DATABASE. */
  creating?: string;
} = {}): Promise<TestLog> {
  const { server, database } = await aDatabase(given, creating);
  const connect = (user: string, password: string): Promise<LogConnection> =>
    connectToLog(
      {
        address: { host: '127.0.0.1', port: server.port, database, user },
        osUser: 'nobody',
        env: {},
        password: () => Promise.resolve(password),
        ca: [server.ca],
      },
      { clock: systemClock, withinMs: 60_000 },
    );
  if (!isEmpty) {
    const connection = await connect('postgres', ADMIN_PASSWORD);
    await installLog(connection, { name: 'lagos', founding: FOUNDING });
    connection.close();
  }
  const owner = await server.admin(database);
  return {
    server,
    database,
    owner,
    connect,
    url: (user) => `postgres://${user}@127.0.0.1:${server.port.toString()}/${database}`,
    async login(name, role) {
      const user = `${name}_${database}`;
      const password = `secret of ${user}`;
      await owner.query(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
      if (role !== undefined) await owner.query(`GRANT ${role === 'dealer' ? DEALER : APPROVER} TO ${user}`);
      return { user, password, client: await server.connect({ user, password, database }) };
    },
  };
}

/** Nobody can append to the log until it is released. `waiting`: how many wait for that. */
export async function heldLog({
  server,
  database,
  owner,
}: TestLog): Promise<{ waiting: () => Promise<number | null>; release: () => Promise<unknown> }> {
  const holder = await server.admin(database);
  onTestFinished(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE hedge.head IN EXCLUSIVE MODE');
  return {
    async waiting() {
      const { rowCount } = await owner.query(
        'SELECT 1 FROM pg_locks JOIN pg_database ON oid = database WHERE NOT granted AND datname = current_database()',
      );
      return rowCount;
    },
    release: () => holder.query('ROLLBACK'),
  };
}

/** SQLSTATE of what it throws; `none` where it does not. */
export async function sqlState(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** An ID of a record, from a word. */
export const recordId = (word: string): string =>
  createHash('sha256').update(word).digest('hex').slice(0, 16);

/** A record of no action, which differs by its word. */
export const aHalt = (word: string, fields: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    schema: 3,
    kind: 'halt',
    at: '2026-11-20T09:00:00.000Z',
    halt_id: recordId(word),
    who: 'ada@one',
    why: word,
    ...fields,
  });

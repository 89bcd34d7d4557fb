/** Creates the log of a desk in a database, or brings it to the schema of this version. For its owner; safe to repeat. */
import { quoted } from '../domain/quoted.ts';
import { nothingChanged, type StoppedError } from '../errors.ts';
import { type LogConnection, LogFailure, type LogRow } from './connection.ts';
import { appendPages, type GivenRecord, literal, PAGE_MS } from './log.ts';
import { MAKE_ROLES, MIGRATIONS, OLDEST_CLIENT } from './log-schema.ts';

/** Versions of its schema; `from` is 0 where there was none. */
export interface InstalledLog {
  from: number;
  to: number;
  /** Text of its first record, which may be of an earlier call. */
  founding: string;
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
/** Any number: two owners at one moment wait for each other. */
const LOCK = 'SELECT pg_advisory_xact_lock(7522413)';

/**
 * `founding`: its first record. `migrations`: those of this version.
 * @throws LogFailure; StoppedError for a database that cannot have one, or has the log of another desk.
 */
export async function installLog(
  connection: LogConnection,
  { name, founding }: { name: string; founding: GivenRecord },
  migrations: readonly string[] = MIGRATIONS,
): Promise<InstalledLog> {
  /** The first row of the last statement. */
  const run = async (...statements: readonly string[]): Promise<LogRow | undefined> =>
    (await connection.run(statements.join(';\n'), PAGE_MS)).at(-1)?.rows[0];
  checkServer(
    await run(
      "SELECT current_setting('server_version_num')::int >= 130000 AS new_enough, pg_encoding_to_char(encoding) AS encoding, pg_is_in_recovery() AS standby FROM pg_database WHERE datname = current_database()",
    ),
  );
  try {
    const there = await run(BEGIN, LOCK, MAKE_ROLES, "SELECT to_regclass('hedge.head') IS NOT NULL AS log");
    const head =
      there?.['log'] === 't' ? await run('SELECT name, schema_version FROM hedge.head') : undefined;
    if (head !== undefined && head['name'] !== name)
      throw unfit(`It has desk ${quoted(head['name'] ?? '')} already: one desk, one database.`);
    const from = Number(head?.['schema_version'] ?? 0);
    const to = migrations.length;
    if (from > to) throw newerLog(name, from);
    await run(
      ...migrations.slice(from),
      head === undefined
        ? `INSERT INTO hedge.head (seq, hash, name, schema_version, oldest_client) VALUES (0, decode(repeat('00', 32), 'hex'), ${literal(name)}, ${to.toString()}, ${literal(OLDEST_CLIENT)})`
        : `UPDATE hedge.head SET schema_version = ${to.toString()}${from === to ? '' : `, oldest_client = ${literal(OLDEST_CLIENT)}`}`,
      'COMMIT',
    );
    // Its beginning may have been lost with the process that made the tables.
    const isEmpty = await run('SELECT seq FROM hedge.head');
    if (isEmpty?.['seq'] === '0') await appendPages(connection, [founding]);
    const first = await run('SELECT record FROM hedge.records WHERE seq = 1');
    return { from, to, founding: first?.['record'] ?? founding.record };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function checkServer(server: LogRow | undefined): void {
  if (server?.['new_enough'] !== 't') throw unfit('PostgreSQL 13 or later is needed.');
  if (server['encoding'] !== 'UTF8')
    throw unfit('Its encoding is not UTF8. Create another one: createdb -E UTF8 -T template0 NAME');
  if (server['standby'] === 't') throw new LogFailure('takes_none', 'the database is read-only');
}

const unfit = (why: string): StoppedError =>
  nothingChanged({
    code: 'desk_unfit',
    what: `This database cannot have the desk. ${why}`,
  });

export const newerLog = (name: string, version: number): StoppedError =>
  nothingChanged({
    code: 'desk_newer',
    what: `Desk ${name} was made by a newer version of hedge (schema ${version.toString()}; this one reads ${MIGRATIONS.length.toString()}).`,
    hint: 'Use that version of hedge on every machine of the desk.',
  });

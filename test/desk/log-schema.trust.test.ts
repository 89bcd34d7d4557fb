import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installLog } from '../../src/desk/install-log.ts';
import { DEEPEST_RECORD, LONGEST_RECORD, MIGRATIONS } from '../../src/desk/log-schema.ts';
import { NO_RECORD, recordHash } from '../../src/journal/chain.ts';
import { ADMIN_PASSWORD, sharedPostgres } from '../support/postgres.ts';
import { aHalt, aLog, FOUNDING, recordId, sqlState } from './a-log.ts';

const append = (
  client: pg.Client,
  records: unknown,
  { after }: { after?: { seq: number; hash: Buffer } } = {},
) =>
  client.query<{ seq: string; id: string; stamp: string }>({
    text: 'SELECT seq, id, stamp FROM hedge.append(0, $1, $2, false, $3)',
    values: [
      after?.seq ?? null,
      after?.hash ?? null,
      typeof records === 'string' ? records : JSON.stringify(records),
    ],
  });
/** A record of so many levels. */
const nested = (levels: number): string =>
  aHalt('x').replace('{', `{"more":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},`);
const aRecord = (word: string) => ({ id: recordId(word), record: aHalt(word) });

describe('the log', () => {
  it('chains each record over its ID, text and stamp, as a journal does', async () => {
    const { owner, login } = await aLog();
    const { client, user } = await login('ada', 'dealer');
    const word = 'ọjà \\ \' " \u{1f4b1}';
    await append(client, [aRecord('one'), aRecord(word)]);
    const { rows } = await owner.query<{
      seq: string;
      id: string;
      record: string;
      stamp: string;
      prev: Buffer;
      hash: Buffer;
    }>('SELECT * FROM hedge.records ORDER BY seq');
    expect(rows.map(({ seq, id }) => [seq, id])).toEqual([
      ['1', FOUNDING.id],
      ['2', recordId('one')],
      ['3', recordId(word)],
    ]);
    let hash = NO_RECORD;
    for (const row of rows) {
      expect(row.prev.toString('hex')).toBe(hash);
      hash = recordHash(hash, row);
      expect(row.hash.toString('hex')).toBe(hash);
    }
    expect(rows[2]?.record).toBe(aHalt(word));
    expect(JSON.parse(rows[2]?.stamp ?? '')).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      by: user,
      approver: false,
    });
  });

  it('stamps an approver as one', async () => {
    const { login } = await aLog();
    const { client } = await login('bisi', 'approver');
    const { rows } = await append(client, [aRecord('one')]);
    expect(JSON.parse(rows.at(-1)?.stamp ?? '')).toMatchObject({ approver: true });
  });

  it('refuses an append that expects another end', async () => {
    const { owner, login } = await aLog();
    const { client } = await login('ada', 'dealer');
    const { rows } = await owner.query<{ hash: Buffer }>('SELECT hash FROM hedge.head');
    const after = { seq: 1, hash: rows[0]?.hash ?? Buffer.alloc(0) };
    expect(await sqlState(append(client, [aRecord('one')], { after }))).toBe('none');
    expect(await sqlState(append(client, [aRecord('two')], { after }))).toBe('HD001');
    const other = { seq: 2, hash: after.hash };
    expect(await sqlState(append(client, [aRecord('two')], { after: other }))).toBe('HD001');
  });

  it('passes over a record that it has, and refuses another one with its ID, with all that came with it', async () => {
    const { owner, login } = await aLog();
    const { client } = await login('ada', 'dealer');
    await append(client, [aRecord('one')]);
    await append(client, [aRecord('one'), aRecord('two')]);
    const changed = [aRecord('three'), { id: recordId('one'), record: aHalt('other') }];
    expect(await sqlState(append(client, changed))).toBe('HD003');
    const { rows } = await owner.query<{ id: string }>('SELECT id FROM hedge.records ORDER BY seq');
    expect(rows.map(({ id }) => id)).toEqual([FOUNDING.id, recordId('one'), recordId('two')]);
  });

  const broken: readonly (readonly [how: string, records: unknown])[] = [
    ['that is no JSON', [{ id: recordId('x'), record: '{"schema":3' }]],
    ['that is a number', [{ id: recordId('x'), record: '3' }]],
    ['that is a list', [{ id: recordId('x'), record: '[]' }]],
    ['of another schema', [{ id: recordId('x'), record: aHalt('x', { schema: 4 }) }]],
    ['without a schema', [{ id: recordId('x'), record: aHalt('x', { schema: null }) }]],
    ['without a kind', [{ id: recordId('x'), record: aHalt('x', { kind: undefined }) }]],
    ['with a strange time', [{ id: recordId('x'), record: aHalt('x', { at: 'now' }) }]],
    ['with a field twice', [{ id: recordId('x'), record: aHalt('x').replace('{', '{"why":"y",') }]],
    ['whose action is a number', [{ id: recordId('x'), record: aHalt('x', { action_id: 5 }) }]],
    ['whose deal ID is null', [{ id: recordId('x'), record: aHalt('x', { deal_id: null }) }]],
    ['with a zero byte', [{ id: recordId('x'), record: aHalt('x', { why: '\u0000' }) }]],
    ['with half a character', [{ id: recordId('x'), record: aHalt('x').replace('ada@one', '\\ud800') }]],
    ['with a strange ID', [{ id: 'x', record: aHalt('x') }]],
    ['without an ID', [{ record: aHalt('x') }]],
    ['without a text', [{ id: recordId('x') }]],
    ['that is nested deeply', [{ id: recordId('x'), record: nested(DEEPEST_RECORD + 1) }]],
    ['that is nested too deeply for SQLite', [{ id: recordId('x'), record: nested(1_500) }]],
    ['that is too large', [{ id: recordId('x'), record: aHalt('x', { why: 'y'.repeat(LONGEST_RECORD) }) }]],
  ];
  describe('takes no record', () => {
    let owner: pg.Client;
    let client: pg.Client;
    beforeAll(async () => {
      const log = await aLog({ server: await sharedPostgres() });
      ({ owner } = log);
      ({ client } = await log.login('ada', 'dealer'));
    });
    afterAll(() => Promise.all([owner.end(), client.end()]));

    it.each(broken)('%s', async (_how, records) => {
      expect(await sqlState(append(client, records))).toMatch(/^(?:HD002|22P05)$/);
      const { rows } = await owner.query('SELECT 1 FROM hedge.records');
      expect(rows).toHaveLength(1);
    });
  });

  it('takes a record that is nested less deeply', async () => {
    const { login } = await aLog();
    const { client } = await login('ada', 'dealer');
    const deep = { id: recordId('x'), record: nested(DEEPEST_RECORD) };
    expect(await sqlState(append(client, [deep]))).toBe('none');
  });

  it('takes the record of a side with thousands of hedges', async () => {
    const { login } = await aLog();
    const { client } = await login('ada', 'dealer');
    const long = { id: recordId('x'), record: aHalt('x', { why: 'y'.repeat(10_000 * 200) }) };
    expect(await sqlState(append(client, [long]))).toBe('none');
  });

  it('takes no more than a thousand records at once', async () => {
    const { login } = await aLog();
    const { client } = await login('ada', 'dealer');
    const many = Array.from({ length: 1_001 }, (_, at) => aRecord(at.toString()));
    expect(await sqlState(append(client, many))).toBe('HD002');
    expect(await sqlState(append(client, many.slice(1)))).toBe('none');
  });

  it('puts a commit on disk also for a login that asked for less', async () => {
    const { login } = await aLog();
    const { client } = await login('ada', 'dealer');
    await client.query("SET synchronous_commit = 'off'");
    await client.query('BEGIN');
    await append(client, [aRecord('one')]);
    const { rows } = await client.query('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    await client.query('COMMIT');
  });

  it('frees the lock when its holder is gone, and ends one that only waits', async () => {
    const { login, server } = await aLog();
    const ada = await login('ada', 'dealer');
    const { client } = await login('bisi', 'dealer');
    await ada.client.query('BEGIN');
    await ada.client.query('SELECT * FROM hedge.lock_and_pull(0)');
    const waiting = append(client, [aRecord('one')]);
    const { pid } = await ownPid(ada.client);
    const admin = await server.admin();
    await admin.query('SELECT pg_terminate_backend($1)', [pid]);
    expect(await sqlState(waiting)).toBe('none');
    const again = await server.connect({
      user: ada.user,
      password: ada.password,
      database: await databaseOf(client),
    });
    await again.query('BEGIN');
    await again.query('SELECT * FROM hedge.lock_and_pull(0)');
    const { rows } = await again.query('SHOW idle_in_transaction_session_timeout');
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '5s' }]);
    expect(await sqlState(append(client, [aRecord('two')]))).toMatch(/^(?:none|55P03)$/);
    expect(await sqlState(append(client, [aRecord('two')]))).toBe('none');
  });
});

const ownPid = async (client: pg.Client) =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0] ?? { pid: 0 };
const databaseOf = async (client: pg.Client) =>
  (await client.query<{ name: string }>('SELECT current_database() AS name')).rows[0]?.name ?? '';

describe("a dealer's login", () => {
  const forbidden: readonly string[] = [
    "UPDATE hedge.records SET record = '{}' WHERE seq = 1",
    'UPDATE hedge.records SET seq = seq',
    'DELETE FROM hedge.records',
    'TRUNCATE hedge.records',
    "INSERT INTO hedge.records VALUES (2, '0000000000000001', '{}', '', '\\x00', '\\x01')",
    "COPY hedge.records FROM PROGRAM 'true'",
    'UPDATE hedge.head SET seq = 0',
    'DELETE FROM hedge.head',
    'INSERT INTO hedge.head DEFAULT VALUES',
    'ALTER TABLE hedge.records DISABLE TRIGGER ALL',
    'ALTER TABLE hedge.records ADD COLUMN more text',
    'DROP TABLE hedge.records',
    'DROP FUNCTION hedge.lock_and_pull(bigint)',
    'DROP SCHEMA hedge CASCADE',
    'CREATE TABLE hedge.more ()',
    'CREATE OR REPLACE FUNCTION hedge.append(since bigint, after bigint, after_hash bytea, earlier boolean, records text) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE TRIGGER mine BEFORE INSERT ON hedge.records EXECUTE FUNCTION hedge.refuse_change()',
    'ALTER FUNCTION hedge.lock_and_pull(bigint) SECURITY INVOKER',
    'SELECT hedge.refuse_change()',
    'BEGIN; LOCK TABLE hedge.head IN EXCLUSIVE MODE',
    'BEGIN; LOCK TABLE hedge.records IN SHARE MODE',
    'GRANT hedge_approver TO CURRENT_USER',
    'SET ROLE hedge_approver',
    'SET SESSION AUTHORIZATION postgres',
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
  ];
  it('can change, remove or insert nothing, and take no lock for long', async () => {
    const { login, owner } = await aLog();
    const { client } = await login('ada', 'dealer');
    const got: [string, string][] = [];
    for (const sql of forbidden) {
      got.push([sql, await sqlState(client.query(sql))]);
      await client.query('ROLLBACK');
    }
    expect(got.filter(([, state]) => state !== '42501')).toEqual([]);
    const { rows } = await owner.query('SELECT id FROM hedge.records');
    expect(rows).toEqual([{ id: FOUNDING.id }]);
  });

  it('reads the log, and without the role not even that', async () => {
    const { login } = await aLog();
    const { client } = await login('ada', 'dealer');
    expect((await client.query('SELECT seq FROM hedge.records')).rows).toEqual([{ seq: '1' }]);
    const other = await login('eve');
    for (const sql of [
      'SELECT seq FROM hedge.records',
      'SELECT * FROM hedge.head',
      'SELECT * FROM hedge.lock_and_pull(0)',
      "SELECT * FROM hedge.append(0, NULL, NULL, false, '[]')",
    ])
      expect(await sqlState(other.client.query(sql))).toBe('42501');
  });

  it('cannot lead the functions to tables or operators of its own', async () => {
    const { login, owner } = await aLog();
    await owner.query(
      'CREATE SCHEMA AUTHORIZATION CURRENT_USER; CREATE SCHEMA loose; GRANT ALL ON SCHEMA loose TO PUBLIC',
    );
    const { client } = await login('ada', 'dealer');
    await client.query('SET search_path = loose, pg_temp, pg_catalog');
    await client.query(
      `CREATE FUNCTION loose.sha256(bytea) RETURNS bytea LANGUAGE sql AS $$ SELECT ''::bytea $$;
       CREATE FUNCTION loose.pg_has_role(name, text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$;
       CREATE TEMP TABLE head (seq bigint)`,
    );
    const { rows } = await append(client, [aRecord('one')]);
    expect(JSON.parse(rows.at(-1)?.stamp ?? '')).toMatchObject({ approver: false });
  });
});

describe("the owner's own mistakes", () => {
  it('are refused too, unless the owner takes away what refuses them', async () => {
    const { owner } = await aLog();
    for (const sql of [
      'UPDATE hedge.records SET stamp = stamp',
      'DELETE FROM hedge.records',
      'TRUNCATE hedge.records',
    ])
      expect(await sqlState(owner.query(sql))).toBe('HD004');
    await owner.query('ALTER TABLE hedge.records DISABLE TRIGGER append_only');
    expect(await sqlState(owner.query('DELETE FROM hedge.records'))).toBe('none');
  });
});

describe('the schema', () => {
  it('is made once, also by two owners at one moment, and again does no harm', async () => {
    const { owner, connect } = await aLog({ isEmpty: true });
    const installing = async () => {
      const connection = await connect('postgres', ADMIN_PASSWORD);
      return installLog(connection, { name: 'lagos', founding: FOUNDING }).finally(() => connection.close());
    };
    const made = await Promise.all([installing(), installing()]);
    expect(made.map(({ from }) => from).toSorted((one, other) => one - other)).toEqual([
      0,
      MIGRATIONS.length,
    ]);
    expect(await installing()).toEqual({
      from: MIGRATIONS.length,
      to: MIGRATIONS.length,
      founding: FOUNDING.record,
    });
    const { rows } = await owner.query('SELECT id FROM hedge.records');
    expect(rows).toEqual([{ id: FOUNDING.id }]);
  });

  it('of an older version is brought to this one, with every record; of a newer one it is refused', async () => {
    const { owner, connect } = await aLog();
    const connection = await connect('postgres', ADMIN_PASSWORD);
    const more = [
      ...MIGRATIONS,
      'CREATE TABLE hedge.next (a int)',
      'ALTER TABLE hedge.next ADD COLUMN b int',
    ];
    const desk = { name: 'lagos', founding: FOUNDING };
    expect(await installLog(connection, desk, more)).toMatchObject({
      from: MIGRATIONS.length,
      to: MIGRATIONS.length + 2,
    });
    expect((await owner.query('SELECT a, b FROM hedge.next')).rows).toEqual([]);
    expect((await owner.query('SELECT schema_version FROM hedge.head')).rows).toEqual([
      { schema_version: MIGRATIONS.length + 2 },
    ]);
    expect((await owner.query('SELECT id FROM hedge.records')).rows).toEqual([{ id: FOUNDING.id }]);
    await expect(installLog(connection, desk)).rejects.toMatchObject({ code: 'desk_newer' });
  });

  it('of the first version is brought to this one, and takes records before and after', async () => {
    const { login, connect } = await aLog({ isEmpty: true });
    const connection = await connect('postgres', ADMIN_PASSWORD);
    const desk = { name: 'lagos', founding: FOUNDING };
    await installLog(connection, desk, MIGRATIONS.slice(0, 1));
    const { client } = await login('ada', 'dealer');
    expect(await sqlState(append(client, [aRecord('one')]))).toBe('none');
    expect(await installLog(connection, desk)).toMatchObject({ from: 1, to: MIGRATIONS.length });
    expect(await sqlState(append(client, [aRecord('two')]))).toBe('none');
  });

  it('of a step that fails is that of before, whole', async () => {
    const { owner, connect } = await aLog();
    const connection = await connect('postgres', ADMIN_PASSWORD);
    const more = [...MIGRATIONS, 'CREATE TABLE hedge.next (a int)', 'SELECT 1 / 0'];
    await expect(installLog(connection, { name: 'lagos', founding: FOUNDING }, more)).rejects.toThrow(
      'division by zero',
    );
    expect((await owner.query("SELECT to_regclass('hedge.next') AS next")).rows).toEqual([{ next: null }]);
    expect((await owner.query('SELECT schema_version FROM hedge.head')).rows).toEqual([
      { schema_version: MIGRATIONS.length },
    ]);
  });

  it('is of one desk: another name is refused', async () => {
    const { connect } = await aLog();
    const connection = await connect('postgres', ADMIN_PASSWORD);
    await expect(installLog(connection, { name: 'abuja', founding: FOUNDING })).rejects.toMatchObject({
      code: 'desk_unfit',
    });
  });

  it('is not made in a database of another encoding', async () => {
    const { connect } = await aLog({ isEmpty: true, creating: "ENCODING 'LATIN1' TEMPLATE template0" });
    const connection = await connect('postgres', ADMIN_PASSWORD);
    await expect(installLog(connection, { name: 'lagos', founding: FOUNDING })).rejects.toMatchObject({
      code: 'desk_unfit',
    });
    connection.close();
  });

  it('can be made by an owner who may make roles, and is no superuser', async () => {
    const { owner, connect, database } = await aLog({ isEmpty: true });
    await owner.query(
      `CREATE ROLE owner_${database} LOGIN CREATEROLE PASSWORD 'owning'; GRANT CREATE ON DATABASE ${database} TO owner_${database}`,
    );
    await owner
      .query('DROP ROLE IF EXISTS hedge_approver; DROP ROLE IF EXISTS hedge_dealer')
      .catch(() => undefined);
    const connection = await connect(`owner_${database}`, 'owning');
    expect(await installLog(connection, { name: 'lagos', founding: FOUNDING })).toMatchObject({
      from: 0,
      to: MIGRATIONS.length,
    });
    connection.close();
  });
});

/** A dealer may create functions in schema `public`. None of them runs with the rights of another login. */
import { expect, it } from 'vitest';
import { installLog } from '../../src/desk/install-log.ts';
import { deskOfMachines } from '../support/desk-machines.ts';
import { ADMIN_PASSWORD } from '../support/postgres.ts';
import { aLog, FOUNDING, type TestLog } from './a-log.ts';

/** Names that the program's statements call; each is planted with the arguments of PostgreSQL's own. */
const CALLED =
  `array_agg clock_timestamp concat convert_to current_database current_setting date_part decode encode
  extract pg_advisory_xact_lock pg_backend_pid pg_encoding_to_char pg_has_role pg_is_in_recovery pg_relation_filenode
  repeat sha256 string_agg to_regclass`.split(/\s+/);

const TRAP = "LANGUAGE plpgsql AS $trap$ BEGIN RAISE EXCEPTION 'planted'; END $trap$";

/** With the default of PostgreSQL 13 and 14, and `public` searched first, which is worse than any default. */
async function plant({ owner, database, login }: TestLog): Promise<void> {
  await owner.query('GRANT CREATE ON SCHEMA public TO PUBLIC');
  const { client } = await login('planter');
  const { rows } = await client.query<{ named: string }>(
    `SELECT format('public.%I(%s) RETURNS %s', proname, oidvectortypes(proargtypes), pg_get_function_result(oid)) AS named
     FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY ($1)
     AND NOT oidvectortypes(proargtypes) ~ 'any|internal' AND prorettype <> 'internal'::regtype`,
    [CALLED],
  );
  for (const { named } of rows) await client.query(`CREATE FUNCTION ${named} ${TRAP}`);
  await client.query(`CREATE FUNCTION public.concat_ws(text, bigint, bigint, oid) RETURNS text ${TRAP}`);
  await client.query(`CREATE FUNCTION public.above(bigint, integer) RETURNS boolean ${TRAP}`);
  await client.query(
    'CREATE OPERATOR public.> (LEFTARG = bigint, RIGHTARG = integer, FUNCTION = public.above)',
  );
  await client.end();
  await owner.query(`ALTER DATABASE ${database} SET search_path = public, pg_catalog`);
}

it('a desk: no command calls a function that another login has planted in schema public', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  await ada.ok('halt "venue down" --json');
  await plant(desk.log);
  const bisi = await desk.joined('bisi', { role: 'approver' });
  await bisi.ok('unhalt --yes --json');
  await ada.ok('open USDTNGN buy 500 --tenor 3 --yes --json');
  await bisi.ok('desk limit --max-notional 1000 --json');
  await bisi.ok('audit verify --json');
  await bisi.ok('doctor --json');
  await ada.ok('close USDTNGN buy --yes --json');
  const lifted = (await desk.records()).filter(({ record }) => record.kind === 'unhalt');
  expect(lifted.map(({ stamp }) => stamp.by)).toEqual([bisi.user]);
});

it('a desk: the owner of the database begins it without calling such a function', async () => {
  const log = await aLog({ isEmpty: true });
  await plant(log);
  const connection = await log.connect('postgres', ADMIN_PASSWORD);
  const { to } = await installLog(connection, { name: 'lagos', founding: FOUNDING });
  connection.close();
  expect(to).toBeGreaterThan(0);
});

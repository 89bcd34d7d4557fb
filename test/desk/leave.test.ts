/** A machine leaves its desk: for another one, in the middle of a join, or twice. Nothing that it did is forgotten. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installLog } from '../../src/desk/install-log.ts';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { ADMIN_PASSWORD } from '../support/postgres.ts';
import type { Ran } from '../support/test-cli.ts';
import { aLog, recordId } from './a-log.ts';

const errorOf = (ran: Ran): { code?: string; message?: string } => Object(ran.document()).error ?? {};

const statusOf = async (machine: DeskMachine): Promise<{ name?: string; state?: string }> =>
  Object((await machine.ok('desk status --json')).document()).data;

/** A second desk of the same account, in a database of its own. Returns how a machine joins it. */
async function anotherDesk(
  desk: DeskOfMachines,
  name: string,
): Promise<(machine: DeskMachine) => Promise<readonly string[]>> {
  const log = await aLog({ isEmpty: true, server: desk.log.server });
  const [first] = await desk.records();
  const founding = { id: recordId(name), record: JSON.stringify({ ...first?.record, name }) };
  const connection = await log.connect('postgres', ADMIN_PASSWORD);
  await installLog(connection, { name, founding });
  connection.close();
  return async (machine) => {
    const { user, password, client } = await log.login(machine.name, 'approver');
    await client.end();
    appendFileSync(join(machine.home, '.pgpass'), `*:*:*:${user}:${password}\n`);
    return ['desk', 'join', log.url(user), '--ca-file', desk.caFile];
  };
}

it('a machine that left one desk for another follows the new one, which has all that it knew', async () => {
  const desk = await deskOfMachines();
  const [ada, bisi] = [await desk.joined('ada'), await desk.joined('bisi')];
  await bisi.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  await ada.ok('desk leave --yes');
  await ada.ok('open USDTNGN buy 600 --tenor 3 --deal-id PAY-2 --yes');
  const joining = await anotherDesk(desk, 'lagos-2');
  await ada.ok(await joining(ada));
  expect(await statusOf(ada)).toMatchObject({ name: 'lagos-2', state: 'following' });
  const chidi = await desk.machine('chidi');
  await chidi.ok(await joining(chidi));
  for (const [deal, notional] of [
    ['PAY-1', 500],
    ['PAY-2', 600],
  ])
    expect(
      errorOf(await chidi.run(`open USDTNGN buy ${notional} --tenor 7 --deal-id ${deal} --yes --json`)).code,
    ).toBe('deal_id_used');
  await chidi.ok(['halt', 'venue down']);
  expect(errorOf(await ada.run('open USDTNGN buy 700 --tenor 3 --yes --json')).code).toBe('halted');
  await ada.ok('desk leave --yes');
  expect(await statusOf(ada)).toMatchObject({ name: 'lagos-2', state: 'left' });
});

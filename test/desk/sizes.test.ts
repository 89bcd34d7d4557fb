/** A machine with many actions joins, is interrupted, and joins again; another one reads all of it. */
import { expect, it } from 'vitest';
import { databaseFront } from '../support/database-front.ts';
import { deskOfMachines } from '../support/desk-machines.ts';
import { storeEarlierActions } from '../support/earlier-actions.ts';
import { IN_FULL } from '../support/goal.ts';
import { readRecords } from '../support/written-journal.ts';

const ACTIONS = IN_FULL ? 20_000 : 200;

it('every action is delivered once, however often the join is interrupted, and an unknown one stops opens everywhere', async () => {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.machine('ada', { port: front.port });
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes');
  const done = readRecords(ada.home);
  const { admin } = desk.served.desk.service;
  await admin.setFaults({ lost_after: 1, only: 'open' });
  await ada.ok('open USDTNGN sell 500 --tenor 3 --deal-id PAY-2 --yes', { code: 7 });
  await admin.clearFaults();
  const unknown = readRecords(ada.home).slice(done.length);
  storeEarlierActions(ada.home, { one: done, last: [...done, ...unknown], count: ACTIONS - 2 });

  const words = ['desk', 'join', ada.url, '--ca-file', desk.caFile];
  for (const at of [9, 10, 12]) {
    front.cut(at, at % 2 === 0 ? 'request' : 'answer');
    await ada.run(words);
    front.heal();
  }
  await ada.ok(words);
  const records = await desk.records();
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  expect(records.filter(({ record }) => record.kind === 'intent')).toHaveLength(ACTIONS);
  const bisi = await desk.machine('bisi');
  await bisi.ok(['desk', 'join', bisi.url, '--ca-file', desk.caFile]);
  const stopped = await bisi.run('open USDTNGN sell 700 --tenor 3 --yes --json');
  expect(Object(stopped.document()).error.code).toBe('unresolved');
  await bisi.ok('check PAY-2');
  await ada.ok('open USDTNGN sell 700 --tenor 3 --yes');
  const used = await bisi.run('open USDTNGN buy 700 --tenor 3 --deal-id OLD-7 --yes --json');
  expect(Object(used.document()).error.code).toBe('deal_id_used');
  for (const machine of [ada, bisi]) await machine.ok('audit verify');
});

/** A day of a desk: three dealers and a cron server on one account, with what goes wrong on such a day. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { databaseFront } from '../support/database-front.ts';
import { deskOfMachines } from '../support/desk-machines.ts';
import type { Ran } from '../support/test-cli.ts';

const errorOf = (ran: Ran): { code?: string } => Object(ran.document()).error ?? {};

it('a day of three dealers and a cron server', async () => {
  const desk = await deskOfMachines();
  const front = await databaseFront(desk.log.server.port);
  const ada = await desk.joined('ada', { port: front.port });
  const bisi = await desk.joined('bisi', { role: 'approver' });
  const chidi = await desk.joined('chidi');
  const cron = await desk.joined('cron');
  const { admin } = desk.served.desk.service;

  // Morning: the limits of the day, and the payouts from a file, by cron.
  await bisi.ok('desk limit --max-notional 20k --max-daily-notional 60k --max-open 50k');
  const deals = join(cron.home, 'payouts.csv');
  writeFileSync(
    deals,
    'market,side,notional_usd,tenor_days,deal_id\nUSDTNGN,buy,5000,3,PAY-1\nUSDTNGN,buy,6000,3,PAY-2\n',
  );
  await cron.ok(`deals run ${deals} --yes`);
  await cron.ok(`deals run ${deals} --yes`);
  expect(desk.served.acted('/hedges')).toBe(2);

  // A dealer enters one of them again by hand, and too large a deal.
  expect(errorOf(await ada.run('open USDTNGN buy 5000 --tenor 3 --deal-id PAY-1 --yes --json')).code).toBe(
    'deal_id_used',
  );
  expect(errorOf(await ada.run('open USDTNGN buy 25k --tenor 3 --yes --json')).code).toBe('limit_exceeded');
  await ada.ok('open USDTNGN sell 9000 --tenor 7 --deal-id ADA-1 --yes');

  // The answers to Chidi's open are lost; Bisi looks it up.
  await admin.setFaults({ lost_after: 1, only: 'open' });
  await chidi.ok('open USDTNGN sell 8000 --tenor 3 --deal-id CHI-1 --yes', { code: 7 });
  await admin.clearFaults();
  expect(errorOf(await ada.run('open USDTNGN sell 1000 --tenor 3 --yes --json')).code).toBe('unresolved');
  const home = (await bisi.ok('')).out;
  expect(home).toContain('chidi@chidi');
  await bisi.ok('check CHI-1');
  expect((await chidi.ok('journal')).out).toMatch(/filled +CHI-1/);

  // The venue is in trouble: everybody stops, also cron; a close goes on.
  await chidi.ok(['halt', 'venue down']);
  expect(errorOf(await cron.run('open USDTNGN buy 500 --tenor 3 --deal-id PAY-3 --yes --json')).code).toBe(
    'halted',
  );
  await ada.ok('reduce USDTNGN sell 2000 --yes');
  await chidi.ok('unhalt --yes', { code: 10 });
  await bisi.ok('unhalt --yes');

  // Ada's network goes: she cannot open, she can close, and what she did arrives.
  front.be('refused');
  expect(errorOf(await ada.run('open USDTNGN buy 500 --tenor 3 --deal-id PAY-3 --yes --json')).code).toBe(
    'desk_unreachable',
  );
  await ada.ok('close USDTNGN sell --yes');
  front.be('open');
  await ada.ok('journal');

  // The limit of the day is everybody's: 5 + 6 + 9 + 8 of 60.
  await ada.ok('open USDTNGN sell 20k --tenor 3 --yes');
  const above = await chidi.run('open USDTNGN sell 13k --tenor 3 --yes --json');
  expect(errorOf(above).code).toBe('limit_exceeded');
  await chidi.ok('open USDTNGN sell 12k --tenor 3 --yes');

  // A roll is begun by one and seen by all.
  await bisi.ok('close USDTNGN sell --yes');
  expect(errorOf(await bisi.run('roll PAY-1 --at now --tenor 7 --yes --json')).code).toBe('not_alone');
  await bisi.ok('roll PAY-1 --at maturity --tenor 7 --yes');
  for (const each of [ada, cron]) expect((await each.ok('roll show')).out).toContain('PAY-1');

  // Evening: one history everywhere, and it is that of the service.
  const machines = [ada, bisi, chidi, cron];
  const journals: string[] = [];
  for (const each of machines) {
    await each.ok('audit verify');
    journals.push(
      (await each.ok('journal --csv --columns began_at,action,outcome,deal_id,operator.user')).out,
    );
  }
  expect(new Set(journals).size).toBe(1);
  const records = await desk.records();
  const keys = new Set(records.map(({ record }) => record['idempotency_key']));
  for (const { idempotencyKey } of desk.served.changes()) expect(keys.has(idempotencyKey)).toBe(true);
  expect(await desk.served.openOn('buy')).toBe(11_000);
  expect(await desk.served.openOn('sell')).toBe(0);
});

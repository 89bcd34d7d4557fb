/** Another machine's action is under way for two minutes after its last record, and its absence is conclusive five minutes after that. */
import { expect, it } from 'vitest';
import { type DeskMachine, type DeskOfMachines, deskOfMachines } from '../support/desk-machines.ts';
import { setBack } from '../support/older-log.ts';

const MINUTE_MS = 60_000;

/** Ada's machine ends while it sends an open that never arrives; another one joins so long after. */
async function joinsAfter(ms: number): Promise<{ desk: DeskOfMachines; bisi: DeskMachine }> {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const { admin } = desk.served.desk.service;
  await admin.setFaults({ lost_before: 1, only: 'open' });
  await ada.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --yes', { code: 7 });
  await admin.clearFaults();
  await setBack(desk, ms, { isCutAfterSending: true });
  return { desk, bisi: await desk.joined('bisi') };
}

const RESUME = 'resume PAY-1 --resend --yes';
const NOT_EXECUTED = 'journal resolve PAY-1 --as not-executed --reason late --yes';

it('for two minutes it is under way: nobody else sends it or records its outcome', async () => {
  const { desk, bisi } = await joinsAfter(MINUTE_MS);
  const sent = desk.served.changes().length;
  expect((await bisi.ok('check PAY-1', { code: 8 })).err).toMatch(/PENDING: .* of ada@ada/s);
  await bisi.ok(RESUME, { code: 8 });
  await bisi.ok(NOT_EXECUTED, { code: 10 });
  expect(desk.served.changes()).toHaveLength(sent);
});

it('for five minutes after that it may still arrive: anyone sends it again under its key, nobody calls it failed', async () => {
  const { desk, bisi } = await joinsAfter(6 * MINUTE_MS);
  expect((await bisi.ok('check PAY-1', { code: 7 })).err).toMatch(/It may still\s+arrive until/);
  await bisi.ok(NOT_EXECUTED, { code: 10 });
  await bisi.ok('open USDTNGN buy 700 --tenor 3 --yes', { code: 10 });
  await bisi.ok(RESUME);
  expect(desk.served.acted('/hedges')).toBe(1);
  const keys = desk.served.changes().map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(1);
});

it('later its absence is conclusive: it failed, and the same deal can be opened', async () => {
  const { desk, bisi } = await joinsAfter(8 * MINUTE_MS);
  expect((await bisi.ok('check PAY-1', { code: 9 })).err).toMatch(/no\s+attempt can still arrive/);
  await bisi.ok('open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --ensure --yes');
  expect(desk.served.acted('/hedges')).toBe(1);
});

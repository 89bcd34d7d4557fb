/** The attempts under a deal ID, of machines whose copies of the desk's log are of different age. */
import { expect, it } from 'vitest';
import { deskOfMachines } from '../support/desk-machines.ts';

const LINE = 'open USDTNGN buy 500 --tenor 3 --deal-id PAY-1 --ensure --yes';

it('a rejection that a colleague recorded, and that the service repeats, does not end an open of a machine whose copy lacks it', async () => {
  const desk = await deskOfMachines();
  const [cron, ada] = [await desk.joined('cron'), await desk.joined('ada')];
  const disabled = { disabled_markets: ['USDTNGN'] };
  await desk.served.desk.service.admin.setFaults({
    scripts: [{ match: { method: 'POST', path: '/hedges' }, steps: [disabled, disabled, 'none'] }],
  });
  await ada.ok(LINE, { code: 3 });
  await cron.ok(LINE);
  const keys = desk.served.changes().map(({ idempotencyKey }) => idempotencyKey);
  expect([keys.length, new Set(keys).size, keys[1] === keys[0]]).toEqual([3, 2, true]);
  expect(await desk.served.openOn('buy')).toBe(500);
});

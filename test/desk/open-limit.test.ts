/** A desk's limit of the open notional, wherever a size is proposed. */
import { expect, it } from 'vitest';
import { deskOfMachines } from '../support/desk-machines.ts';

it('what a desk may still have open limits the largest size, the steps of an open and the next open of a profile', async () => {
  const desk = await deskOfMachines();
  const ada = await desk.joined('ada');
  const bisi = await desk.joined('bisi');
  await bisi.ok('desk limit --max-notional 8k --max-open 12k');
  await bisi.ok('open USDTNGN buy 7k --tenor 3 --yes');
  await bisi.ok('open USDTNGN sell 2k --tenor 3 --yes');
  const quoted = await ada.ok('quote USDTNGN sell --max --tenor 3');
  expect(quoted.out).toMatch(
    /Size 3,000\.00 USD: limited by what the desk may\s+have open, 3,000\.00 USD left/,
  );
  expect((await ada.ok('profile show')).out).toMatch(/Next open +at most 8,000\.00 USD, and what 12,000\.00/);
  const opened = await ada.ok('open USDTNGN sell --max --tenor 3 --yes --json');
  expect(Object(opened.document()).data).toMatchObject({
    outcome: 'filled',
    request: { notional_usd: 3_000 },
  });
  const full = await ada.run('open USDTNGN buy --max --tenor 3 --yes --json');
  expect(Object(full.document()).error).toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining('open notional is reached'),
  });
});

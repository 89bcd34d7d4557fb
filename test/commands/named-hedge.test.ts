/** A service whose response to an open names a hedge that is not the order: it is never called ours. */
import { expect, it } from 'vitest';
import { aDesk, answered, LOOSE } from '../support/deals-desk.ts';
import type { Ran } from '../support/test-cli.ts';

const OPEN = 'open USDTNGN buy 10000 --tenor 3 --deal-id PAY-1 --yes --json';
const SAME = { side: 'buy', notional_usd: 10_000, tenor_days: 3 };

const OTHERS: readonly [string, Record<string, unknown>, string][] = [
  ['another size', { notional_usd: 25_000 }, 'size'],
  ['a smaller size', { notional_usd: 4_000 }, 'size'],
  ['another reference', { client_reference: 'PAY-2' }, 'reference'],
  ['another side', { side: 'sell' }, 'side'],
  ['another tenor', { tenor_days: 7 }, 'tenor'],
  ['all its terms, without a reference and open before', {}, 'opened earlier'],
];

/** A colleague has this hedge, and every response to an open names it. */
async function deskWith(other: Record<string, unknown>) {
  const desk = await aDesk();
  await desk.served.colleague('/hedges', { ...SAME, ...other });
  desk.clock.pass(10_000);
  const { body } = await desk.served.desk.get('/hedges', { as: 'test' });
  const named: string = body.data[0].id;
  desk.front.meddle(async (line, pass) => {
    const answer = await pass();
    if (line !== 'POST /hedges') return answer;
    return { ...answer, body: answer.body.replace(/"hedge_id":"hdg_\w+"/, `"hedge_id":"${named}"`) };
  });
  return { ...desk, named };
}

const data = (ran: Ran) => JSON.parse(ran.out).data;
const told = (ran: Ran): unknown => {
  const { error, data: said } = JSON.parse(ran.out);
  return [ran.code, said?.outcome ?? null, error?.effect ?? null];
};

it.each(OTHERS)('open: a hedge of %s is not ours, and check finds our own', async (_, other, differs) => {
  const { run, named, clock } = await deskWith(other);
  const from = clock.now();
  const ran = await run(OPEN);
  expect(told(ran)).toEqual([7, 'unknown', 'unknown']);
  expect(data(ran)).toMatchObject({ receipt: { hedge_id: null }, hedge: null });
  expect(answered(ran).error?.message).toMatch(new RegExp(`not exactly as requested \\(.*${differs}`));
  expect(answered(ran).error?.message).toContain(named);
  // No waiting makes another's hedge ours.
  expect(clock.now() - from).toBeLessThan(10_000);
  clock.pass(10_000);
  expect((await run('check --json')).code).toBe(0);
  const [entry] = data(await run('journal --json'));
  expect(entry.state).toBe('done');
  expect(entry.receipt.hedge_id).not.toBe(named);
});

it('our own is in flight once check has found it, and is waited for', async () => {
  const { run, served } = await deskWith({ notional_usd: 25_000 });
  await served.desk.service.admin.setFaults({ slow_fills_seconds: 30 });
  expect((await run(OPEN)).code).toBe(7);
  const found = answered(await run('check --json'));
  expect(found.error).toMatchObject({ code: 'pending', message: expect.stringContaining('continues') });
  expect(found.error?.hint).toContain('hedge wait');
  expect((await run('wait PAY-1 --json')).code).toBe(0);
});

it.each([
  ['check', 'check --json'],
  ['wait', 'wait PAY-1 --json'],
  ['the same open with --ensure', `${OPEN} --ensure`],
])('%s does not call it ours after --no-wait', async (_, line) => {
  const { run, named } = await deskWith({ notional_usd: 25_000 });
  expect((await run(`${OPEN} --no-wait`)).code).toBe(0);
  const ran = await run(line);
  expect(ran.code).toBe(7);
  expect(ran.out).toContain('not exactly as requested (size');
  const [entry] = data(await run('journal --json'));
  expect([entry.state, entry.receipt.hedge_id]).toEqual(['unknown', null]);
  expect(entry.receipt.hedge_id).not.toBe(named);
});

it('deals: a row whose response names another hedge is unknown, and the file stops', async () => {
  const { deals, write } = await deskWith({ notional_usd: 25_000 });
  write([`PAY-1,USDTNGN,buy,10000,3${LOOSE}`, `PAY-2,USDTNGN,buy,5000,3${LOOSE}`]);
  const ran = await deals('run FILE --yes --json');
  expect(ran.code).toBe(7);
  expect(answered(ran).data.deals.map(({ outcome, hedge_id: id }) => [outcome, id])[0]).toEqual([
    'unknown',
    null,
  ]);
});

it('a hedge that a colleague opened under our deal ID in another size is not ours after a lost response', async () => {
  const desk = await aDesk();
  let sends = 0;
  desk.front.meddle(async (line, pass) => {
    if (line !== 'POST /hedges') return pass();
    sends += 1;
    if (sends > 1) return 'cut';
    await desk.served.colleague('/hedges', { ...SAME, notional_usd: 25_000, client_reference: 'PAY-1' });
    return 'cut';
  });
  expect((await desk.run(OPEN)).code).toBe(7);
  desk.clock.pass(400_000);
  const ran = await desk.run('check --json');
  expect(answered(ran).error?.message).toContain('not exactly as requested (size)');
  expect(ran.code).toBe(7);
});

it('an addition of this machine explains the size', async () => {
  const { run, clock } = await aDesk();
  expect((await run(`${OPEN} --no-wait`)).code).toBe(0);
  clock.pass(10_000);
  expect((await run('add USDTNGN buy 2000 --yes --json --no-wait')).code).toBe(0);
  clock.pass(10_000);
  expect((await run('check --json')).code).toBe(0);
});

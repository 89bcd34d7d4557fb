/** An open without an answer under a deal ID that somebody else uses meanwhile: it is not sent again, and the hedge is named. */
import { describe, expect, it } from 'vitest';
import { everyDay } from '../support/goal.ts';
import { keyedService } from '../support/keyed-service.ts';
import type { TestCli } from '../support/test-cli.ts';

const OPEN = 'open USDTNGN buy 1000 -t 3 --deal-id PAY-1 --yes --json';
const ENSURE = `${OPEN} --ensure`;
const AGAIN = ['resume PAY-1 --yes --resend --json', ENSURE] as const;

/** The open of PAY-1 never arrived; what a colleague opens under the same deal ID without this program. */
async function lostDeal(line: string = ENSURE, lagMs = 0) {
  const service = await keyedService();
  await service.begin({ rejections: 'kept', lifeMs: Number.POSITIVE_INFINITY, lagMs });
  const { admin } = service.served.desk.service;
  const machine = service.machine();
  const lost = async () => {
    await admin.setFaults({ lost_before: 1, only: 'open' });
    expect((await machine.run(line)).code).toBe(7);
    await admin.clearFaults();
  };
  const theirs = async (terms: Record<string, unknown>) => {
    const body = { side: 'buy', notional_usd: 1000, tenor_days: 3, client_reference: 'PAY-1', ...terms };
    await service.served.colleague('/hedges', body);
    service.clock.pass(5_000);
  };
  await lost();
  return { ...service, machine, other: service.machine, theirs, sent: service.posts().length };
}

type Desk = Awaited<ReturnType<typeof lostDeal>>;

/** Nothing more was sent, and one hedge carries the deal ID; the run names it. */
async function expectNotSent(desk: Desk, again: string, machine: TestCli = desk.machine) {
  const ran = await machine.run(again);
  const [id = '', ...more] = await desk.opened('PAY-1');
  expect([ran.code, desk.posts().length, more, `${ran.out}${ran.err}`.includes(id)]).toEqual([
    7,
    desk.sent,
    [],
    true,
  ]);
  return ran;
}

describe('an open that never arrived, whose deal ID a colleague has used since', everyDay, () => {
  const OTHERS = [{ tenor_days: 7 }, { notional_usd: 1200 }, { side: 'sell' }] as const;
  it.each(AGAIN.flatMap((again) => OTHERS.map((terms) => [again, terms] as const)))(
    'is not sent again by %s, where that hedge has %j',
    async (again, terms) => {
      const desk = await lostDeal();
      await desk.theirs(terms);
      await expectNotSent(desk, again);
      await expectNotSent(desk, again);
    },
  );

  it('is not sent again either by a machine whose journal is a copy of that time', async () => {
    const desk = await lostDeal();
    const restored = desk.copyOf(desk.machine);
    await desk.theirs({ tenor_days: 7 });
    for (const again of AGAIN) await expectNotSent(desk, again, restored);
  });

  it('is named beside the other hedge where lists show that one only a minute later', async () => {
    const desk = await lostDeal(ENSURE, 60_000);
    const other = desk.other();
    const theirs = OPEN.replace('-t 3', '-t 7 --no-wait --idempotency-key k-2');
    expect((await other.run(theirs)).code).toBe(0);
    const ran = await desk.machine.run(ENSURE);
    const ids = await desk.opened('PAY-1');
    expect([ran.code, ids.length, ids.every((id) => ran.out.includes(id))]).toEqual([7, 2, true]);
  });

  it('is not sent again once lists show it, a minute later', async () => {
    const desk = await lostDeal(ENSURE, 60_000);
    expect((await desk.other().run(OPEN.replace('-t 3', '-t 7 --idempotency-key k-2'))).code).toBe(0);
    desk.clock.pass(61_000);
    const sent = desk.posts().length;
    for (const again of AGAIN) await expectNotSent({ ...desk, sent }, again);
  });

  it('is not advised to be resumed', async () => {
    const desk = await lostDeal();
    await desk.theirs({ tenor_days: 7 });
    const { out } = await expectNotSent(desk, 'check PAY-1 --json');
    expect(out).not.toContain('hedge resume');
  });

  it.each([{}, { tenor_days: 7 }])(
    'is sent again where the order of that hedge, with %j, has failed: nothing is open under it',
    async (terms) => {
      const desk = await lostDeal();
      await desk.failOrders(1);
      await desk.theirs(terms);
      await desk.failOrders(0);
      expect((await desk.machine.run(ENSURE)).code).toBe(0);
      expect([desk.posts().length, (await desk.opened('PAY-1')).length]).toEqual([desk.sent + 1, 1]);
    },
  );

  it('is not sent again by a further try whose first failed', async () => {
    const service = await keyedService();
    const machine = service.machine();
    await service.failOrders(1);
    expect((await machine.run(ENSURE)).code).toBe(9);
    await service.failOrders(0);
    const { admin } = service.served.desk.service;
    await admin.setFaults({ lost_before: 1, only: 'open' });
    await machine.run(`${ENSURE} --retry-failed`);
    await admin.clearFaults();
    const sent = service.posts().length;
    await service.served.colleague('/hedges', {
      side: 'buy',
      notional_usd: 1000,
      tenor_days: 7,
      client_reference: 'PAY-1',
    });
    service.clock.pass(5_000);
    for (const again of [...AGAIN, `${ENSURE} --retry-failed`])
      expect([(await machine.run(again)).code, service.posts().length]).toEqual([7, sent]);
    expect(await service.opened('PAY-1')).toHaveLength(1);
  });
});

/** One action under one key, however many deal it, and whatever time they deal it in. */
import { describe, expect, it } from 'vitest';
import { readAddIntent, readReduceIntent } from '../../src/args/read-action.ts';
import { decimalFrom } from '../../src/client/json.ts';
import type { TypedIntent } from '../../src/domain/action-intent.ts';
import { executeAction } from '../../src/trading/execute.ts';
import { resumeOpenAction } from '../../src/trading/recover/resume-action.ts';
import type { ActionReport } from '../../src/trading/report.ts';
import { recordsOf, SENDING } from '../journal/records.ts';
import { frontOf } from '../support/front.ts';
import { hinting } from '../support/hints.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { big, intent, NO_LIMITS } from './facts.ts';
import { oneClock } from './read-context.ts';
import { type DealingDesk, dealingDesk } from './trading-context.ts';

const LINE = 'open USDTNGN buy 10k';
const KEY = { yes: true, idempotencyKey: 'k-1' };

/** Deals while another process deals under `otherKey`, just when the account is read. */
async function whileAnotherDeals(desk: DealingDesk, otherKey: string): Promise<ActionReport> {
  const { api } = desk.readContext;
  let dealt = false;
  return executeAction(
    intent(LINE, KEY),
    desk.tradingContext({
      api: {
        ...api,
        async account(options) {
          if (!dealt) {
            dealt = true;
            await desk.now(LINE, { idempotencyKey: otherKey });
          }
          return api.account(options);
        },
      },
    }),
  );
}

describe('an action that another process begins at the same moment', () => {
  it('under the same key is the same deal: its result is reported, and nothing is sent again', async () => {
    const desk = await dealingDesk();
    const report = await whileAnotherDeals(desk, 'k-1');
    expect(report).toMatchObject({ outcome: 'filled', finding: undefined, plan: undefined });
    expect(desk.keys()).toEqual(['k-1']);
  });

  it('under another key is a double, and stops', async () => {
    const desk = await dealingDesk();
    await expect(whileAnotherDeals(desk, 'k-2')).rejects.toMatchObject({ code: 'duplicate' });
    expect(desk.keys()).toEqual(['k-2']);
  });
});

describe('an open that waits for the journal until the day is over', () => {
  it('counts for the day on which it is written, whose limit then stops the next one', async () => {
    const desk = await dealingDesk();
    const { clock } = desk.practice;
    const { journal } = desk.readContext;
    clock.pass(86_400_000 - (clock.now() % 86_400_000) - 1_000);
    const day = (): string => new Date(clock.now()).toISOString().slice(0, 10);
    const before = day();
    let waits = 0;
    const context = desk.tradingContext({
      limits: () => ({ ...NO_LIMITS, maxDailyNotional: big('10000') }),
      journal: {
        ...journal,
        append: (records, guard) => {
          if (waits++ === 0) clock.pass(2_000);
          return journal.append(records, guard);
        },
      },
    });
    const { entry } = await executeAction(intent(LINE, { yes: true }), context);
    expect(day()).not.toBe(before);
    expect(entry?.intent.at.slice(0, 10)).toBe(day());
    await expect(
      executeAction(intent('open USDTNGN sell 10k', { yes: true }), context),
    ).rejects.toMatchObject({ code: 'limit_exceeded' });
  });
});

describe('a deal that is ensured', () => {
  const ENSURE = { dealId: 'PAY-1', ensure: true };

  it('and opened by another process while the person is asked is reported, and nothing is sent', async () => {
    const desk = await dealingDesk();
    const confirm = async (): Promise<boolean> => {
      await desk.now(LINE, { ...ENSURE, yes: true });
      return true;
    };
    const report = await executeAction(intent(LINE, ENSURE), desk.tradingContext({ confirm }));
    expect(report).toMatchObject({ outcome: 'filled', finding: undefined, existing: true });
    expect(desk.keys()).toHaveLength(1);
  });

  it.each([
    ['held by the positions at its size is open', 20, false],
    ['held by the positions without their sizes is open', 20, false],
    ['not in the positions is no longer open', 25, true],
  ])('and past its maturity by the clock of another zone, %s', async (which, hours, isOver) => {
    const desk = await dealingDesk(undefined, {
      async wayTo(practice) {
        const way = (): never => expect.fail('no program is led there');
        const front = await frontOf({ desk: practice, way }, temporaryFolder());
        const earlier = (at: string): string =>
          new Date(Date.parse(at) - 5 * 3_600_000).toISOString().replace('.000', '');
        front.meddle(async (line, pass) => {
          const passed = await pass();
          if (line.startsWith('GET /positions') && which.includes('without'))
            return { ...passed, body: passed.body.replaceAll(/"notional_usd":[^,}]+,?/g, '') };
          if (!line.startsWith('GET /hedges')) return passed;
          const body = passed.body
            .replaceAll(/(?<="maturity_at":")[^"]+/g, earlier)
            .replaceAll('"status":"closed"', '"status":"filled"');
          return { ...passed, body };
        });
        return front;
      },
    });
    await desk.now(LINE, { ...ENSURE, tenor: '1' });
    desk.practice.clock.pass(hours * 3_600_000);
    const report = await desk.now(LINE, { ...ENSURE, tenor: '1' });
    expect(report).toMatchObject({ outcome: 'filled', existing: true, isOver });
    expect(desk.keys()).toHaveLength(1);
  });
});

describe('a size that is computed from the position', () => {
  it.each([{ by: '50%' }, { to: '8000' }])(
    '(%j) waits for a hedge of somebody else that may still fill',
    async (size) => {
      const desk = await dealingDesk();
      await desk.now(LINE);
      desk.practice.clock.pass(120_000);
      const theirs = { market: 'USDTNGN', side: 'buy', notional_usd: 7_000, tenor_days: 3 };
      await desk.colleague('/hedges', { ...theirs, client_reference: 'THEIRS' });
      const reduce = executeAction(
        intent('reduce USDTNGN buy', { yes: true, ...size }),
        desk.tradingContext({ attended: false }),
      );
      await expect(reduce).rejects.toMatchObject({
        code: 'in_flight',
        what: expect.stringContaining('7,000.00 USD) may fill: --by, --to and --ngn would be wrong.'),
      });
      expect(desk.keys()).toHaveLength(1);
    },
  );

  /** 10,000 that matures in so long, and 10,000 two days later. */
  async function beforeMaturity(ms: number): Promise<DealingDesk> {
    const desk = await dealingDesk();
    await desk.now(LINE, { tenor: '1', dealId: 'A-1' });
    desk.practice.clock.pass(3_600_000);
    await desk.now(LINE, { tenor: '3', dealId: 'A-2' });
    const { data } = await desk.readContext.api.hedges({ client_reference: 'A-1' });
    desk.practice.clock.pass(Date.parse(data[0]?.maturity_at ?? '') - desk.practice.clock.now() - ms);
    return desk;
  }
  const measured = (action: 'reduce' | 'add', options: Record<string, unknown>): TypedIntent =>
    (action === 'add' ? readAddIntent : readReduceIntent)({
      operands: ['USDTNGN', 'buy'],
      options: { wait: true, yes: true, ...options },
    });
  const openOn = async ({ readContext }: DealingDesk): Promise<string | undefined> =>
    decimalFrom((await readContext.api.positions()).data[0]?.notional_usd)?.toFixed();

  it.each([
    ['reduce', { to: '10000' }],
    ['reduce', { by: '50%' }],
    ['reduce', { ngn: '15300000' }],
    ['add', { to: '25000' }],
  ] as const)('is not sent for %s %j while a hedge of the side may settle first', async (action, size) => {
    const desk = await beforeMaturity(2_500);
    const settles = new Date(desk.practice.clock.now() + 2_500 + 60_000).toISOString();
    await expect(executeAction(measured(action, size), desk.tradingContext())).rejects.toMatchObject({
      code: 'in_flight',
      retry: 'later',
      what: expect.stringMatching(/^Hedge ".*" \("filled", 10,000\.00 USD\) may settle before this executes/),
      hint: hinting(`Try again after ${settles.slice(0, 10)} ${settles.slice(11, 19)} UTC.`),
    });
    expect([desk.keys().length, await openOn(desk)]).toEqual([2, '20000']);
  });

  it('is sent a minute before the next maturity, and a minute after it', async () => {
    const early = await beforeMaturity(70_000);
    const reduce = measured('reduce', { to: '12000' });
    expect(await executeAction(reduce, early.tradingContext())).toMatchObject({ outcome: 'changed' });
    expect(await openOn(early)).toBe('12000');
    const late = await beforeMaturity(-60_001);
    const half = measured('reduce', { by: '50%' });
    expect(await executeAction(half, late.tradingContext())).toMatchObject({ outcome: 'changed' });
    expect(await openOn(late)).toBe('5000');
  });

  it('is not sent where the person took until just before a maturity to confirm it', async () => {
    const desk = await beforeMaturity(600_000);
    const confirm = async (): Promise<boolean> => {
      desk.practice.clock.pass(580_000);
      return true;
    };
    const typed = measured('reduce', { to: '10000', yes: undefined });
    await expect(executeAction(typed, desk.tradingContext({ confirm }))).rejects.toMatchObject({
      code: 'in_flight',
    });
    expect(desk.keys()).toHaveLength(2);
  });

  it('is sent as it was typed where it is a size in USD: it takes what was asked', async () => {
    const desk = await beforeMaturity(2_500);
    const { outcome, entry } = await desk.now('reduce USDTNGN buy 4k', { wait: false });
    expect([outcome, entry?.notional?.toFixed()]).toEqual(['submitted', '4000']);
  });
});

describe('a machine that sleeps', () => {
  /** Sleeps while the person is asked; practice goes by the same time. */
  async function sleepingDesk(): Promise<{ desk: DealingDesk; confirm: () => Promise<boolean> }> {
    let slept = 0;
    const desk = await dealingDesk(undefined, {
      clockOf: (practice) => ({ ...oneClock(practice), monotonic: () => practice.clock.now() - slept }),
    });
    const confirm = async (): Promise<boolean> => {
      slept += 7_200_000;
      desk.practice.clock.pass(7_200_000);
      return true;
    };
    return { desk, confirm };
  }

  it('between the reading and the sending sends nothing: it was decided on a book of two hours ago', async () => {
    const { desk, confirm } = await sleepingDesk();
    const report = await executeAction(intent(LINE, { yes: true }), desk.tradingContext({ confirm }));
    expect(report).toMatchObject({
      outcome: 'not_sent',
      effect: 'none',
      finding: {
        code: 'too_late',
        what: expect.stringContaining('the clocks differ by 2 h since the position was read'),
      },
    });
    expect(desk.keys()).toEqual([]);
  });

  it('between the question and the answer uses what is read after the answer', async () => {
    const { desk, confirm } = await sleepingDesk();
    const report = await executeAction(
      intent(LINE, { idempotencyKey: 'k-1' }),
      desk.tradingContext({ confirm }),
    );
    expect(report).toMatchObject({ outcome: 'filled', finding: undefined });
    expect(desk.keys()).toEqual(['k-1']);
  });
});

describe('an open or add that is confirmed after a close of ours ended without proof', () => {
  const LANDS_MS = 45_000;
  /** Another terminal has closed the side, maybe after somebody else, until it may land so much later. */
  async function closedMeanwhile(desk: DealingDesk, side: 'buy' | 'sell', action: 'close' | 'reduce') {
    const now = desk.practice.clock.now();
    const until = new Date(now + LANDS_MS).toISOString();
    const time = new Date(now).toISOString();
    const { identity, journal } = desk.readContext;
    const closed = { kind: 'outcome', outcome: 'closed', facts: { may_land_until: until } } as const;
    const records = recordsOf(
      'c105',
      { at: time, action, path: `/hedges/${action}`, side, identity, idempotency_key: 'k-close' },
      SENDING,
      { kind: 'accepted', by: 'answer' },
      closed,
    );
    const [first, ...rest] = records.map((record) => ({ ...record, at: time }));
    if (first !== undefined) await journal.append([first, ...rest]);
    return now + LANDS_MS;
  }
  const sentMs = ({ entry }: ActionReport): number => Date.parse(entry?.sentAt ?? '');

  it.each([
    [LINE, 'close'],
    [LINE, 'reduce'],
    ['add USDTNGN buy 2000', 'close'],
  ] as const)('%s waits until then after the answer (%s)', async (line, action) => {
    const desk = await dealingDesk();
    await desk.now(LINE);
    let until: number | undefined;
    const confirm = async (): Promise<boolean> => {
      until ??= await closedMeanwhile(desk, 'buy', action);
      return true;
    };
    const report = await executeAction(
      intent(line, { allowDuplicate: true }),
      desk.tradingContext({ confirm }),
    );
    expect(report.effect).toBe('done');
    expect(sentMs(report)).toBeGreaterThanOrEqual(until ?? Number.NaN);
    expect(desk.keys()).toHaveLength(2);
  });

  it('does not wait where it was the other side, nor does a close', async () => {
    const desk = await dealingDesk();
    let until: number | undefined;
    const confirm = async (): Promise<boolean> => {
      until ??= await closedMeanwhile(desk, 'sell', 'close');
      return true;
    };
    const report = await executeAction(intent(LINE), desk.tradingContext({ confirm }));
    expect(sentMs(report)).toBeLessThan(until ?? 0);
    until = await closedMeanwhile(desk, 'buy', 'reduce');
    expect(sentMs(await desk.now('close USDTNGN buy'))).toBeLessThan(until);
  });

  it('stops a resume, which sends nothing then', async () => {
    const desk = await dealingDesk();
    const lost = await desk.lost('before', LINE);
    const before = desk.keys().length;
    let until: number | undefined;
    const confirm = async (): Promise<boolean> => {
      until ??= await closedMeanwhile(desk, 'buy', 'close');
      return true;
    };
    const how = {
      word: lost.shortId,
      yes: false,
      resend: false,
      dryRun: false,
      wait: true,
      timeoutMs: 60_000,
    };
    const stopped = await resumeOpenAction(how, desk.tradingContext({ confirm }));
    expect(stopped).toMatchObject({ outcome: 'unknown', finding: { code: 'in_flight', effect: 'unknown' } });
    expect(desk.keys()).toHaveLength(before);
    expect(await resumeOpenAction(how, desk.tradingContext({ confirm }))).toMatchObject({
      outcome: 'filled',
    });
    expect(desk.practice.clock.now()).toBeGreaterThanOrEqual(until ?? Number.NaN);
  });
});

/** One action under one key, however many deal it, and whatever time they deal it in. */
import { describe, expect, it } from 'vitest';
import { executeAction } from '../../src/trading/execute.ts';
import type { ActionReport } from '../../src/trading/report.ts';
import { intent } from './facts.ts';
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

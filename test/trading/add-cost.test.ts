/**
 * The cost of an addition, held against what the practice service books. The same hedge stands in both of its
 * books, live and test, and is added to in one of them: what the two come to differs by the addition alone.
 */
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planAction } from '../../src/trading/action-parts.ts';
import { NO_LIMITS } from '../../src/trading/guards/guard-plan.ts';
import { readFacts } from '../../src/trading/read-facts.ts';
import { expectAccepted } from '../practice/support/practice-service.ts';
import { aQuarter } from '../support/goal.ts';
import { intent } from './facts.ts';
import { lookingDesk } from './read-context.ts';

const DAY_MS = 86_400_000;
/** Fills come after two seconds. */
const FILL_MS = 2_000;
/** Each of the three figures is rounded to a micro-USDC a few times on its way into the two records. */
const DIGITS_KEPT = '0.000006';

const cases = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  tenor: fc.constantFrom(1, 3, 7),
  held: fc.integer({ min: 100, max: 5_000_000 }),
  added: fc.integer({ min: 100, max: 5_000_000 }),
  /** Of the seconds between the fill and the end, in millionths. */
  when: fc.integer({ min: 0, max: 999_000 }),
});

describe('the cost of an addition', () => {
  it('is what the service books for it: carry to the maturity that is kept, impact and fee', async () => {
    const { readContext, practice } = await lookingDesk();
    const { clock } = practice;
    const booked = async (as: 'live' | 'test', id: string): Promise<Big> => {
      const { body } = expectAccepted(await practice.get('/hedges/history', { as }));
      const record = body.data.find((each: { id: string }) => each.id === id);
      return new Big(record.net_pnl_usd);
    };
    await fc.assert(
      fc.asyncProperty(cases, async ({ side, tenor, held, added, when }) => {
        const open = { market: 'USDTNGN', side, notional_usd: held / 100, tenor_days: tenor };
        const opened = async (as: 'live' | 'test'): Promise<string> =>
          expectAccepted(await practice.post('/hedges', open, { as })).body.data.hedge_id;
        const [grown, control] = [await opened('test'), await opened('live')];
        const life = tenor * DAY_MS - 2 * FILL_MS - 2_000;
        clock.pass(FILL_MS + 1_000 + 1_000 * Math.floor((life / 1_000 - 1) * (when / 1_000_000)));

        const notional = new Big(added).div(100);
        const meant = intent(`add USDTNGN ${side} ${notional.toFixed()}`);
        const facts = await readFacts(meant, { ...readContext, limits: () => NO_LIMITS });
        // It is dealt at the fill: so long it costs no carry.
        const atFill = new Date(clock.now() + FILL_MS);
        const plan = planAction(meant, {
          ...facts,
          sidePosition: { ...facts.sidePosition, servedAt: atFill },
        });
        if (plan.action !== 'add' || plan.figures === undefined) throw new Error('an addition has figures');

        const add = { market: 'USDTNGN', side, notional_usd: notional.toNumber() };
        expectAccepted(await practice.post('/hedges/add', add, { as: 'test' }));
        clock.pass(tenor * DAY_MS);
        const costs = (await booked('live', control)).minus(await booked('test', grown));
        expect(costs.minus(plan.figures.cost_usdc).abs().lte(DIGITS_KEPT)).toBe(true);
      }),
      { numRuns: aQuarter(25) },
    );
  });

  it('is judged by the same figure: a bound between what is true and what the tenor would say stops', async () => {
    const { readContext, practice } = await lookingDesk();
    await practice.post(
      '/hedges',
      { market: 'USDTNGN', side: 'sell', notional_usd: 20_000, tenor_days: 7 },
      { as: 'test' },
    );
    practice.clock.pass(6 * DAY_MS);
    const meant = intent('add USDTNGN sell 10k', { maxCostBps: '8' });
    const plan = planAction(meant, await readFacts(meant, { ...readContext, limits: () => NO_LIMITS }));
    // Impact 6, fee 10; a day of carry earns 2, and the tenor of seven would have earned 14.
    expect('figures' in plan && plan.figures?.cost_bps.toFixed()).toBe('14');
    expect('figures' in plan && plan.figures?.carry_usdc?.toFixed()).toBe('-2');
  });
});

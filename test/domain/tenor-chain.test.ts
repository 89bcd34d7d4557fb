/** The cheapest chain of tenors to a due date, against hand figures and against every chain there is. */
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cheapestChain, rollDays, type TenorCost } from '../../src/domain/tenor-chain.ts';

const costs = (one: number, three: number, seven: number): readonly TenorCost[] => [
  { tenor: 1, cost: new Big(one) },
  { tenor: 3, cost: new Big(three) },
  { tenor: 7, cost: new Big(seven) },
];
const exactly = (due: number) => ({ due, beforeDays: 0, afterDays: 0 });

describe('the cheapest chain', () => {
  it('is the sum of its legs, the longest first', () => {
    // 7 + 7 + 7 = 21 days: 3 × 52 = 156. 7 + 7 + 3 + 3 + 1 would be 52 + 52 + 32 + 32 + 22 = 190.
    const chain = cheapestChain(costs(22, 32, 52), exactly(21));
    expect(chain?.tenors).toEqual([7, 7, 7]);
    expect(chain?.cost.toFixed()).toBe('156');
    expect(chain && rollDays(chain)).toEqual([7, 14]);
  });

  it('may mature before or after the due date, within the days allowed, if that is cheaper', () => {
    // To day 10 exactly: 7 + 3 = 84. From 9 to 11: 7 + 3 = 84 still beats 7 + 1 + 1 (96) and 7 + 3 + 1 (106).
    const window = { due: 10, beforeDays: 1, afterDays: 1 };
    expect(cheapestChain(costs(22, 32, 52), window)?.tenors).toEqual([7, 3]);
    // To day 8: 7 + 1 = 74; a day earlier is 52.
    expect(cheapestChain(costs(22, 32, 52), { ...window, due: 8 })?.tenors).toEqual([7]);
  });

  it('takes no roll where one tenor is as cheap, and earns where carry is earned', () => {
    expect(cheapestChain(costs(1, 3, 9), exactly(3))?.tenors).toEqual([3]);
    // A sell that earns 10 a leg of 7 days: 7 + 7 = −20, and −20 + 5 for a day more.
    const chain = cheapestChain(costs(5, 1, -10), { due: 14, beforeDays: 1, afterDays: 1 });
    expect(chain?.cost.toFixed()).toBe('-20');
  });

  it('does not exist when no leg ends by the due date', () => {
    expect(cheapestChain(costs(1, 1, 1), exactly(0))).toBeUndefined();
    expect(cheapestChain([{ tenor: 7, cost: new Big(1) }], exactly(6))).toBeUndefined();
    expect(cheapestChain([], exactly(6))).toBeUndefined();
  });

  it('goes by calendar days: where clocks change, 24 hours may end on the same day', () => {
    // Four times 24 hours end on day 3, three on day 2.
    const lag = (days: number): number => days - 1;
    expect(cheapestChain(costs(1, 3, 7), exactly(3), lag)?.tenors).toEqual([3, 1]);
  });

  it('is the cheapest of every chain there is, for up to 4 due dates within 21 days', () => {
    const cost = fc.integer({ min: -500, max: 5_000 }).map((cents) => new Big(cents).div(100));
    const window = fc.record({
      due: fc.integer({ min: 0, max: 21 }),
      beforeDays: fc.integer({ min: 0, max: 3 }),
      afterDays: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(
        fc.tuple(cost, cost, cost),
        fc.array(window, { minLength: 1, maxLength: 4 }),
        ([one, three, seven], windows) => {
          const legs = [
            { tenor: 1, cost: one },
            { tenor: 3, cost: three },
            { tenor: 7, cost: seven },
          ];
          const found = windows.map((each) => cheapestChain(legs, each));
          expect(found.map((each) => each?.cost.toFixed())).toEqual(
            windows.map((each) => bruteForce(legs, each)?.toFixed()),
          );
          for (const [index, chain] of found.entries()) {
            const { due = 0, beforeDays = 0, afterDays = 0 } = windows[index] ?? {};
            const days = chain?.tenors.reduce((sum, tenor) => sum + tenor, 0);
            if (days !== undefined) expect(days >= due - beforeDays && days <= due + afterDays).toBe(true);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

/** Every number of legs of 1, 3 and 7 days. */
function bruteForce(
  legs: readonly TenorCost[],
  { due, beforeDays, afterDays }: { due: number; beforeDays: number; afterDays: number },
): Big | undefined {
  const costOf = (tenor: number): Big => legs.find((leg) => leg.tenor === tenor)?.cost ?? new Big(0);
  let least: Big | undefined;
  for (let sevens = 0; sevens <= 4; sevens += 1)
    for (let threes = 0; threes <= 9; threes += 1)
      for (let ones = 0; ones <= 25; ones += 1) {
        const days = 7 * sevens + 3 * threes + ones;
        if (days === 0 || days < due - beforeDays || days > due + afterDays) continue;
        const cost = costOf(7).times(sevens).plus(costOf(3).times(threes)).plus(costOf(1).times(ones));
        if (least === undefined || cost.lt(least)) least = cost;
      }
  return least;
}

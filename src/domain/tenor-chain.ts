/** The cheapest chain of tenors that matures close to a due date: the first leg now, each roll at the maturity before it. */
import { Big } from 'big.js';
import { TENORS } from './vocabulary.ts';

/** The cost of one leg of a tenor, all for the same notional; positive is paid. */
export interface TenorCost {
  /** Days. */
  tenor: number;
  cost: Big;
}

export interface TenorChain {
  /** Days, the longest first: the order does not change the cost, and the first roll is late. */
  tenors: readonly [first: number, ...rolls: number[]];
  /** Σ cost of its legs, in the unit of `TenorCost`, at the same quotes for every leg. */
  cost: Big;
}

/** Calendar days from today. */
export interface DueWindow {
  due: number;
  beforeDays: number;
  afterDays: number;
}

interface Reached {
  cost: Big;
  legs: number;
  last: number;
}

/**
 * c(t) is the cost of a leg of t days. The result is the least Σ c(tᵢ) over all chains with Σ tᵢ = s days whose maturity is from
 * `beforeDays` before to `afterDays` after the due date: best(s) = min over t of best(s − t) + c(t). Of equal costs the one
 * with the fewest legs, then the one that matures closest to the due date, then the earlier.
 * `maturesIn`: the calendar day on which s days of 24 hours end, counted from today.
 */
export function cheapestChain(
  costs: readonly TenorCost[],
  { due, beforeDays, afterDays }: DueWindow,
  maturesIn: (days: number) => number = (days) => days,
): TenorChain | undefined {
  // A clock change can move a maturity by a day.
  const longest = due + afterDays + 1;
  const best: (Reached | undefined)[] = [{ cost: new Big(0), legs: 0, last: 0 }];
  for (let days = 1; days <= longest; days += 1) best[days] = cheapestTo(days, costs, best);
  const ends = Array.from({ length: Math.max(0, longest) }, (_, index) => index + 1).flatMap((days) => {
    const reached = best[days];
    if (reached === undefined || days < due - beforeDays - 1) return [];
    const off = maturesIn(days) - due;
    return off < -beforeDays || off > afterDays ? [] : [{ days, off: Math.abs(off), ...reached }];
  });
  const [end] = ends.toSorted(
    (one, other) =>
      one.cost.cmp(other.cost) || one.legs - other.legs || one.off - other.off || one.days - other.days,
  );
  if (end === undefined) return undefined;
  const tenors: number[] = [];
  for (let days = end.days; days > 0; days -= best[days]?.last ?? days) tenors.push(best[days]?.last ?? days);
  const [first = end.days, ...rolls] = tenors.toSorted((one, other) => other - one);
  return { tenors: [first, ...rolls], cost: end.cost };
}

/** Days: the chain with the fewest legs; undefined: none matures close to the due date. */
export const shortestChain = (window: DueWindow): TenorChain['tenors'] | undefined =>
  cheapestChain(
    TENORS.map((tenor) => ({ tenor, cost: new Big(1) })),
    window,
  )?.tenors;

function cheapestTo(
  days: number,
  costs: readonly TenorCost[],
  best: readonly (Reached | undefined)[],
): Reached | undefined {
  const [cheapest] = costs
    .flatMap(({ tenor, cost }): Reached[] => {
      const before = best[days - tenor];
      return before === undefined
        ? []
        : [{ cost: before.cost.plus(cost), legs: before.legs + 1, last: tenor }];
    })
    .toSorted((one, other) => one.cost.cmp(other.cost) || one.legs - other.legs || other.last - one.last);
  return cheapest;
}

/** Days from now at which each roll is due: t₁, t₁ + t₂, … */
export function rollDays({ tenors }: Pick<TenorChain, 'tenors'>): readonly number[] {
  let days = 0;
  return tenors.slice(0, -1).map((tenor) => {
    days += tenor;
    return days;
  });
}

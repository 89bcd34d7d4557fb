/** Positions: the filled hedges of a side seen as one, at an instant. `netMargin` is what a close then returns. */
import type { Environment, Side } from '../door.ts';
import { divideHalfEven, type Micro, type Rate } from '../money/decimals.ts';
import { type Cut, cut } from './economics.ts';
import { type HeldHedge, heldHedges } from './hedges.ts';
import { type Desk, marketTerms, midAt } from './sitting.ts';

export interface Position {
  market: string;
  side: Side;
  notional: Micro;
  entry: Rate;
  mark: Rate;
  gross: Micro;
  /** As a contribution to P&L: negative = the account pays. */
  carry: Micro;
  net: Micro;
  closeFee: Micro;
  margin: Micro;
  netMargin: Micro;
}

/** One for each market and side that holds something; by market, buy before sell. */
export function positionsAt(desk: Desk, environment: Environment, instant: number): Position[] {
  const sides = new Map<string, HeldHedge[]>();
  for (const hedge of heldHedges(desk.db, environment)) {
    const key = `${hedge.market} ${hedge.side}`;
    sides.set(key, [...(sides.get(key) ?? []), hedge]);
  }
  return [...sides.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, hedges]) => positionOf(desk, hedges, instant));
}

function positionOf(desk: Desk, hedges: HeldHedge[], instant: number): Position {
  const [first] = hedges;
  if (first === undefined) throw new Error('A position needs a hedge.');
  const mark = midAt(desk, first.market, instant);
  const terms = {
    reference: mark,
    daily: marketTerms(desk, first.market).carryDaily[first.side],
    fee: desk.terms.closeFee,
    instant,
  };
  const parts: Cut[] = hedges.map((hedge) => cut(hedge, hedge.notional, terms));
  const notional = sum(hedges.map((hedge) => hedge.notional));
  const gross = sum(parts.map((part) => part.gross));
  const carry = -sum(parts.map((part) => part.carry));
  return {
    market: first.market,
    side: first.side,
    notional,
    entry: divideHalfEven(sum(hedges.map((hedge) => hedge.notional * hedge.struck)), notional),
    mark,
    gross,
    carry,
    net: gross + carry,
    closeFee: sum(parts.map((part) => part.fee)),
    margin: sum(parts.map((part) => part.margin)),
    netMargin: sum(parts.map((part) => part.credit)),
  };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

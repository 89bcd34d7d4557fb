/** The open hedges of a side for a projection: their legs, the service's figures, and whether the payoff agrees with these. Pure. */
import type { Big } from 'big.js';
import { decimalFrom, textFrom } from '../client/json.ts';
import type { Hedge, Position } from '../client/schemas.ts';
import { sum } from '../domain/amounts.ts';
import { usdInWords } from '../domain/exposure.ts';
import {
  comparePayoff,
  marginUsedUpAt,
  moveBetween,
  type PayoffCheck,
  type PayoffLeg,
} from '../domain/payoff.ts';
import type { Side } from '../domain/vocabulary.ts';
import { positionCarry, positionFee, positionMargin } from './position-figures.ts';
import { isOfMarket, sideNamed } from './side-position.ts';

/** A hedge that can be projected. */
export interface PricedHedge {
  sent: Hedge;
  leg: PayoffLeg;
}

/** The open hedges of a side. Undefined figures: the service did not send them, or they do not add up. */
export interface ProjectedSide {
  side: Side;
  hedges: readonly PricedHedge[];
  payoff_check: PayoffCheck;
  /** A part of P&L: negative is paid. */
  accrued_carry_usdc: Big | undefined;
  /** Positive: paid when closing now. */
  close_fee_usdc: Big | undefined;
  margin_usdc: Big | undefined;
  /** A rate, and how far it is from the mid. */
  margin_used_up_at: Big | undefined;
  margin_used_up_move_pct: Big | undefined;
}

/** Percent of the mid; undefined without a mid. */
export const moveFrom = (mid: Big | undefined, rate: Big | undefined): Big | undefined =>
  mid?.gt(0) === true && rate !== undefined ? moveBetween(mid, rate) : undefined;

export const isPriced = ({ struck_rate: struck }: Hedge): boolean => (struck ?? undefined)?.gt(0) === true;

/** By its names; the only line of the positions may lack them while one side is open. */
export function positionOf(
  on: { market: string; side: Side },
  sidesOpen: number,
  positions: readonly Position[],
): Position | undefined {
  const [only, another] = positions;
  if (only !== undefined && another === undefined && sidesOpen === 1 && textFrom(only.side) === undefined)
    return isOfMarket(only, on.market) ? only : undefined;
  return positions.find((each) => sideNamed(each) === on.side && isOfMarket(each, on.market));
}

export function projectedSide(
  side: Side,
  hedges: readonly Hedge[],
  { position, mayBeCut, mid }: { position: Position | undefined; mayBeCut: boolean; mid: Big | undefined },
): ProjectedSide {
  const priced = hedges.flatMap((sent): PricedHedge[] => {
    const { notional_usd: notional, struck_rate: struck } = sent;
    return isPriced(sent) && struck ? [{ sent, leg: { side, notional, struck } }] : [];
  });
  const legs = priced.map(({ leg }) => leg);
  const isWhole = priced.length === hedges.length && priced.length > 0;
  // A position that states the notional of its hedges shows that the list has them all.
  const isPart = mayBeCut && decimalFrom(position?.notional_usd) === undefined;
  const check = checkOf({ side, legs, position }, { hedges, isWhole, isPart });
  // The figures of a position are those of all its hedges.
  const whole = isWhole && check.status !== 'unclear' && !isPart ? position : undefined;
  const margin = positionMargin(whole);
  const usedUpAt = margin?.gt(0) === true ? marginUsedUpAt({ side, legs }, margin) : undefined;
  return {
    side,
    hedges: priced,
    payoff_check: check,
    accrued_carry_usdc: positionCarry(whole),
    close_fee_usdc: positionFee(whole),
    margin_usdc: margin,
    margin_used_up_at: usedUpAt,
    margin_used_up_move_pct: moveFrom(mid, usedUpAt),
  };
}

function checkOf(
  { side, legs, position }: { side: Side; legs: readonly PayoffLeg[]; position: Position | undefined },
  { hedges, isWhole, isPart }: { hedges: readonly Hedge[]; isWhole: boolean; isPart: boolean },
): PayoffCheck {
  if (position === undefined) return assumed('the positions do not name their sides');
  const listed = sum(hedges.map(({ notional_usd: notional }) => notional));
  const stated = decimalFrom(position.notional_usd);
  if (hedges.length === 0)
    return unclear(`The positions have a ${side} side, but no open hedge of it is listed.`);
  if (stated !== undefined && !stated.eq(listed))
    return unclear(
      `The ${side} hedges total ${usdInWords(listed)}, but the position is ${usdInWords(stated)}.`,
    );
  if (!isWhole) return assumed('a hedge has no struck rate yet');
  if (isPart) return assumed('the list of hedges may be incomplete');
  const gross = decimalFrom(position.gross_pnl_usd);
  const mark = decimalFrom(position.mark_price);
  if (gross === undefined) return assumed('the service sends no gross P&L');
  if (mark === undefined || mark.lte(0)) return assumed('the service sends no mark price');
  const { agrees, ...compared } = comparePayoff({ side, legs }, { mark, gross });
  return { status: agrees ? 'confirmed' : 'differs', mark_price: mark, gross_pnl_usd: gross, ...compared };
}

const assumed = (why: string): PayoffCheck => ({ status: 'assumed', why });
const unclear = (why: string): PayoffCheck => ({ status: 'unclear', why });

const WORST_FIRST = ['unclear', 'differs', 'assumed'] as const;

export const worstOf = (sides: readonly ProjectedSide[]): PayoffCheck['status'] =>
  WORST_FIRST.find((status) => sides.some(({ payoff_check: check }) => check.status === status)) ??
  (sides.length === 0 ? 'assumed' : 'confirmed');

/**
 * Parts of hedges leaving the book: the money goes back to the balance and the realised part joins the
 * hedge's record. Used by reductions, closes and settlements alike.
 */
import type { Micro, Rate } from '../money/decimals.ts';
import { divideHalfEven, ONE_RATE } from '../money/decimals.ts';
import { type Cut, cut, secondsHeld } from './economics.ts';
import { type HeldHedge, keepHedge, type StoredHedge } from './hedges.ts';
import { post } from './ledger.ts';
import { type Desk, marketTerms } from './sitting.ts';
import type { CloseReason } from './words.ts';

/** Σ notional / exit rate is kept in these parts of a unit, so that the average exit comes out to 8 decimals. */
export const EXIT_SCALE = 1_000_000n;

export interface Leaving {
  notional: Micro;
  at: number;
  reference: Rate;
  reason: CloseReason;
}

/** Takes part or all of a hedge out of the book at an instant; at maturity there is no fee to close. */
export function takeOut(desk: Desk, hedge: HeldHedge, leaving: Leaving): Cut {
  const part = cut(hedge, leaving.notional, {
    reference: leaving.reference,
    daily: marketTerms(desk, hedge.market).carryDaily[hedge.side],
    fee: leaving.reason === 'maturity' ? 0n : desk.terms.closeFee,
    instant: leaving.at,
  });
  post(
    desk.db,
    { environment: hedge.environment, at: leaving.at, what: leaving.reason, hedgeId: hedge.id },
    { margin: -part.margin, balance: part.credit },
  );
  keepHedge(desk.db, after(hedge, part, leaving));
  return part;
}

function after(hedge: HeldHedge, part: Cut, leaving: Leaving): StoredHedge {
  const gone = part.notional === hedge.notional;
  return {
    ...hedge,
    status: gone ? 'closed' : 'filled',
    notional: gone ? hedge.notional : hedge.notional - part.notional,
    margin: hedge.margin - part.margin,
    carryOwed: part.carryLeft,
    carrySecond: secondsHeld(hedge.filledAt, leaving.at),
    closedAt: gone ? leaving.at : null,
    closeReason: gone ? leaving.reason : null,
    done: {
      notional: hedge.done.notional + part.notional,
      entry: hedge.done.entry + divideHalfEven(part.notional * hedge.struck, ONE_RATE),
      exit: hedge.done.exit + divideHalfEven(part.notional * ONE_RATE * EXIT_SCALE, leaving.reference),
      gross: hedge.done.gross + part.gross,
      carry: hedge.done.carry + part.carry,
      fees: hedge.done.fees + part.fee,
    },
  };
}

/** Settlement at maturity against the reference rate, and the event of any part that left the book. */
import type { BookEvent } from '../door.ts';
import { moneyText, type Rate, rateText } from '../money/decimals.ts';
import { takeOut } from './closing.ts';
import type { Cut } from './economics.ts';
import type { HeldHedge } from './hedges.ts';
import { type Desk, midAt } from './sitting.ts';
import { iso } from './time.ts';

/** At `maturity_at` and its mid, whenever it is worked out: margin + price P&L − carry to the balance, no fee. */
export function settleHedge(desk: Desk, hedge: HeldHedge): BookEvent {
  const at = hedge.maturityAt;
  const reference = midAt(desk, hedge.market, at);
  const part = takeOut(desk, hedge, { notional: hedge.notional, at, reference, reason: 'maturity' });
  return closingEvent(hedge, part, { what: 'settled', order: 'settlement', at, rate: reference });
}

export function closingEvent(
  hedge: HeldHedge,
  part: Cut,
  end: { what: BookEvent['what']; order: BookEvent['order']; at: number; rate: Rate },
): BookEvent {
  return {
    at: iso(end.at),
    what: end.what,
    order: end.order,
    hedge_id: hedge.id,
    client_reference: hedge.clientReference,
    market: hedge.market,
    side: hedge.side,
    notional_usd: moneyText(part.notional),
    rate: rateText(end.rate),
    net_pnl_usd: moneyText(part.gross - part.carry - part.fee),
    credited_usdc: moneyText(part.credit),
  };
}

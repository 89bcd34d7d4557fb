/** How the book's things look on the wire: the specification's names, exact numbers, ISO times. */
import { EXIT_SCALE } from '../book/closing.ts';
import type { StoredHedge } from '../book/hedges.ts';
import type { Position } from '../book/positions.ts';
import { iso } from '../book/time.ts';
import { divideHalfEven, ONE_RATE } from '../money/decimals.ts';
import { type Json, money, rate } from './json.ts';

type Fields = { [name: string]: Json };

/** Specification §2, Hedge: fields of a later state are absent before it. */
export function hedgeShape(hedge: StoredHedge): Fields {
  const shape: Fields = { id: hedge.id };
  if (hedge.clientReference !== null) shape['client_reference'] = hedge.clientReference;
  Object.assign(shape, {
    market: hedge.market,
    side: hedge.side,
    notional_usd: money(hedge.notional),
    tenor_days: hedge.tenorDays,
    status: hedge.status,
    order_tx_hash: hedge.orderTxHash,
  });
  if (hedge.fillTxHash !== null) shape['fill_tx_hash'] = hedge.fillTxHash;
  if (hedge.struck !== null) shape['struck_rate'] = rate(hedge.struck);
  shape['units'] = money(hedge.notional);
  shape['order_key'] = hedge.orderKey;
  shape['opened_at'] = iso(hedge.openedAt);
  if (hedge.filledAt !== null) shape['filled_at'] = iso(hedge.filledAt);
  shape['maturity_at'] = iso(hedge.maturityAt);
  return shape;
}

/** ASSUMED names but for `net_margin_usd`. Carry is a contribution to P&L: negative = the account pays. */
export function positionShape(position: Position): Fields {
  return {
    market: position.market,
    side: position.side,
    notional_usd: money(position.notional),
    entry_price: rate(position.entry),
    mark_price: rate(position.mark),
    gross_pnl_usd: money(position.gross),
    accrued_carry_usdc: money(position.carry),
    net_pnl_usd: money(position.net),
    close_fee_usdc: money(position.closeFee),
    margin_usdc: money(position.margin),
    net_margin_usd: money(position.netMargin),
  };
}

/**
 * One record over the whole life of a closed hedge. ASSUMED names but for `net_pnl_usd`, which is gross +
 * carry − fees. Of a hedge that left in parts the notional is their sum and the prices are averages weighted
 * by notional (the exit's is harmonic, as P&L divides by it).
 */
export function recordShape(hedge: StoredHedge): Fields {
  const { done } = hedge;
  const fees = hedge.platformFees + done.fees;
  const shape: Fields = { id: hedge.id };
  if (hedge.clientReference !== null) shape['client_reference'] = hedge.clientReference;
  Object.assign(shape, {
    market: hedge.market,
    side: hedge.side,
    notional_usd: money(done.notional),
    tenor_days: hedge.tenorDays,
    entry_price: rate(divideHalfEven(done.entry * ONE_RATE, done.notional)),
    exit_price: rate(divideHalfEven(done.notional * ONE_RATE * EXIT_SCALE, done.exit)),
    gross_pnl_usd: money(done.gross),
    carry_usdc: money(-done.carry),
    fees_usdc: money(fees),
    net_pnl_usd: money(done.gross - done.carry - fees),
    opened_at: iso(hedge.openedAt),
  });
  if (hedge.filledAt !== null) shape['filled_at'] = iso(hedge.filledAt);
  shape['maturity_at'] = iso(hedge.maturityAt);
  if (hedge.closedAt !== null) shape['closed_at'] = iso(hedge.closedAt);
  if (hedge.closeReason !== null) shape['reason'] = hedge.closeReason;
  return shape;
}

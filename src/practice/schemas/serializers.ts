/** Hedges, positions and history as the API writes them. */
import type { BookPosition } from '../book/accounts.ts';
import { EXIT_SCALE } from '../book/execute-order.ts';
import type { StoredHedge } from '../book/stored-hedges.ts';
import { isoTime } from '../book/transaction-context.ts';
import { divideHalfEven, ONE_RATE } from '../domain/scaled-decimals.ts';
import { type Json, moneyNumber, rateNumber } from './practice-json.ts';

type Fields = { [name: string]: Json };

/** Specification §2: the fields of a later state are absent before it. */
export function serializeHedge(hedge: StoredHedge): Fields {
  const shape: Fields = { id: hedge.id };
  if (hedge.clientReference !== null) shape['client_reference'] = hedge.clientReference;
  Object.assign(shape, {
    market: hedge.market,
    side: hedge.side,
    notional_usd: moneyNumber(hedge.notional),
    tenor_days: hedge.tenorDays,
    status: hedge.status,
    order_tx_hash: hedge.orderTxHash,
  });
  if (hedge.fillTxHash !== null) shape['fill_tx_hash'] = hedge.fillTxHash;
  if (hedge.struck !== null) shape['struck_rate'] = rateNumber(hedge.struck);
  shape['units'] = moneyNumber(hedge.notional);
  shape['order_key'] = hedge.orderKey;
  shape['opened_at'] = isoTime(hedge.openedAt);
  if (hedge.filledAt !== null) shape['filled_at'] = isoTime(hedge.filledAt);
  shape['maturity_at'] = isoTime(hedge.maturityAt);
  return shape;
}

/** ASSUMED names, except `net_margin_usd`. Negative carry: the account pays. */
export function serializePosition(position: BookPosition): Fields {
  return {
    market: position.market,
    side: position.side,
    notional_usd: moneyNumber(position.notional),
    entry_price: rateNumber(position.entry),
    mark_price: rateNumber(position.mark),
    gross_pnl_usd: moneyNumber(position.gross),
    accrued_carry_usdc: moneyNumber(position.carry),
    net_pnl_usd: moneyNumber(position.net),
    close_fee_usdc: moneyNumber(position.closeFee),
    margin_usdc: moneyNumber(position.margin),
    net_margin_usd: moneyNumber(position.netMargin),
  };
}

/**
 * A closed hedge over its whole life. ASSUMED names, except `net_pnl_usd` = gross + carry − fees. For a hedge closed in
 * parts, notional is their sum and prices are averages by notional (harmonic for the exit, since P&L divides by it).
 */
export function serializeHistory(hedge: StoredHedge): Fields {
  const { realized } = hedge;
  const fees = hedge.platformFees + realized.fees;
  const shape: Fields = { id: hedge.id };
  if (hedge.clientReference !== null) shape['client_reference'] = hedge.clientReference;
  Object.assign(shape, {
    market: hedge.market,
    side: hedge.side,
    notional_usd: moneyNumber(realized.notional),
    tenor_days: hedge.tenorDays,
    entry_price: rateNumber(divideHalfEven(realized.entry * ONE_RATE, realized.notional)),
    exit_price: rateNumber(divideHalfEven(realized.notional * ONE_RATE * EXIT_SCALE, realized.exit)),
    gross_pnl_usd: moneyNumber(realized.gross),
    carry_usdc: moneyNumber(-realized.carry),
    fees_usdc: moneyNumber(fees),
    net_pnl_usd: moneyNumber(realized.gross - realized.carry - fees),
    opened_at: isoTime(hedge.openedAt),
  });
  if (hedge.filledAt !== null) shape['filled_at'] = isoTime(hedge.filledAt);
  shape['maturity_at'] = isoTime(hedge.maturityAt);
  if (hedge.closedAt !== null) shape['closed_at'] = isoTime(hedge.closedAt);
  if (hedge.closeReason !== null) shape['reason'] = hedge.closeReason;
  return shape;
}

/** Amounts that a reduce or close returns and realizes, estimated from the position before it is sent. */
import type { Big } from 'big.js';
import { readDecimal } from './amounts.ts';

/** Estimated amounts returned to the balance: the position's figures, in proportion. */
export interface ReturnedAmounts {
  /** Undefined where the service does not send it. */
  net_margin_usd: Big | undefined;
  close_fee_usdc: Big | undefined;
  /** Price and carry, before fees. */
  net_pnl_usd: Big | undefined;
  /** Price only, and the mark at which it was. */
  gross_pnl_usd: Big | undefined;
  mark_price: Big | undefined;
}

/** P&L before fees less the fee to close, with USDC at par; undefined unless both are known. */
export const estimatedPnl = ({ net_pnl_usd: beforeFees, close_fee_usdc: fee }: ReturnedAmounts) =>
  // ASSUMED: a fee is positive. With another sign the sum is not known.
  fee === undefined || fee.lt(0) ? undefined : beforeFees?.minus(fee);

/** The amounts as the journal recorded them; undefined if it has none. */
export function recordedReturn(
  digits: Readonly<Record<string, string | null>> | undefined,
): ReturnedAmounts | undefined {
  if (digits?.['net_margin_usd'] === undefined) return undefined;
  return {
    net_margin_usd: readDecimal(digits['net_margin_usd']),
    close_fee_usdc: readDecimal(digits['close_fee_usdc']),
    net_pnl_usd: readDecimal(digits['net_pnl_usd']),
    gross_pnl_usd: readDecimal(digits['gross_pnl_usd']),
    mark_price: readDecimal(digits['mark_price']),
  };
}

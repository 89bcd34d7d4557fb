/** Net asset value, and the bridge from one to a later one. Pure. */
import type { Big } from 'big.js';
import { sum } from './amounts.ts';
import { addPnl, NO_PNL, netPnl, type PnlParts } from './pnl-parts.ts';

/** Each under the service's own field. USDC counts as USD. */
export interface NetAssetValue {
  /** Free. */
  balance_usdc: Big;
  /** Returned by closing all positions. */
  net_margin_usd: Big;
  /** For orders in flight; undefined: the service does not say. */
  reserved_usdc: Big | undefined;
}

export const totalValue = ({ balance_usdc, net_margin_usd, reserved_usdc }: NetAssetValue): Big =>
  sum([balance_usdc, net_margin_usd, ...(reserved_usdc === undefined ? [] : [reserved_usdc])]);

/** opening + realized + change in unrealized + unexplained = closing, to the last digit. */
export interface Bridge {
  opening: NetAssetValue;
  closing: NetAssetValue;
  realized: PnlParts;
  unrealized: PnlParts;
  /** Deposits, withdrawals, and hedges that were not opened from this machine. */
  unexplained: Big;
}

export function bridgeOf(
  opening: NetAssetValue,
  closing: NetAssetValue,
  deals: readonly { realized: PnlParts; unrealized: PnlParts | undefined }[],
): Bridge {
  const realized = addPnl(deals.map((each) => each.realized));
  const unrealized = addPnl(deals.map((each) => each.unrealized ?? NO_PNL));
  const change = totalValue(closing).minus(totalValue(opening));
  return {
    opening,
    closing,
    realized,
    unrealized,
    unexplained: change.minus(netPnl(realized)).minus(netPnl(unrealized)),
  };
}

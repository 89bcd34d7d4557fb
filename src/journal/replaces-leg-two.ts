/** Which opens and adds may have been made by hand in place of the second leg of a roll. Pure. */
import type { Big } from 'big.js';
import { isSameSize } from '../domain/exposure.ts';
import { DAY_MS } from '../domain/instants.ts';
import { coveredDate } from '../domain/vocabulary.ts';
import { type RollChain, rootOf } from './roll-chains.ts';

/** An open or add on the side of a roll since it was planned; of one at once, since its close. `servedMs`: by the service's clock. */
export interface PlacedInstead {
  servedMs: number;
  notional: Big | undefined;
  dealId: string | undefined;
  chainId?: string | undefined;
}

/** To have no gap, one may replace a hedge before it settles. */
const REPLACES_EARLY_MS = 3_600_000;

/**
 * Whether it may be there in place of leg 2, of this size. At once: any open since the close. At maturity: one since the
 * hour before it, or of the size of leg 2 since the day before, that is neither a leg of another roll nor for a due date.
 */
export function mayReplace(
  { plan }: RollChain,
  { servedMs, notional, dealId = '', chainId }: PlacedInstead,
  size: Big,
): boolean {
  if (dealId === plan.deal_id || chainId === plan.chain_id) return false;
  if (plan.when === 'now') return true;
  const { root, leg } = rootOf(dealId);
  const isOther =
    chainId !== undefined || coveredDate(dealId) !== undefined || (leg > 1 && root !== plan.root);
  const earlyMs = notional !== undefined && isSameSize(notional, size) ? DAY_MS : REPLACES_EARLY_MS;
  return !isOther && servedMs >= Date.parse(plan.maturity_at ?? '') - earlyMs;
}

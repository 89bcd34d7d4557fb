/**
 * Whether an open was filled for less than was asked, told at the first reading that shows it filled: later its size
 * may be of any change. The service tells of no partial fill, only the size that the hedge has. Pure.
 */
import type { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import type { Action } from '../../journal/fold.ts';
import { cutsSince } from '../../journal/ledger.ts';

/** A size is asked for in whole cents: less than half of one is the service's rounding. */
const CENTS = 2;

/** USD that were filled; undefined where that is what was asked, or where one of our own reductions may explain it. */
export function filledInPart(
  action: Action,
  { status, notional_usd: size }: Hedge,
  actions: readonly Action[],
): Big | undefined {
  const { intent, notional: asked } = action;
  const isFilled = status === 'filled' || status === 'closed';
  if (intent.action !== 'open' || asked === undefined || !isFilled) return undefined;
  // A hedge of nothing has been closed since, and says nothing of its fill.
  if (size.lte(0) || size.round(CENTS).gte(asked)) return undefined;
  return cutsSince(actions, action).length > 0 ? undefined : size;
}

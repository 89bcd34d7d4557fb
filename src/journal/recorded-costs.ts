/** Costs of the legs of a roll as the journal has them: quoted figures, slippage of the fill, the fee to close leg 1. Pure. */
import { Big } from 'big.js';
import { readDecimal } from '../domain/amounts.ts';
import { slippageOf } from '../domain/price-bounds.ts';
import { type CostParts, type CostSum, rollingCost } from '../domain/roll-cost.ts';
import { fillOf, recordedFigures } from './queries.ts';
import { type Action, maybeExecuted } from './replay.ts';
import { chainNotional, type RollChain } from './roll-chains.ts';

/** Costs of an open, in USDC; its carry is that of the quote, over the whole tenor. `action` undefined: nothing is known. */
export const recordedParts = (action: Action | undefined): Omit<CostParts, 'close_fee_usdc'> => ({
  impact_cost_usd: action && recordedFigures(action)?.impact_cost_usd,
  slippage_usd: action && slippage(action),
  carry_usdc: readDecimal(action?.intent.quote?.['carry_usdc']),
  platform_fee_usdc: readDecimal(action?.intent.quote?.['platform_fee_usdc']),
});

function slippage(action: Action): Big | undefined {
  const { side, quote } = action.intent;
  const fill = fillOf(action);
  const quoted = readDecimal(quote?.['execution_price']);
  if (fill?.rate === undefined || quoted?.gt(0) !== true) return undefined;
  return slippageOf({ side, notional: fill.notional, quoted, struck: fill.rate }).slippage_usd;
}

/** The fee to close leg 1, as shown before the close; none at maturity, and none while it is open. */
export function closeFeeOf({ plan, close }: RollChain): Big | undefined {
  if (plan.when === 'maturity' || close === undefined || !maybeExecuted(close)) return new Big(0);
  return readDecimal(close.intent.quote?.['close_fee_usdc']);
}

/** The cost of rolling alone, once leg 2 is open; undefined before. */
export function recordedRollingCost(chain: RollChain): CostSum | undefined {
  const { state, open } = chain;
  if (state !== 'done' || open === undefined) return undefined;
  return rollingCost({ close_fee_usdc: closeFeeOf(chain) }, recordedParts(open), chainNotional(chain));
}

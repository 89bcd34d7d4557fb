/** Costs of the legs of a roll as the journal has them: quoted figures, slippage of the fill, the fee to close leg 1. Pure. */
import { Big } from 'big.js';
import { divide, readDecimal, sumIfAll, USD_PLACES } from '../domain/amounts.ts';
import { slippageOf } from '../domain/price-bounds.ts';
import { type CostParts, type CostSum, rollingCost } from '../domain/roll-cost.ts';
import { type Action, maybeExecuted } from './replay.ts';
import { changesKept, fillOf, quoteOfFill, recordedFigures } from './results.ts';
import { chainNotional, type RollChain } from './roll-chains.ts';

/** USD by which an open or add enlarged the position: less than it asked for where it was filled in part. */
export const enteredNotional = (action: Action): Big | undefined =>
  fillOf(action)?.notional ?? action.notional;

/**
 * Costs of an open or add, in USDC; its carry is that of the quote, over the whole tenor. The slippage of an add is not known.
 * `action` undefined: nothing is known.
 */
export function recordedParts(action: Action | undefined): Omit<CostParts, 'close_fee_usdc'> {
  const [entered, asked] = [action && enteredNotional(action), action?.notional];
  // The quote is that of the size asked for.
  const ofEntered = (quoted: Big | undefined): Big | undefined =>
    quoted === undefined || entered === undefined || asked === undefined || entered.eq(asked)
      ? quoted
      : divide(quoted.times(entered), asked, USD_PLACES);
  return {
    impact_cost_usd: ofEntered(action && quoteOfFill(action) && recordedFigures(action)?.impact_cost_usd),
    slippage_usd: action && slippage(action),
    carry_usdc: ofEntered(readDecimal(action?.intent.quote?.['carry_usdc'])),
    platform_fee_usdc: ofEntered(readDecimal(action?.intent.quote?.['platform_fee_usdc'])),
  };
}

type EntryParts = ReturnType<typeof recordedParts>;

/** The costs of several in one. A part that is not known of one of them is not known. */
export function sumOfParts(entries: readonly EntryParts[]): EntryParts {
  const total = (part: keyof EntryParts): Big | undefined => sumIfAll(entries.map((each) => each[part]));
  return {
    impact_cost_usd: total('impact_cost_usd'),
    slippage_usd: total('slippage_usd'),
    carry_usdc: total('carry_usdc'),
    platform_fee_usdc: total('platform_fee_usdc'),
  };
}

/** Those of these adds that enlarged the hedge, or may have; undefined for one of which its share is not known. */
export const addsTo = (hedgeId: string, adds: readonly Action[]): readonly (Action | undefined)[] =>
  adds.flatMap((add) => {
    const seen = add.intent.before.hedges.some(({ hedge_id: id }) => id === hedgeId);
    const changed = changesKept(add)?.filter(({ before, after }) => !before.eq(after));
    if (!seen || changed?.every(({ id }) => id !== hedgeId) === true) return [];
    return [changed?.length === 1 ? add : undefined];
  });

function slippage(action: Action): Big | undefined {
  const fill = fillOf(action);
  const quoted = readDecimal(quoteOfFill(action)?.['execution_price']);
  if (fill?.rate === undefined || quoted?.gt(0) !== true) return undefined;
  return slippageOf({ side: action.intent.side, notional: fill.notional, quoted, struck: fill.rate })
    .slippage_usd;
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
  const notional = enteredNotional(open) ?? chainNotional(chain);
  return rollingCost({ close_fee_usdc: closeFeeOf(chain) }, recordedParts(open), notional);
}

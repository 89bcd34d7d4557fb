/** The cost of a roll so far: the parts of each leg, and their sum. Exact; only quotients are rounded. Pure. */
import type { Big } from 'big.js';
import { BPS_PER_UNIT, BPS_PLACES, divide, sum } from './amounts.ts';

/** Each in USDC (USD at par), positive is paid; undefined is not known. */
export interface CostParts {
  /** N(quoted − mid)/mid for a buy, its negative for a sell. */
  impact_cost_usd: Big | undefined;
  /** N(struck − quoted)/quoted for a buy, its negative for a sell. */
  slippage_usd: Big | undefined;
  carry_usdc: Big | undefined;
  platform_fee_usdc: Big | undefined;
  /** For closing the leg early; zero at maturity and while it is open. */
  close_fee_usdc: Big | undefined;
}

export const COST_PARTS = [
  'impact_cost_usd',
  'slippage_usd',
  'carry_usdc',
  'platform_fee_usdc',
  'close_fee_usdc',
] as const satisfies readonly (keyof CostParts)[];

export interface CostSum {
  /** Sum of the known parts, in USDC; positive is paid. */
  cost_usdc: Big;
  /** `cost_usdc` / notional × 10⁴, 4 decimals. */
  cost_bps: Big;
  /** Parts that are not known, and not in the sum. */
  missing: readonly (keyof CostParts)[];
}

/** `notional`: USD, above zero. */
export function legCost(parts: CostParts, notional: Big): CostSum {
  const cost = sum(COST_PARTS.flatMap((part) => parts[part] ?? []));
  return {
    cost_usdc: cost,
    cost_bps: inBps(cost, notional),
    missing: COST_PARTS.filter((part) => parts[part] === undefined),
  };
}

/**
 * Σ of the legs' costs, in USDC; in bps of the notional that is carried on, that of the last leg. The P&L of a closed leg is
 * apart: it is the market's, and no cost of rolling.
 */
export const chainCost = (legs: readonly CostSum[], notional: Big): CostSum => {
  const cost = sum(legs.map((leg) => leg.cost_usdc));
  return {
    cost_usdc: cost,
    cost_bps: inBps(cost, notional),
    missing: [...new Set(legs.flatMap(({ missing }) => missing))],
  };
};

/** Rolling alone: all of leg 2, and the fee to close leg 1. */
export const rollingCost = (
  closed: Pick<CostParts, 'close_fee_usdc'>,
  opened: Omit<CostParts, 'close_fee_usdc'>,
  notional: Big,
): CostSum => legCost({ ...opened, close_fee_usdc: closed.close_fee_usdc }, notional);

const inBps = (cost: Big, notional: Big): Big => divide(cost.times(BPS_PER_UNIT), notional, BPS_PLACES);

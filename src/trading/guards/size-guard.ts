/** Checks a size against the profile's limit, headroom, capacity and balance. Each finding names the largest size that fits. */
import { Big } from 'big.js';
import { affordable, remainingLimit, usdcInWords, usdInWords, wholeCents } from '../../domain/exposure.ts';
import type { OwnCode } from '../../errors.ts';
import type { AddPlan, OpenPlan, PlanFacts } from '../plan.ts';
import type { Finding, TradingLimits } from '../trading-context.ts';

interface Excess {
  code: OwnCode;
  /** A sentence without the size that fits: of several findings, only the smallest counts. */
  message: string;
  /** USD, not below zero; undefined when no size helps. */
  room: Big;
  details: Readonly<Record<string, unknown>>;
}

/** The part of a plan that size checks need. */
export interface SizedPlan extends Pick<OpenPlan | AddPlan, 'notional' | 'market' | 'side'> {
  facts: Pick<PlanFacts, 'account' | 'market' | 'quote'>;
}

export function sizeFindings(plan: SizedPlan, limits: TradingLimits): readonly Finding[] {
  const found = [
    ...aboveLimit(plan, limits),
    ...aboveHeadroom(plan),
    ...aboveCapacity(plan),
    ...aboveBalance(plan),
  ];
  return found.map(({ code, message, room, details }) => {
    const fits = wholeCents(room);
    return {
      level: 'stop',
      code,
      message,
      hint: hintOf(fits),
      fits,
      details: { notional_usd: plan.notional, ...details, fits_notional_usd: fits },
    };
  });
}

const hintOf = (fits: Big): string =>
  fits.gt(0)
    ? `Largest size that fits: ${usdInWords(fits)}.`
    : 'Close, reduce or deposit first: hedge account, hedge positions';

function aboveLimit({ notional }: SizedPlan, { maxNotional }: TradingLimits): readonly Excess[] {
  if (maxNotional === undefined || notional.lte(maxNotional)) return [];
  return [
    {
      code: 'limit_exceeded',
      message: `${usdInWords(notional)} exceeds this profile's limit per trade of ${usdInWords(maxNotional)}.`,
      room: remainingLimit(maxNotional, new Big(0)),
      details: { max_notional_usd: maxNotional },
    },
  ];
}

function aboveHeadroom({ notional, facts }: SizedPlan): readonly Excess[] {
  const headroom = facts.account.available_exposure_usd;
  if (notional.lte(headroom)) return [];
  return [
    {
      code: 'exposure_exceeded',
      message: `${usdInWords(notional)} exceeds the account's headroom of ${usdInWords(headroom)}.`,
      room: remainingLimit(headroom, new Big(0)),
      details: { available_exposure_usd: headroom },
    },
  ];
}

function aboveCapacity({ notional, facts, market, side }: SizedPlan): readonly Excess[] {
  const capacity = facts.market?.available_capacity_usd[side];
  if (capacity === undefined || notional.lte(capacity)) return [];
  return [
    {
      code: 'capacity_exceeded',
      message: `${usdInWords(notional)} exceeds the capacity of ${market} ${side}, ${usdInWords(capacity)}.`,
      room: remainingLimit(capacity, new Big(0)),
      details: { market, side, available_capacity_usd: capacity },
    },
  ];
}

/** Margin and fee scale with the size. */
function aboveBalance({ facts }: SizedPlan): readonly Excess[] {
  if (facts.quote === undefined) return [];
  const free = facts.account.balance_usdc;
  const needed = facts.quote.upfront.total_upfront_usdc;
  if (needed.lte(free)) return [];
  return [
    {
      code: 'insufficient_balance',
      message: `Upfront cost ${usdcInWords(needed)} exceeds the free balance of ${usdcInWords(free)}.`,
      room: affordable(facts.quote.notional_usd, { required: needed, available: free }) ?? new Big(0),
      details: { total_upfront_usdc: needed, balance_usdc: free },
    },
  ];
}

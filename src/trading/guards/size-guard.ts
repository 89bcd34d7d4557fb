/**
 * Whether a size fits: what the profile allows for one deal, the account's headroom, the side's capacity and
 * the free balance. Each finding names its figures and the largest size in whole cents that it would let pass.
 */
import { Big } from 'big.js';
import { affordable, remainingLimit, usdcInWords, usdInWords, wholeCents } from '../../domain/exposure.ts';
import type { OwnCode } from '../../errors.ts';
import type { AddPlan, OpenPlan, PlanFacts } from '../plan.ts';
import type { Finding, TradingLimits } from '../trading-context.ts';

interface Excess {
  code: OwnCode;
  /** As a sentence, without what would fit: of several, only one figure fits under all of them. */
  message: string;
  /** USD, not below zero; undefined when no size helps. */
  room: Big;
  details: Readonly<Record<string, unknown>>;
}

/** The part of a plan that a size is held against. */
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
    ? `Ask for ${usdInWords(fits)} or less.`
    : 'Nothing can be dealt until something is closed, reduced or paid in: hedge account, hedge positions';

function aboveLimit({ notional }: SizedPlan, { maxNotional }: TradingLimits): readonly Excess[] {
  if (maxNotional === undefined || notional.lte(maxNotional)) return [];
  return [
    {
      code: 'limit_exceeded',
      message: `${usdInWords(notional)} is more than this profile allows for one deal, ${usdInWords(maxNotional)}.`,
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
      message: `${usdInWords(notional)} is more than the account's headroom, ${usdInWords(headroom)}.`,
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
      message: `${usdInWords(notional)} is more than can be opened on ${market} ${side} now, ${usdInWords(capacity)}.`,
      room: remainingLimit(capacity, new Big(0)),
      details: { market, side, available_capacity_usd: capacity },
    },
  ];
}

/** What is needed grows with the size: margin and fee are parts of it. */
function aboveBalance({ facts }: SizedPlan): readonly Excess[] {
  if (facts.quote === undefined) return [];
  const free = facts.account.balance_usdc;
  const needed = facts.quote.upfront.total_upfront_usdc;
  if (needed.lte(free)) return [];
  return [
    {
      code: 'insufficient_balance',
      message: `It takes ${usdcInWords(needed)} upfront, and ${usdcInWords(free)} is free.`,
      room: affordable(facts.quote.notional_usd, { required: needed, available: free }) ?? new Big(0),
      details: { total_upfront_usdc: needed, balance_usdc: free },
    },
  ];
}

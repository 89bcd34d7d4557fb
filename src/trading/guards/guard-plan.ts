/**
 * Pre-trade checks on a plan: profile, market, size (limit, headroom, capacity, balance, with the largest size that fits)
 * and price limits. Pure.
 */

import { Big } from 'big.js';
import type { Account, Quote } from '../../client/schemas.ts';
import { enlarges } from '../../domain/action-table.ts';
import { divide } from '../../domain/amounts.ts';
import { marketMeant } from '../../domain/did-you-mean.ts';
import { affordable, remainingLimit, usdcInWords, usdInWords, wholeCents } from '../../domain/exposure.ts';
import { say, shell } from '../../domain/hint.ts';
import { type BoundFinding, checkPriceBounds, FARTHEST_PCT, isFar } from '../../domain/price-bounds.ts';
import { quoted, quotedName, unquoted } from '../../domain/quoted.ts';
import { nairaHint } from '../../domain/sizes.ts';
import type { Hint, OwnCode } from '../../errors.ts';
import type { SidePosition } from '../../readings/side-position.ts';
import type { AddPlan, OpenPlan, Plan, PlanFacts } from '../plan.ts';
import type { Finding, TradingLimits } from '../trading-context.ts';
import { checkNoStop, stopsFirst } from './stops.ts';

/** For checks of what the service allows alone. */
export const NO_LIMITS: TradingLimits = {
  maxNotional: undefined,
  maxDailyNotional: undefined,
  readOnly: false,
  markets: undefined,
};

export interface Excess {
  code: OwnCode;
  /** A sentence without the size that fits: of several findings, only the smallest counts. */
  message: string;
  /** USD; none where it is below zero. */
  room: Big;
  details: Readonly<Record<string, unknown>>;
}

/** The part of a plan that size checks need. */
export interface SizedPlan extends Pick<OpenPlan | AddPlan, 'notional' | 'market' | 'side'> {
  facts: Pick<PlanFacts, 'account' | 'market' | 'quote'>;
}

type OfAccount = SizedPlan & { facts: { account: Account } };

/** `beforeNaira`: the text before an amount in naira. */
export function sizeFindings(
  plan: SizedPlan,
  limits: TradingLimits,
  beforeNaira?: string,
): readonly Finding[] {
  const { notional, market, facts } = plan;
  const { account } = facts;
  if (account === undefined) throw new Error('a size is checked without the account');
  const read = { ...plan, facts: { ...facts, account } };
  return [aboveLimit(plan, limits), aboveHeadroom(read), aboveCapacity(read), aboveBalance(read)]
    .filter((each) => each !== undefined)
    .map(({ details, ...excess }) =>
      tooLarge({ ...excess, details: { notional_usd: notional, ...details } }, NOTHING_FITS, (fits) =>
        nairaHint(notional, { market, fits, rate: facts.market?.price }, beforeNaira),
      ),
    );
}

const NOTHING_FITS = say`Close, reduce or deposit first: ${shell`hedge account`}, ${shell`hedge positions`}`;

/** A size above a limit, with the largest one that fits, and what `more` says of it; `otherwise`: the advice where none fits. */
export function tooLarge(
  { code, message, room, details }: Excess,
  otherwise: Hint,
  more: (fits: Big) => readonly string[] = () => [],
): Finding {
  const fits = wholeCents(remainingLimit(room, new Big(0)));
  return {
    level: 'stop',
    code,
    message,
    hint: fits.gt(0) ? [`Largest size that fits: ${usdInWords(fits)}.`, ...more(fits)] : otherwise,
    fits,
    details: { ...details, fits_notional_usd: fits },
  };
}

function aboveLimit({ notional }: SizedPlan, { maxNotional }: TradingLimits): Excess | undefined {
  if (maxNotional === undefined || notional.lte(maxNotional)) return undefined;
  return {
    code: 'limit_exceeded',
    message: `${usdInWords(notional)} exceeds this profile's per-trade limit of ${usdInWords(maxNotional)}.`,
    room: maxNotional,
    details: { max_notional_usd: maxNotional },
  };
}

function aboveHeadroom({ notional, facts }: OfAccount): Excess | undefined {
  const headroom = facts.account.available_exposure_usd;
  if (notional.lte(headroom)) return undefined;
  return {
    code: 'exposure_exceeded',
    message: `${usdInWords(notional)} exceeds the account's headroom of ${usdInWords(headroom)}.`,
    room: headroom,
    details: { available_exposure_usd: headroom },
  };
}

/** A service may take the headroom into account: then one finding is enough. */
function aboveCapacity({ notional, facts, market, side }: OfAccount): Excess | undefined {
  const capacity = facts.market?.available_capacity_usd[side];
  if (capacity === undefined || notional.lte(capacity)) return undefined;
  const headroom = facts.account.available_exposure_usd;
  if (notional.gt(headroom) && capacity.gte(headroom)) return undefined;
  return {
    code: 'capacity_exceeded',
    message: `${usdInWords(notional)} exceeds the capacity of ${market} ${side}, ${usdInWords(capacity)}.`,
    room: capacity,
    details: { market, side, available_capacity_usd: capacity },
  };
}

/** Margin and fee scale with the size. */
function aboveBalance({ facts }: OfAccount): Excess | undefined {
  if (facts.quote === undefined) return undefined;
  const free = facts.account.balance_usdc;
  const needed = facts.quote.upfront.total_upfront_usdc;
  if (needed.lte(free)) return undefined;
  return {
    code: 'insufficient_balance',
    message: `Upfront cost ${usdcInWords(needed)} exceeds the free balance of ${usdcInWords(free)}.`,
    room: affordable(facts.quote.notional_usd, { required: needed, available: free }) ?? new Big(0),
    details: { total_upfront_usdc: needed, balance_usdc: free },
  };
}

/** All findings, stops first. Only a read-only profile stops a reduce or close. */
export function guardPlan(plan: Plan, { limits }: { limits: TradingLimits }): readonly Finding[] {
  const findings = guardMarket(plan, { limits });
  if (!enlarges(plan)) return [...findings, ...closesAll(plan)];
  // Size and price mean nothing without the market.
  if (plan.facts.market === undefined) return findings;
  const sizes = sizeFindings(plan, limits);
  // A size that is too large gets no quote; the size is what to change.
  const prices = priceFindings(plan).filter(({ code }) => sizes.length === 0 || code !== 'no_reference');
  return stopsFirst([...findings, ...sizes, ...prices]);
}

/** The service closes what a reduction of 99 % or more would leave (specification §3). */
function closesAll(plan: Plan): readonly Finding[] {
  const { total } = plan.facts.sidePosition;
  if (plan.action !== 'reduce' || !plan.closesSide || total?.gt(plan.notional) !== true) return [];
  return [
    {
      level: 'warn',
      code: 'closes_side',
      message: `99 % or more of ${usdInWords(total)}: the service closes the whole side.`,
      details: { total_notional_usd: total, notional_usd: plan.notional },
    },
  ];
}

/** Stops of the profile's limits alone, which may have changed since the plan was checked. */
export const guardLimits = (plan: Plan, limits: TradingLimits): readonly Finding[] =>
  guardPlan(plan, { limits }).filter(({ code }) => code === READ_ONLY.code || code === 'limit_exceeded');

/** The part of a plan that depends on the market alone. */
export interface OnMarket extends Pick<Plan, 'action' | 'market'> {
  facts: Pick<Plan['facts'], 'market' | 'marketNames'>;
}

/** Checks that do not depend on size, side or price. */
export function guardMarket(on: OnMarket, { limits }: { limits: TradingLimits }): readonly Finding[] {
  const allowed = enlarges(on) ? allowedMarketFinding(on, limits) : undefined;
  return stopsFirst([limits.readOnly ? READ_ONLY : undefined, marketFinding(on), allowed]);
}

const READ_ONLY: Finding = {
  level: 'stop',
  code: 'read_only',
  message: 'This profile is read-only.',
  hint: say`A person who trades uses another profile (--profile NAME), or see ${shell`hedge profile limit --help`}.`,
};

function allowedMarketFinding({ market }: OnMarket, { markets }: TradingLimits): Finding | undefined {
  if (markets === undefined || markets.includes(market)) return undefined;
  const allowed = markets.map((each) => unquoted(each)).join(', ');
  return {
    level: 'stop',
    code: 'limit_exceeded',
    message: `This profile does not allow opens and adds in ${market}, only in ${allowed}.`,
    hint: say`Use another profile (--profile NAME), or see ${shell`hedge profile limit --help`}.`,
    details: { market, allowed_markets: markets },
  };
}

const notFound = (market: string, names: readonly string[] = [], level: Finding['level']): Finding => ({
  level,
  code: 'market_not_found',
  message: `This account has no market ${unquoted(market)}.`,
  hint: marketMeant(market, names),
  details: { market },
});

/** A side without any hedge, of a market that is not there, is not flat but mistyped. @throws StoppedError `market_not_found` */
export function checkMarket(
  { market: named, listed, mayBeCut }: SidePosition,
  facts: OnMarket['facts'],
): void {
  const { market, marketNames } = facts;
  if (market === undefined && marketNames !== undefined && listed.length === 0 && !mayBeCut)
    checkNoStop([notFound(named, marketNames, 'stop')]);
}

/** A disabled market may still accept a reduce or close: the service decides. */
function marketFinding(on: OnMarket): Finding | undefined {
  const { market, facts } = on;
  const level = enlarges(on) ? 'stop' : 'warn';
  const unread = 'The markets could not be read: carry and status are not known.';
  if (facts.market === undefined && facts.marketNames === undefined)
    return { level, code: 'unavailable', message: unread };
  if (facts.market === undefined) return notFound(market, facts.marketNames, level);
  const { status } = facts.market;
  if (status === 'open') return undefined;
  const isKnown = status === 'disabled';
  const means = enlarges(on) ? 'the service accepts no opens or adds' : 'the service may reject this';
  return {
    level: isKnown ? level : 'warn',
    code: 'market_disabled',
    message: isKnown
      ? `${market} is disabled: ${means}.`
      : `${market} has an unknown status: ${quoted(status)}.`,
    hint: say`To see ${isKnown ? 'whether it is open again' : 'the market'}: ${shell`hedge markets`}`,
    details: { market, status },
  };
}

const CHECKED_HERE = 'This is a pre-trade check, not a limit order.';

export function priceFindings(plan: OpenPlan | AddPlan): readonly Finding[] {
  const { intent, facts } = plan;
  const quote = ownQuote(plan);
  const mid = typeof quote === 'string' ? facts.market?.price : quote.pricing.market_price;
  const far = implausiblePrice(intent.bounds.worstPrice, mid);
  if (typeof quote === 'string') return [...far, noReference(quote, intent.anyPrice)];
  const misses = checkPriceBounds(quote, intent.bounds, plan.figures).filter(
    ({ bound }) => bound === 'max_cost_bps' || far.length === 0,
  );
  return [...far, ...misses.map((miss) => missed(miss, quote))];
}

/** Empty when the worst price is near the mid, or one of them is not known. */
export function implausiblePrice(worst: Big | undefined, mid: Big | undefined): readonly Finding[] {
  if (worst === undefined || mid === undefined || !isFar(worst, mid)) return [];
  const off = worst.minus(mid);
  const percent = divide(off.abs().times(100), mid, 2);
  return [
    {
      level: 'stop',
      code: 'implausible_price',
      message: `--worst-price ${worst.toFixed()} is ${percent.toFixed()} % ${off.gt(0) ? 'above' : 'below'} the mid of ${mid.toFixed()}: looks like a typo (more than ${FARTHEST_PCT.toString()} % from mid).`,
      hint: `Pass a --worst-price within ${FARTHEST_PCT.toString()} % of the mid, or --any-price.`,
      details: { worst_price: worst, market_price: mid },
    },
  ];
}

function missed({ bound, limit, actual, message }: BoundFinding, quote: Quote): Finding {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}. ${CHECKED_HERE}`;
  const { market_price } = quote.pricing;
  return {
    level: 'stop',
    message: sentence,
    ...(bound === 'worst_price'
      ? {
          code: 'worse_price',
          hint: 'Try again at a better price, or pass a worse --worst-price.',
          details: { worst_price: limit, execution_price: actual, market_price },
        }
      : {
          code: 'cost_too_high',
          hint: 'Try again later, with a smaller size, or raise --max-cost-bps.',
          details: { max_cost_bps: limit, cost_bps: actual },
        }),
  };
}

/** The quote for exactly this order, or the reason why there is none. */
function ownQuote({ intent, facts, figures }: OpenPlan | AddPlan): Quote | string {
  const { quote } = facts;
  if (quote === undefined) return 'the service gave no quote';
  const { market, side, notional_usd: notional, tenor_days: tenor } = quote;
  if (market !== intent.market || side !== intent.side)
    return `the quote is for ${quotedName(market)} ${side}`;
  if (!notional.eq(intent.notional)) return `the quote is for ${usdInWords(notional)}`;
  if ('tenor' in intent && !tenor.eq(intent.tenor)) return `the quote is for ${tenor.toFixed()} days`;
  if (figures === undefined) return 'the maturity of the increased hedge is not known';
  return quote;
}

const noReference = (why: string, anyPrice: boolean): Finding => ({
  level: anyPrice ? 'warn' : 'stop',
  code: 'no_reference',
  message: `The cost is unknown: ${why}.`,
  hint: anyPrice ? undefined : 'To trade without a known price: --any-price',
});

/**
 * The guards over a plan: what would be refused, cost more than was meant, or is not allowed under this
 * profile. The same for a typed line and for the wizard. Pure: every fact is in the plan. What was dealt before
 * is judged in guard-journal.ts, and whether anybody has to be asked in guard-attendance.ts.
 *
 * Whether the price is what the operator wanted: the bounds that were given, judged on the quote. A better
 * price never stops a deal; a bound that is far from the mid was hardly meant, and a deal whose price nobody
 * can tell is not sent. The service has no limit price: what is found here holds for this moment.
 *
 * What guards found, as the one error that ends an action before anything is sent (exit 10). Pure.
 */

import type { Big } from 'big.js';
import type { Quote } from '../../client/schemas.ts';
import { enlarges } from '../../domain/action-table.ts';
import { divide } from '../../domain/amounts.ts';
import { didYouMean } from '../../domain/did-you-mean.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { type BoundFinding, checkPriceBounds } from '../../domain/price-bounds.ts';
import { quoted, quotedName, unquoted } from '../../domain/quoted.ts';
import { type OwnCode, type Retry, StoppedError } from '../../errors.ts';
import type { AddPlan, OpenPlan, Plan } from '../plan.ts';
import type { Finding, TradingLimits } from '../trading-context.ts';
import { sizeFindings } from './size-guard.ts';
/**
 * Everything there is to find, stops first. Reduce and close make the book smaller: only a read-only profile
 * stops them.
 */
export function guardPlan(plan: Plan, { limits }: { limits: TradingLimits }): readonly Finding[] {
  const findings = guardMarket(plan, { limits });
  if (!enlarges(plan)) return findings;
  // Where there is no such market, neither size nor price means anything.
  if (plan.facts.market === undefined) return findings;
  return stopsFirst([...findings, ...sizeFindings(plan, limits), ...priceFindings(plan)]);
}

/** The part of a plan that is known once the market is. */
export interface OnMarket extends Pick<Plan, 'action' | 'market'> {
  facts: Pick<Plan['facts'], 'market' | 'marketNames'>;
}

/** What no other size, side or price would change: the profile and the market. */
export function guardMarket(on: OnMarket, { limits }: { limits: TradingLimits }): readonly Finding[] {
  const findings = [...readOnlyFindings(limits), ...marketFindings(on)];
  return stopsFirst(enlarges(on) ? [...findings, ...allowedMarketFindings(on, limits)] : findings);
}

const readOnlyFindings = ({ readOnly }: TradingLimits): readonly Finding[] =>
  readOnly
    ? [
        {
          level: 'stop',
          code: 'read_only',
          message: 'This profile is read-only: no action is dealt with it.',
          hint: 'Deal with another one (--profile NAME), or see hedge profile limit --help.',
        },
      ]
    : [];

function allowedMarketFindings({ market }: OnMarket, { markets }: TradingLimits): readonly Finding[] {
  if (markets === undefined || markets.includes(market)) return [];
  const allowed = markets.map((each) => unquoted(each)).join(', ');
  return [
    {
      level: 'stop',
      code: 'limit_exceeded',
      message: `This profile may not open or add in ${market}, only in ${allowed}.`,
      hint: 'Deal with another profile (--profile NAME), or see hedge profile limit --help.',
      details: { market, allowed_markets: markets },
    },
  ];
}

/** A market that takes nothing new may still let a position go: the service is to say so. */
function marketFindings(on: OnMarket): readonly Finding[] {
  const { market, facts } = on;
  const level = enlarges(on) ? 'stop' : 'warn';
  if (facts.market === undefined) {
    return [
      {
        level,
        code: 'market_not_found',
        message: `${market} is not among the markets of this account.`,
        hint: `${didYouMean(market, facts.marketNames ?? [])}To see yours: hedge markets`,
        details: { market },
      },
    ];
  }
  const { status } = facts.market;
  if (status === 'open') return [];
  if (status === 'disabled') {
    return [
      {
        level,
        code: 'market_disabled',
        message: enlarges(on)
          ? `${market} is disabled: the service takes no open and no add there.`
          : `${market} is disabled: the service may turn this down.`,
        hint: 'To see when it opens again: hedge markets',
        details: { market, status },
      },
    ];
  }
  return [
    {
      level: 'warn',
      code: 'market_disabled',
      message: `${market} has a status that is not known here: ${quoted(status)}.`,
      hint: 'To see the market: hedge markets',
      details: { market, status },
    },
  ];
}

/** A worst price further from the mid than this, on either side, is a slip of the finger. */
const FARTHEST_PCT = 5;

const CHECKED_HERE = 'The service has no limit price, so this was checked here and now.';

export function priceFindings(plan: OpenPlan | AddPlan): readonly Finding[] {
  const { intent, facts } = plan;
  const quote = ownQuote(plan);
  const mid = typeof quote === 'string' ? facts.market?.price : quote.pricing.market_price;
  const far = implausible(intent.bounds.worstPrice, mid);
  if (typeof quote === 'string') return [...far, noReference(quote, intent.anyPrice)];
  const misses = checkPriceBounds(quote, intent.bounds, plan.figures).filter(
    ({ bound }) => bound !== 'worst_price' || far.length === 0,
  );
  return [...far, ...misses.map((miss) => missed(miss, quote))];
}

function implausible(worst: Big | undefined, mid: Big | undefined): readonly Finding[] {
  if (worst === undefined || mid === undefined || mid.lte(0)) return [];
  const off = worst.minus(mid);
  if (off.abs().times(100).lte(mid.times(FARTHEST_PCT))) return [];
  const percent = divide(off.abs().times(100), mid, 2);
  return [
    {
      level: 'stop',
      code: 'implausible_price',
      message: `--worst-price ${worst.toFixed()} is ${percent.toFixed()} % ${off.gt(0) ? 'above' : 'below'} the mid of ${mid.toFixed()}: taken for a slip of the finger.`,
      hint: `The mid is ${mid.toFixed()}: say a worst price within ${FARTHEST_PCT.toString()} % of it, or --any-price.`,
      details: { worst_price: worst, market_price: mid },
    },
  ];
}

function missed({ bound, limit, actual, says }: BoundFinding, quote: Quote): Finding {
  const sentence = `${says.charAt(0).toUpperCase()}${says.slice(1)}. ${CHECKED_HERE}`;
  if (bound === 'worst_price') {
    return {
      level: 'stop',
      code: 'worse_price',
      message: sentence,
      hint: 'Deal when the price is better, or say a worse --worst-price.',
      details: {
        worst_price: limit,
        execution_price: actual,
        market_price: quote.pricing.market_price,
      },
    };
  }
  return {
    level: 'stop',
    code: 'cost_too_high',
    message: sentence,
    hint: 'Deal when it costs less, or less at a time, or say a higher --max-cost-bps.',
    details: { max_cost_bps: limit, cost_bps: actual },
  };
}

/** The quote for exactly what is to be dealt; or why there is none, as half a sentence. */
function ownQuote({ intent, facts, figures }: OpenPlan | AddPlan): Quote | string {
  const { quote } = facts;
  if (quote === undefined) return 'no quote could be had for it';
  const { market, side, notional_usd: notional, tenor_days: tenor } = quote;
  if (market !== intent.market || side !== intent.side)
    return `the quote is for ${quotedName(market)} ${side}`;
  if (!notional.eq(intent.notional)) return `the quote is for ${usdInWords(notional)}`;
  if ('tenor' in intent && !tenor.eq(intent.tenor)) return `the quote is for ${tenor.toFixed()} days`;
  if (figures === undefined) return 'when the hedge that grows matures was not sent';
  return quote;
}

const noReference = (why: string, anyPrice: boolean): Finding => ({
  level: anyPrice ? 'warn' : 'stop',
  code: 'no_reference',
  message: `What this would cost cannot be told: ${why}.`,
  hint: anyPrice ? undefined : 'To deal without knowing the price: --any-price',
});

/** Stops before warnings, each kind in the order it was found. */
export const stopsFirst = (findings: readonly Finding[]): readonly Finding[] => [
  ...findings.filter(({ level }) => level === 'stop'),
  ...findings.filter(({ level }) => level === 'warn'),
];

/** Codes of what may have passed when the same line is tried again, and of what has to be looked at first. */
const RETRIES: Readonly<Partial<Record<OwnCode, Retry>>> = {
  exposure_exceeded: 'later',
  capacity_exceeded: 'later',
  insufficient_balance: 'later',
  market_disabled: 'later',
  no_reference: 'later',
  worse_price: 'later',
  cost_too_high: 'later',
  halted: 'later',
  in_flight: 'later',
  unresolved: 'after_check',
};
/** Of several, the one that asks most of the operator. */
const STRICTEST = ['never', 'after_check', 'later'] as const;

/** Of several sizes that are too large: what fits under this one fits under all of them. */
export const tightestOf = (stops: readonly Finding[]): Finding | undefined =>
  stops
    .filter((stop): stop is Finding & { fits: Big } => stop.fits !== undefined)
    .toSorted((one, other) => one.fits.cmp(other.fits))[0];

/** All stops in one error, under the code of the first; undefined when nothing stops. */
export function stopFrom(findings: readonly Finding[]): StoppedError | undefined {
  const stops = findings.filter(({ level }) => level === 'stop');
  const [first] = stops;
  if (first === undefined) return undefined;
  const retries = stops.map(({ code }) => RETRIES[code] ?? 'never');
  return new StoppedError({
    code: first.code,
    what: stops.map(({ message: says }) => says).join(' '),
    book: 'Nothing was sent.',
    hint: (first.fits === undefined ? first : tightestOf(stops))?.hint,
    retry: STRICTEST.find((retry) => retries.includes(retry)),
    details: {
      findings: stops.map(({ code, message: says, hint, details }) => ({
        code,
        message: says,
        ...(hint === undefined ? {} : { hint }),
        ...(details === undefined ? {} : { details }),
      })),
    },
  });
}

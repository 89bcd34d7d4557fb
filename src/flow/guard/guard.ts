/**
 * The guards over a plan: what would be refused, cost more than was meant, or is not allowed under this
 * profile. The same for a typed line and for the wizard. Pure: every fact is in the plan. What was dealt before
 * is judged in guard-journal.ts, and whether anybody has to be asked in guard-attendance.ts.
 */
import { didYouMean } from '../../domain/closest.ts';
import { quoted, unquoted } from '../../domain/quoted.ts';
import type { Finding, Limits } from '../dealing.ts';
import type { Plan } from '../plan/plan.ts';
import { priceFindings } from './guard-price.ts';
import { sizeFindings } from './guard-size.ts';
import { stopsFirst } from './stop.ts';

/**
 * Everything there is to find, stops first. Reduce and close make the book smaller: only a read-only profile
 * stops them.
 */
export function guardPlan(plan: Plan, { limits }: { limits: Limits }): readonly Finding[] {
  const findings = guardMarket(plan, { limits });
  if (plan.action === 'reduce' || plan.action === 'close') return findings;
  // Where there is no such market, neither size nor price means anything.
  if (plan.facts.market === undefined) return findings;
  return stopsFirst([...findings, ...sizeFindings(plan, limits), ...priceFindings(plan)]);
}

/** The part of a plan that is known once the market is. */
export interface OnMarket extends Pick<Plan, 'action' | 'market'> {
  facts: Pick<Plan['facts'], 'market' | 'marketNames'>;
}

/** What no other size, side or price would change: the profile and the market. */
export function guardMarket(on: OnMarket, { limits }: { limits: Limits }): readonly Finding[] {
  const findings = [...readOnlyFindings(limits), ...marketFindings(on)];
  return stopsFirst(enlarges(on) ? [...findings, ...allowedMarketFindings(on, limits)] : findings);
}

const enlarges = ({ action }: OnMarket): boolean => action === 'open' || action === 'add';

const readOnlyFindings = ({ readOnly }: Limits): readonly Finding[] =>
  readOnly
    ? [
        {
          level: 'stop',
          code: 'read_only',
          says: 'This profile is read-only: no action is dealt with it.',
          hint: 'Deal with another one (--profile NAME), or see hedge profile limit --help.',
        },
      ]
    : [];

function allowedMarketFindings({ market }: OnMarket, { markets }: Limits): readonly Finding[] {
  if (markets === undefined || markets.includes(market)) return [];
  const allowed = markets.map((each) => unquoted(each)).join(', ');
  return [
    {
      level: 'stop',
      code: 'limit_exceeded',
      says: `This profile may not open or add in ${market}, only in ${allowed}.`,
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
        says: `${market} is not among the markets of this account.`,
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
        says: enlarges(on)
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
      says: `${market} has a status that is not known here: ${quoted(status)}.`,
      hint: 'To see the market: hedge markets',
      details: { market, status },
    },
  ];
}

/** Sides, tenors, statuses and environments in the service's spelling (specification §1, §3, §5), and derived references. */
import { ownField } from './fields.ts';

export const SIDES = ['buy', 'sell'] as const;
export type Side = (typeof SIDES)[number];

/** Names that differ in case and separators alone are one name: `USDTNGN`, `usdt-ngn`, `USDT/NGN`. */
export const isSameName = (one: string, other: string): boolean =>
  one === other || bareName(one) === bareName(other);

export interface SideOfMarket {
  market: string;
  side: Side;
}

/** `market` may be spelled otherwise by another of the service's lists. */
export const isSameSide = (one: SideOfMarket, other: { market: string; side: string | undefined }): boolean =>
  one.side === other.side && isSameName(one.market, other.market);

const bareName = (name: string): string => name.toLowerCase().replaceAll(/[\s\p{P}\p{S}]/gu, '') || name;

/** Tenors in days that every market supports (specification §8). */
export const TENORS = [1, 3, 7] as const;
export type Tenor = (typeof TENORS)[number];

export const HEDGE_STATUSES = ['submitting', 'submitted', 'filled', 'failed', 'closed'] as const;
export type HedgeStatus = (typeof HEDGE_STATUSES)[number];

export const ENVIRONMENTS = ['live', 'sandbox', 'practice'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The built-in profile of the practice service's live account: no money, under the rules of live. */
export const PRACTICE_LIVE = 'practice-live';

/** Whether the rules of real money apply: typed confirmation, more flags without a terminal, emphasis. */
export const hasLiveRules = (where: { environment: Environment | undefined; profile: string }): boolean =>
  where.environment === 'live' || (where.environment === 'practice' && where.profile === PRACTICE_LIVE);

/** Explains an environment's name. */
export const ENVIRONMENT_GLOSS: Readonly<Record<Environment, string>> = {
  live: 'real money',
  sandbox: "the partner's test funds",
  practice: 'this machine, no money',
};

/**
 * Who gains on a side, in words. A price of P on USDTNGN is P units of the quote currency per USDT, so the
 * buyer of USDT gains when the quote currency weakens. Markets other than a USDT pair name the pair itself.
 */
export function sideInWords(market: string, side: Side): string {
  const currency = quoteCurrency(market);
  const named = ownField(CURRENCY_NAMES, currency) ?? currency;
  return `gains when the ${named} ${side === 'buy' ? 'weakens' : 'strengthens'}`;
}

const BASE = 'USDT';
const CURRENCY_NAMES: Readonly<Record<string, string>> = { NGN: 'naira' };

/** The quote currency of a USDT pair (`USDTNGN` → `NGN`); any other name is returned as it is. */
export function quoteCurrency(market: string): string {
  return market.startsWith(BASE) && market.length > BASE.length ? market.slice(BASE.length) : market;
}

export const isNairaMarket = (market: string): boolean => quoteCurrency(market) === 'NGN';

/** The prefix of references that hedge gives an open without a deal ID. */
export const REFERENCE_MARK = 'hedge-';
export const REFERENCE_DIGITS = 16;

/** Whether it was derived by hedge, and so is no deal ID of the operator. */
export const isDerivedReference = (reference: unknown): boolean =>
  typeof reference === 'string' && DERIVED_REFERENCE.test(reference);

const DERIVED_REFERENCE = new RegExp(`^${REFERENCE_MARK}[0-9a-f]{${REFERENCE_DIGITS.toString()}}$`);

/** Deal IDs of cover, and of the legs that a roll adds: `COVER-20261214-BUY-3f9a21.r2`. */
const COVER_ID = /^COVER-(\d{4})(\d\d)(\d\d)-/;

/** The due date that a hedge was opened for, by its deal ID: `2026-12-14`. */
export function coveredDate(reference: string | undefined): string | undefined {
  const [, year = '', month = '', day = ''] = COVER_ID.exec(reference ?? '') ?? [];
  return year === '' ? undefined : `${year}-${month}-${day}`;
}

/** Hedges in one response, at most (specification §8). */
export const LARGEST_PAGE = 500;

/** A list of this length or longer may be a page of the service's own size, whatever the length. */
export const SMALLEST_PAGE = 20;

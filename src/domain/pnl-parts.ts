/** P&L in parts: market move, impact, slippage, carry and fees. Positive: the account gained. Exact; only quotients are rounded. Pure. */
import { Big } from 'big.js';
import { divide, sum, USD_PLACES } from './amounts.ts';
import { payoffAt, payoffTolerance } from './payoff.ts';
import type { Side } from './vocabulary.ts';

export const PNL_PARTS = [
  'market_usd',
  'impact_usd',
  'slippage_usd',
  /** Price P&L that is not split into the three before. */
  'price_usd',
  'carry_usdc',
  'fees_usdc',
] as const;
export type PnlPart = (typeof PNL_PARTS)[number];
/** USDC counts as USD where the parts are added. */
export type PnlParts = Readonly<Record<PnlPart, Big>>;

const ZERO = new Big(0);

export const pnlOf = (known: Partial<PnlParts>): PnlParts => ({ ...NO_PNL, ...known });

const eachPart = (make: (part: PnlPart) => Big): PnlParts => ({
  market_usd: make('market_usd'),
  impact_usd: make('impact_usd'),
  slippage_usd: make('slippage_usd'),
  price_usd: make('price_usd'),
  carry_usdc: make('carry_usdc'),
  fees_usdc: make('fees_usdc'),
});

export const NO_PNL: PnlParts = eachPart(() => ZERO);

export const addPnl = (all: readonly PnlParts[]): PnlParts =>
  eachPart((part) => sum(all.map((each) => each[part])));

export const lessPnl = (whole: PnlParts, taken: PnlParts): PnlParts =>
  eachPart((part) => whole[part].minus(taken[part]));

export const netPnl = (parts: PnlParts): Big => sum(PNL_PARTS.map((part) => parts[part]));

/** The quotes of a hedge, summed over its open and its adds: USD, and Σ N × rate. */
export interface EntryQuotes {
  notional: Big;
  atMid: Big;
  atQuoted: Big;
}

/** A hedge or a part of one, with its price P&L in USD. Rates are quote currency per USDT. */
export interface PricedPart {
  side: Side;
  notional: Big;
  struck: Big | undefined;
  /** At the end, or the mark while it is open. */
  exit: Big | undefined;
  gross: Big;
}

/**
 * The price P&L of a part, split. With N its notional, K its struck rate, X the rate at exit, and the mid and the quoted
 * price averaged by notional, for a buy (a sell is its negative):
 *
 *   market N(X − mid)/X, impact −N(quoted − mid)/X, slippage −N(K − quoted)/X; together N(X − K)/X
 *
 * The rest of the rounding is in the market move. Not split without quotes, or where the P&L is not that of this payoff.
 */
export function splitPrice(
  { side, notional, struck, exit, gross }: PricedPart,
  quotes: EntryQuotes | undefined,
): PnlParts {
  const unsplit = pnlOf({ price_usd: gross });
  if (quotes === undefined || struck === undefined || exit === undefined) return unsplit;
  if (exit.lte(0) || quotes.notional.lte(0)) return unsplit;
  const difference = gross.minus(payoffAt({ side, notional, struck }, exit));
  if (difference.abs().gt(payoffTolerance(notional))) return unsplit;
  const sign = side === 'buy' ? -1 : 1;
  const divisor = quotes.notional.times(exit);
  const partOf = (moved: Big): Big => divide(notional.times(moved).times(sign), divisor, USD_PLACES);
  const impact = partOf(quotes.atQuoted.minus(quotes.atMid));
  const slippage = partOf(struck.times(quotes.notional).minus(quotes.atQuoted));
  return pnlOf({
    market_usd: gross.minus(impact).minus(slippage),
    impact_usd: impact,
    slippage_usd: slippage,
  });
}

/** A quote and a grid of quotes as values, whether typed or asked for by a plan. */
import type { Big } from 'big.js';
import type { Sizing, WithoutSize } from './action-intent.ts';
import type { Side, Tenor } from './vocabulary.ts';

interface QuoteRequest {
  /** In capitals; not checked against the service. */
  market: string;
  /** In days; at least one, ascending, none twice. */
  tenors: readonly Tenor[];
  /** Added to the break-even for the customer's rate, in bps of it; zero or more. */
  markupBps?: Big | undefined;
}

export interface QuoteIntent extends QuoteRequest {
  side: Side;
  /** USD, positive, two decimals at most. */
  notional: Big;
  /** How the notional was computed; undefined when it was typed. */
  sizing?: Sizing | undefined;
  /** Also quotes smaller and larger notionals, for one tenor. */
  curve?: boolean | undefined;
  /** Quote currency per USDT: the highest price to buy at, the lowest to sell at. */
  worstPrice?: Big | undefined;
  /** Highest total cost in bps of notional; negative is a gain. */
  maxCostBps?: Big | undefined;
}

/** A quote whose size is still to be computed from what the service shows. */
export type UnsizedQuote = WithoutSize<QuoteIntent>;

export interface GridIntent extends QuoteRequest {
  /** At least one, buy first. */
  sides: readonly Side[];
  /** USD, ascending, none twice. */
  sizes: readonly Big[];
}

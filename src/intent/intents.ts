/** What the operator wants, as values: the same whether it was typed or asked for. No text, no service. */
import type { Big } from 'big.js';
import type { Side, Tenor } from '../domain/vocabulary.ts';

export interface QuoteIntent {
  /** In capitals; whether there is such a market is the service's to say. */
  market: string;
  side: Side;
  /** USD, positive, two decimals at most. */
  notional: Big;
  /** In days; at least one, ascending, none twice. */
  tenors: readonly Tenor[];
  /** Smaller and larger notionals beside it, of one tenor. */
  curve?: boolean | undefined;
  /** Quote currency per USDT: the highest that is good enough to buy at, the lowest to sell at. */
  worstPrice?: Big | undefined;
  /** The most that the whole hedge may cost, in bps of notional; negative asks to earn. */
  maxCostBps?: Big | undefined;
}

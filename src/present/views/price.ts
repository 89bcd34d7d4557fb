/** Mids as a person reads them. An answer of a shape we don't know is shown as it came. */
import { spelledName } from '../../domain/clean.ts';
import { quoteCurrency } from '../../domain/vocabulary.ts';
import type { MarketPrice } from '../../flow/read/read-prices.ts';
import { type Block, type Cell, nameText } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { cellOf } from '../fields.ts';

export function viewPrices(prices: readonly MarketPrice[]): readonly Block[] {
  return [
    {
      kind: 'table',
      columns: [{ header: 'MARKET' }, { header: 'MID', align: 'right' }, { header: 'PER USDT IN' }],
      rows: prices.map(({ market, mid, sent }): readonly Cell[] => [
        nameText(market),
        mid === undefined ? cellOf('price', sent) : { kind: 'rate', amount: mid },
        nameText(quoteCurrency(market)),
      ]),
      empty: 'No market is available to this account.',
    },
  ];
}

export const priceChanges = (prices: readonly MarketPrice[]): readonly ChangeLine[] =>
  prices.map(({ market, mid, sent }) => ({
    key: spelledName(market),
    cells: [mid === undefined ? cellOf('price', sent) : { kind: 'rate', amount: mid }],
  }));

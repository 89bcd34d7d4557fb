/**
 * Mids as a person reads them. An answer of a shape we don't know is shown as it came.
 *
 * A mid for programs: one object a market, whatever shape the service's answer has, with the mid we found in it
 * under `derived`. Knows the shapes apart, and judges none of them.
 *
 * The mids that were seen of one market, as a line over time, and how far it has moved.
 */

import { Big } from 'big.js';
import { roundTo } from '../../domain/amounts.ts';
import { instantText } from '../../domain/instants.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { quoteCurrency } from '../../domain/vocabulary.ts';
import type { MarketPrice, SeenMarket } from '../../readings/read-prices.ts';
import { type Block, type Cell, line, nameText, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { cellOf } from '../field-labels.ts';
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

/** The columns of `--csv`, in order; the last is filled only where the answer is no price of one market. */
export const PRICE_COLUMNS = ['market', 'price', 'derived.market', 'derived.mid', 'sent'] as const;
export const SEEN_PRICE_COLUMNS = [...PRICE_COLUMNS, 'derived.seen'] as const;

export const priceDocument = (price: MarketPrice): unknown => ({
  ...sentOf(price),
  derived: derivedOf(price),
});

/** With every mid that was seen, oldest first, under `derived.seen`. */
export const seenPriceDocument = (price: SeenMarket): unknown => ({
  ...sentOf(price),
  derived: { ...derivedOf(price), seen: price.seen.map(({ at, mid }) => ({ at: instantText(at), mid })) },
});

const derivedOf = ({ market, mid }: MarketPrice) => ({ market, mid: mid ?? null });

/**
 * The price as it was sent, where it is an object that names its market, alone or as the only one of a list. A
 * map of markets, a bare number or a shape that we don't know stands whole under `sent`: its names are no fields.
 */
function sentOf({ sent }: MarketPrice): Readonly<Record<string, unknown>> {
  const [only, another]: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  return isPrice(only) && another === undefined ? only : { sent };
}

const isPrice = (sent: unknown): sent is Readonly<Record<string, unknown>> =>
  typeof sent === 'object' &&
  sent !== null &&
  !Array.isArray(sent) &&
  !(sent instanceof Big) &&
  Object.hasOwn(sent, 'market');

export function viewSeenPrice({ market, seen }: SeenMarket): readonly Block[] {
  const [first] = seen;
  const last = seen.at(-1);
  if (first === undefined || last === undefined) return [];
  if (seen.length === 1)
    return [
      { kind: 'gap' },
      line(
        nameText(`${market} was seen once from this machine. hedge price --watch lets the line grow.`, 'dim'),
      ),
    ];
  return [
    { kind: 'gap' },
    line(
      nameText(`${market}, ${quoteCurrency(market)} per USDT, as seen from this machine:`, 'strong'),
      text(`${seen.length.toString()} prices,`),
      ...moveCells(first.mid, last.mid),
    ),
    {
      kind: 'chart',
      points: seen.map(({ at, mid }) => ({ x: at, y: mid })),
      label: (mid) => ({ kind: 'rate', amount: roundTo(mid, 4) }),
      ends: [timeCell(first.at), timeCell(last.at)],
      empty: 'No price has been seen yet.',
    },
  ];
}

/** How far it is from one price to another: signed, and in percent of the first. */
export function moveCells(from: Big, to: Big): readonly Cell[] {
  const move = to.minus(from);
  if (move.eq(0)) return [text('unchanged')];
  const percent = from.eq(0) ? new Big(0) : roundTo(move.times(100).div(from), 3);
  return [
    { kind: 'money', amount: roundTo(move, 4), signed: true },
    text('('),
    { kind: 'percent', amount: percent, signed: true },
    text(')'),
  ];
}

const timeCell = (at: number): Cell => ({ kind: 'time', at: instantText(at), style: 'minute' });

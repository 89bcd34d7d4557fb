/** Markets, one line each, with both sides; mids and their documents; locally recorded mids as a chart. */

import { Big } from 'big.js';
import type { Market } from '../../client/schemas.ts';
import { roundHalfUp } from '../../domain/amounts.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import { shell } from '../../domain/hint.ts';
import { instantText } from '../../domain/instants.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { quoteCurrency } from '../../domain/vocabulary.ts';
import type { MarketPrice, SeenMarket } from '../../readings/read-prices.ts';
import type { PriceDocument } from '../../schema/reading-document.ts';
import { dimLine, gap, line, tableOf, type View } from '../blocks.ts';
import { type Cell, type ChangeLine, hintCell, nameText, phrase, text, type Words } from '../cells.ts';
import { cellOf } from '../field-labels.ts';
import { listOf } from '../list.ts';
import { minute, ofAmount, usd } from './record-columns.ts';

const dailyCarry = ofAmount(carryInWords);
/** Nothing can be opened on a disabled market. */
const capacity = (amount: unknown, { status }: Market): Cell =>
  ofAmount(usd)(status === 'disabled' ? undefined : amount);

export const marketList = listOf<Market>()(
  [
    { name: 'market', header: 'Market' },
    {
      name: 'status',
      header: 'Status',
      cell: (status) => text(String(status), status === 'open' ? undefined : 'warn'),
    },
    { name: 'price', header: 'Mid' },
    { name: 'available_capacity_usd.buy', header: 'Max buy (USD)', cell: capacity },
    { name: 'available_capacity_usd.sell', header: 'Max sell (USD)', cell: capacity },
    { name: 'net_rate_daily_pct.buy', header: 'Buy carry', cell: dailyCarry },
    { name: 'net_rate_daily_pct.sell', header: 'Sell carry', cell: dailyCarry },
  ],
  { isSent: true, key: ['market'], empty: 'No markets available to this account' },
);

export const viewMarkets = (markets: readonly Market[]): View => [
  marketList.view(markets),
  markets.length > 0 && dimLine('Max: capacity now, USD. Carry: per day.'),
];

/** Carry in words, from the signed daily rate: positive means the account pays (specification §2). */
function carryInWords(rate: Big): Cell {
  if (rate.eq(0)) return text('none');
  return text(`${rate.gt(0) ? 'pays' : 'earns'} ${rate.abs().toFixed()} %`);
}

/** `records`: the documents of the prices. */
export const viewPrices = (prices: readonly MarketPrice[], records: readonly unknown[]): View =>
  tableOf(
    prices,
    [
      { header: 'MARKET', field: 'derived.market', show: ({ market }) => nameText(market) },
      { header: 'MID', field: 'derived.mid', align: 'right', show: midCell },
      { header: 'QUOTE CCY', show: ({ market }) => nameText(quoteCurrency(market)) },
    ],
    { records, empty: 'No markets available to this account' },
  );

const midCell = ({ mid, sent }: MarketPrice): Cell =>
  mid === undefined ? cellOf('price', sent) : { kind: 'rate', amount: mid };

export const priceChanges = (prices: readonly MarketPrice[]): readonly ChangeLine[] =>
  prices.map((price) => ({ key: spelledName(price.market), cells: midCell(price) }));

/** The columns of `--csv`, in order; `sent` holds a response of an unknown shape. */
export const PRICE_COLUMNS = ['market', 'price', 'derived.market', 'derived.mid', 'sent'] as const;
export const SEEN_PRICE_COLUMNS = [...PRICE_COLUMNS, 'derived.seen'] as const;

/** Under `derived.seen` the locally recorded mids, oldest first, where they were asked for. */
export function priceDocument(price: MarketPrice | SeenMarket): PriceDocument {
  const { market, mid = null } = price;
  const seen = 'seen' in price && { seen: price.seen.map((each) => ({ ...each, at: instantText(each.at) })) };
  return { ...sentOf(price), derived: { market, mid, ...seen } };
}

/** The price as sent, if it is one object that names its market; any other shape is kept whole under `sent`. */
function sentOf({ sent }: MarketPrice): Fields {
  const [only, another]: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  return isFields(only) && Object.hasOwn(only, 'market') && another === undefined ? only : { sent };
}

export function viewSeenPrice({ market, seen }: SeenMarket): View {
  const [first] = seen;
  const last = seen.at(-1);
  if (first === undefined || last === undefined) return [];
  if (seen.length === 1) {
    const only = nameText(`Only one mid of ${market} is recorded. To record more:`, 'dim');
    return [gap, line(only, hintCell(shell`hedge price --watch`, 'dim'))];
  }
  return [
    gap,
    line(
      nameText(`${market}, ${quoteCurrency(market)} per USDT, locally recorded:`, 'strong'),
      `${seen.length} mids,`,
      moveCells(first.mid, last.mid),
    ),
    {
      kind: 'chart',
      points: seen.map(({ at, mid }) => ({ x: at, y: mid })),
      label: (mid) => ({ kind: 'rate', amount: roundHalfUp(mid, 4) }),
      ends: [minute(first.at), minute(last.at)],
      empty: 'No mids recorded',
    },
  ];
}

/** The change from one price to another, signed, and in percent. */
export function moveCells(from: Big, to: Big): Words {
  const move = to.minus(from);
  if (move.eq(0)) return 'unchanged';
  const percent = from.eq(0) ? new Big(0) : roundHalfUp(move.times(100).div(from), 3);
  const amount: Cell = { kind: 'money', amount: roundHalfUp(move, 4), signed: true };
  return phrase`${amount} (${{ kind: 'percent', amount: percent, signed: true }})`;
}

/** Quotes: one tenor in full, several as a table, or a curve by notional; and their documents and change lines. */
import type { Big } from 'big.js';
import type { Account, Quote } from '../../client/schemas.ts';
import { roundHalfUp } from '../../domain/amounts.ts';
import { carryInWords } from '../../domain/quote-figures.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { quoteCurrency } from '../../domain/vocabulary.ts';
import type { CurveReading } from '../../readings/read-curve.ts';
import type { QuotedTenor, QuoteReading } from '../../readings/read-quotes.ts';
import type { QuoteDocument } from '../../schema/reading-document.ts';
import { dimLine, figureRows, gap, line, type TableBlock, tableOf, type View } from '../blocks.ts';
import { type Cell, type ChangeLine, missing, nameText, phrase, text, type Words } from '../cells.ts';
import { listOf } from '../list.ts';
import { breakEvenRow, capitalized, cost, costWord, gainsWhen } from './priced.ts';
import {
  bps,
  bpsFigure,
  cents,
  centsCell,
  days,
  extraCells,
  maturityCell,
  ofAmount,
  rate,
  row,
  usd,
} from './record-columns.ts';

type ShownQuotes = Pick<QuoteReading, 'tenors' | 'account'>;

export function viewQuotes(reading: ShownQuotes): View {
  const [first] = reading.tenors;
  if (first === undefined) return [];
  return reading.tenors.length === 1 ? viewOne(first, reading.account) : viewSeveral(reading, first);
}

function viewOne(tenor: QuotedTenor, account: Account | undefined): View {
  const { quote, figures } = tenor;
  const { pricing, carry, upfront } = quote;
  const sign = quote.side === 'buy' ? 'and' : 'less';
  const prices = figureRows(
    row('Price', rate(pricing.execution_price), 'mid', rate(pricing.market_price)),
    breakEvenRow(figures),
    figures.customer_rate !== undefined &&
      row('Customer', rate(figures.customer_rate, 4), `break-even ${sign} markup`),
  );
  const amounts = figureRows(
    row('Impact', usd(figures.impact_cost_usd, 'USD')),
    row('Carry', usd(carry.total_usdc, 'USDC'), perDay(carry.daily_usdc)),
    row('Platform fee', usd(upfront.platform_fee_usdc, 'USDC')),
    row(costWord(figures.cost_usdc), cost(figures.cost_usdc), bps(figures.cost_bps)),
    row(
      'Upfront',
      usd(upfront.total_upfront_usdc, 'USDC'),
      phrase`margin ${usd(upfront.required_margin_usdc)} + fee ${usd(upfront.platform_fee_usdc)}`,
    ),
    account === undefined && row('Free', missing, text('account not read', 'warn')),
    account && row('Free', free(account, quote)),
    account && row('Headroom', headroom(account, quote)),
    ...extraFields(quote).map(([label, cell]) => row(label, cell)),
  );
  return [headline(tenor, true), gap, prices, gap, amounts];
}

function viewSeveral(reading: ShownQuotes, first: QuotedTenor): View {
  return [
    headline(first, false),
    tenorTable(reading.tenors),
    underneath(reading, first),
    reading.tenors.flatMap(({ quote }) =>
      extraFields(quote).map(([label, cell]) =>
        line(text(`${quote.tenor_days.toString()} d ${label}`, 'dim'), cell),
      ),
    ),
  ];
}

/** `QUOTE buy USDTNGN 10,000.00 USD, cost 1 d 21 bps, 3 d 31 bps`. */
export function briefQuote({ tenors: [first, ...others] }: ShownQuotes): Words {
  if (first === undefined) return undefined;
  const { side, market, notional_usd: notional, tenor_days, pricing } = first.quote;
  return [
    nameText(`QUOTE ${side} ${market}`),
    usd(notional, 'USD'),
    others.length === 0
      ? phrase`, ${tenor_days.toString()} d at ${rate(pricing.execution_price)}, cost ${bps(first.figures.cost_bps)}`
      : [', cost', costOf(first), others.map((each) => [',', costOf(each)])],
  ];
}

const costOf = ({ quote, figures }: QuotedTenor): Words => [
  `${quote.tenor_days.toString()} d`,
  bps(figures.cost_bps),
];

export const tenorCell = (tenor: unknown): Cell => text(`${String(tenor)} d`);
export const rateCell = ofAmount((amount) => rate(amount, 2));
export const bpsCell = ofAmount(bpsFigure);
const strong = (amount: Big): Cell => usd(amount, undefined, 'strong');
const priceFigure = (amount: Big): Cell => ({
  kind: 'rate',
  amount: roundHalfUp(amount, TABLE_PLACES),
  decimals: TABLE_PLACES,
});
const TABLE_PLACES = 4;

/** A part of the total cost. */
const PART = { optional: true, group: 'cost', cell: centsCell } as const;

/** The columns of `--csv`, in order; on a screen one row per tenor. */
const quoteRows = listOf<QuoteDocument, QuoteDocument>()(
  [
    'market side notional_usd',
    { name: 'tenor_days', header: 'Tenor', show: ({ tenor_days: tenor }) => tenorCell(tenor) },
    { name: 'maturity', header: 'Matures', cell: (at) => maturityCell(String(at), 'date') },
    'pricing.market_price',
    { name: 'pricing.execution_price', header: 'Price', cell: ofAmount(priceFigure) },
    'pricing.price_impact_usd carry.daily_usdc carry.daily_rate_pct',
    { ...PART, name: 'carry.total_usdc', header: 'Carry' },
    'carry.total_rate_pct upfront.required_margin_usdc',
    { ...PART, name: 'upfront.platform_fee_usdc', header: 'Fee' },
    'upfront.total_upfront_usdc',
    { name: 'derived.all_in_rate', header: 'Break-even', align: 'right', optional: 'last', cell: rateCell },
    'derived.move_to_break_even_pct',
    { ...PART, name: 'derived.impact_cost_usd', header: 'Impact' },
    { name: 'derived.cost_usdc', header: 'Total cost', cell: ofAmount((amount) => strong(cents(amount))) },
    { name: 'derived.cost_bps', header: 'bps', cell: bpsCell },
    'derived.notional_quote derived.misses',
    { name: 'derived.customer_rate', header: 'Customer', align: 'right', isExtra: true, cell: rateCell },
  ],
  {
    screen:
      'tenor_days maturity pricing.execution_price derived.impact_cost_usd carry.total_usdc upfront.platform_fee_usdc derived.cost_usdc derived.cost_bps derived.all_in_rate derived.customer_rate',
    record: (quote) => quote,
  },
);
export const QUOTE_COLUMNS = quoteRows.columns;

export function tenorTable(tenors: readonly QuotedTenor[]): TableBlock {
  const isMarked = tenors.some(({ figures }) => figures.customer_rate !== undefined);
  return quoteRows.block(tenors.map(quoteDocument), {
    only: ({ name }) => isMarked || name !== 'derived.customer_rate',
  });
}

/** `Buy USDTNGN 10,000.00 USD = 15,325,612.00 NGN for 3 days, to Mon 23 Nov 10:02. Gains when …` */
function headline({ quote, figures }: QuotedTenor, single: boolean): View {
  const until: Words = single
    ? [`for ${days(quote.tenor_days.toString())}, to`, maturityCell(quote.maturity, 'minute'), '.']
    : '.';
  return line(
    nameText(`${capitalized(quote.side)} ${quote.market}`, 'strong'),
    usd(quote.notional_usd, 'USD'),
    '=',
    usd(cents(figures.notional_quote), spelledName(quoteCurrency(quote.market))),
    until,
    gainsWhen(quote.market, quote.side),
  );
}

function underneath({ tenors, account }: ShownQuotes, { quote: first }: QuotedTenor): View {
  const upfronts = new Set(tenors.map(({ quote }) => quote.upfront.total_upfront_usdc.toFixed()));
  const { total_upfront_usdc: total, required_margin_usdc: margin } = first.upfront;
  const upfront =
    upfronts.size === 1
      ? phrase`Upfront ${usd(total, 'USDC')} (margin ${usd(margin)})`
      : 'Upfront differs by tenor: see --tenor';
  const room =
    account === undefined
      ? text('; balance and headroom unknown', 'warn')
      : phrase`; free ${free(account, first)}; headroom ${headroom(account, first)}`;
  const cut = tenors.some(
    ({ quote, figures }) =>
      isCut(quote.pricing.execution_price, TABLE_PLACES) ||
      [
        figures.impact_cost_usd,
        quote.carry.total_usdc,
        quote.upfront.platform_fee_usdc,
        figures.cost_usdc,
      ].some((amount) => isCut(amount, 2)),
  );
  return [
    line(upfront, room, '.'),
    cut && dimLine(`Rounded to 2 decimals, prices to ${TABLE_PLACES}. Full precision: --tenor or --json.`),
  ];
}

const isCut = (amount: Big, places: number): boolean => !roundHalfUp(amount, places).eq(amount);

const free = ({ balance_usdc: has }: Account, { upfront }: Quote): Words => [
  usd(has, 'USDC'),
  tooLittle(has, upfront.total_upfront_usdc),
];

const headroom = ({ available_exposure_usd: has }: Account, { notional_usd: notional }: Quote): Words => [
  usd(has, 'USD'),
  tooLittle(has, notional),
];

const tooLittle = (has: Big, needs: Big): Words => has.lt(needs) && text('(insufficient)', 'warn');

/** Fields of a quote that are not in the specification, in its groups too. */
const extraFields = ({ pricing, carry, upfront, ...top }: Quote) => [
  ...extraCells(top, ['market', 'side', 'notional_usd', 'tenor_days', 'maturity']),
  ...extraCells(pricing, ['market_price', 'execution_price', 'price_impact_usd']),
  ...extraCells(carry, ['daily_usdc', 'daily_rate_pct', 'total_usdc', 'total_rate_pct']),
  ...extraCells(upfront, ['required_margin_usdc', 'platform_fee_usdc', 'total_upfront_usdc']),
];

function perDay(daily: Big): Words {
  const { words, amount } = carryInWords(daily);
  return amount.eq(0) ? words : [words, usd(amount), 'per day'];
}

export const quoteDocument = ({ quote: sent, figures, misses, sized }: QuotedTenor): QuoteDocument => ({
  ...sent,
  derived: {
    ...figures,
    misses: misses.map(({ bound, limit, by }) => ({ bound, limit, by })),
    ...(sized === undefined ? {} : { sized }),
  },
});

export const quoteChanges = (tenors: readonly QuotedTenor[]): readonly ChangeLine[] =>
  tenors.map(({ quote, figures, misses }) => ({
    key: `${spelledName(quote.market)} ${quote.side} ${quote.notional_usd.toFixed()} ${quote.tenor_days.toString()} d`,
    cells: [
      text('at'),
      rate(quote.pricing.execution_price),
      text(`, ${costWord(figures.cost_usdc).toLowerCase()}`),
      cost(figures.cost_usdc),
      bps(figures.cost_bps),
      ...misses.map(({ message }) => text(`, ${message}`, 'warn')),
    ],
  }));

/** The cost of a hedge by its notional, as a table and a chart. */
export function viewCurve({ tenors, intent, refused }: CurveReading): View {
  const [first] = tenors;
  const last = tenors.at(-1);
  if (first === undefined || last === undefined) return [];
  const { market, side, tenor_days: tenor } = first.quote;
  return [
    line(nameText(`${capitalized(side)} ${market}, ${days(tenor.toString())}: cost by notional.`)),
    gap,
    tableOf(tenors, [
      { header: 'NOTIONAL USD', align: 'right', show: ({ quote }) => usd(quote.notional_usd) },
      { header: 'PRICE', align: 'right', show: ({ quote }) => priceFigure(quote.pricing.execution_price) },
      { header: 'IMPACT', align: 'right', optional: true, show: (each) => usd(each.figures.impact_cost_usd) },
      { header: 'COST USDC', align: 'right', show: ({ figures }) => strong(figures.cost_usdc) },
      { header: 'BPS', align: 'right', show: ({ figures }) => bpsFigure(figures.cost_bps) },
      {
        header: '',
        show: ({ quote }) => text(quote.notional_usd.eq(intent.notional) ? '<- requested' : '', 'dim'),
      },
    ]),
    refused.map(({ notional, why }) => line('No quote for', usd(notional, 'USD'), `(${why}).`)),
    gap,
    dimLine(`${costWord(first.figures.cost_usdc)} in bps of notional, smallest to largest:`),
    {
      kind: 'chart',
      height: 8,
      points: tenors.map(({ figures }, index) => ({ x: index, y: figures.cost_bps })),
      label: bps,
      ends: [usd(first.quote.notional_usd, 'USD'), usd(last.quote.notional_usd, 'USD')],
      empty: 'No quotes',
    },
  ];
}

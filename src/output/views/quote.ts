/** Quotes: one tenor in full, or several as a table; and their documents and change lines. */
import type { Big } from 'big.js';
import type { Account, Quote } from '../../client/schemas.ts';
import { roundHalfUp } from '../../domain/amounts.ts';
import { ownField } from '../../domain/fields.ts';
import { carryInWords } from '../../domain/quote-figures.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { quoteCurrency, sideInWords } from '../../domain/vocabulary.ts';
import type { QuotedTenor, QuoteReading } from '../../readings/read-quotes.ts';
import type { QuoteDocument } from '../../schema/reading-document.ts';
import { type Block, dimLine, figureRows, gap, line, type TableBlock, type View } from '../blocks.ts';
import { type Cell, inline, missing, nameText, text, type Words } from '../cells.ts';
import type { ChangeLine } from '../change-lines.ts';
import { cellOf, labelOf, unknownFields } from '../field-labels.ts';
import {
  bps,
  bpsFigure,
  breakEvenRow,
  cost,
  costWord,
  days,
  maturityCell,
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
  const prices = figureRows(
    row('Price', rate(pricing.execution_price), 'mid', rate(pricing.market_price)),
    breakEvenRow(figures),
    figures.customer_rate !== undefined &&
      row(
        'Customer',
        rate(figures.customer_rate, 4),
        `break-even ${quote.side === 'buy' ? 'and' : 'less'} markup`,
      ),
  );
  const amounts = figureRows(
    row('Impact', usd(figures.impact_cost_usd, 'USD')),
    row('Carry', usd(carry.total_usdc, 'USDC'), perDay(carry.daily_usdc)),
    row('Platform fee', usd(upfront.platform_fee_usdc, 'USDC')),
    row(costWord(figures.cost_usdc), cost(figures.cost_usdc), bps(figures.cost_bps)),
    row(
      'Upfront',
      usd(upfront.total_upfront_usdc, 'USDC'),
      'margin',
      usd(upfront.required_margin_usdc),
      '+ fee',
      usd(upfront.platform_fee_usdc),
    ),
    ...accountRows(account, quote),
    ...extraFields(quote).map(({ name, value }) => row(labelOf(name), cellOf(name, value))),
  );
  return [headline(tenor, true), gap, prices, gap, amounts];
}

function viewSeveral(reading: ShownQuotes, first: QuotedTenor): View {
  return [
    headline(first, false),
    tenorTable(reading.tenors),
    underneath(reading),
    reading.tenors.flatMap(({ quote }) =>
      extraFields(quote).map(({ name, value }) =>
        line(text(`${quote.tenor_days.toString()} d ${labelOf(name)}`, 'dim'), cellOf(name, value)),
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
      ? [
          `, ${tenor_days.toString()} d at`,
          rate(pricing.execution_price),
          ', cost',
          bps(first.figures.cost_bps),
        ]
      : [', cost', costOf(first), others.map((each) => [',', costOf(each)])],
  ];
}

const costOf = ({ quote, figures }: QuotedTenor): Words => [
  `${quote.tenor_days.toString()} d`,
  bps(figures.cost_bps),
];

/** One row per tenor. */
export function tenorTable(tenors: readonly QuotedTenor[]): TableBlock {
  const isMarked = tenors.some(({ figures }) => figures.customer_rate !== undefined);
  const rows = tenors.map(({ quote, figures }): readonly Cell[] =>
    inline(
      `${quote.tenor_days.toString()} d`,
      maturityCell(quote.maturity, 'date'),
      {
        kind: 'rate',
        amount: roundHalfUp(quote.pricing.execution_price, TABLE_PLACES),
        decimals: TABLE_PLACES,
      },
      costs(quote, figures).map((amount) => usd(roundHalfUp(amount, MONEY_PLACES))),
      { kind: 'money', amount: roundHalfUp(figures.cost_usdc, MONEY_PLACES), tone: 'strong' },
      bpsFigure(figures.cost_bps),
      rateOrDash(figures.all_in_rate),
      isMarked && rateOrDash(figures.customer_rate),
    ),
  );
  const columns = isMarked ? [...COLUMNS, CUSTOMER] : COLUMNS;
  return { kind: 'table', columns, rows, records: tenors.map(quoteDocument) };
}

const costs = ({ carry, upfront }: Quote, { impact_cost_usd: impact }: QuotedTenor['figures']) => [
  impact,
  carry.total_usdc,
  upfront.platform_fee_usdc,
];

/** Decimals of prices in the table, and of money. */
const TABLE_PLACES = 4;
const MONEY_PLACES = 2;

const COLUMNS = [
  { header: 'TENOR', field: 'tenor_days' },
  { header: 'MATURES', field: 'maturity' },
  { header: 'PRICE', field: 'pricing.execution_price', align: 'right' },
  { header: 'IMPACT', field: 'derived.impact_cost_usd', align: 'right', optional: true, group: 'cost' },
  { header: 'CARRY', field: 'carry.total_usdc', align: 'right', optional: true, group: 'cost' },
  { header: 'FEE', field: 'upfront.platform_fee_usdc', align: 'right', optional: true, group: 'cost' },
  { header: 'TOTAL COST', field: 'derived.cost_usdc', align: 'right' },
  { header: 'BPS', field: 'derived.cost_bps', align: 'right' },
  { header: 'BREAK-EVEN', field: 'derived.all_in_rate', align: 'right', optional: 'last' },
] as const;

const CUSTOMER = { header: 'CUSTOMER', field: 'derived.customer_rate', align: 'right' } as const;

const rateOrDash = (amount: Big | undefined): Cell => (amount === undefined ? missing : rate(amount, 2));

/** `Buy USDTNGN 10,000.00 USD = 15,325,612.00 NGN for 3 days, to Mon 23 Nov 10:02. Gains when …` */
function headline({ quote, figures }: QuotedTenor, single: boolean): Block {
  const side = `${quote.side.charAt(0).toUpperCase()}${quote.side.slice(1)}`;
  const words = sideInWords(quote.market, quote.side);
  const until: Words = single
    ? [`for ${days(quote.tenor_days.toString())}, to`, maturityCell(quote.maturity, 'minute'), '.']
    : '.';
  return line(
    nameText(`${side} ${quote.market}`, 'strong'),
    usd(quote.notional_usd, 'USD'),
    '=',
    {
      kind: 'money',
      amount: roundHalfUp(figures.notional_quote, 2),
      unit: spelledName(quoteCurrency(quote.market)),
    },
    until,
    nameText(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`),
  );
}

function underneath({ tenors, account }: ShownQuotes): View {
  const upfronts = new Set(tenors.map(({ quote }) => quote.upfront.total_upfront_usdc.toFixed()));
  const [first] = tenors;
  if (first === undefined) return [];
  const { total_upfront_usdc: total, required_margin_usdc: margin } = first.quote.upfront;
  const upfront: Words =
    upfronts.size === 1
      ? ['Upfront', usd(total, 'USDC'), '(margin', usd(margin), ')']
      : 'Upfront differs by tenor: see --tenor';
  const room: Words =
    account === undefined
      ? text('; balance and headroom unknown', 'warn')
      : [
          '; free',
          usd(account.balance_usdc, 'USDC'),
          tooLittle(account.balance_usdc, total),
          '; headroom',
          usd(account.available_exposure_usd, 'USD'),
          tooLittle(account.available_exposure_usd, first.quote.notional_usd),
        ];
  const cut = tenors.some(
    ({ quote, figures }) =>
      isCut(quote.pricing.execution_price, TABLE_PLACES) ||
      [...costs(quote, figures), figures.cost_usdc].some((amount) => isCut(amount, MONEY_PLACES)),
  );
  return [
    line(upfront, room, '.'),
    cut &&
      dimLine(
        `Rounded to ${MONEY_PLACES} decimals, prices to ${TABLE_PLACES}. Full precision: --tenor or --json.`,
      ),
  ];
}

const isCut = (amount: Big, places: number): boolean => !roundHalfUp(amount, places).eq(amount);

function accountRows(account: Account | undefined, quote: Quote): Cell[][] {
  if (account === undefined) return [row('Free', missing, text('account not read', 'warn'))];
  return [
    row(
      'Free',
      usd(account.balance_usdc, 'USDC'),
      tooLittle(account.balance_usdc, quote.upfront.total_upfront_usdc),
    ),
    row(
      'Headroom',
      usd(account.available_exposure_usd, 'USD'),
      tooLittle(account.available_exposure_usd, quote.notional_usd),
    ),
  ];
}

const tooLittle = (has: Big, needs: Big): Words => has.lt(needs) && text('(insufficient)', 'warn');

interface SentField {
  name: string;
  value: unknown;
}

/** Fields of a quote that are not in the specification, in its groups too. */
function extraFields({ pricing, carry, upfront, ...top }: Quote): readonly SentField[] {
  return [
    ...extrasOf(top, ['market', 'side', 'notional_usd', 'tenor_days', 'maturity']),
    ...extrasOf(pricing, ['market_price', 'execution_price', 'price_impact_usd']),
    ...extrasOf(carry, ['daily_usdc', 'daily_rate_pct', 'total_usdc', 'total_rate_pct']),
    ...extrasOf(upfront, ['required_margin_usdc', 'platform_fee_usdc', 'total_upfront_usdc']),
  ];
}

const extrasOf = (group: Readonly<Record<string, unknown>>, known: readonly string[]): readonly SentField[] =>
  unknownFields([group], known).map((name) => ({ name, value: ownField(group, name) }));

function perDay(daily: Big): Words {
  const { words, amount } = carryInWords(daily);
  return amount.eq(0) ? words : [words, usd(amount), 'per day'];
}

/** The columns of `--csv`, in order. */
export const QUOTE_COLUMNS = [
  'market side notional_usd tenor_days maturity pricing.market_price pricing.execution_price',
  'pricing.price_impact_usd carry.daily_usdc carry.daily_rate_pct carry.total_usdc',
  'carry.total_rate_pct upfront.required_margin_usdc upfront.platform_fee_usdc',
  'upfront.total_upfront_usdc derived.all_in_rate derived.move_to_break_even_pct',
  'derived.impact_cost_usd derived.cost_usdc derived.cost_bps derived.notional_quote derived.misses',
].flatMap((names) => names.split(' '));

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

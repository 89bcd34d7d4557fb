/** A grid of quotes: one row per side, size and tenor, its document and its CSV columns. */
import type { Exceeded } from '../../domain/quote-grid.ts';
import { sideInWords } from '../../domain/vocabulary.ts';
import type { GridReading } from '../../readings/read-grid.ts';
import type { QuoteGridDocument } from '../../schema/reading-document.ts';
import { dimLine, gap, line, type TableSection, type View, warnLine } from '../blocks.ts';
import { dimPhrase, nameText, text, type Words } from '../cells.ts';
import { listOf } from '../list.ts';
import { bpsCell, rateCell, tenorCell } from './quote.ts';
import { countOf, usd } from './record-columns.ts';

/** The result of `hedge quote` for a grid. */
export const gridResult = (reading: GridReading) => ({
  view: () => viewGrid(reading),
  brief: () => briefGrid(reading),
  columns: gridRows.columns,
  documents: rowsOf(reading),
});

/** The service's quote with the grid's figures; without a quote, what was asked for. */
const rowsOf = ({ cells, intent: { market } }: GridReading): readonly QuoteGridDocument[] =>
  cells.map(({ side, notional, tenor, marginalBps, best, exceeds, customerRate, ...answer }) =>
    answer.quote === undefined
      ? {
          market,
          side,
          notional_usd: notional,
          tenor_days: tenor,
          derived: { marginal_bps: null, best, exceeds, customer_rate: null, refused: answer.refused },
        }
      : {
          ...answer.quote,
          derived: {
            ...answer.figures,
            marginal_bps: marginalBps ?? null,
            best,
            exceeds,
            customer_rate: customerRate ?? null,
            refused: null,
          },
        },
  );

const gridRows = listOf<QuoteGridDocument, QuoteGridDocument>()(
  [
    'market side',
    { name: 'notional_usd', header: 'Notional USD' },
    { name: 'tenor_days', header: 'Tenor', show: ({ tenor_days: tenor }) => tenorCell(tenor) },
    'maturity pricing.market_price',
    { name: 'pricing.execution_price', header: 'Price', align: 'right', optional: 'last', cell: rateCell },
    'pricing.price_impact_usd carry.daily_usdc carry.daily_rate_pct carry.total_usdc carry.total_rate_pct',
    'upfront.required_margin_usdc upfront.platform_fee_usdc',
    { name: 'upfront.total_upfront_usdc', header: 'Upfront', optional: true },
    { name: 'derived.all_in_rate', header: 'Break-even', align: 'right', cell: rateCell },
    'derived.move_to_break_even_pct derived.impact_cost_usd derived.cost_usdc',
    { name: 'derived.cost_bps', header: 'bps', align: 'right', cell: bpsCell },
    'derived.notional_quote',
    {
      name: 'derived.marginal_bps',
      header: 'Marginal bps',
      align: 'right',
      optional: 'last',
      note: (rows) => (rows.some(({ derived }) => derived.marginal_bps !== null) ? MARGINAL : undefined),
      cell: bpsCell,
    },
    { name: 'derived.best', header: '', show: ({ derived }) => text(derived.best ? 'best' : '', 'good') },
    {
      name: 'derived.exceeds',
      header: 'Above',
      show: ({ derived: { exceeds, refused } }) =>
        text([...exceeds.map((each) => MARKS[each]), refused ?? ''].join(' ').trim(), 'warn'),
    },
    { name: 'derived.customer_rate', header: 'Customer', align: 'right', cell: rateCell },
    'derived.refused',
  ],
  {
    empty: 'No quotes',
    screen:
      'notional_usd tenor_days pricing.execution_price derived.all_in_rate derived.customer_rate derived.cost_bps derived.best derived.marginal_bps upfront.total_upfront_usdc derived.exceeds',
    record: (row) => row,
  },
);

const MARGINAL = 'Marginal: the cost of each further USD above the next smaller size.';

/** For a batch on a terminal. */
const briefGrid = ({ cells, intent }: GridReading): Words => [
  nameText(`QUOTE ${intent.market}`),
  countOf(cells.length, 'quote'),
];

function viewGrid(reading: GridReading): View {
  const { intent, cells } = reading;
  const { market, markupBps } = intent;
  const sections: readonly TableSection[] = intent.sides.map((side) => ({
    rows: cells.filter((cell) => cell.side === side).length,
    title: `${side === 'buy' ? 'Buy' : 'Sell'}: ${sideInWords(market, side)}`,
  }));
  return [
    line(nameText(`${market}: total cost to maturity by side, size and tenor.`)),
    gap,
    gridRows.block(rowsOf(reading), {
      sections: sections.filter(({ rows }) => rows > 0),
      only: ({ name }) =>
        name === 'derived.exceeds'
          ? cells.some(({ exceeds, quote }) => exceeds.length > 0 || quote === undefined)
          : name !== 'derived.customer_rate' || markupBps !== undefined,
    }),
    gap,
    legend(reading),
  ];
}

const MARKS: Readonly<Record<Exceeded, string>> = { capacity: 'C', headroom: 'H', balance: 'B' };

/** Names each mark that is shown, with the limit; and the limits that are not known. */
function legend({ cells, intent, market, account }: GridReading): View {
  const isShown = (limit: Exceeded): boolean => cells.some(({ exceeds }) => exceeds.includes(limit));
  const { sides, markupBps } = intent;
  return [
    isShown('capacity') &&
      market !== undefined &&
      line(
        text('C: above the capacity:', 'warn'),
        sides.map((side, at) => [at > 0 && ',', side, usd(market.available_capacity_usd[side], 'USD')]),
        '.',
      ),
    isShown('headroom') &&
      account !== undefined &&
      line(text('H: above the headroom:', 'warn'), usd(account.available_exposure_usd, 'USD'), '.'),
    isShown('balance') &&
      account !== undefined &&
      line(text('B: upfront above the free balance:', 'warn'), usd(account.balance_usdc, 'USDC'), '.'),
    market === undefined && warnLine('The capacity is not known.'),
    account === undefined && warnLine('Headroom and balance are not known.'),
    cells.some(({ best }) => best) &&
      dimLine('best: the lowest cost of these tenors, for its side and size.'),
    markupBps !== undefined &&
      line(
        dimPhrase`Customer: the customer's rate, the break-even and ${{ kind: 'number', amount: markupBps, unit: 'bps', tone: 'dim' }} (a sell: less).`,
      ),
    cells.some(({ quote }) => quote !== undefined) && dimLine('Rounded. Full precision: --json'),
  ];
}

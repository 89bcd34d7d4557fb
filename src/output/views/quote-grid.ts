/** A grid of quotes: one row per side, size and tenor, its document and its CSV columns. */
import type { Big } from 'big.js';
import { roundTo } from '../../domain/amounts.ts';
import type { Exceeded } from '../../domain/quote-grid.ts';
import { sideInWords } from '../../domain/vocabulary.ts';
import type { GridCell, GridReading } from '../../readings/read-grid.ts';
import type { QuoteGridDocument } from '../../schema/reading-document.ts';
import { type Block, type Cell, line, nameText, type TableSection, text } from '../blocks.ts';
import { QUOTE_COLUMNS } from './quote.ts';
import { rate, usd } from './record-columns.ts';

/** What `hedge quote` shows of a grid. */
export interface GridResult {
  view: readonly Block[];
  brief: readonly Cell[];
  columns: readonly string[];
  documents: readonly QuoteGridDocument[];
}

export const gridResult = (reading: GridReading): GridResult => ({
  view: viewGrid(reading),
  brief: briefGrid(reading),
  columns: GRID_COLUMNS,
  documents: gridDocuments(reading),
});

const GRID_COLUMNS = [
  ...QUOTE_COLUMNS.filter((name) => name !== 'derived.misses'),
  'derived.marginal_bps',
  'derived.best',
  'derived.exceeds',
  'derived.customer_rate',
  'derived.refused',
] as const;

/** The service's quote with the grid's figures; without a quote, what was asked for. */
const gridDocuments = ({ cells, intent: { market } }: GridReading): readonly QuoteGridDocument[] =>
  cells.map(({ side, notional, tenor, quote, figures, ...cell }) => ({
    ...(quote ?? { market, side, notional_usd: notional, tenor_days: tenor }),
    derived: {
      ...figures,
      marginal_bps: cell.marginalBps ?? null,
      best: cell.best,
      exceeds: cell.exceeds,
      customer_rate: cell.customerRate ?? null,
      refused: cell.refused ?? null,
    },
  }));

/** For a batch on a terminal. */
function briefGrid({ cells, intent }: GridReading): readonly Cell[] {
  const count = cells.length === 1 ? '1 quote' : `${cells.length.toString()} quotes`;
  return [nameText(`QUOTE ${intent.market}`), text(count)];
}

const MISSING: Cell = { kind: 'missing' };

function viewGrid(reading: GridReading): readonly Block[] {
  const { intent, cells } = reading;
  const { market, markupBps } = intent;
  const sections: readonly TableSection[] = intent.sides.map((side) => ({
    rows: cells.filter((cell) => cell.side === side).length,
    title: `${side === 'buy' ? 'Buy' : 'Sell'}: ${sideInWords(market, side)}`,
  }));
  return [
    line(nameText(`${market}: total cost to maturity by side, size and tenor.`)),
    { kind: 'gap' },
    {
      kind: 'table',
      columns: [
        { header: 'NOTIONAL USD', field: 'notional_usd', align: 'right' },
        { header: 'TENOR', field: 'tenor_days' },
        { header: 'PRICE', field: 'pricing.execution_price', align: 'right', optional: 'last' },
        { header: 'BREAK-EVEN', field: 'derived.all_in_rate', align: 'right' },
        ...(markupBps === undefined
          ? []
          : [{ header: 'CUSTOMER', field: 'derived.customer_rate', align: 'right' } as const]),
        { header: 'BPS', field: 'derived.cost_bps', align: 'right' },
        { header: '', field: 'derived.best' },
        {
          header: 'MARGINAL BPS',
          field: 'derived.marginal_bps',
          align: 'right',
          optional: 'last',
          ...(cells.some(({ marginalBps: each }) => each !== undefined)
            ? { note: 'Marginal: the cost of each further USD above the next smaller size.' }
            : {}),
        },
        { header: 'UPFRONT', field: 'upfront.total_upfront_usdc', align: 'right', optional: true },
        { header: 'ABOVE', field: 'derived.exceeds' },
      ],
      rows: cells.map((cell) => rowOf(cell, markupBps)),
      records: gridDocuments(reading),
      sections: sections.filter(({ rows }) => rows > 0),
      empty: 'No quotes',
    },
    { kind: 'gap' },
    ...legend(reading),
  ];
}

const RATE_PLACES_SHOWN = 2;

const rateOr = (amount: Big | undefined): Cell =>
  amount === undefined ? MISSING : rate(amount, RATE_PLACES_SHOWN);

const bpsOr = (amount: Big | undefined): Cell =>
  amount === undefined ? MISSING : { kind: 'number', amount: roundTo(amount, 1) };

function rowOf(cell: GridCell, markupBps: Big | undefined): readonly Cell[] {
  const { notional, tenor, quote, figures, best, refused } = cell;
  return [
    usd(notional),
    text(`${tenor.toString()} d`),
    rateOr(quote?.pricing.execution_price),
    rateOr(figures?.all_in_rate),
    ...(markupBps === undefined ? [] : [rateOr(cell.customerRate)]),
    bpsOr(figures?.cost_bps),
    text(best ? 'best' : '', 'good'),
    bpsOr(cell.marginalBps),
    quote === undefined ? MISSING : usd(quote.upfront.total_upfront_usdc),
    text([...cell.exceeds.map((each) => MARKS[each]), refused ?? ''].join(' ').trim(), 'warn'),
  ];
}

const MARKS: Readonly<Record<Exceeded, string>> = { capacity: 'C', headroom: 'H', balance: 'B' };

/** Names each mark that is shown, with the limit; and the limits that are not known. */
function legend({ cells, intent, market, account }: GridReading): readonly Block[] {
  const isShown = (limit: Exceeded): boolean => cells.some(({ exceeds }) => exceeds.includes(limit));
  const { sides, markupBps } = intent;
  const marked: readonly (readonly Cell[])[] = [
    ...(isShown('capacity') && market !== undefined
      ? [
          [
            text('C: above the capacity:', 'warn'),
            ...sides.flatMap((side, at) => [
              ...(at === 0 ? [] : [text(',')]),
              text(side),
              usd(market.available_capacity_usd[side], 'USD'),
            ]),
            text('.'),
          ],
        ]
      : []),
    ...(isShown('headroom') && account !== undefined
      ? [[text('H: above the headroom:', 'warn'), usd(account.available_exposure_usd, 'USD'), text('.')]]
      : []),
    ...(isShown('balance') && account !== undefined
      ? [[text('B: upfront above the free balance:', 'warn'), usd(account.balance_usdc, 'USDC'), text('.')]]
      : []),
    ...(market === undefined ? [[text('The capacity is not known.', 'warn')]] : []),
    ...(account === undefined ? [[text('Headroom and balance are not known.', 'warn')]] : []),
    ...(cells.some(({ best }) => best)
      ? [[text('best: the lowest cost for its side and size.', 'dim')]]
      : []),
    ...(markupBps === undefined
      ? []
      : [
          [
            text("Customer: the customer's rate, the break-even and", 'dim'),
            { kind: 'number', amount: markupBps, unit: 'bps', tone: 'dim' } as const,
            text('(a sell: less).', 'dim'),
          ],
        ]),
    ...(cells.some(({ quote }) => quote !== undefined)
      ? [[text('Rounded. Full precision: --json', 'dim')]]
      : []),
  ];
  return marked.map(([first = text(''), ...others]) => line(first, ...others));
}

/** Hedges as a table, or one hedge in full. */
import type { Hedge } from '../../client/schemas.ts';
import { ownField } from '../../domain/fields.ts';
import type { FilteredCoverage, ListCoverage } from '../../readings/filter-records.ts';
import { type Block, type Cell, line, type Tone, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { viewListSummary } from './list-summary.ts';
import {
  changesOf,
  columnsOf,
  dealIdCell,
  type KnownField,
  maturityCell,
  pairsOf,
  type Record as SomeRecord,
  tableOf,
} from './record-columns.ts';

const COLUMNS: readonly KnownField[] = [
  { name: 'id', header: 'Hedge' },
  { name: 'client_reference', header: 'Deal ID', cell: dealIdCell, optional: 'last' },
  { name: 'market', header: 'Market' },
  { name: 'side', header: 'Side' },
  { name: 'notional_usd', header: 'Notional' },
  { name: 'tenor_days', header: 'Days', optional: true },
  { name: 'status', header: 'Status', cell: statusCell },
  { name: 'struck_rate', header: 'Struck', optional: true },
  { name: 'maturity_at', header: 'Matures', cell: maturityDate },
  { name: 'units', header: 'Units', optional: true },
  { name: 'opened_at', header: 'Opened', optional: true },
  { name: 'filled_at', header: 'Filled', optional: true },
  { name: 'order_key', header: 'Order key', optional: true },
  { name: 'order_tx_hash', header: 'Order tx', optional: true },
  { name: 'fill_tx_hash', header: 'Fill tx', optional: true },
];

export const HEDGE_COLUMNS = columnsOf(COLUMNS);

const ALWAYS = ['struck_rate', 'maturity_at'];

const LONG_NAMES: Readonly<Record<string, string>> = {
  notional_usd: 'Notional (USD)',
  tenor_days: 'Tenor (days)',
  struck_rate: 'Struck rate',
  order_tx_hash: 'Order transaction',
  fill_tx_hash: 'Fill transaction',
};
const DETAILS = COLUMNS.map(({ cell, ...field }) => ({
  ...field,
  header: ownField(LONG_NAMES, field.name) ?? field.header,
  ...(cell === maturityDate
    ? { cell: maturityInFull }
    : cell === undefined || cell === dealIdCell
      ? {}
      : { cell }),
}));

export const hedgeChanges = (hedges: readonly Hedge[]): readonly ChangeLine[] =>
  changesOf(hedges, COLUMNS, ['id']);

export function viewHedges(value: {
  hedges: readonly Hedge[];
  asked: string | undefined;
  covers?: ListCoverage | FilteredCoverage;
}): readonly Block[] {
  const [first] = value.hedges;
  if (value.asked !== undefined && first !== undefined && value.hedges.length === 1)
    return [pairsOf(first, DETAILS, ALWAYS)];
  const table = tableOf(value.hedges, COLUMNS, { empty: 'No matching hedges' });
  const of = value.hedges.filter(isRunning).map(({ maturity_at: at }) => at ?? '');
  return [
    table,
    line({ kind: 'weekend', of }),
    ...(value.covers === undefined ? [] : viewListSummary(value.covers, 'opened')),
  ];
}

const TONES: Readonly<Record<string, Tone>> = { filled: 'good', failed: 'bad', closed: 'dim' };

function statusCell(status: unknown): Cell {
  const word = String(status);
  const tone = ownField(TONES, word);
  return tone === undefined ? text(word) : text(word, tone);
}

/** In a table: the day, and whether a running hedge matures on a weekend. */
function maturityDate(at: unknown, hedge: SomeRecord): Cell {
  if (typeof at !== 'string') return { kind: 'missing' };
  return isRunning(hedge) ? maturityCell(at, 'date') : { kind: 'time', at, style: 'date' };
}

/** In full: to the minute, and how far off it is. */
function maturityInFull(at: unknown, hedge: SomeRecord): Cell {
  if (typeof at !== 'string') return { kind: 'missing' };
  const cell = { kind: 'time', at, style: 'minute', relative: true } as const;
  return isRunning(hedge) ? { ...cell, matures: true } : cell;
}

const isRunning = ({ status }: SomeRecord): boolean => status !== 'closed' && status !== 'failed';

/** Hedges as a table, or one hedge in full. */
import type { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import { sum } from '../../domain/amounts.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { ownField } from '../../domain/fields.ts';
import { shell, step } from '../../domain/hint.ts';
import { unquoted } from '../../domain/quoted.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isNairaMarket } from '../../domain/vocabulary.ts';
import { CHAIN_WORDS } from '../../journal/roll-chains.ts';
import type { FilteredCoverage, ListCoverage } from '../../readings/filter-records.ts';
import type { PendingActions } from '../../readings/pending-actions.ts';
import type { OneHedge } from '../../readings/read-one-hedge.ts';
import { commandRows, gap, type Pair, pair, pairs, type View, warnLine } from '../blocks.ts';
import { type Cell, missing, nameText, partsIn, type Tone, text } from '../cells.ts';
import { cellOf } from '../field-labels.ts';
import { type Field, listOf, pairsOf } from '../list.ts';
import { viewListSummary } from './list-summary.ts';
import { cents, countOf, dealIdCell, maturityCell, rate, row, signedIn, usd } from './record-columns.ts';
import { CHAIN_TONES, pendingLine } from './unfinished-rolls.ts';

/** Whether each has a deal ID, which tells more than a hedge ID. */
const areNamed = (rows: readonly { client_reference?: unknown }[]): boolean =>
  rows.every(({ client_reference: reference }) => dealIdCell(reference).kind !== 'missing');

/** A narrow window shows one name: the deal ID where every hedge has one. */
export const ID_FIELD = {
  name: 'id',
  header: 'Hedge',
  optional: (rows) => areNamed(rows) && 'last',
  isId: true,
} satisfies Field<{ client_reference?: unknown }>;
export const DEAL_ID_FIELD = {
  name: 'client_reference',
  header: 'Deal ID',
  cell: dealIdCell,
  optional: (rows) => !areNamed(rows) && 'last',
} satisfies Field<{ client_reference?: unknown }>;

export const hedgeList = listOf<Hedge>()(
  [
    ID_FIELD,
    { ...DEAL_ID_FIELD, isId: true },
    { name: 'market', header: 'Market', optional: true },
    { name: 'side', header: 'Side' },
    { name: 'notional_usd', header: 'Notional' },
    { name: 'tenor_days', header: 'Days', optional: true },
    {
      name: 'status',
      header: 'Status',
      cell: statusCell,
      optional: (rows) => (rows.some(hasFailed) ? false : 'last'),
    },
    { name: 'struck_rate', header: 'Struck', optional: true },
    { name: 'maturity_at', header: 'Matures', cell: maturityDate },
    { name: 'units', header: 'Units', optional: 'first' },
    { name: 'opened_at', header: 'Opened', optional: true },
    { name: 'filled_at', header: 'Filled', optional: true },
    { name: 'order_key', header: 'Order key', optional: 'first' },
    { name: 'order_tx_hash', header: 'Order tx', optional: 'first' },
    { name: 'fill_tx_hash', header: 'Fill tx', optional: 'first' },
  ],
  { isSent: true, key: ['id'], empty: 'No matching hedges' },
);

const ALWAYS = ['struck_rate', 'maturity_at'];

/** One hedge in full: longer names, and cells as they are sent. Its size is what remains, or was there when it closed. */
const detailsOf = (hedge: Hedge): readonly Field<Hedge>[] =>
  hedgeList.fields.map(({ cell, ...field }) => ({
    ...field,
    ...(cell === undefined || cell === dealIdCell ? {} : { cell }),
    ...ownField(IN_FULL, field.name),
    ...(field.name === 'notional_usd' ? { header: `${sizeNameOf(hedge)} (USD)` } : {}),
    ...(field.name === 'maturity_at' && !isRunning(hedge) ? { header: 'Maturity' } : {}),
  }));

const sizeNameOf = (hedge: Hedge): string =>
  isRunning(hedge) ? 'Remaining' : hasFailed(hedge) ? 'Size asked for' : 'Size when it closed';

const IN_FULL: Readonly<Record<string, Partial<Field<Hedge>>>> = {
  tenor_days: { header: 'Tenor (days)' },
  struck_rate: { header: 'Struck rate' },
  maturity_at: { cell: maturityInFull },
  order_tx_hash: { header: 'Order transaction' },
  fill_tx_hash: { header: 'Fill transaction' },
};

export function viewHedges(value: {
  hedges: readonly Hedge[];
  asked: string | undefined;
  /** Set for one hedge that was asked for. */
  one?: OneHedge | undefined;
  /** Those of them that are running. */
  open: readonly Hedge[];
  /** Those of the open ones that are past their maturity. */
  late: readonly Hedge[];
  /** Past their maturity: one of them or more may be open. */
  maybe: readonly Hedge[];
  /** Below a list. */
  pending: PendingActions | undefined;
  covers?: ListCoverage | FilteredCoverage;
}): View {
  const { hedges, one, open, late, maybe, pending, asked, covers } = value;
  const lateLine =
    late.length > 0 &&
    warnLine(`Past its maturity, still in the positions: ${late.map(({ id }) => unquoted(id)).join(', ')}.`);
  const [first] = hedges;
  if (asked !== undefined && first !== undefined && hedges.length === 1)
    return [
      pairsOf(first, detailsOf(first), ({ name }) => ALWAYS.includes(name)),
      one !== undefined && viewOne(first, one, { isOpen: open.length > 0 }),
      lateLine,
      maybe.length > 0 && warnLine('Past its maturity, and may still be open: its side is in the positions.'),
    ];
  const running = new Set([...open, ...maybe]);
  const ended = hedges.filter((hedge) => !running.has(hedge) && !hasFailed(hedge));
  const failed = hedges.filter((hedge) => !running.has(hedge) && hasFailed(hedge));
  const sections = [
    {
      rows: open.length,
      title: 'Open: notional is what remains.',
      totals: totalsOf(open, listedTwice(hedges), covers?.maybe_truncated === true),
    },
    { rows: maybe.length, title: 'May be open: past maturity, and the side is in the positions.' },
    { rows: ended.length, title: 'Ended: notional is the size when it closed.' },
    { rows: failed.length, title: 'Failed: never open; notional is the size asked for.' },
  ];
  return [
    hedgeList.block([...open, ...maybe, ...ended, ...failed], {
      sections: sections.filter(({ rows }) => rows > 0),
    }),
    lateLine,
    covers !== undefined && viewListSummary(covers, 'opened'),
    pendingLine(pending),
  ];
}

/** The naira that it covers, its P&L, its exit and its roll. */
function viewOne(
  { market, notional_usd: notional, struck_rate: struck }: Hedge,
  { position, atMark, record, roll }: OneHedge,
  { isOpen }: { isOpen: boolean },
): View {
  const covers = isOpen && isNairaMarket(market) && struck?.gt(0) === true && notional.times(struck);
  const shown = partsIn<Pair>([
    covers && pair('Covers', usd(cents(covers), 'NGN'), 'at the struck rate'),
    position && [
      pair('P&L', signedIn('USD', position.net_pnl_usd), 'price and carry, before fees'),
      pair('Exit', 'closing returns', usd(position.net_margin_usd, 'USD'), 'now'),
    ],
    atMark && pair('Gross P&L', signedIn('USD', atMark.pnl), 'price alone, at the mark', rate(atMark.mark)),
    record && [
      pair('P&L', signedIn('USD', record.net_pnl_usd), 'of its whole life, net of carry and all fees'),
      pair(
        'Exit',
        cellOf('exit_price', record.exit_price),
        'average of its whole life',
        typeof record.reason === 'string' && nameText(`(${record.reason})`),
      ),
    ],
    roll &&
      pair('Roll', nameText(roll.plan.chain_id), text(CHAIN_WORDS[roll.state], CHAIN_TONES[roll.state])),
  ]);
  return [
    shown.length > 0 && [gap, pairs(shown)],
    roll && commandRows(step(shell`hedge roll show ${roll.plan.chain_id}`, 'its legs and their cost')),
  ];
}

/** The notional of the filled hedges per side; those that may still fill are counted. */
function totalsOf(open: readonly Hedge[], twice: ReadonlySet<string>, maybeTruncated: boolean) {
  const names = new Map(open.map((hedge) => [hedge, `${hedge.side} ${spelledName(hedge.market)}`]));
  return [...new Set(names.values())].map((side) => {
    const hedges = open.filter((hedge) => names.get(hedge) === side);
    const filled = hedges.filter(({ status }) => status === 'filled');
    const waiting = hedges.filter(({ status }) => status !== 'filled');
    const unclear = hedges.find(({ id }) => twice.has(id));
    if (unclear !== undefined)
      return row(`Total ${side}`, missing, nameText(`hedge ${unclear.id} has several versions`, 'warn'));
    return row(
      `Total ${side}`,
      usd(cents(sizeOf(filled)), 'USD'),
      `in ${countOf(filled.length, 'hedge')}`,
      waiting.length > 0 &&
        text(`; ${waiting.length} more, ${usdInWords(sizeOf(waiting))}, not filled`, 'warn'),
      maybeTruncated && text('; the service may have more', 'dim'),
    );
  });
}

const sizeOf = (hedges: readonly Hedge[]): Big => sum(hedges.map(({ notional_usd: notional }) => notional));

function listedTwice(hedges: readonly Hedge[]): ReadonlySet<string> {
  const ids = new Set<string>();
  return new Set(hedges.flatMap(({ id }) => (ids.size === ids.add(id).size ? [id] : [])));
}

const TONES: Readonly<Record<string, Tone>> = { filled: 'good', failed: 'bad', closed: 'dim' };

function statusCell(status: unknown): Cell {
  const word = String(status);
  return text(word, ownField(TONES, word));
}

/** In a table: the day, marked if a running hedge matures on a weekend or a public holiday. One that failed has none. */
function maturityDate(at: unknown, hedge: Hedge): Cell {
  if (hasFailed(hedge) || typeof at !== 'string') return missing;
  return isRunning(hedge) ? maturityCell(at, 'date') : { kind: 'time', at, style: 'date' };
}

/** In full: to the minute; of a running hedge, how far off it is. */
function maturityInFull(at: unknown, hedge: Hedge): Cell {
  if (hasFailed(hedge) || typeof at !== 'string') return missing;
  const cell = { kind: 'time', at, style: 'minute' } as const;
  return isRunning(hedge) ? { ...cell, relative: true, matures: true } : cell;
}

const hasFailed = ({ status }: Hedge): boolean => status === 'failed';

const isRunning = ({ status }: Hedge): boolean => status !== 'closed' && status !== 'failed';

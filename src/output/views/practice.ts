/** Screens of the practice commands. */
import { Big } from 'big.js';
import { shellWord } from '../../domain/hint.ts';
import { isDerivedReference } from '../../domain/vocabulary.ts';
import { type Block, type Cell, line, missing, nameText, text } from '../blocks.ts';
import { cellOf, labelOf } from '../field-labels.ts';

/** Amounts are exact decimal strings. */
export interface PracticeBook {
  balance_usdc: string;
  margin_in_use_usdc: string;
  reserved_usdc: string;
  open_exposure_usd: string;
  available_exposure_usd: string;
  unrealized_pnl_usd: string;
  orders_in_flight: number;
  hedges: Readonly<Record<string, number>>;
}

/** Every fault setting by its name. */
export type PracticeFaults = object;

export interface PracticeState {
  book_id: string;
  /** ISO 8601 UTC: the market, fills and maturities follow it. */
  book_time: string;
  ahead_ms: number;
  clock: 'wall' | 'manual';
  store: string;
  books: Readonly<Record<'live' | 'test', PracticeBook>>;
  faults: PracticeFaults;
}

export function viewPracticeState(state: PracticeState): readonly Block[] {
  const { live, test } = state.books;
  const both = (name: string, cell: (book: PracticeBook) => Cell): Cell[] => [
    text(name),
    cell(test),
    cell(live),
  ];
  return [
    line(
      text('Practice', 'strong'),
      text(state.book_id),
      text('at'),
      { kind: 'time', at: state.book_time, style: 'second' },
      text(clockInWords(state), 'dim'),
    ),
    { kind: 'gap' },
    {
      kind: 'table',
      columns: [
        { header: 'PROFILE' },
        { header: 'PRACTICE', align: 'right' },
        { header: 'PRACTICE-LIVE', align: 'right' },
      ],
      rows: [
        both('Free balance (USDC)', (book) => ({ kind: 'money', amount: book.balance_usdc })),
        both('Margin in use (USDC)', (book) => ({ kind: 'money', amount: book.margin_in_use_usdc })),
        both('Reserved for orders (USDC)', (book) => ({ kind: 'money', amount: book.reserved_usdc })),
        both('Open exposure (USD)', (book) => ({ kind: 'money', amount: book.open_exposure_usd })),
        both('Headroom (USD)', (book) => ({ kind: 'money', amount: book.available_exposure_usd })),
        both('Unrealized P&L (USD)', (book) => ({
          kind: 'money',
          amount: book.unrealized_pnl_usd,
          signed: true,
        })),
        both('Orders in flight', (book) => ({ kind: 'number', amount: book.orders_in_flight })),
        both('Hedges', (book) => text(countsInWords(book.hedges))),
      ],
    },
    ...negativeNote('practice', test),
    ...negativeNote('practice-live', live),
    { kind: 'gap' },
    ...viewPracticeFaults(state.faults),
    line(text('Stored in'), text(state.store, 'dim')),
  ];
}

/** A fill, failure, close or settlement. Amounts are exact decimal strings. */
export interface PracticeEvent {
  at: string;
  what: string;
  hedge_id: string | null;
  client_reference: string | null;
  market: string;
  side: string;
  notional_usd: string;
  rate: string | null;
  /** Positive: the account gained. */
  net_pnl_usd: string | null;
}

export interface PracticeAdvance {
  from: string;
  to: string;
  environments: Readonly<Record<'live' | 'test', AdvancedBook>>;
}

interface AdvancedBook {
  /** The latest of them, if there were many. */
  events: readonly PracticeEvent[];
  event_count: number;
  balance_usdc: string;
}

export function viewPracticeAdvance({ from, to, environments }: PracticeAdvance): readonly Block[] {
  const { live, test } = environments;
  return [
    line(text('Practice time'), timeCell(from), text('→'), timeCell(to)),
    { kind: 'gap' },
    ...eventsOf('practice', test),
    { kind: 'gap' },
    ...eventsOf('practice-live', live),
  ];
}

function eventsOf(
  book: string,
  { events, event_count: count, balance_usdc: balance }: AdvancedBook,
): readonly Block[] {
  const summary = [
    line(text(book, 'strong'), text('free balance'), { kind: 'money', amount: balance, unit: 'USDC' }),
    ...negativeNote(book, { balance_usdc: balance }),
  ];
  if (events.length === 0) return [...summary, line(text('No fills or settlements.', 'dim'))];
  const latest = `The latest ${events.length.toString()} of ${count.toString()} events.`;
  return [
    ...summary,
    {
      kind: 'table',
      columns: EVENT_COLUMNS,
      rows: events.map((event): readonly Cell[] => [
        { kind: 'time', at: event.at, style: 'short' },
        text(event.what),
        hedgeCell(event),
        nameText(event.market),
        text(event.side),
        { kind: 'money', amount: event.notional_usd },
        event.rate === null ? missing : { kind: 'rate', amount: event.rate },
        event.net_pnl_usd === null ? missing : { kind: 'money', amount: event.net_pnl_usd, signed: true },
      ]),
    },
    ...(count > events.length ? [line(text(latest, 'dim'))] : []),
    line(
      text(
        'Result: P&L of this event. hedge history shows each hedge over its life, platform fee included.',
        'dim',
      ),
    ),
  ];
}

/** The deal ID, or the hedge ID where hedge made the reference. */
const hedgeCell = ({ client_reference: reference, hedge_id: id }: PracticeEvent): Cell =>
  nameText((reference === null || isDerivedReference(reference) ? id : reference) ?? '');

/** A loss larger than margin and free balance is taken in full. */
function negativeNote(book: string, { balance_usdc: balance }: { balance_usdc: string }): readonly Block[] {
  if (!balance.startsWith('-')) return [];
  return [line(text(`${book}: free balance negative after a loss. Opens and adds are rejected.`, 'warn'))];
}

const EVENT_COLUMNS = [
  { header: 'AT' },
  { header: 'WHAT' },
  { header: 'HEDGE', optional: 'last' },
  { header: 'MARKET', optional: 'first' },
  { header: 'SIDE', optional: true },
  { header: 'NOTIONAL USD', align: 'right', optional: 'last' },
  { header: 'RATE', align: 'right' },
  { header: 'RESULT USD', align: 'right' },
] as const;

const timeCell = (at: string): Cell => ({ kind: 'time', at, style: 'second' });

/** The faults that are set, alone. */
export function viewPracticeFaults(faults: PracticeFaults): readonly Block[] {
  const set = Object.entries(faults).filter(([name, value]: [string, unknown]) => isSet(name, value));
  if (set.length === 0) return [line(text('No faults'))];
  return [
    line(text('Faults', 'strong')),
    {
      kind: 'pairs',
      pairs: set.map(([name, value]: [string, unknown]) => ({
        name: labelOf(name),
        value: [settingCell(name, value)],
      })),
    },
  ];
}

export interface PracticeSettingsShown {
  version: number;
  settings: object;
}

/** Each as `hedge practice settings` takes it. */
export function viewPracticeSettings({ version, settings }: PracticeSettingsShown): readonly Block[] {
  return [
    line(text('Settings', 'strong'), text(`version ${version.toString()}`, 'dim')),
    ...settingLines(settings).map((setting): Block => ({ kind: 'verbatim', text: setting })),
  ];
}

function settingLines(settings: object, prefix = ''): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]) => {
    const key = `${prefix}${name}`;
    return typeof value === 'object' && value !== null
      ? settingLines(value, `${key}.`)
      : [`${key}=${shellWord(String(value))}`];
  });
}

/** A share is 0 to 1 in the document and a percentage on the screen. */
function settingCell(name: string, value: unknown): Cell {
  if (Array.isArray(value)) return text(value.join(', '));
  return isShare(name, value) ? text(inPercent(value)) : cellOf(name, value);
}

const isShare = (name: string, value: unknown): value is number =>
  name.startsWith('share_') && typeof value === 'number';
const inPercent = (share: number): string => `${new Big(share).times(100).toFixed()} %`;

const countsInWords = (counts: Readonly<Record<string, number>>): string => {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? 'none' : some.map(([status, count]) => `${count} ${status}`).join(', ');
};

const isSet = (name: string, value: unknown): boolean =>
  value !== 0 &&
  value !== null &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0) &&
  !(name === 'only' && value === 'all');

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

function clockInWords({ ahead_ms: ahead, clock }: PracticeState): string {
  if (clock === 'manual') return '(manual clock)';
  if (ahead === 0) return '(now)';
  const word = ahead > 0 ? 'ahead of' : 'behind';
  return `(${daysAhead(Math.abs(ahead))} ${word} the wall clock)`;
}

function daysAhead(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  return [days > 0 ? `${days} d` : '', hours > 0 || days === 0 ? `${hours} h` : ''].filter(Boolean).join(' ');
}

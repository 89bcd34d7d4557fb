/** Screens of the practice commands. */

import { shellWord } from '../../domain/hint.ts';
import { DAY_MS, durationInWords, HOUR_MS } from '../../domain/instants.ts';
import { isDerivedReference } from '../../domain/vocabulary.ts';
import type { PracticeAdvance, PracticeSettingsShown, PracticeState } from '../../schema/machine-document.ts';
import { dimLine, gap, line, tableOf, type View, verbatimLines, warnLine } from '../blocks.ts';
import { ARROW, type Cell, nameText, phrase, text } from '../cells.ts';
import { countCell, known, shortTime, time, usd } from './record-columns.ts';

type PracticeBook = PracticeState['books']['live'];
type AdvancedBook = PracticeAdvance['environments']['live'];
type PracticeEvent = AdvancedBook['events'][number];

export interface PracticeFaults {
  /** Every fault setting by its name. */
  faults: object;
  /** Sentences of the service; without faults none. */
  inWords: readonly string[];
}

const signed = (amount: string): Cell => ({ kind: 'money', amount, signed: true });

const BOOK_ROWS: readonly (readonly [name: string, cell: (book: PracticeBook) => Cell])[] = [
  ['Free balance (USDC)', (book) => usd(book.balance_usdc)],
  ['Margin in use (USDC)', (book) => usd(book.margin_in_use_usdc)],
  ['Reserved for orders (USDC)', (book) => usd(book.reserved_usdc)],
  ['Open exposure (USD)', (book) => usd(book.open_exposure_usd)],
  ['Headroom (USD)', (book) => usd(book.available_exposure_usd)],
  ['P&L before fees (USD)', (book) => signed(book.unrealized_pnl_usd)],
  ['Orders in flight', (book) => countCell(book.orders_in_flight)],
  ['Hedges', (book) => text(countsInWords(book.hedges))],
];

export function viewPracticeState(state: PracticeState): View {
  const { live, test } = state.books;
  return [
    line(
      text('Practice', 'strong'),
      phrase`${state.book_id} at ${time(state.book_time)} ${text(clockInWords(state), 'dim')}`,
    ),
    gap,
    tableOf(BOOK_ROWS, [
      { header: 'PROFILE', show: ([name]) => text(name) },
      { header: 'PRACTICE', align: 'right', show: ([, cell]) => cell(test) },
      { header: 'PRACTICE-LIVE', align: 'right', show: ([, cell]) => cell(live) },
    ]),
    negativeNote('practice', test),
    negativeNote('practice-live', live),
    gap,
    faultBlocks(state.faults_in_words),
    state.price_paths.length > 0 && line('Prices set by a program:', state.price_paths.join(', ')),
    line('Stored in', text(state.store, 'dim')),
  ];
}

export function viewPracticeAdvance({ from, to, environments }: PracticeAdvance): View {
  const { live, test } = environments;
  return [
    line(phrase`Practice time ${time(from)} ${ARROW} ${time(to)}`),
    gap,
    eventsOf('practice', test),
    gap,
    eventsOf('practice-live', live),
  ];
}

function eventsOf(book: string, { events, event_count: count, balance_usdc: balance }: AdvancedBook): View {
  const summary: View = [
    line(text(book, 'strong'), 'free balance', usd(balance, 'USDC')),
    negativeNote(book, { balance_usdc: balance }),
  ];
  if (events.length === 0) return [summary, dimLine('No fills or settlements.')];
  return [
    summary,
    tableOf(events, [
      { header: 'AT', show: ({ at }) => shortTime(at) },
      { header: 'WHAT', show: ({ what }) => text(what) },
      { header: 'HEDGE', optional: 'last', show: hedgeCell },
      { header: 'MARKET', optional: 'first', show: ({ market }) => nameText(market) },
      { header: 'SIDE', show: ({ side }) => text(side) },
      { header: 'NOTIONAL USD', align: 'right', show: (each) => usd(each.notional_usd) },
      { header: 'RATE', align: 'right', optional: true, show: ({ rate }) => known(rate, rateCell) },
      { header: 'RESULT USD', align: 'right', show: (event) => known(event.realized_pnl_usd, signed) },
    ]),
    count > events.length && dimLine(`The latest ${events.length} of ${count} events.`),
    dimLine(
      'Result: P&L of this event. hedge history shows each hedge over its life, platform fee included.',
    ),
  ];
}

/** The deal ID, or the hedge ID where hedge made the reference. */
const hedgeCell = ({ client_reference: reference, hedge_id: id }: PracticeEvent): Cell =>
  nameText((reference === null || isDerivedReference(reference) ? id : reference) ?? '');

/** A loss larger than margin and free balance is taken in full. */
function negativeNote(book: string, { balance_usdc: balance }: Pick<PracticeBook, 'balance_usdc'>): View {
  if (!balance.startsWith('-')) return [];
  return warnLine(`${book}: free balance negative after a loss. Opens and adds are rejected.`);
}

const rateCell = (amount: string): Cell => ({ kind: 'rate', amount });

export const viewPracticeFaults = ({ inWords }: PracticeFaults): View => faultBlocks(inWords);

function faultBlocks(inWords: readonly string[]): View {
  if (inWords.length === 0) return line('No faults');
  return [
    line(text('Faults', 'strong')),
    inWords.map((sentence) => line({ kind: 'text', text: sentence, isOurs: true })),
  ];
}

/** Each as `hedge practice settings` takes it. */
export function viewPracticeSettings({ version, settings }: PracticeSettingsShown): View {
  return [
    line(text('Settings', 'strong'), text(`version ${version}`, 'dim')),
    verbatimLines(settingLines(settings).join('\n')),
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

const countsInWords = (counts: Readonly<Record<string, number>>): string => {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? 'none' : some.map(([status, count]) => `${count} ${status}`).join(', ');
};

function clockInWords({ ahead_ms: ahead, clock }: PracticeState): string {
  if (clock === 'manual') return '(manual clock)';
  if (ahead === 0) return '(now)';
  const word = ahead > 0 ? 'ahead of' : 'behind';
  return `(${daysAhead(Math.abs(ahead))} ${word} the wall clock)`;
}

function daysAhead(ms: number): string {
  if (ms < HOUR_MS) return durationInWords(ms);
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  return [days > 0 ? `${days} d` : '', hours > 0 ? `${hours} h` : ''].filter(Boolean).join(' ');
}

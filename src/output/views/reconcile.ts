/** Breaks, each with both sides: as a screen, a document and a table. */
import { readDecimal } from '../../domain/amounts.ts';
import { counted, groupedCount } from '../../domain/exposure.ts';
import { instantText } from '../../domain/instants.ts';
import { timeInWords } from '../../journal/describe.ts';
import type { FoundBreak, ReconcileReading } from '../../readings/read-reconcile.ts';
import type { ReconcileDocument } from '../../schema/reading-document.ts';
import { type Block, gap, line, type View, warnLine } from '../blocks.ts';
import { type Cell, dimPhrase, nameText, text } from '../cells.ts';
import { listOf } from '../list.ts';
import { minute, rate, usd } from './record-columns.ts';
import { readingNotes } from './snapshot.ts';

function viewReconcile(reading: ReconcileReading): View {
  return [
    comparedLine(reading),
    reading.breaks.length === 0
      ? line(agreed(reading))
      : [
          countLine(reading),
          gap,
          breaks.block(reading.breaks, { only: ({ name }) => hasFigures(name, reading.breaks) }),
        ],
    notComparedLine(reading),
    readingNotes(reading.account),
  ];
}

/** The table may be long. */
function countLine({ breaks: found, intent: { note } }: ReconcileReading): View {
  const explained = found.filter((each) => each.explained !== undefined).length;
  const words = `${counted(found.length, 'break')}${explained === 0 ? '' : `, ${explained} of them explained`}.`;
  return [line(text(words, 'strong')), note !== undefined && line('The note is recorded.')];
}

/** A book that no break shown was compared with takes no column. */
const hasFigures = (name: string, found: readonly FoundBreak[]): boolean =>
  (name !== 'journal' && name !== 'finance') || found.some((each) => each[name] !== undefined);

/** `Compared 1 of 30 hedges, 0 of 29 closed records and 1 position of the service with 2 actions of the journal, since …` */
function comparedLine({ compared, listed, fromMs, intent }: ReconcileReading): Block {
  const { hedges, closed, positions, actions, finance } = compared;
  const lists = `${countedOf(listed.hedges, hedges, 'hedge')}, ${countedOf(listed.closed, closed, 'closed record')} and ${counted(positions, 'position')} of the service`;
  const ours = `${counted(actions, 'action')} of the journal${finance === undefined ? '' : ` and ${counted(finance, 'deal')} of finance's list`}`;
  const shown = intent.words.length === 0 ? '' : ' Shown: only the breaks of those named.';
  return line(dimPhrase`Compared ${lists} with ${ours}, since ${minute(fromMs, 'dim')}.${shown}`);
}

const countedOf = (all: number, some: number, word: string): string =>
  `${some === all ? '' : `${groupedCount(some)} of `}${counted(all, word)}`;

const agreed = ({ intent: { words } }: ReconcileReading): Cell =>
  words.length === 0
    ? text('All agree.', 'good')
    : nameText(`${words.join(', ')}: ${words.length === 1 ? 'agrees' : 'agree'}.`, 'good');

const NOT_SENT = {
  positions: 'the sizes of positions',
  history: 'the hedges of closed records',
} as const;

const notComparedLine = ({ notCompared }: ReconcileReading): View =>
  notCompared.length > 0 &&
  warnLine(
    `Not compared, because the service does not send them: ${notCompared.map((each) => NOT_SENT[each]).join(' and ')}.`,
  );

const breaks = listOf<FoundBreak, ReconcileDocument['derived']['breaks'][number]>()([
  { name: 'class', header: 'Break', show: (found) => text(found.class, toneOf(found)) },
  { name: 'against', header: 'Against', show: ({ against }) => text(against) },
  { name: 'deal_id', header: 'Deal ID', isId: true, of: ({ dealId }) => dealId },
  { name: 'hedge_id', header: 'Hedge', optional: true, of: ({ hedgeId }) => hedgeId },
  { name: 'action_id', of: ({ actionId }) => actionId },
  'market',
  { name: 'side', header: 'Side', optional: 'first' },
  { name: 'journal', header: 'Journal', align: 'right', show: (found) => figure(found, found.journal) },
  { name: 'service', header: 'Service', align: 'right', show: (found) => figure(found, found.service) },
  { name: 'finance', header: 'Finance', align: 'right', show: (found) => figure(found, found.finance) },
  { name: 'unresolved', of: ({ isUnresolved }) => isUnresolved === true },
  { name: 'break_after', of: ({ breakAfterMs: ms }) => (ms === undefined ? null : instantText(ms)) },
  { name: 'note', header: 'Note', wrap: true, of: ({ explained }) => explained?.note, show: noteCell },
  { name: 'noted_at', isExtra: true, of: ({ explained }) => explained?.at },
  { name: 'noted_by', isExtra: true, of: ({ explained }) => explained?.by },
]);

const toneOf = ({ class: kind, explained, isUnresolved }: FoundBreak) =>
  isUnresolved === true ? 'bad' : kind === 'timing' || explained !== undefined ? 'dim' : 'warn';

/** Empty for a book that was not compared. */
function figure({ class: kind }: FoundBreak, value = ''): Cell {
  const amount = readDecimal(value);
  if (amount === undefined) return text(value);
  return kind === 'rate' ? rate(amount) : usd(amount);
}

function noteCell(found: FoundBreak): Cell {
  const { explained, breakAfterMs, isUnresolved, isSizeAtOpen, actionId, similarId } = found;
  if (explained !== undefined)
    return nameText(
      `explained${explained.by === undefined ? '' : ` by ${explained.by}`}: ${explained.note}`,
      'dim',
    );
  if (breakAfterMs !== undefined) return text(`a break after ${timeInWords(instantText(breakAfterMs))}`);
  if (similarId !== undefined) return nameText(`looks like ${similarId}`);
  if (isSizeAtOpen === true) return text('its size when it was opened; list the size that is left');
  return isUnresolved === true && actionId !== undefined ? text(`action ${actionId}`) : text('');
}

function documentOf({ breaks: found, compared, notCompared, fromMs }: ReconcileReading): ReconcileDocument {
  return {
    derived: {
      since: instantText(fromMs),
      compared: { ...compared, finance: compared.finance ?? null },
      not_compared: notCompared,
      breaks: breaks.document(found),
    },
  };
}

export const breakList = breaks.within((reading: ReconcileReading) => reading.breaks, {
  document: documentOf,
  view: viewReconcile,
});

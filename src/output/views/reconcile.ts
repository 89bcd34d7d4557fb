/** Breaks, each with both sides: as a screen, a document and a table. */
import { readDecimal } from '../../domain/amounts.ts';
import { counted } from '../../domain/exposure.ts';
import { exactInstant, instantText } from '../../domain/instants.ts';
import type { FoundBreak, ReconcileReading } from '../../readings/read-reconcile.ts';
import type { ReconcileDocument } from '../../schema/reading-document.ts';
import { type Block, type Cell, line, missing, nameText, text } from '../blocks.ts';
import type { RecordTable } from '../record-table.ts';
import { rate, usd } from './record-columns.ts';
import { readingNotes } from './snapshot.ts';

export const viewReconcile = (reading: ReconcileReading): readonly Block[] => [
  comparedLine(reading),
  ...(reading.breaks.length === 0
    ? [line(text('All agree.', 'good'))]
    : [{ kind: 'gap' } as const, breakTable(reading.breaks)]),
  ...notComparedLine(reading),
  ...readingNotes(reading.account),
];

function comparedLine({ compared, fromMs, intent }: ReconcileReading): Block {
  const { hedges, closed, positions, actions, finance } = compared;
  const lists = `${counted(hedges, 'hedge')}, ${counted(closed, 'closed record')} and ${counted(positions, 'position')} of the service`;
  const ours = `${counted(actions, 'action')} of this machine${finance === undefined ? '' : ` and ${counted(finance, 'deal')} of finance's list`}`;
  return line(
    text(`Compared ${lists} with ${ours}, since`, 'dim'),
    { kind: 'time', at: exactInstant(fromMs), style: 'minute', tone: 'dim' },
    text(intent.words.length === 0 ? '.' : ', those named only.', 'dim'),
  );
}

const NOT_SENT = {
  positions: 'the sizes of positions',
  history: 'the hedges of closed records',
} as const;

const notComparedLine = ({ notCompared }: ReconcileReading): readonly Block[] =>
  notCompared.length === 0
    ? []
    : [
        line(
          text(
            `Not compared, because the service does not send them: ${notCompared.map((each) => NOT_SENT[each]).join(' and ')}.`,
            'warn',
          ),
        ),
      ];

const AGAINST: Readonly<Record<FoundBreak['against'], string>> = {
  journal: 'journal',
  history: 'history',
  positions: 'positions',
  finance: 'finance',
  hedges: 'maturity',
};

const breakTable = (breaks: readonly FoundBreak[]): Block => ({
  kind: 'table',
  columns: [
    { header: 'BREAK', field: 'class' },
    { header: 'AGAINST', field: 'against' },
    { header: 'DEAL ID', field: 'deal_id', isId: true },
    { header: 'HEDGE', field: 'hedge_id', optional: true },
    { header: 'SIDE', field: 'side', optional: 'first' },
    { header: 'OURS', field: 'ours', align: 'right' },
    { header: 'SERVICE', field: 'theirs', align: 'right' },
    { header: 'NOTE', field: 'note', wrap: true },
  ],
  rows: breaks.map((found): readonly Cell[] => [
    text(found.class, toneOf(found)),
    text(AGAINST[found.against]),
    found.dealId === undefined ? missing : nameText(found.dealId),
    found.hedgeId === undefined ? missing : nameText(found.hedgeId),
    found.side === undefined ? missing : text(found.side),
    sideCell(found, found.ours),
    sideCell(found, found.theirs),
    noteCell(found),
  ]),
});

const toneOf = ({ class: kind, explained, isUnresolved }: FoundBreak) =>
  isUnresolved === true ? 'bad' : kind === 'timing' || explained !== undefined ? 'dim' : 'warn';

function sideCell({ class: kind }: FoundBreak, value: string | undefined): Cell {
  if (value === undefined) return text('none');
  const figure = readDecimal(value);
  if (figure === undefined) return text(value);
  return kind === 'rate' ? rate(figure) : usd(figure);
}

function noteCell({ explained, breakAfterMs, isUnresolved, actionId }: FoundBreak): Cell {
  if (explained !== undefined)
    return nameText(
      `explained${explained.by === undefined ? '' : ` by ${explained.by}`}: ${explained.note}`,
      'dim',
    );
  if (breakAfterMs !== undefined) return text(`a break after ${instantText(breakAfterMs)}`);
  return isUnresolved === true && actionId !== undefined ? text(`action ${actionId}`) : text('');
}

const breakRecord = (found: FoundBreak) => ({
  class: found.class,
  against: found.against,
  deal_id: found.dealId ?? null,
  hedge_id: found.hedgeId ?? null,
  action_id: found.actionId ?? null,
  market: found.market ?? null,
  side: found.side ?? null,
  ours: found.ours ?? null,
  theirs: found.theirs ?? null,
  unresolved: found.isUnresolved === true,
  break_after: found.breakAfterMs === undefined ? null : instantText(found.breakAfterMs),
  note: found.explained?.note ?? null,
  noted_at: found.explained?.at ?? null,
  noted_by: found.explained?.by ?? null,
});

export const reconcileDocument = ({
  breaks,
  compared,
  notCompared,
  fromMs,
}: ReconcileReading): ReconcileDocument => ({
  derived: {
    since: instantText(fromMs),
    compared: { ...compared, finance: compared.finance ?? null },
    not_compared: notCompared,
    breaks: breaks.map(breakRecord),
  },
});

export const BREAK_COLUMNS = [
  'class',
  'against',
  'deal_id',
  'hedge_id',
  'action_id',
  'market',
  'side',
  'ours',
  'theirs',
  'unresolved',
  'break_after',
  'note',
] as const;

export const reconcileTable = ({ breaks }: ReconcileReading): RecordTable => ({
  columns: BREAK_COLUMNS,
  records: breaks.map(breakRecord),
});

/** The trading halt as a screen and as a document. */
import { quoted } from '../../domain/quoted.ts';
import { operatorInFull, timeInWords } from '../../journal/describe.ts';
import type { Halt } from '../../journal/halt.ts';
import type { HaltRecord } from '../../journal/records.ts';
import type { RecordedHalt } from '../../journal/state.ts';
import type { ActiveHaltDocument, HaltDocument, HaltRecordDocument } from '../../schema/journal-document.ts';
import { type Block, type Cell, line, message, missing, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { operatorDocument } from './journal.ts';

export interface HaltChange {
  /** Undefined: no halt. */
  now: Halt | undefined;
  /** The one before this command. */
  before: Halt | undefined;
  /** Desks of this machine, and whether each has the halt. */
  desks?: readonly { name: string; isDelivered: boolean }[];
}

export function viewHaltChange({ now, before, desks = [] }: HaltChange): readonly Block[] {
  if (now !== undefined) {
    const everywhere = desks.filter(({ isDelivered }) => isDelivered).map(({ name }) => name);
    const also = everywhere.length === 0 ? '' : `, and on every machine of desk ${everywhere.join(', ')}`;
    return [
      line(text('HALTED', 'warn'), ...signedCells(now)),
      line(
        text(
          `Opens and adds are blocked on this machine, for every profile${also}. Reduce and close still work; in-flight orders continue.`,
        ),
      ),
      ...(before === undefined ? [] : [line(text(wasHalted(now, before), 'dim'), ...signedCells(before))]),
      line(text('To lift it: hedge unhalt', 'dim')),
    ];
  }
  if (before === undefined) return [line(text('No halt is set.'))];
  return [
    line(text('Halt lifted (set'), ...signedCells(before), text(').')),
    line(text('Opens and adds are allowed again.')),
  ];
}

/** An unhalt lifts only what it showed, and halts add up until then. */
const wasHalted = (now: Halt, before: Halt): string =>
  before.ids.some((id) => now.ids.includes(id)) ? 'Before that, halted' : 'Lifted: the halt set';

/** For the screens that a person starts with. */
export const viewActiveHalt = (halt: Halt): readonly Block[] => [
  { kind: 'gap' },
  line(text('HALTED', 'warn'), ...signedCells(halt)),
  line(text('Opens and adds blocked, reduce and close allowed. To lift: hedge unhalt', 'dim')),
];

/** For a pipe. */
export const haltChanges = (halt: Halt | undefined): readonly ChangeLine[] =>
  halt === undefined ? [] : [{ key: 'halt', cells: signedCells(halt) }];

/** `by ada, Fri 20 Nov 11:02:11 WAT: venue down` */
function signedCells(halt: Halt): readonly Cell[] {
  const note = halt.note === undefined ? '' : ` (${halt.note})`;
  return [
    text(`by ${halt.who},`),
    { kind: 'time', at: halt.at, style: 'second' },
    message(`: ${halt.why}${note}`),
  ];
}

export const haltDocument = ({ now, before, desks }: HaltChange): HaltDocument => ({
  halted: now !== undefined,
  halt: activeHaltDocument(now),
  before: activeHaltDocument(before),
  ...(desks === undefined || desks.length === 0
    ? {}
    : { desks: desks.map(({ name, isDelivered }) => ({ name, delivered: isDelivered })) }),
});

/** The halt in a document; null without one. */
export const activeHaltDocument = (halt: Halt | undefined): ActiveHaltDocument | null =>
  halt === undefined ? null : { who: halt.who, at: halt.at, why: halt.why, note: halt.note ?? null };

/** The columns of `--csv`, in order. */
export const HALT_COLUMNS = [
  'at',
  'event',
  'who',
  'why',
  'note',
  'operator.name',
  'operator.user',
  'operator.host',
  'version',
  'lifted.who',
  'lifted.at',
  'lifted.why',
] as const;

/** Of the journal. `why`: of the halt that was set or lifted. */
export const haltRecordDocument = (record: RecordedHalt): HaltRecordDocument => ({
  at: record.at,
  event: record.refused === true ? 'unhalt_refused' : record.kind,
  who: signerOf(record) ?? null,
  why: reasonOf(record) ?? null,
  note: record.note ?? null,
  operator: operatorDocument(record.operator),
  version: record.version ?? null,
  lifted: record.kind === 'unhalt' ? (record.lifted ?? null) : null,
});

const signerOf = (record: HaltRecord): string | undefined =>
  record.kind === 'halt' ? record.who : record.operator && operatorInFull(record.operator);

const reasonOf = (record: HaltRecord): string | undefined =>
  record.kind === 'halt' ? record.why : record.lifted?.why;

export const viewHaltRecords = (records: readonly RecordedHalt[]): readonly Block[] => [
  ...records
    .filter(({ refused }) => refused === true)
    .map((each) =>
      line(
        message(
          `The unhalt of ${timeInWords(each.at)} by login ${quoted(each.login ?? '')} was ignored: that login may not lift a halt of the desk.`,
          'warn',
        ),
      ),
    ),
  {
    kind: 'table',
    columns: [
      { header: 'TIME', field: 'at' },
      { header: 'EVENT', field: 'event' },
      { header: 'WHO', field: 'who', wrap: true },
      { header: 'REASON', field: 'why', wrap: true },
      { header: 'NOTE', field: 'note', optional: true },
    ],
    rows: records.map((record) => [
      { kind: 'time', at: record.at, style: 'short' },
      record.kind === 'halt'
        ? text('HALTED', 'warn')
        : text(record.refused === true ? 'ignored' : 'lifted', record.refused === true ? 'warn' : 'plain'),
      orMissing(signerOf(record)),
      orMissing(reasonOf(record)),
      orMissing(record.note),
    ]),
    records: records.map(haltRecordDocument),
    empty: 'No recorded halts',
  },
];

const orMissing = (value: string | undefined): Cell => (value === undefined ? missing : message(value));

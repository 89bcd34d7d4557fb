/** The trading halt as a screen and as a document. */
import { say, shell } from '../../domain/hint.ts';
import { quoted } from '../../domain/quoted.ts';
import type { Sentence } from '../../errors.ts';
import { haltReasons, haltSignerOf, timeInWords, whyHalted } from '../../journal/describe.ts';
import type { Halt, SignedHalt } from '../../journal/halt.ts';
import type { RecordedHalt } from '../../journal/state.ts';
import type { ActiveHaltDocument, HaltDocument, HaltRecordDocument } from '../../schema/journal-document.ts';
import { type Block, dimLine, gap, hintLine, line, messageLine, type View } from '../blocks.ts';
import { type Cell, type ChangeLine, hintCell, message, text, type Words } from '../cells.ts';
import { listOf } from '../list.ts';
import { pickOrNull } from '../record-table.ts';
import { OPERATOR_PARTS, operatorDocument, orMissing } from './journal.ts';
import { shortTime, time } from './record-columns.ts';

export interface HaltChange {
  /** Undefined: no halt. */
  now: Halt | undefined;
  /** The one before this command. */
  before: Halt | undefined;
  /** Desks of this machine, and whether each has the halt. */
  desks?: readonly { name: string; isDelivered: boolean }[];
  /** By something else, which the error names. */
  isBlocked?: boolean;
  /** It stops the profiles of this machine that do not follow the desk. */
  others?: Halt | undefined;
  liftedOn?: { desk: string; isSetHere: boolean } | undefined;
}

export function viewHaltChange(change: HaltChange): View {
  const { now, before, desks = [], isBlocked = false, others, liftedOn } = change;
  if (now !== undefined) {
    const everywhere = desks.filter(({ isDelivered }) => isDelivered).map(({ name }) => name);
    const also = everywhere.length === 0 ? '' : `, and on every machine of desk ${everywhere.join(', ')}`;
    return [
      line(text('HALTED', 'warn'), signedCells(now)),
      line(
        `Opens and adds are blocked on this machine, for every profile${also}. Reduce and close still work; in-flight orders continue.`,
      ),
      alsoHalted(now),
      isLifted(before, now) && liftedLines('Lifted: the halt set', before),
      dimLine(
        desks.length === 0 ? 'To lift it: hedge unhalt' : 'An approver of the desk lifts it: hedge unhalt',
      ),
    ];
  }
  if (before === undefined)
    return others === undefined
      ? line('No halt is set.')
      : [line('No halt is set for the desk.'), viewHaltOfOthers(others)];
  return [
    liftedLines('Halt lifted: set', before),
    !isBlocked &&
      line(`Opens and adds${liftedOn === undefined ? '' : ` of desk ${liftedOn.desk}`} are allowed again.`),
    liftedOn?.isSetHere === false &&
      hintLine(
        say`The machine that set it stays halted for its profiles without the desk. There: ${LIFT_OTHERS}`,
        'warn',
      ),
  ];
}

/** A built-in profile follows no desk. */
const LIFT_OTHERS = shell`hedge --profile practice unhalt`;

export const viewHaltOfOthers = (halt: Halt): View => [
  line(text('HALTED for the profiles of this machine without the desk,', 'warn'), signedCells(halt)),
  hintLine(say`To lift it: ${LIFT_OTHERS}`),
];

/** An unhalt lifts only what it showed, and halts add up until then. */
const isLifted = (before: Halt | undefined, now: Halt): before is Halt =>
  before !== undefined && !before.ids.some((id) => now.ids.includes(id));

const liftedLines = (what: string, halt: Halt): View =>
  [halt, ...halt.earlier.toReversed()].map((each) => line(text(what, 'dim'), signedCells(each)));

/** Opens and adds are blocked: the reason, and the next step. */
export const haltedLine = (why: Sentence): Block => line(text('HALTED', 'warn'), hintCell(why));

/** After records were lost or taken over. `opens`: those that are blocked. */
export const haltedToCompare = (opens = 'Opens and adds'): Block =>
  haltedLine(
    say`${opens} are blocked. Compare ${shell`hedge hedges`} and ${shell`hedge positions`} with ${shell`hedge journal`}. Then: ${shell`hedge unhalt`}`,
  );

/** For the screens that a person starts with. */
export const viewActiveHalt = (halt: Halt, desk?: { isApprover: boolean }): View => [
  gap,
  line(text('HALTED', 'warn'), signedCells(halt)),
  alsoHalted(halt),
  dimLine(
    `Opens and adds blocked, reduce and close allowed. ${desk?.isApprover === false ? 'An approver of the desk lifts it' : 'To lift'}: hedge unhalt`,
  ),
];

const alsoHalted = ({ earlier }: Halt): View =>
  earlier.toReversed().map((each) => line(text('Before that, halted', 'dim'), signedCells(each)));

/** For a pipe. */
export const haltChanges = (halt: Halt | undefined): readonly ChangeLine[] =>
  halt === undefined ? [] : [{ key: 'halt', cells: signedCells(halt) }];

/** `by ada, Fri 20 Nov 11:02:11 WAT: venue down` */
function signedCells(halt: SignedHalt): Words {
  const note = halt.note === undefined ? '' : ` (${halt.note})`;
  return [`by ${halt.who},`, time(halt.at), message(`: ${halt.why}${note}`)];
}

export const haltDocument = ({ now, before, desks = [] }: HaltChange): HaltDocument => ({
  halted: now !== undefined,
  halt: activeHaltDocument(now),
  before: activeHaltDocument(before),
  ...(desks.length > 0 && {
    desks: desks.map(({ name, isDelivered }) => ({ name, delivered: isDelivered })),
  }),
});

export const activeHaltDocument = (halt: Halt | undefined): ActiveHaltDocument | null =>
  halt === undefined ? null : { ...signedDocument(halt), earlier: halt.earlier.map(signedDocument) };

const signedDocument = (halt: SignedHalt) => pickOrNull(halt, ['who', 'at', 'why', 'note']);

export interface HaltsShown {
  halts: readonly RecordedHalt[];
  others: Halt | undefined;
}

/** Records of the journal. `why` is that of the halt that was set or lifted. */
const haltList = listOf<RecordedHalt, HaltRecordDocument>()(
  [
    { name: 'at', header: 'Time', cell: shortTime },
    {
      name: 'event',
      header: 'Event',
      of: ({ refused, kind }) => (refused === true ? 'unhalt_refused' : kind),
      show: eventCell,
    },
    { name: 'who', header: 'Who', wrap: true, of: haltSignerOf, show: whoCell },
    {
      name: 'why',
      header: 'Reason',
      wrap: true,
      of: whyHalted,
      show: (each) => orMissing(haltReasons(each)),
    },
    { name: 'note', header: 'Note', optional: true, show: ({ note }) => orMissing(note) },
    { name: 'operator', parts: OPERATOR_PARTS, of: ({ operator }) => operatorDocument(operator) },
    'version',
    { name: 'login', of: ({ login }) => login },
    {
      name: 'lifted',
      parts: ['who', 'at', 'why'],
      of: (each) => ('lifted' in each ? each.lifted : undefined),
    },
  ],
  { empty: 'No recorded halts' },
);

/** A name is what its machine says; the login is what the database of the desk says. */
function whoCell(record: RecordedHalt): Cell {
  const { login } = record;
  const signer = haltSignerOf(record);
  return orMissing(login === undefined ? signer : `${signer ?? ''}, login ${login}`);
}

function eventCell({ kind, refused }: RecordedHalt): Cell {
  if (kind === 'halt') return text('HALTED', 'warn');
  return refused === true ? text('ignored', 'warn') : text('lifted');
}

const viewHaltRecords = ({ halts: records, others }: HaltsShown): View => [
  others !== undefined && viewHaltOfOthers(others),
  records
    .filter(({ refused }) => refused === true)
    .map((each) =>
      messageLine(
        `The unhalt of ${timeInWords(each.at)} by login ${quoted(each.login ?? '')} was ignored: that login may not lift a halt of the desk.`,
        'warn',
      ),
    ),
  haltList.block(records),
];

export const haltRecordList = haltList.within(({ halts }: HaltsShown) => halts, {
  view: viewHaltRecords,
});

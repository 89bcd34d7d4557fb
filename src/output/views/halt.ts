/** The trading halt as a screen and as a document. */
import { timeInWords } from '../../journal/describe.ts';
import type { Halt } from '../../journal/halt.ts';
import { type Block, type Cell, line, message, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';

export interface HaltChange {
  /** Undefined: no halt. */
  now: Halt | undefined;
  /** The one before this command. */
  before: Halt | undefined;
  /** Whether the journal has it; undefined when nothing was changed. */
  recorded: boolean | undefined;
}

export function viewHaltChange({ now, before }: HaltChange): readonly Block[] {
  if (now !== undefined) {
    return [
      line(text('HALTED', 'warn'), ...signedCells(now)),
      line(
        text(
          'Opens and adds are blocked on this machine, for every profile. Reduce and close still work; in-flight orders continue.',
        ),
      ),
      ...(before === undefined ? [] : [line(text('Replaces the halt set', 'dim'), ...signedCells(before))]),
      line(text('To lift it: hedge unhalt', 'dim')),
    ];
  }
  if (before === undefined) return [line(text('No halt is set.'))];
  return [
    line(text('Halt lifted (set'), ...signedCells(before), text(').')),
    line(text('Opens and adds are allowed again.')),
  ];
}

/** For the screens that a person starts with. */
export const viewActiveHalt = (halt: Halt): readonly Block[] => [
  { kind: 'gap' },
  line(text('HALTED', 'warn'), ...signedCells(halt)),
  line(text('Opens and adds blocked, reduce and close allowed. To lift: hedge unhalt', 'dim')),
];

/** For a pipe. */
export const haltChanges = (halt: Halt | undefined): readonly ChangeLine[] =>
  halt === undefined ? [] : [{ key: 'halt', cells: signedCells(halt) }];

/** `by ada, 2026-11-20 10:02:11 UTC: venue down`: in UTC as in errors, for a halt is of the machine and of no profile. */
function signedCells(halt: Halt): readonly Cell[] {
  if ('unreadable' in halt) return [text(`by an unreadable file: ${halt.unreadable.path}`)];
  const note = halt.note === undefined ? '' : ` (${halt.note})`;
  return [text(`by ${halt.who}, ${timeInWords(halt.at)}`), message(`: ${halt.why}${note}`)];
}

export const haltDocument = ({ now, before, recorded }: HaltChange): unknown => ({
  halted: now !== undefined,
  halt: activeHaltDocument(now),
  before: activeHaltDocument(before),
  recorded: recorded ?? null,
});

/** The halt in a document; null without one. */
export function activeHaltDocument(halt: Halt | undefined): unknown {
  if (halt === undefined) return null;
  if ('unreadable' in halt) return { unreadable: halt.unreadable.what, path: halt.unreadable.path };
  return { who: halt.who, at: halt.at, why: halt.why, note: halt.note ?? null };
}

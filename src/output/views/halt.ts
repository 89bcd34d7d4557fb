/** The halt as a person reads it, and as a document. Knows neither who may lift it nor what it stops. */
import type { Halt } from '../../journal/halt.ts';
import { type Block, type Cell, line, message, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
/** What a command made of the halt. */
export interface HaltChange {
  /** The halt that stands now; undefined: opens and adds go on. */
  now: Halt | undefined;
  /** The one that stood until now. */
  before: Halt | undefined;
}

export function viewHaltChange({ now, before }: HaltChange): readonly Block[] {
  if (now !== undefined) {
    return [
      line(text('HALTED', 'warn'), ...signedCells(now)),
      line(
        text(
          'Opens and adds from this machine are stopped, under every profile. Reduce and close go on; so does what was sent already.',
        ),
      ),
      ...(before === undefined
        ? []
        : [line(text('In the place of the halt', 'dim'), ...signedCells(before))]),
      line(text('When dealing may go on: hedge unhalt', 'dim')),
    ];
  }
  if (before === undefined) return [line(text('Nothing is halted.'))];
  return [line(text('Lifted: the halt'), ...signedCells(before)), line(text('Opens and adds go on.'))];
}

/** That opens and adds are halted, and what lifts it; for any screen that a person begins with. */
export const viewStandingHalt = (halt: Halt): readonly Block[] => [
  { kind: 'gap' },
  line(text('HALTED', 'warn'), ...signedCells(halt)),
  line(text('Opens and adds are stopped, reduce and close go on. To lift it: hedge unhalt', 'dim')),
];

/** For a pipe: there while the halt is. */
export const haltChanges = (halt: Halt | undefined): readonly ChangeLine[] =>
  halt === undefined ? [] : [{ key: 'halt', cells: signedCells(halt) }];

/** `by ada, 10:02:11: venue down.`, to follow a word that says it is halted. */
function signedCells(halt: Halt): readonly Cell[] {
  if ('unreadable' in halt) return [text(`by a file that cannot be read: ${halt.unreadable.path}.`)];
  return [
    text(`by ${halt.who},`),
    { kind: 'time', at: halt.at, style: 'second' },
    message(`: ${halt.why.replace(/(?<![.!?])$/, '.')}`),
  ];
}

export const haltDocument = ({ now, before }: HaltChange): unknown => ({
  halted: now !== undefined,
  halt: standingHalt(now),
  before: standingHalt(before),
});

/** The halt in a document; null where nothing is halted. */
export function standingHalt(halt: Halt | undefined): unknown {
  if (halt === undefined) return null;
  if ('unreadable' in halt) return { unreadable: halt.unreadable.what, path: halt.unreadable.path };
  return { who: halt.who, at: halt.at, why: halt.why };
}

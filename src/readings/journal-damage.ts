/** The parts of the journal that cannot be read: in words, as an error, and how to repair them. */
import { quotedName } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import type { DamagedLine, JournalState } from '../journal/state.ts';

export interface JournalDamage {
  path: string;
  lines: readonly DamagedLine[];
  /** Actions whose intent is on a damaged line, or removed. */
  orphans: readonly string[];
}

export type MaybeDamaged = Pick<JournalState, 'path' | 'damage' | 'orphans'>;

/** Undefined when all of it can be read. */
export function damageOf({ path, damage, orphans }: MaybeDamaged): JournalDamage | undefined {
  if (damage.length === 0 && orphans.length === 0) return undefined;
  return { path, lines: damage, orphans };
}

/** With damaged lines, actions may be hidden, so a question about all of them fails. */
export const damageError = (damage: JournalDamage): DamagedFileError =>
  errorOf(damage, `A part of ${damage.path} cannot be read. It may contain unresolved or other actions.`);

/** Of an ID, hedge ID or deal ID that no readable line has. */
export function mayBeDamagedError(damage: JournalDamage, word: string): DamagedFileError {
  const wanted = word.toLowerCase();
  const begun = damage.orphans.some((id) => wanted.length >= SHORTEST_PREFIX && id.startsWith(wanted));
  return errorOf(
    damage,
    begun
      ? `The first record of action ${quotedName(word)} cannot be read: its line in the journal is damaged or removed.`
      : `No line that can be read has ${quotedName(word)}, and a part of ${damage.path} cannot be read.`,
  );
}

const SHORTEST_PREFIX = 4;

const errorOf = ({ path, lines, orphans }: JournalDamage, what: string): DamagedFileError =>
  new DamagedFileError(path, {
    what,
    book: 'Nothing was changed.',
    hint: WHERE_TO_REPAIR,
    details: { path, lines: lines.map(({ line }) => line), orphans },
  });

export const WHERE_TO_REPAIR = 'To see the damaged lines and how to repair them: hedge journal';

/** What a repair takes, one step a sentence. The only advice on it: other texts name `hedge journal`. */
export const REPAIR_STEPS: readonly string[] = [
  'First copy the folder of the journal as it is, and run hedge audit verify. Then restore the lines from a backup.',
  'Only without a backup, delete them and all other lines of the same actions. hedge then forgets these actions: limits, duplicates and deal IDs do not count them, and hedge audit verify reports removed lines. Compare with hedge hedges and hedge positions first.',
];

const MOST_LINES = 5;

/** One sentence per line. */
export function damageInWords({ path, lines, orphans }: JournalDamage): readonly string[] {
  const shown = lines
    .slice(0, MOST_LINES)
    .map(({ line, how, path: at = path }) => `Line ${line.toString()} of ${at} ${how}.`);
  const more = lines.length - shown.length;
  const state = lines.length === 0 ? 'missing' : 'on a damaged line';
  return [
    ...shown,
    ...(more === 0 ? [] : [`${more.toString()} more lines are damaged.`]),
    ...(orphans.length === 0 ? [] : [`The first record of ${orphans.join(', ')} is ${state}.`]),
  ];
}

/**
 * A journal that cannot be read whole: what is missing may be an action that stands, so that nothing that
 * makes the book larger is sent over it. A last line that a crash cut is no damage: nothing was sent on it.
 */
import { DamagedFileError } from '../../errors.ts';
import type { JournalAction } from '../../journal/record.ts';
import type { JournalState } from '../../journal/store.ts';
import type { Finding } from '../dealing.ts';

/** What reduce and close are told. @throws DamagedFileError for an open or add, naming the line and the mend. */
export function damageFindings(
  { action }: { action: JournalAction },
  state: Pick<JournalState, 'damage' | 'orphans' | 'path'>,
): readonly Finding[] {
  const found = damageIn(state);
  if (found === undefined) return [];
  if (action === 'open' || action === 'add') {
    throw new DamagedFileError(state.path, {
      what: `${found.what} An action that stands may be hidden there.`,
      book: 'Nothing was sent. Reduce and close go on.',
      hint: `See what is on the book (hedge hedges, hedge positions); then put a copy of the file back, or ${found.mend}.`,
      details: { path: state.path, lines: state.damage.map(({ line }) => line), orphans: state.orphans },
    });
  }
  return [
    {
      level: 'warn',
      code: 'damaged_file',
      says: `${found.what} An action that is unresolved or in flight may be hidden there.`,
      hint: 'To see what is on the book: hedge hedges, hedge positions',
      details: { path: state.path, lines: state.damage.map(({ line }) => line), orphans: state.orphans },
    },
  ];
}

function damageIn({
  damage,
  orphans,
  path,
}: Pick<JournalState, 'damage' | 'orphans' | 'path'>): { what: string; mend: string } | undefined {
  const [first] = damage;
  if (first !== undefined) {
    const more = damage.length > 1 ? ` (and ${(damage.length - 1).toString()} more)` : '';
    return {
      what: `Line ${first.line.toString()} of ${path} ${first.how}${more}.`,
      mend: `take ${damage.length > 1 ? 'those lines' : 'that line'} out of it`,
    };
  }
  const [orphan] = orphans;
  if (orphan === undefined) return undefined;
  return {
    what: `${path} does not hold how action ${orphan} began.`,
    mend: `take the lines of ${orphan} out of it`,
  };
}

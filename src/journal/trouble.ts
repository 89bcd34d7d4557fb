/** Trouble of the journal as a whole: opens and adds stop, close and reduce go on. */
import { DamagedFileError } from '../errors.ts';

/**
 * `damaged`: a page or a record is not what was written, so that others may not be found; new records go to `pending.sqlite`.
 * `rewound`: it lacks records that were written, for an older copy or another journal was put in its place.
 */
export interface JournalTrouble {
  kind: 'damaged' | 'rewound';
  path: string;
  /** A sentence that names the path. */
  what: string;
}

const NEXT: Readonly<Record<JournalTrouble['kind'], string>> = {
  damaged: 'Keep a copy of the folder as it is. Then: hedge journal repair',
  rewound:
    'Put the newest copy of the folder back if there is one. Without one, compare hedge hedges and hedge positions with the journal, then: hedge journal accept-loss --note TEXT',
};

/** What to do about it. */
export const troubleAdvice = ({ kind }: Pick<JournalTrouble, 'kind'>): string => NEXT[kind];

/** `book`: what it means for the position. */
export const troubleError = (
  trouble: JournalTrouble,
  book = 'Nothing was sent. Reduce and close still work.',
): DamagedFileError =>
  new DamagedFileError(trouble.path, {
    ...(trouble.kind === 'rewound' ? { code: 'journal_rewound' as const } : {}),
    what: trouble.what,
    book,
    hint: NEXT[trouble.kind],
    details: { path: trouble.path, trouble: trouble.kind },
  });

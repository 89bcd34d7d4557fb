/** Trouble of the journal as a whole: opens and adds stop, close and reduce go on. */
import { say, shell } from '../domain/hint.ts';
import { DamagedFileError, type Sentence } from '../errors.ts';

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

const NEXT: Readonly<Record<JournalTrouble['kind'], Sentence>> = {
  damaged: say`Keep a copy of the folder as it is. Then: ${shell`hedge journal repair`}`,
  rewound: say`Put the newest copy of the folder back if there is one. Without one, compare ${shell`hedge hedges`} and ${shell`hedge positions`} with the journal, then: ${shell`hedge journal accept-loss --note TEXT`}`,
};

/** What to do about it. */
export const troubleAdvice = ({ kind }: Pick<JournalTrouble, 'kind'>): Sentence => NEXT[kind];

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

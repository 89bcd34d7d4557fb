/** Trouble of the journal as a whole: opens and adds stop, close and reduce go on. */
import { say, shell } from '../domain/hint.ts';
import { DamagedFileError, type HedgeError, type Sentence, StoppedError } from '../errors.ts';

/** The log of a desk cannot be reached, or takes no records; it was put back; its history was changed; it is of a newer version. */
export type DeskTroubleCode = 'desk_unreachable' | 'desk_rewound' | 'desk_changed' | 'desk_newer';

/**
 * `damaged`: a page or a record is not what was written, so that others may not be found; new records go to `pending.sqlite`.
 * `rewound`: it lacks records that were written, for an older copy or another journal was put in its place; new records go there too.
 * `desk`: of the log that it follows; new records are kept here, to be delivered.
 */
export interface JournalTrouble {
  kind: 'damaged' | 'rewound' | 'desk';
  path: string;
  /** A sentence that names the path or the desk. */
  what: string;
  /**
   * Set with a desk only. `own_journal`: it is this machine's own that is damaged; `desk_unreachable` of a damaged copy: the log
   * makes it again.
   */
  code?: DeskTroubleCode | 'own_journal';
}

const NEXT: Readonly<Record<Exclude<JournalTrouble['kind'], 'desk'>, Sentence>> = {
  damaged: say`Keep a copy of the folder as it is. Then: ${shell`hedge journal repair`}`,
  rewound: say`If there is a newer copy of that file, move the file with its -wal and -shm to another folder, and put the copy and its -wal in their place; leave the other files as they are. Without one, compare ${shell`hedge hedges`} and ${shell`hedge positions`} with the journal, then: ${shell`hedge journal accept-loss --note TEXT`}`,
};

const NEXT_WITH_DESK: Readonly<Record<NonNullable<JournalTrouble['code']>, Sentence>> = {
  own_journal: say`Keep a copy of the folder as it is. Then: ${shell`hedge --profile practice journal repair`}`,
  desk_unreachable: say`To see why: ${shell`hedge doctor`}. Records kept here are delivered by the next command that reaches it.`,
  desk_rewound: say`To deliver what this machine has: ${shell`hedge desk adopt`}. First compare ${shell`hedge hedges`} with ${shell`hedge journal`}.`,
  desk_changed: say`Restore the database from a backup: ${shell`hedge help desk`}. This machine keeps its own copy.`,
  desk_newer: 'Install the version of hedge that the other machines have.',
};

/** The advice for a trouble. */
export const troubleAdvice = ({ kind, code }: Pick<JournalTrouble, 'kind' | 'code'>): Sentence =>
  kind === 'desk' || code !== undefined ? NEXT_WITH_DESK[code ?? 'desk_unreachable'] : NEXT[kind];

/** The code of a finding or an error. */
export const troubleCode = ({ kind, code }: Pick<JournalTrouble, 'kind' | 'code'>) =>
  kind === 'rewound'
    ? 'journal_rewound'
    : kind === 'damaged' || code === 'own_journal'
      ? 'damaged_file'
      : (code ?? 'desk_unreachable');

/** While the journal is damaged. */
export const CLOSE_STILL_WORKS =
  'Nothing was sent. Close still works; a reduce needs a person at a terminal.';

/** `meaning`: what it means for the position. */
export function troubleError(
  trouble: JournalTrouble,
  meaning = trouble.kind === 'damaged' ? CLOSE_STILL_WORKS : 'Nothing was sent. Reduce and close still work.',
): HedgeError {
  const { path, what, kind } = trouble;
  const parts = { what, meaning, hint: troubleAdvice(trouble), details: { path, trouble: kind } };
  const code = troubleCode(trouble);
  if (code === 'journal_rewound' || code === 'damaged_file')
    return new DamagedFileError(path, { ...parts, code });
  return new StoppedError({ ...parts, code, retry: code === 'desk_unreachable' ? 'later' : 'never' });
}

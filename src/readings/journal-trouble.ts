/** A journal that lacks records, or whose pages cannot all be read: as notes, as an error, and in documents. */
import { say, sentenceText } from '../domain/hint.ts';
import { quotedName } from '../domain/quoted.ts';
import type { CommandWords, HedgeError } from '../errors.ts';
import type { Journal } from '../journal/store/journal.ts';
import { type JournalTrouble, troubleAdvice, troubleError } from '../journal/trouble.ts';

const UNCHANGED = 'Nothing was changed.';
const LATER = 'What colleagues did since is not in these figures.';

/** Actions may be missing from it, so a question about all of them fails. */
export const incompleteError = (trouble: JournalTrouble): HedgeError =>
  troubleError(trouble, trouble.kind === 'desk' ? LATER : UNCHANGED);

/** The copy of a desk's log answers for the time that its notes say. */
export const incompleteFinding = (trouble: JournalTrouble | undefined): HedgeError | undefined =>
  trouble === undefined || trouble.kind === 'desk' ? undefined : incompleteError(trouble);

/** For a side that is flat as read, where the copy of a desk's log may lack what colleagues have sent. */
export const flatUnsure = (trouble: JournalTrouble | undefined): HedgeError | undefined =>
  trouble?.code === undefined || trouble.code === 'own_journal'
    ? undefined
    : troubleError(
        { ...trouble, kind: 'desk' },
        'The side is flat as read, and nothing was sent. Orders of colleagues may be on their way to it.',
      );

/** Before several opens: where the log of the desk would stop them, none is begun. @throws StoppedError */
export function checkDeskReached(journal: Pick<Journal, 'read'>): void {
  const { trouble } = journal.read();
  if (trouble?.kind === 'desk') throw troubleError(trouble);
}

/** For an ID, hedge ID or deal ID that no record has that can be read. */
export const mayBeLostError = (trouble: JournalTrouble, word: string): HedgeError =>
  troubleError(
    { ...trouble, what: `No record that can be read has ${quotedName(word)}. ${trouble.what}` },
    UNCHANGED,
  );

/** For `meta` of a document. */
export const troubleMeta = (trouble: JournalTrouble | undefined): { trouble?: JournalTrouble } =>
  trouble === undefined ? {} : { trouble };

/** On a desk: what the command does not have, and the one that does. */
export const noteOwnJournal = (other: CommandWords, note: (line: string) => void): void =>
  note(
    sentenceText(
      say`Not in it: this machine's own journal, which has the snapshots, and the notes of reconcile: ${other}`,
    ),
  );

/** Notes the fault, and what to do about it: one sentence or more each. */
export function noteTrouble(trouble: JournalTrouble | undefined, note: (line: string) => void): void {
  if (trouble === undefined) return;
  note(trouble.what);
  note(sentenceText(troubleAdvice(trouble)));
}

/** A journal that lacks records, or whose pages cannot all be read: as notes, as an error, and in documents. */
import { sentenceText } from '../domain/hint.ts';
import { quotedName } from '../domain/quoted.ts';
import type { DamagedFileError } from '../errors.ts';
import { type JournalTrouble, troubleAdvice, troubleError } from '../journal/trouble.ts';

const UNCHANGED = 'Nothing was changed.';

/** Actions may be missing from it, so a question about all of them fails. */
export const incompleteError = (trouble: JournalTrouble): DamagedFileError =>
  troubleError(trouble, UNCHANGED);

/** For an ID, hedge ID or deal ID that no record has that can be read. */
export const mayBeLostError = (trouble: JournalTrouble, word: string): DamagedFileError =>
  troubleError(
    { ...trouble, what: `No record that can be read has ${quotedName(word)}. ${trouble.what}` },
    UNCHANGED,
  );

/** The fault, and what to do about it: one sentence or more each. */
export const troubleNotes = (trouble: JournalTrouble): readonly string[] => [
  trouble.what,
  sentenceText(troubleAdvice(trouble)),
];

/** A journal put on disk line by line, as a run of the program (or a crash of one) would have left it. */

import type { JournalRecord } from '../../src/journal/records.ts';
import { journalFile, journalText, replaceJournal } from './journal-files.ts';
/** Adds the lines to the journal of the desk whose home this is, and gives its path. */
export function writeJournal(home: string, lines: readonly (JournalRecord | string)[]): string {
  const text = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  replaceJournal(home, `${journalText(home)}${text.join('\n')}\n`);
  return journalFile(home);
}

/** A journal whose records name who ran the command and the version of hedge. */
import type { JournalRecord, Operator } from './records.ts';
import type { Journal } from './store.ts';

export interface Signature {
  operator: Operator;
  /** Of hedge. */
  version: string;
}

export const signedJournal = (journal: Journal, { operator, version }: Signature): Journal => {
  const signed = (record: JournalRecord): JournalRecord => ({ ...record, operator, version });
  return {
    ...journal,
    append: ([first, ...more], guard) => journal.append([signed(first), ...more.map(signed)], guard),
  };
};

/**
 * Writes what became of an action that has been sent. By then the journal failing must not stop anything: the
 * operator is told, and the action goes on as the record would have left it.
 */
import { DamagedFileError } from '../errors.ts';
import { type Action, advanced } from '../journal/fold.ts';
import { instantOf, type JournalRecord, SCHEMA } from '../journal/record.ts';
import type { Looking } from './dealing.ts';

/** A record without what every record begins with. */
export type Said = JournalRecord extends infer Each
  ? Each extends JournalRecord
    ? Omit<Each, 'schema' | 'action_id' | 'at'>
    : never
  : never;

/** The record as it stands in the journal, dated now. */
export const dated = (actionId: string, said: Said, { clock }: Pick<Looking, 'clock'>): JournalRecord => ({
  schema: SCHEMA,
  action_id: actionId,
  at: instantOf(clock.now()),
  ...said,
});

/** Adds the record and gives the action as it stands then. Never throws over the file. */
export async function writeDown(
  action: Action,
  said: Said,
  looking: Pick<Looking, 'journal' | 'clock' | 'watch'>,
): Promise<Action> {
  const record = dated(action.id, said, looking);
  try {
    const state = await looking.journal.append([record]);
    return state.actions.find(({ id }) => id === action.id) ?? advanced(action, record);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    looking.watch.news(`The journal could not be written: ${error.what} What became of ${action.shortId}:`);
    looking.watch.news(`${said.kind}; write that down, mend the file, then: hedge check ${action.shortId}`);
    return advanced(action, record);
  }
}

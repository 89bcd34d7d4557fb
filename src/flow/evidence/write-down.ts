/**
 * Writes what became of an action that has been sent. By then the journal failing must not stop anything: the
 * operator is told, and the action goes on as the record would have left it.
 */
import { clean } from '../../domain/clean.ts';
import { exactInstant } from '../../domain/instants.ts';
import { HedgeError } from '../../errors.ts';
import { type Action, advanced } from '../../journal/fold.ts';
import { type JournalRecord, SCHEMA } from '../../journal/record.ts';
import type { JournalState } from '../../journal/store.ts';
import type { Looking } from '../looking.ts';

export type Recording = Pick<Looking, 'journal' | 'clock' | 'watch'>;

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
  at: exactInstant(clock.now()),
  ...said,
});

/**
 * Adds the record and gives the action as it stands then. `isKnown`: another process has written the same already,
 * and nothing is added. Never throws: what is done is done, whatever happens to the file.
 */
export async function writeDown(
  action: Action,
  said: Said,
  { journal, clock, watch }: Recording,
  isKnown: (standing: Action) => boolean = () => false,
): Promise<Action> {
  const record = dated(action.id, said, { clock });
  const own = ({ actions }: JournalState): Action | undefined => actions.find(({ id }) => id === action.id);
  let standing: Action | undefined;
  try {
    const written = await journal.append([record], (state) => {
      standing = own(state);
      if (standing !== undefined && isKnown(standing)) throw new WrittenAlready();
    });
    return own(written) ?? advanced(action, record);
  } catch (error) {
    if (error instanceof WrittenAlready && standing !== undefined) return standing;
    watch.news(warning(action, error));
    return advanced(action, record);
  }
}

class WrittenAlready extends Error {}

function warning({ shortId }: Action, error: unknown): string {
  const { what, hint } =
    error instanceof HedgeError ? error : { what: 'The journal could not be written.', hint: undefined };
  const next = hint ?? `When it can be written again: hedge check ${shortId}`;
  return `What became of action ${shortId} is not in the journal: ${clean(what)} What is said of the deal here holds all the same. ${clean(next)}`;
}

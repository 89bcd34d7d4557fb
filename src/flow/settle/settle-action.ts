/**
 * A person's word for what became of an action that the service will not tell: written only where its end is
 * not known, judged again while no other process can add to the journal. Asks nobody and sends nothing.
 */
import { exactInstant } from '../../domain/instants.ts';
import { StoppedError } from '../../errors.ts';
import { type Action, type ActionState, isUnresolved } from '../../journal/fold.ts';
import { SCHEMA } from '../../journal/record.ts';
import type { Journal } from '../../journal/store.ts';
import { NOT_SEEN_AFTER_MS } from '../key-life.ts';
import { actionNamed } from '../read/name-action.ts';

export interface Word {
  as: 'done' | 'nothing';
  because: string;
}

/** The action that may be settled. @throws UsageError, or StoppedError where its end is known or still comes. */
export function findSettleable(
  journal: Journal,
  { word, as, nowMs }: { word: string; as: Word['as']; nowMs: number },
): Action {
  const action = actionNamed(journal.read().actions, word);
  checkSettleable(action, as, nowMs);
  return action;
}

/** The action as it stands once the word is written. @throws StoppedError as above, DamagedFileError. */
export async function settleAction(
  journal: Journal,
  { id, word, nowMs }: { id: string; word: Word; nowMs: number },
): Promise<Action> {
  const record = {
    schema: SCHEMA,
    kind: 'settled',
    action_id: id,
    at: exactInstant(nowMs),
    ...word,
  } as const;
  const { actions } = await journal.append([record], (state) =>
    checkSettleable(actionNamed(state.actions, id), word.as, nowMs),
  );
  return actionNamed(actions, id);
}

function checkSettleable(action: Action, as: Word['as'], nowMs: number): void {
  const { shortId, state, settledAs } = action;
  if (action.underway)
    throw stop('in_flight', `A running process is dealing ${shortId} right now.`, `hedge wait ${shortId}`);
  if (isUnresolved(action) || (state === 'settled' && settledAs !== as)) return;
  if (state !== 'accepted')
    throw stop(
      'end_known',
      `What became of ${shortId} is known already: ${ENDS[state]}.`,
      `hedge journal ${shortId}`,
    );
  if (action.outcome === undefined && nowMs - Date.parse(action.changedAt) < NOT_SEEN_AFTER_MS)
    throw stop(
      'in_flight',
      `The service accepted ${shortId} less than five minutes ago: its end may still come.`,
      `hedge wait ${shortId}`,
    );
}

const stop = (code: 'end_known' | 'in_flight', what: string, hint: string): StoppedError =>
  new StoppedError({ code, what, book: 'The journal was left as it is.', hint });

const ENDS: Readonly<Record<Exclude<ActionState, 'accepted'>, string>> = {
  prepared: 'nothing of it left this machine',
  sent: 'it was sent',
  unknown: 'it was sent',
  done: 'it was done',
  failed: 'it failed, and nothing was opened',
  refused: 'the service refused it',
  not_sent: 'it was not sent',
  settled: 'somebody settled it so',
};

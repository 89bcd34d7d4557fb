/**
 * A person's word for what became of an action that the service will not tell: written only where its end is
 * not known, judged again while no other process can add to the journal. Asks nobody and sends nothing.
 */
import { exactInstant } from '../../domain/instants.ts';
import { StoppedError } from '../../errors.ts';
import { SCHEMA } from '../../journal/records.ts';
import { type Action, type ActionState, isUnresolved } from '../../journal/replay.ts';
import type { Journal } from '../../journal/store.ts';
import { findOneAction } from '../../readings/find-actions.ts';
import { NOT_SEEN_AFTER_MS } from '../idempotency-window.ts';
export interface ManualOutcome {
  as: 'done' | 'nothing';
  because: string;
}

/** The action that may be settled. @throws UsageError, or StoppedError where its end is known or still comes. */
export function findResolvable(
  journal: Journal,
  { word, as, nowMs }: { word: string; as: ManualOutcome['as']; nowMs: number },
): Action {
  const action = findOneAction(journal.read().actions, word);
  checkSettleable(action, as, nowMs);
  return action;
}

/** The action as it stands once the word is written. @throws StoppedError as above, DamagedFileError. */
export async function resolveAction(
  journal: Journal,
  { id, word, nowMs }: { id: string; word: ManualOutcome; nowMs: number },
): Promise<Action> {
  const record = {
    schema: SCHEMA,
    kind: 'settled',
    action_id: id,
    at: exactInstant(nowMs),
    ...word,
  } as const;
  const { actions } = await journal.append([record], (state) =>
    checkSettleable(findOneAction(state.actions, id), word.as, nowMs),
  );
  return findOneAction(actions, id);
}

function checkSettleable(action: Action, as: ManualOutcome['as'], nowMs: number): void {
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

/** Records the outcome of an action manually, only where it is unknown. The check is repeated under the journal's lock. */
import { exactInstant } from '../../domain/instants.ts';
import { StoppedError } from '../../errors.ts';
import { SCHEMA } from '../../journal/records.ts';
import { type Action, type ActionState, isUnresolved } from '../../journal/replay.ts';
import type { Journal } from '../../journal/store.ts';
import { findOneAction } from '../../readings/find-actions.ts';
import { NOT_SEEN_AFTER_MS } from '../idempotency-window.ts';
/** As the journal's record has it: `done` is executed, `nothing` is not executed. */
export interface ManualOutcome {
  as: 'done' | 'nothing';
  because: string;
}

/** @throws UsageError, or StoppedError where the outcome is known or still to come. */
export function findResolvable(
  journal: Journal,
  { word, as, nowMs }: { word: string; as: ManualOutcome['as']; nowMs: number },
): Action {
  const action = findOneAction(journal.read().actions, word);
  checkResolvable(action, as, nowMs);
  return action;
}

/** The action with its recorded outcome. @throws StoppedError as above, DamagedFileError. */
export async function resolveAction(
  journal: Journal,
  { id, outcome, nowMs }: { id: string; outcome: ManualOutcome; nowMs: number },
): Promise<Action> {
  const record = {
    schema: SCHEMA,
    kind: 'settled',
    action_id: id,
    at: exactInstant(nowMs),
    ...outcome,
  } as const;
  const { actions } = await journal.append([record], (state) =>
    checkResolvable(findOneAction(state.actions, id), outcome.as, nowMs),
  );
  return findOneAction(actions, id);
}

function checkResolvable(action: Action, as: ManualOutcome['as'], nowMs: number): void {
  const { shortId, state, settledAs } = action;
  if (action.underway)
    throw stop('in_flight', `Action ${shortId} is being sent by a running process.`, `hedge wait ${shortId}`);
  if (isUnresolved(action) || (state === 'settled' && settledAs !== as)) return;
  if (state !== 'accepted')
    throw stop(
      'end_known',
      `The outcome of action ${shortId} is known: ${ENDS[state]}.`,
      `hedge journal ${shortId}`,
    );
  if (action.outcome === undefined && nowMs - Date.parse(action.changedAt) < NOT_SEEN_AFTER_MS)
    throw stop(
      'in_flight',
      `The service accepted action ${shortId} less than five minutes ago. Its outcome may still come.`,
      `hedge wait ${shortId}`,
    );
}

const stop = (code: 'end_known' | 'in_flight', what: string, hint: string): StoppedError =>
  new StoppedError({ code, what, book: 'The journal is unchanged.', hint });

const ENDS: Readonly<Record<Exclude<ActionState, 'accepted'>, string>> = {
  prepared: 'it was not sent',
  sent: 'it was sent',
  unknown: 'it was sent',
  done: 'it was executed',
  failed: 'it failed, and nothing was opened',
  refused: 'the service rejected it',
  not_sent: 'it was not sent',
  settled: 'it was recorded so before',
};

/**
 * What an earlier command left open and a look settles now: an action that was not answered and of which nothing can
 * arrive any more, and a hedge that was found only provisionally. The next command that it concerns looks by itself.
 */
import { DamagedFileError } from '../../errors.ts';
import type { ActionIntent } from '../../intent/action-intent.ts';
import { type Action, isUnresolved } from '../../journal/fold.ts';
import { sameIdentity } from '../../journal/identity.ts';
import { actionInWords, stateInWords } from '../../journal/in-words.ts';
import type { JournalState } from '../../journal/store.ts';
import { isDueToSettle, isProvisionalNoMore } from '../evidence/found-hedge.ts';
import type { Looking } from '../looking.ts';
import { isReadingFailure } from './could-not-look.ts';
import { lookAtAction } from './look-at-action.ts';

/** Before an action is judged: what stands in its way. Whether anything was looked at, and may be another by now. */
export async function settleDue(
  intent: ActionIntent,
  state: JournalState,
  looking: Looking,
): Promise<boolean> {
  const nowMs = looking.clock.now();
  const due = provisionalIn(state, looking).concat(
    state.actions.filter(
      (action) =>
        isFree(action, looking) && isInTheWay(action, intent) && isDueToSettle(action, state, nowMs),
    ),
  );
  for (const action of due) await settleOne(action, looking);
  return due.length > 0;
}

/** Beside a reading of hedges. A journal that cannot be read is told of by whatever needs it. */
export async function settleProvisional(looking: Looking): Promise<void> {
  try {
    const due = provisionalIn(looking.journal.read(), looking);
    for (const action of due) await settleOne(action, looking);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
  }
}

const provisionalIn = ({ actions }: JournalState, looking: Looking): readonly Action[] =>
  actions.filter((action) => isFree(action, looking) && isProvisionalNoMore(action, looking.clock.now()));

/** Of this account, and nobody is sending it. */
const isFree = ({ intent, underway }: Action, { identity }: Looking): boolean =>
  !underway && sameIdentity(intent.identity, identity);

/** On its side, or under its deal id. */
function isInTheWay({ intent: earlier }: Action, intent: ActionIntent): boolean {
  const dealId = intent.action === 'open' ? intent.dealId : undefined;
  return (
    (earlier.market === intent.market && earlier.side === intent.side) ||
    (dealId !== undefined && earlier.deal_id === dealId)
  );
}

/** The action as it is then; what could not be looked at is as unknown as it was. @throws the signal's reason. */
export async function settleOne(action: Action, looking: Looking): Promise<Action> {
  try {
    const { entry = action, finding } = (await lookAtAction(action, looking)).report;
    const isSettled = isUnresolved(entry) !== isUnresolved(action);
    const says = finding?.what ?? `${actionInWords(entry)}, action ${entry.shortId}: ${stateInWords(entry)}.`;
    if (isSettled) looking.watch.news(`checked    ${says}`);
    return entry;
  } catch (error) {
    if (isReadingFailure(error)) return action;
    throw error;
  }
}

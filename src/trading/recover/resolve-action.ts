/**
 * Records the outcome of an action manually, only where it is unknown, and as not executed only once its request can no
 * longer arrive. The check is repeated under the journal's lock.
 */
import type { Big } from 'big.js';
import { createsHedge } from '../../domain/action-table.ts';
import { shell, step } from '../../domain/hint.ts';
import { exactInstant } from '../../domain/instants.ts';
import { quotedName } from '../../domain/quoted.ts';
import { type CommandWords, HedgeError, InterruptedError, StoppedError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { timeInWords } from '../../journal/describe.ts';
import { SCHEMA } from '../../journal/records.ts';
import { type Action, type ActionState, isUnanswered } from '../../journal/replay.ts';
import type { Journal } from '../../journal/store/journal.ts';
import { findOneAction } from '../../readings/find-actions.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { readPositionFacts } from '../../readings/read-position.ts';
import { type SidePosition, sidePositionOf } from '../../readings/side-position.ts';
import { arrivalDetails, mayShowUntil, NOT_SEEN_AFTER_MS } from '../idempotency-window.ts';
import { isProofOf, observe } from '../outcome/observe.ts';
import { filledBefore } from '../outcome/position-diff.ts';

/** The outcome in the words of a record: `done` is executed, `nothing` is not executed. */
export interface ManualOutcome {
  as: 'done' | 'nothing';
  because: string;
  note?: string | undefined;
}

/** @throws UsageError, or StoppedError where the outcome is known or still to come. */
export function findResolvable(journal: Journal, { word, ...asked }: { word: string } & Asked): Action {
  const action = findOneAction(journal.read(), word);
  checkResolvable(action, asked);
  return action;
}

/** The action with its recorded outcome. @throws StoppedError as above, DamagedFileError. */
export async function resolveAction(
  journal: Journal,
  { id, outcome, ...asked }: { id: string; outcome: ManualOutcome } & Omit<Asked, 'as'>,
): Promise<Action> {
  const record = {
    schema: SCHEMA,
    kind: 'settled',
    action_id: id,
    at: exactInstant(asked.nowMs),
    as: outcome.as,
    because: outcome.because,
    ...(outcome.note === undefined ? {} : { note: outcome.note }),
  } as const;
  const written = await journal.append([record], (state) =>
    checkResolvable(findOneAction(state, id), { as: outcome.as, ...asked }),
  );
  return findOneAction(written, id);
}

interface Asked {
  as: ManualOutcome['as'];
  /** Record it as not executed although its request may still arrive. */
  allowLateArrival: boolean;
  nowMs: number;
}

function checkResolvable(action: Action, { as, allowLateArrival, nowMs }: Asked): void {
  const { shortId, state, recordedAs } = action;
  if (action.underway)
    throw stop(
      'in_flight',
      `Action ${shortId} is being sent by a running process.`,
      shell`hedge wait ${shortId}`,
    );
  if (isUnanswered(action) || (state === 'settled' && recordedAs !== as)) {
    const until = as === 'nothing' && !allowLateArrival ? mayShowUntil(action, nowMs) : undefined;
    if (until !== undefined) throw tooEarly(action, until);
    return;
  }
  if (state !== 'accepted')
    throw stop(
      'end_known',
      `The outcome of action ${shortId} is known: ${ENDS[state]}.`,
      shell`hedge journal ${shortId}`,
    );
  if (action.outcome === undefined && nowMs - Date.parse(action.changedAt) < NOT_SEEN_AFTER_MS)
    throw stop(
      'in_flight',
      `The service accepted action ${shortId} less than five minutes ago. Its outcome may still come.`,
      shell`hedge wait ${shortId}`,
    );
}

const tooEarly = (action: Action, untilMs: number): StoppedError => {
  const { id, shortId } = action;
  const until = exactInstant(untilMs);
  return new StoppedError({
    code: 'in_flight',
    what: `Too early to record action ${shortId} as not executed: it may still arrive and show until ${timeInWords(until)}.`,
    meaning: 'The journal is unchanged.',
    hint: [
      step(shell`hedge check ${shortId}`, 'look up now; record it after that time'),
      step(shell`--allow-late-arrival`, 'option: record it now; if it arrives, it executes'),
    ],
    retry: 'later',
    details: { action_id: id, ...arrivalDetails(action), not_before: until },
  });
};

/** Offline, the question is asked without the position, and the record made without a look, after this time. */
const READ_MS = 5_000;

/**
 * An open whose hedge the service has was executed, whatever a person heard. Nothing is known without the service, or with
 * another account. @throws StoppedError
 */
export async function checkNotThere(
  action: Action,
  open: () => Promise<ReadContext>,
  nowMs: number,
): Promise<void> {
  if (!createsHedge(action.intent)) return;
  const observed = await lookedUp(action, open, (context) => observe(action, context));
  if (
    observed?.hedge === undefined ||
    !isProofOf(action, observed, nowMs) ||
    observed.hedge.status === 'failed'
  )
    return;
  throw stop(
    'end_known',
    `Action ${action.shortId} was executed: the service has its hedge, ${quotedName(observed.hedge.id)}.`,
    shell`hedge check ${action.shortId}`,
  );
}

/** USD on the side before the action, and the side as it is now. */
export interface SideSince {
  before: Big;
  now: SidePosition;
}

/** Undefined if it cannot be read under the selected profile. */
export const readSideOf = (
  action: Action,
  open: () => Promise<ReadContext>,
): Promise<SideSince | undefined> =>
  lookedUp(action, open, async (context) => ({
    before: filledBefore(action.intent),
    now: sidePositionOf(action.intent, await readPositionFacts(context, { isBare: true })),
  }));

async function lookedUp<T>(
  { intent }: Action,
  open: () => Promise<ReadContext>,
  look: (context: ReadContext) => Promise<T>,
): Promise<T | undefined> {
  const giveUp = new AbortController();
  let cancel: (() => void) | undefined;
  try {
    const context = await open();
    if (!sameIdentity(intent.identity, context.identity)) return undefined;
    cancel = context.clock.after(READ_MS, () => giveUp.abort(new TimedOut()));
    const signal = AbortSignal.any([context.signal, giveUp.signal]);
    return await look({ ...context, signal });
  } catch (error) {
    if (error instanceof TimedOut || (error instanceof HedgeError && !(error instanceof InterruptedError)))
      return undefined;
    throw error;
  } finally {
    cancel?.();
  }
}

class TimedOut extends Error {}

const stop = (code: 'end_known' | 'in_flight', what: string, look: CommandWords): StoppedError =>
  new StoppedError({ code, what, meaning: 'The journal is unchanged.', hint: step(look) });

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

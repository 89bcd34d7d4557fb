/** The facts about an action while it is followed, and the situation that they make. */
import { type Action, isUnanswered } from '../../journal/replay.ts';
import type { Evidence } from '../outcome/change-evidence.ts';
import type { Observation } from '../outcome/observe.ts';
import type { Plan } from '../plan.ts';
import { endFrom } from './record-outcome.ts';
import type { Sent } from './send-attempt.ts';

export interface Known {
  action: Action;
  /** The confirmed plan; undefined when the action was sent earlier. */
  plan?: Plan | undefined;
  /** The attempt is on disk, and not sent yet. */
  toSend?: boolean;
  /** The result of the attempt that was sent now. */
  sent?: Sent;
  /** A lookup of the action as it is. */
  observed?: Observation | undefined;
  /** Evidence of the last lookup, also if it has changed the action. */
  evidence?: Evidence;
  /** Set once the waiting is over: what it ended with, as a clause. */
  waited?: Waited;
  /** How long a list that lags may be waited for. */
  leftMs?: number;
  /** How long its outcome is awaited, if part of the timeout is over. */
  withinMs?: number;
  /** In place of the caller's request, after a sending. */
  asks?: Asks;
}

/** `send`: its attempt is on disk. `resume`: sends it again after its own checks. `look`: once, now. `wait`: sends nothing. */
export type Asks = 'send' | 'resume' | 'look' | 'wait';

/** `late`: the timeout passed. `disagree`: readings differed to the end. `stopped`: the waiting itself failed. */
export interface Waited {
  how: 'late' | 'disagree' | 'stopped';
  message: string;
}

/**
 * `recorded`: this attempt is to be sent. `underway`: another process sends it. `unsent`: nothing reached the service.
 * `unresolved`: sent, no usable response; `undecided`: looked up, and still so. `accepted`: no outcome yet; `in_flight`:
 * looked up, and still so. `ended`: a reading shows the outcome. `late`: awaited in vain. `over`: the journal has its end.
 */
export function situationOf({ action, toSend, observed, waited }: Known) {
  if (toSend === true) return 'recorded';
  if (action.state === 'accepted' && observed !== undefined && endFrom(action, observed) !== undefined)
    return 'ended';
  const isOpenEnded = action.underway || isUnanswered(action) || action.state === 'accepted';
  if (isOpenEnded && waited !== undefined) return 'late';
  if (action.underway) return 'underway';
  if (isUnanswered(action)) return observed === undefined ? 'unresolved' : 'undecided';
  if (action.state === 'accepted') return observed === undefined ? 'accepted' : 'in_flight';
  return action.state === 'prepared' || action.state === 'not_sent' ? 'unsent' : 'over';
}

export type Situation = ReturnType<typeof situationOf>;

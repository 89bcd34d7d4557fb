/** What the book showed of an action, written into the journal: its end, or that none is told. */
import { PARTIAL_FILL } from '../../journal/fill.ts';
import type { Action } from '../../journal/fold.ts';
import { NOT_SEEN_AFTER_MS } from '../key-life.ts';
import type { Ended } from './await-outcome.ts';
import type { Evidence } from './evidence.ts';
import { readActions } from './look.ts';
import { filledInPart } from './partial-fill.ts';
import { type Recording, type Said, writeDown } from './write-down.ts';

/** The action as it stands with its end, also where that could not be written. Never throws. */
export function recordOutcome(
  action: Action,
  { outcome, hedge, facts: seen }: Pick<Ended, 'outcome' | 'hedge' | 'facts'>,
  recording: Recording,
): Promise<Action> {
  const hedgeId = hedge?.id ?? action.hedgeId;
  const named = hedgeId === undefined ? {} : { hedge_id: hedgeId };
  const part = hedge && filledInPart(action, hedge, readActions(recording.journal));
  const facts = part === undefined ? seen : { ...seen, [PARTIAL_FILL]: part.toFixed() };
  return write(action, { kind: 'outcome', outcome, ...named, facts }, recording);
}

/**
 * An accepted add, reduction or close of which the book shows nothing after five minutes is `not_seen`: the
 * service tells no failure of these. Sooner, or of anything else, nothing is written. Never throws.
 */
export async function recordNotSeen(
  action: Action,
  evidence: Evidence,
  recording: Recording,
): Promise<Action> {
  const { state, outcome, intent, changedAt } = action;
  const waits = state === 'accepted' && outcome === undefined && intent.action !== 'open';
  const late = recording.clock.now() - Date.parse(changedAt) >= NOT_SEEN_AFTER_MS;
  if (!waits || !late || evidence.kind !== 'none') return action;
  return write(action, { kind: 'outcome', outcome: 'not_seen', facts: {} }, recording);
}

/** How long what was accepted may stand beside a colleague's change before nothing can be told any more. */
const NOT_TOLD_AFTER_MS = 60_000;

/**
 * An accepted action of which the book shows something else is `not_told`: unresolved from then on, for a person
 * to settle. `waited`: its time limit has passed; else a minute must have. So is one whose hedge was found under its
 * deal id, as soon as several carry that. Never throws.
 */
export async function recordNotTold(
  action: Action,
  { says, waited }: { says: string; waited: boolean },
  recording: Recording,
): Promise<Action> {
  const late = recording.clock.now() - Date.parse(action.changedAt) >= NOT_TOLD_AFTER_MS;
  const isRefuted = action.provisionalUntil !== undefined;
  if (!isRefuted && (action.state !== 'accepted' || !(waited || late))) return action;
  return write(action, { kind: 'outcome', outcome: 'not_told', facts: { seen: says } }, recording);
}

const write = (
  action: Action,
  end: Extract<Said, { kind: 'outcome' }>,
  recording: Recording,
): Promise<Action> => writeDown(action, end, recording, ({ outcome }) => outcome?.kind === end.outcome);

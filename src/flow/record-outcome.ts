/**
 * Writes an action's end into the journal. The deal is done by then, whatever happens to the file: a journal
 * that cannot be written is a warning with what to do, never an error that hides what became of the deal.
 */
import { clean } from '../domain/clean.ts';
import { HedgeError } from '../errors.ts';
import { type Action, advanced } from '../journal/fold.ts';
import type { JournalState } from '../journal/store.ts';
import type { Ended } from './await-outcome.ts';
import type { Looking } from './dealing.ts';
import type { Evidence } from './evidence.ts';
import { NOT_SEEN_AFTER_MS } from './our-others.ts';
import { dated, type Said } from './write-down.ts';

type Recording = Pick<Looking, 'journal' | 'clock' | 'watch'>;

/** The action as it stands with its end, also where that could not be written. Never throws. */
export function recordOutcome(
  action: Action,
  { outcome, hedge, facts }: Pick<Ended, 'outcome' | 'hedge' | 'facts'>,
  recording: Recording,
): Promise<Action> {
  const hedgeId = hedge?.id ?? action.hedgeId;
  const named = hedgeId === undefined ? {} : { hedge_id: hedgeId };
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
 * to settle. `waited`: its time limit has passed; else a minute must have. Never throws.
 */
export async function recordNotTold(
  action: Action,
  { says, waited }: { says: string; waited: boolean },
  recording: Recording,
): Promise<Action> {
  const late = recording.clock.now() - Date.parse(action.changedAt) >= NOT_TOLD_AFTER_MS;
  if (action.state !== 'accepted' || !(waited || late)) return action;
  return write(action, { kind: 'outcome', outcome: 'not_told', facts: { seen: says } }, recording);
}

async function write(
  action: Action,
  end: Extract<Said, { kind: 'outcome' }>,
  { journal, clock, watch }: Recording,
): Promise<Action> {
  const record = dated(action.id, end, { clock });
  const own = ({ actions }: JournalState): Action | undefined => actions.find(({ id }) => id === action.id);
  let standing: Action | undefined;
  try {
    const written = await journal.append([record], (state) => {
      standing = own(state);
      if (standing?.outcome?.kind === end.outcome) throw new WrittenAlready();
    });
    return own(written) ?? advanced(action, record);
  } catch (error) {
    if (error instanceof WrittenAlready && standing !== undefined) return standing;
    watch.news(warning(action, error));
    return advanced(action, record);
  }
}

/** Another process saw the same end first. */
class WrittenAlready extends Error {}

function warning({ shortId }: Action, error: unknown): string {
  const { what, hint } =
    error instanceof HedgeError ? error : { what: 'The journal could not be written.', hint: undefined };
  const next = hint ?? `When it can be written again: hedge check ${shortId}`;
  return `The end of action ${shortId} is not in the journal: ${clean(what)} What is said of the deal here holds all the same. ${clean(next)}`;
}

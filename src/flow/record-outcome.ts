/**
 * Writes an action's end into the journal. The deal is done by then, whatever happens to the file: a journal
 * that cannot be written is a warning with what to do, never an error that hides what became of the deal.
 */
import { clean } from '../domain/clean.ts';
import { HedgeError } from '../errors.ts';
import type { Action } from '../journal/fold.ts';
import { instantOf, type JournalRecord, type OutcomeKind, SCHEMA } from '../journal/record.ts';
import type { JournalState } from '../journal/store.ts';
import type { Ended } from './await-outcome.ts';
import type { Looking } from './dealing.ts';
import type { Evidence } from './evidence.ts';

type Recording = Pick<Looking, 'journal' | 'clock' | 'watch'>;

/** The action as it stands with its end, also where that could not be written. Never throws. */
export async function recordOutcome(
  action: Action,
  { outcome, hedge, facts }: Pick<Ended, 'outcome' | 'hedge' | 'facts'>,
  recording: Recording,
): Promise<Action> {
  const at = instantOf(recording.clock.now());
  const end = { kind: outcome, at, facts };
  const hedgeId = hedge?.id ?? action.hedgeId;
  const written = await write(action, end, hedgeId, recording);
  return (
    written ?? {
      ...action,
      state: outcome === 'failed' ? 'failed' : 'done',
      underway: false,
      hedgeId,
      outcome: end,
      changedAt: at,
    }
  );
}

/** How long an accepted change may take to show before it is called not seen. */
export const NOT_SEEN_AFTER_MS = 5 * 60_000;

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
  const nowMs = recording.clock.now();
  const waits = state === 'accepted' && outcome === undefined && intent.action !== 'open';
  const late = nowMs - Date.parse(changedAt) >= NOT_SEEN_AFTER_MS;
  if (!waits || !late || evidence.kind !== 'none') return action;
  const end = { kind: 'not_seen', at: instantOf(nowMs), facts: {} } as const;
  const written = await write(action, end, action.hedgeId, recording);
  return written ?? { ...action, outcome: end, changedAt: end.at };
}

interface End {
  kind: OutcomeKind;
  at: string;
  facts: Record<string, string | null>;
}

/** The action as the journal folds it, or undefined when nothing could be written. */
async function write(
  action: Action,
  { kind, at, facts }: End,
  hedgeId: string | undefined,
  { journal, watch }: Recording,
): Promise<Action | undefined> {
  const record: JournalRecord = {
    schema: SCHEMA,
    action_id: action.id,
    at,
    kind: 'outcome',
    outcome: kind,
    ...(hedgeId === undefined ? {} : { hedge_id: hedgeId }),
    facts,
  };
  const own = ({ actions }: JournalState): Action | undefined => actions.find(({ id }) => id === action.id);
  let written: Action | undefined;
  try {
    return own(
      await journal.append([record], (state) => {
        written = own(state);
        if (written?.outcome?.kind === kind) throw new WrittenAlready();
      }),
    );
  } catch (error) {
    if (error instanceof WrittenAlready) return written;
    watch.note(warning(action, error));
    return undefined;
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

/** The questions that pre-trade checks and commands ask of the journal: no answer needs every action at once. */
import type { Big } from 'big.js';
import { similarForm } from '../domain/similar-ids.ts';
import { type AccountIdentity, isConfirmed } from './account-identity.ts';
import type { DeskLimits } from './desk-limits.ts';
import type { Halt } from './halt.ts';
import { LAST_DEALS, lastNotionals, openedOn } from './queries.ts';
import type {
  ActionRecord,
  HaltRecord,
  IntentRecord,
  RollPlan,
  RollRecord,
  SnapshotRecord,
} from './records.ts';
import type { Action } from './replay.ts';
import type { JournalTrouble } from './trouble.ts';

/** An action that has one of these is found. */
export interface FindBy {
  /** Action IDs, or their beginnings of four digits or more. */
  ids?: readonly string[];
  keys?: readonly string[];
  /** Given by the operator. */
  dealIds?: readonly string[];
  /** Deal IDs that theirs look like. */
  similarTo?: readonly string[];
  /** IDs of rolls whose legs the actions are. */
  chainIds?: readonly string[];
  /** Hedge IDs, opened or accepted. */
  hedgeIds?: readonly string[];
}

/** Times of records, ISO 8601 UTC. */
export interface JournalSpan {
  from?: string | undefined;
  /** Excluded. */
  until?: string | undefined;
  /** The ID of an action or of a roll: what was recorded after its first record, whatever the clocks said. */
  after?: string | undefined;
}

/** `refused`: its login may lift no halt of the desk, so this changed nothing. */
export type RecordedHalt = HaltRecord & { login?: string; refused?: true };

/** The desk whose log the journal follows. */
export interface DeskView {
  name: string;
  /** Whether this command has reached the log. */
  isReached: boolean;
  /** The copy has every record until then, by the database's time (ISO 8601 UTC); undefined: not known. */
  asOf: string | undefined;
  /** The login of this machine; undefined: not known. */
  login: string | undefined;
  /** It may lift halts and raise limits. */
  isApprover: boolean;
  /** Records that are kept here and not delivered yet. */
  pending: number;
  /** IDs of actions that this command found sent by colleagues, after they were given up here. */
  resumed?: readonly string[];
}

/**
 * Each question is answered in one transaction, of the moment when it is asked; within an append's guard, all of them of the same.
 * Actions come oldest first unless said, in the order of their intents; a clock that was set back does not change it.
 * Two questions may return two objects for one action: compare IDs.
 */
export interface JournalState {
  /** Path of the database. */
  readonly path: string;
  /** Undefined when all is as it was written. A question may find it: look after asking. */
  readonly trouble: JournalTrouble | undefined;
  /** Undefined for the journal of one machine. */
  readonly desk: DeskView | undefined;
  /** Limits of the desk; empty without a desk. */
  readonly limits: DeskLimits;
  /** The halt of this machine, or of the desk; undefined without one. */
  readonly halt: Halt | undefined;
  /** How many actions it has. */
  readonly count: number;
  /** Not ended, and every action with a record of the last ten minutes, or of the future. */
  readonly current: readonly Action[];
  /** In the whole journal. */
  find(by: FindBy): readonly Action[];
  /** Actions with a record at or after this instant (ISO 8601 UTC), and `current`. */
  since(at: string): readonly Action[];
  /**
   * USD of the opens and adds of a UTC day (`2026-11-20`), executed or possibly executed. `login`: with a desk, only those
   * that this login recorded.
   */
  openedOn(identity: AccountIdentity, day: string, except?: string, login?: string): Big;
  /** USD of the last twenty such of all days, newest first. `except`: the ID of an action that does not count. */
  lastNotionals(identity: AccountIdentity, except?: string): readonly Big[];
  /** Records of an action, in order. */
  recordsOf(id: string): readonly ActionRecord[];
  /** The latest time in any record from the action's first one on; undefined without the action. ISO 8601 UTC. */
  latestSince(id: string): string | undefined;
  /** Newest first, read as far as they are taken. `isMeant`: of these intents alone. */
  newest(span?: JournalSpan, isMeant?: (intent: IntentRecord) => boolean): Iterable<Action>;
  /** Halts and their ends, newest first, read as far as they are taken. */
  halts(span?: JournalSpan): Iterable<RecordedHalt>;
  /** Plans of rolls that no record ends, oldest first. */
  readonly rolls: readonly RollPlan[];
  /** Plans of rolls and their ends, newest first, read as far as they are taken. */
  rollRecords(span?: JournalSpan): Iterable<RollRecord>;
  /** Newest first, read as far as they are taken. */
  snapshots(span?: JournalSpan): Iterable<ChainedSnapshot>;
  /** Hash of the first record of an action in the chain, in hexadecimal digits; undefined while it is pending. */
  hashOf(actionId: string): string | undefined;
}

export interface ChainedSnapshot {
  record: SnapshotRecord;
  /** In the chain, in hexadecimal digits; undefined while it is pending. */
  hash: string | undefined;
}

/**
 * The snapshots of an account, newest first, back to the first one before a time of the service (milliseconds since the
 * epoch), which is the last; undefined: all. Read as far as they are taken.
 */
export function* snapshotsOf(
  state: Pick<JournalState, 'snapshots'>,
  identity: AccountIdentity,
  fromMs?: number,
): Generator<ChainedSnapshot> {
  for (const snapshot of state.snapshots()) {
    if (!isConfirmed(snapshot.record.identity, identity)) continue;
    yield snapshot;
    if (fromMs !== undefined && Date.parse(snapshot.record.service_at) < fromMs) return;
  }
}

const without = (actions: readonly Action[], except: string | undefined): readonly Action[] =>
  except === undefined ? actions : actions.filter(({ id }) => id !== except);

const isIn = ({ at }: { at: string }, { from = '', until }: JournalSpan = {}): boolean =>
  at >= from && (until === undefined || at < until);

/** Action IDs and their beginnings, as they are recorded. */
export const prefixesOf = ({ ids = [] }: FindBy): readonly string[] =>
  ids.map((each) => each.toLowerCase()).filter((each) => /^[0-9a-f]{4,16}$/.test(each));

/** The other ways to find an action: the field of its records, and its own value. */
export const FOUND_BY = [
  { terms: 'keys', field: 'idempotency_key', of: ({ intent }: Action) => intent.idempotency_key },
  { terms: 'dealIds', field: 'deal_id', of: ({ intent }: Action) => intent.deal_id },
  { terms: 'chainIds', field: 'chain_id', of: ({ intent }: Action) => intent.chain_id },
  { terms: 'hedgeIds', field: 'hedge_id', of: ({ hedgeId }: Action) => hedgeId },
] as const;

export function foundBy(actions: readonly Action[], by: FindBy): readonly Action[] {
  const ids = prefixesOf(by);
  const forms = new Set(by.similarTo?.map(similarForm));
  const looksAlike = ({ intent: { deal_id: dealId } }: Action): boolean =>
    dealId !== undefined && forms.has(similarForm(dealId));
  const wanted = FOUND_BY.map(({ terms, of }) => ({ of, values: new Set<string | undefined>(by[terms]) }));
  return actions.filter(
    (action) =>
      ids.some((each) => action.id.startsWith(each)) ||
      (forms.size > 0 && looksAlike(action)) ||
      wanted.some(({ of, values }) => values.has(of(action))),
  );
}

/** Undefined without the action. */
export const actionById = (state: Pick<JournalState, 'find'>, id: string): Action | undefined =>
  state.find({ ids: [id] }).find((each) => each.id === id);

/**
 * By ID, short ID or prefix (four digits or more). A short ID means the action shown under it, even when a later ID has
 * the same prefix.
 */
export function findById(state: Pick<JournalState, 'find'>, text: string): readonly Action[] {
  const [wanted, matching] = [text.toLowerCase(), state.find({ ids: [text] })];
  const exact = matching.find(({ id, shortId }) => id === wanted || shortId === wanted);
  return exact === undefined ? matching : [exact];
}

/** The state and further actions that are not on disk: the newest, and current. */
export function withActions(state: JournalState, more: readonly Action[]): JournalState {
  if (more.length === 0) return state;
  return {
    ...state,
    get trouble() {
      return state.trouble;
    },
    count: state.count + more.length,
    current: [...state.current, ...more],
    find: (by) => [...state.find(by), ...foundBy(more, by)],
    since: (at) => [...state.since(at), ...more],
    // A record that is not on disk yet is of this login.
    openedOn: (identity, day, except, login) =>
      state.openedOn(identity, day, except, login).plus(openedOn(without(more, except), identity, day)),
    lastNotionals: (identity, except) =>
      [...lastNotionals(without(more, except), identity), ...state.lastNotionals(identity, except)].slice(
        0,
        LAST_DEALS,
      ),
    *newest(span, isMeant = () => true) {
      yield* more.filter(({ intent }) => isIn(intent, span) && isMeant(intent)).toReversed();
      yield* state.newest(span, isMeant);
    },
  };
}

/**
 * Looks up an action: an open by its hedge ID or reference, the others by their change of the position, with later
 * closes of this machine taken into account. Reads only.
 */

import { Big } from 'big.js';
import type { Hedge, Position } from '../../client/schemas.ts';
import { type ExpectedEffect, expectedEffect, sideEffect } from '../../domain/expected-effect.ts';
import type { ClockReadings } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import { actionAndMachine } from '../../journal/describe.ts';
import {
  type AccountSide,
  additionsSince,
  closesAfter,
  conflictsOn,
  heldBefore,
} from '../../journal/queries.ts';
import type { IntentRecord } from '../../journal/records.ts';
import type { Action } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/state.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import {
  hedgeIfKnown,
  type Reading,
  readPositionFacts,
  readUnderReference,
} from '../../readings/read-position.ts';
import { type SideHedge, type SidePosition, sidePositionOf } from '../../readings/side-position.ts';
import { isOfAnotherKey, otherKeyInWords } from '../account-keys.ts';
import { conclusiveFrom, foundProvisionallyUntil } from '../idempotency-window.ts';
import { hedgeLike, likeInWords } from './altered-reference.ts';
import { changeEvidence, type Evidence, hedgeEvidence, openEvidence } from './change-evidence.ts';
import { actionsAround, concurrentActions } from './concurrent-actions.ts';
import { diffPosition } from './position-diff.ts';
import { beforeReading, type SideEvidence, sideEvidenceAt, type Unconfirmed } from './side-evidence.ts';

export interface Observation {
  evidence: Evidence;
  /** For an open: the hedge found; by ID even if it is not as requested. */
  hedge?: Hedge | undefined;
  /** For an open: every hedge with its reference was read. */
  byReference?: boolean;
  /** For the others. */
  sidePosition?: SidePosition | undefined;
  /** Why a missing side does not count; the evidence is unclear then. */
  unconfirmed?: Unconfirmed | undefined;
  /** The position; undefined when there is none, or it is unclear. */
  position?: Position | undefined;
  servedAt?: Date | undefined;
  /** The clocks at the response. */
  clocks?: ClockReadings | undefined;
}

type LookupContext = Reading & Pick<ReadContext, 'journal' | 'identity'>;

/**
 * `sideEvidence`: shared by all lookups of one command.
 * @throws HedgeError of the reading that failed; the signal's reason when that aborted.
 */
export async function observe(
  action: Action,
  reading: LookupContext,
  sideEvidence: SideEvidence = sideEvidenceAt(action.intent),
): Promise<Observation> {
  return LOOKUPS[expectedEffect(action.intent).kind](action, reading, sideEvidence);
}

type Lookup = (action: Action, reading: LookupContext, sideEvidence: SideEvidence) => Promise<Observation>;

/** The reading that shows each effect. */
const LOOKUPS: Readonly<Record<ExpectedEffect['kind'], Lookup>> = {
  new_hedge: lookUpHedge,
  notional: lookUpSide,
  side_gone: lookUpSide,
};

async function lookUpHedge(action: Action, reading: LookupContext): Promise<Observation> {
  const observed = await findOpen(action, reading);
  if (!isOfAnotherKey(action, reading) || isOwn(action, observed)) return observed;
  return { ...undecided(action), servedAt: observed.servedAt };
}

/** A failed hedge proves nothing while it may be somebody else's. */
async function findOpen(action: Action, reading: LookupContext): Promise<Observation> {
  const observed = await findHedge(action, reading);
  const isTentative = foundProvisionallyUntil(action, reading.clock.now()) !== undefined;
  if (!isTentative || observed.evidence.kind !== 'exact' || observed.hedge?.status !== 'failed')
    return observed;
  const message = `${unquoted(observed.hedge.id)} with its deal ID failed, but may be somebody else's`;
  return { ...observed, evidence: { kind: 'unclear', message } };
}

async function findHedge(action: Action, reading: LookupContext): Promise<Observation> {
  const { hedgeId, provisionalUntil } = action;
  if (hedgeId !== undefined && provisionalUntil === undefined) return readHedge(action, hedgeId, reading);
  const found = await findByReference(action, reading);
  const isFound = found.evidence.kind === 'exact' || found.evidence.kind === 'other';
  return isFound || hedgeId === undefined ? found : readHedge(action, hedgeId, reading);
}

/** Another account may lack it, or have a different one under the same deal ID or chosen key. */
const undecided = (action: Action): Observation => ({
  evidence: { kind: 'unclear', message: otherKeyInWords(action), anotherKey: true },
});

/** Found by hedge ID, or by a reference derived from its own key. */
const isOwn = ({ hedgeId, intent }: Action, { hedge }: Observation): boolean =>
  hedge !== undefined && (hedge.id === hedgeId || hasOwnReference(intent));

/**
 * Whether it proves what became of an open, whatever a person recorded. A hedge that only has its deal ID may be somebody
 * else's, also where the action is known not to be it.
 */
export const isProofOf = (action: Action, observed: Observation, nowMs: number): boolean =>
  observed.evidence.kind === 'exact' &&
  (isOwn(action, observed) ||
    (action.recordedAs === 'done' && foundProvisionallyUntil(action, nowMs) === undefined));

const hasOwnReference = ({ key_origin: origin, deal_id: dealId }: IntentRecord): boolean =>
  origin === 'minted' && dealId === undefined;

async function lookUpSide(
  action: Action,
  reading: LookupContext,
  sideEvidence: SideEvidence,
): Promise<Observation> {
  if (isOfAnotherKey(action, reading)) return undecided(action);
  const { intent } = action;
  const lookedAtMs = reading.clock.now();
  const facts = await readPositionFacts(reading, { isBare: true });
  const sidePosition = sidePositionOf(intent, facts);
  const actions = readActions(reading.journal, (state) => actionsAround(action, state));
  const earlier = beforeReading(intent);
  const evidence = evidenceOnSide(action, { now: sidePosition, lookedAtMs, actions });
  const asExpected = evidence.kind === 'exact';
  const unconfirmed = await sideEvidence.whyUnconfirmed(sidePosition, {
    ...reading,
    actions,
    earlier,
    atMs: lookedAtMs,
    asExpected,
  });
  return {
    evidence: unconfirmed === undefined ? evidence : { kind: 'unclear', message: unconfirmed.message },
    sidePosition,
    unconfirmed,
    position: sidePosition.position,
    servedAt: facts.servedAt,
    clocks: facts.clocks,
  };
}

/** Empty if the journal cannot be read: the lookup goes on without it. */
export const readActions = (
  journal: ReadContext['journal'],
  from: (state: JournalState) => readonly Action[],
): readonly Action[] => unless(DamagedFileError, () => from(journal.read())) ?? [];

export const actionsSince = ({ intent }: Action, journal: ReadContext['journal']): readonly Action[] =>
  readActions(journal, (state) => state.since(intent.at));

async function readHedge(action: Action, id: string, reading: LookupContext): Promise<Observation> {
  const read = await hedgeIfKnown(id, reading);
  if (read !== undefined) {
    const { data: hedge, servedAt } = read;
    return { evidence: evidenceById(action, hedge), hedge, servedAt };
  }
  const found = await findByReference(action, reading);
  if (found.evidence.kind !== 'none') return found;
  const message = `the service accepted it as ${unquoted(id)} but no longer knows that hedge`;
  return { ...found, evidence: { kind: 'unclear', message } };
}

/** Evidence of the hedge that the service named in its response to an open. */
export const evidenceById = ({ intent }: Action, hedge: Hedge): Evidence =>
  hedgeEvidence(intent, hedge, { byId: true });

const mayHaveGrown = (action: Action, journal: ReadContext['journal']): boolean =>
  hasOwnReference(action.intent) || additionsSince(actionsSince(action, journal), action).length > 0;

async function findByReference(action: Action, reading: LookupContext): Promise<Observation> {
  const { intent } = action;
  const reference = intent.client_reference;
  if (reference === undefined) return { evidence: openEvidence(intent, []) };
  const { hedges, mayBeCut, servedAt, clocks } = await readUnderReference(reading, reference);
  const evidence = openEvidence(intent, hedges, { mayHaveGrown: mayHaveGrown(action, reading.journal) });
  if (evidence.kind === 'none' && mayBeCut) {
    const message = 'the list of hedges may be incomplete and does not show it';
    return { evidence: { kind: 'unclear', message }, servedAt };
  }
  const like = evidence.kind === 'none' ? await hedgeThatMayBeIts(action, reading) : undefined;
  if (like !== undefined) return { evidence: { kind: 'unclear', message: likeInWords(like) }, servedAt };
  const hedge = evidence.kind === 'exact' ? evidence.hedge : undefined;
  return { evidence, hedge, byReference: !mayBeCut, servedAt, clocks };
}

/** Asked before its absence is believed. */
async function hedgeThatMayBeIts(action: Action, reading: LookupContext): Promise<Hedge | undefined> {
  const from = conclusiveFrom(action);
  if (from === undefined || reading.clock.now() < from) return undefined;
  return hedgeLike(action, reading, (id) =>
    readActions(reading.journal, (state) => state.find({ hedgeIds: [id] })).some(
      (other) => other.id !== action.id && other.hedgeId === id,
    ),
  );
}

interface SideReading {
  now: SidePosition;
  /** When the reading began. */
  lookedAtMs: number;
  actions: readonly Action[];
}

/** Whether an action of this machine whose outcome is not recorded made the side what it is. */
export const isAsExpected = (place: AccountSide, read: SideReading): boolean =>
  conflictsOn(read.actions, place).some((action) => evidenceOnSide(action, read).kind === 'exact');

/** None for an action that the side's hedges do not show. */
export function evidenceOnSide(action: Action, { now: read, lookedAtMs, actions }: SideReading): Evidence {
  const { intent } = action;
  const effect = sideEffect(intent);
  if (effect === undefined) return { kind: 'none' };
  const { before } = intent;
  const closers = closesAfter(actions, action);
  const now = withoutMaturityOf(closers, read);
  const direct = changeEvidence({ effect, before }, now, concurrentActions(action, actions, lookedAtMs));
  const closer = closers.at(-1);
  if (closer === undefined || !diffPosition(before, now).holding.every(({ kind }) => kind === 'left'))
    return direct;
  const closedBy = actionAndMachine(closer);
  if (direct.kind === 'exact') return { ...direct, closedBy };
  if (effect.kind === 'side_gone') return direct;
  const message = `action ${closedBy} closed ${unquoted(intent.market)} ${intent.side} afterwards`;
  const seenByIt = changeEvidence(
    { effect, before },
    asSeenBy(closer.intent, now),
    concurrentActions(action, actions, Date.parse(closer.intent.before.read_at ?? closer.intent.at)),
  );
  if (seenByIt.kind !== 'exact')
    return { kind: 'other', message, hedges: 'hedges' in direct ? direct.hedges : [], closedBy };
  return {
    ...seenByIt,
    message: seenByIt.message === undefined ? message : `${seenByIt.message}; ${message}`,
    closedBy,
  };
}

/** A hedge that a close of this machine ended is still listed with its maturity, and did not mature. */
function withoutMaturityOf(closers: readonly Action[], now: SidePosition): SidePosition {
  const ended = closers.filter(({ state }) => state === 'done').flatMap(({ intent }) => heldBefore(intent));
  const isEnded = ({ id }: SideHedge): boolean => ended.some(({ hedge_id }) => hedge_id === id);
  const listed = now.listed.map((hedge) => (isEnded(hedge) ? { ...hedge, maturityAt: undefined } : hedge));
  return { ...now, listed };
}

/** The side as recorded before that close. */
function asSeenBy({ before }: IntentRecord, now: SidePosition): SidePosition {
  const open = before.hedges.flatMap(({ hedge_id: id, notional_usd: notional, status }): SideHedge[] =>
    notional === null || status !== 'filled'
      ? []
      : [
          {
            id,
            status,
            notional: new Big(notional),
            tenorDays: new Big(0),
            maturityAt: undefined,
            reference: undefined,
          },
        ],
  );
  return {
    ...now,
    open,
    listed: open,
    coming: [],
    unread: [],
    inPositions: true,
    unclear: undefined,
    mayBeCut: false,
  };
}

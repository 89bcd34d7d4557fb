/**
 * One look at what became of an action: an open by its hedge, or by its reference where no answer told the id;
 * the others by the side, measured against what it was. Reads only.
 *
 * What the book says about an add, a reduction or a close of ours, together with what this machine's own closes
 * explain of it: a side that one of ours closed since is no colleague's doing, and shows what came before as that
 * close saw it. Pure.
 */

import { Big } from 'big.js';
import type { Hedge, Position } from '../../client/schemas.ts';
import { createsHedge, takesWholeSide } from '../../domain/action-table.ts';
import type { ClockReadings } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { DamagedFileError } from '../../errors.ts';
import { closesAfter } from '../../journal/queries.ts';
import type { IntentRecord } from '../../journal/records.ts';
import type { Action } from '../../journal/replay.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { type Reading, readBook, readUnderReference } from '../../readings/read-position.ts';
import { type SideBook, type SideHedge, sideBookOf } from '../../readings/side-book.ts';
import { isOfAnotherKey, otherKeyInWords } from '../account-keys.ts';
import { foundProvisionallyUntil } from '../idempotency-window.ts';
import { type AbsenceCheck, absenceCheck, beforeReading, type Doubt, isHedgeNotFound } from './absence.ts';
import { changeEvidence, type Evidence, hedgeEvidence, openEvidence } from './change-evidence.ts';
import { concurrentActions } from './concurrent-actions.ts';
import { diffPosition } from './position-diff.ts';
export interface Observation {
  evidence: Evidence;
  /** Of an open: the one that was found, by its id also where it is not what was asked. */
  hedge?: Hedge | undefined;
  /** Of an open: every hedge under its reference was read. */
  byReference?: boolean;
  /** Of the others. */
  book?: SideBook | undefined;
  /** Why what the reading lacks is not believed; the evidence is unclear then. */
  doubt?: Doubt | undefined;
  /** The side's line; undefined when it has none, or none that can be told. */
  position?: Position | undefined;
  servedAt?: Date | undefined;
  /** The clocks as what was looked for came. */
  clocks?: ClockReadings | undefined;
}

type Looker = Reading & Pick<ReadContext, 'journal' | 'identity'>;

/**
 * `absence`: of one command, for all its looks at the action.
 * @throws HedgeError of the reading that failed; the signal's reason when that aborted.
 */
export async function observe(
  action: Action,
  reading: Looker,
  absence: AbsenceCheck = absenceCheck(action.intent),
): Promise<Observation> {
  const anotherKey = isOfAnotherKey(action, reading);
  if (!createsHedge(action.intent))
    return anotherKey ? notTold(action) : lookAtSide(action, reading, absence);
  const seen = await lookForOpen(action, reading);
  return anotherKey && !isOurs(action, seen) ? { ...notTold(action), servedAt: seen.servedAt } : seen;
}

/** A hedge that failed says nothing of an open while it may be a colleague's. */
async function lookForOpen(action: Action, reading: Looker): Promise<Observation> {
  const seen = await lookForHedge(action, reading);
  const isTentative = foundProvisionallyUntil(action, reading.clock.now()) !== undefined;
  if (!isTentative || seen.evidence.kind !== 'exact' || seen.hedge?.status !== FAILED) return seen;
  const says = `${unquoted(seen.hedge.id)} under its deal id failed, which may be a colleague's`;
  return { ...seen, evidence: { kind: 'unclear', says } };
}

const FAILED = 'failed';

async function lookForHedge(action: Action, reading: Looker): Promise<Observation> {
  const { hedgeId, provisionalUntil } = action;
  if (hedgeId !== undefined && provisionalUntil === undefined) return lookAtHedge(action, hedgeId, reading);
  const found = await lookForReference(action, reading);
  const isFound = found.evidence.kind === 'exact' || found.evidence.kind === 'other';
  return isFound || hedgeId === undefined ? found : lookAtHedge(action, hedgeId, reading);
}

/** Another account may lack it, and may have another under its deal ID or under a key that was chosen. */
const notTold = (action: Action): Observation => ({
  evidence: { kind: 'unclear', says: otherKeyInWords(action), anotherKey: true },
});

/** Found by a hedge ID of the service, or by a reference made of a key that nobody else has. */
const isOurs = ({ hedgeId, intent }: Action, { hedge }: Observation): boolean =>
  hedge !== undefined &&
  (hedge.id === hedgeId || (intent.key_origin === 'minted' && intent.deal_id === undefined));

async function lookAtSide(action: Action, reading: Looker, absence: AbsenceCheck): Promise<Observation> {
  const { intent } = action;
  const lookedAtMs = reading.clock.now();
  const facts = await readBook(reading);
  const book = sideBookOf(intent, facts);
  const actions = readActions(reading.journal);
  const earlier = beforeReading(intent);
  const doubt = await absence.doubtOf(book, { ...reading, actions, earlier, atMs: lookedAtMs });
  return {
    evidence:
      doubt === undefined
        ? evidenceOnSide(action, { now: book, lookedAtMs, actions })
        : { kind: 'unclear', says: doubt.says },
    book,
    doubt,
    position: book.position,
    servedAt: facts.servedAt,
    clocks: facts.clocks,
  };
}

/** None where the file cannot be read: what is seen is told all the same. */
export function readActions(journal: ReadContext['journal']): readonly Action[] {
  try {
    return journal.read().actions;
  } catch (error) {
    if (error instanceof DamagedFileError) return [];
    throw error;
  }
}

async function lookAtHedge(action: Action, id: string, reading: Reading): Promise<Observation> {
  try {
    const { data: hedge, servedAt } = await reading.api.hedge(id, { signal: reading.signal });
    return { evidence: hedgeEvidence(action.intent, hedge, { byId: true }), hedge, servedAt };
  } catch (error) {
    if (!isHedgeNotFound(error)) throw error;
  }
  const found = await lookForReference(action, reading);
  if (found.evidence.kind !== 'none') return found;
  const says = `the service took it as ${unquoted(id)} and does not know that hedge now`;
  return { ...found, evidence: { kind: 'unclear', says } };
}

async function lookForReference({ intent }: Action, reading: Reading): Promise<Observation> {
  const reference = intent.client_reference;
  if (reference === undefined) return { evidence: openEvidence(intent, []) };
  const { hedges, mayBeCut, servedAt, clocks } = await readUnderReference(reading, reference);
  const evidence = openEvidence(intent, hedges);
  if (evidence.kind === 'none' && mayBeCut) {
    const says = 'the list of hedges may be one page of more, and what was read of it does not show it';
    return { evidence: { kind: 'unclear', says }, servedAt };
  }
  const hedge = evidence.kind === 'exact' ? evidence.hedge : undefined;
  return { evidence, hedge, byReference: !mayBeCut, servedAt, clocks };
}

/** `lookedAtMs`: when the reading of `now` began. */
export function evidenceOnSide(
  action: Action,
  { now, lookedAtMs, actions }: { now: SideBook; lookedAtMs: number; actions: readonly Action[] },
): Evidence {
  const { intent } = action;
  const direct = changeEvidence(intent, now, concurrentActions(action, actions, lookedAtMs));
  const closer = closesAfter(actions, action).at(-1);
  if (
    closer === undefined ||
    !diffPosition(intent.before, now).holding.every(({ fate }) => fate.became === 'left')
  )
    return direct;
  const closedBy = closer.shortId;
  if (direct.kind === 'exact') return { ...direct, closedBy };
  if (takesWholeSide(intent)) return direct;
  const says = `action ${closedBy} of this machine closed ${unquoted(intent.market)} ${intent.side} since`;
  const seenByIt = changeEvidence(
    intent,
    asSeenBy(closer.intent, now),
    concurrentActions(action, actions, Date.parse(closer.intent.before.read_at ?? closer.intent.at)),
  );
  if (seenByIt.kind !== 'exact')
    return { kind: 'other', says, hedges: 'hedges' in direct ? direct.hedges : [], closedBy };
  return { ...seenByIt, says: seenByIt.says === undefined ? says : `${seenByIt.says}; ${says}`, closedBy };
}

/** The side as it stood before that close, as far as its evidence goes: hedge by hedge, each at its size. */
function asSeenBy({ before }: IntentRecord, now: SideBook): SideBook {
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

/**
 * Evidence of an action in the position. Somebody else may trade on the same account, so a change counts only if it is
 * exactly as requested, and a missing change is never a failure. Pure.
 */
import { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import { sum } from '../../domain/amounts.ts';
import type { SideEffect } from '../../domain/expected-effect.ts';
import { isAboutEverything, isSameSize, sizeTolerance, someOf, usdInWords } from '../../domain/exposure.ts';
import { commandOnId, say, shell } from '../../domain/hint.ts';
import { unquoted } from '../../domain/quoted.ts';
import { isSameName } from '../../domain/vocabulary.ts';
import { OutcomeUnknownError } from '../../errors.ts';
import type { IntentRecord } from '../../journal/records.ts';
import { isInconsistent, type SidePosition } from '../../readings/side-position.ts';
import type { HedgeChange } from '../plan.ts';
import { isAltered } from './altered-reference.ts';
import { attributeChange, type ConcurrentAction } from './concurrent-actions.ts';
import {
  changesInWords,
  closedMeanwhile,
  diffPosition,
  type HedgeDiff,
  hasChanged,
  type MeasuredChange,
  measuredChanges,
  type PositionDiff,
  whyUnmeasured,
} from './position-diff.ts';

/** `message` is a clause without a full stop. */
export type Evidence =
  /**
   * Exactly as requested. `hedges`: the earlier hedges as they are now; for an open, `hedge`. `message`: a remark, such
   * as a different size. `closedBy`: a later close of the journal that may have closed them, in words.
   */
  | {
      kind: 'exact';
      hedges: readonly HedgeChange[];
      hedge?: Hedge | undefined;
      message?: string | undefined;
      /** Another hedge was opened on the side since. */
      isReopened?: boolean;
      closedBy?: string;
    }
  /** No trace of it. `failed`: a hedge under its reference that had failed before. */
  | { kind: 'none'; failed?: string | undefined }
  /** Changed, but not exactly as requested. */
  | {
      kind: 'other';
      message: string;
      hedges: readonly HedgeChange[];
      closedBy?: string;
      /** Every hedge that it could change is past its maturity. */
      isOver?: boolean;
      /** For an open: several hedges carry its reference. */
      isOneOf?: readonly string[];
      /** For an open: the response named this hedge, which is not the requested one. */
      notOurs?: string;
    }
  /** The reading does not decide; `anotherKey`: it was sent with a key that may belong to another account. */
  | { kind: 'unclear'; message: string; anotherKey?: boolean; isOver?: boolean };

/**
 * Whether the side shows an effect. `before`: the side before the action. `others`: other actions of this machine that
 * may be part of the change.
 */
export function changeEvidence(
  { effect, before }: SideIntent,
  now: SidePosition,
  others: readonly ConcurrentAction[] = [],
): Evidence {
  const diff = diffPosition(before, now);
  switch (effect.kind) {
    case 'side_gone':
      return closeEvidence(before, now, diff.holding);
    case 'notional':
      return notionalEvidence(effect.change, diff, { now, others });
    default:
      return effect satisfies never;
  }
}

export interface SideIntent extends Pick<IntentRecord, 'before'> {
  effect: SideEffect;
}

interface SideNow {
  now: SidePosition;
  others: readonly ConcurrentAction[];
}

/** A change that an incomplete list may hide is not told. */
function notionalEvidence(own: Big, diff: PositionDiff, { now, others }: SideNow): Evidence {
  const listed = listedEvidence(own, diff, { now, others });
  const mayBeHidden = listed.kind === 'other' || (listed.kind === 'none' && own.gt(0));
  if (!mayBeHidden || !now.mayBeCut || now.unclear === undefined) return listed;
  return { kind: 'unclear', message: `${now.unclear}, so the change cannot be told` };
}

function listedEvidence(own: Big, { holding, joined }: PositionDiff, { now, others }: SideNow): Evidence {
  const hedges = [...holding, ...joined];
  const why = cannotMeasure(hedges);
  if (why !== undefined) return { kind: 'unclear', message: why };
  const [requested, grows] = [own.abs(), own.gt(0)];
  const side = measuredChanges(hedges);
  const open = side.filter((each) => !isPast(each));
  const changed = open.filter(hasChanged);
  if (!grows && changed.length > 0 && isEmptiedBy(requested, measuredChanges(holding))) return exactly(side);
  if (others.length > 0) return evidenceAmong(others, { own, now, side, changed });
  if (changed.length === 0) return unchanged(now, side);
  return (grows ? isAddition(requested, changed) : isReduction(requested, open))
    ? exactly(side)
    : other(side);
}

const NOT_AS_REQUESTED = 'not exactly as requested';
const BEFORE_UNKNOWN = 'the side before the action is not known';

/** One hedge grew by the requested size, and no other changed except by maturing and rounding. */
const isAddition = (requested: Big, changed: readonly MeasuredChange[]): boolean =>
  !changed.some(hasShrunk) && changed.filter(hasGrown).length <= 1 && isAbout(growthOf(changed), requested);

/** All hedges together are smaller by the requested size. */
const isReduction = (requested: Big, open: readonly MeasuredChange[]): boolean =>
  !open.some(hasGrown) && isAbout(growthOf(open), requested.neg(), open.length);

/** Every hedge is gone after a reduction by about everything (specification §3). */
const isEmptiedBy = (requested: Big, holding: readonly MeasuredChange[]): boolean =>
  holding.every(({ kind }) => kind !== 'held') &&
  isAboutEverything(requested, sum(holding.map(({ before }) => before)));

const isAbout = (change: Big, requested: Big, hedges = 1): boolean =>
  change.minus(requested).abs().lte(sizeTolerance(hedges));

/** By more than its size may have been rounded. */
const hasGrown = (each: MeasuredChange): boolean => each.after.minus(each.before).gt(sizeTolerance(1));
const hasShrunk = (each: MeasuredChange): boolean => each.before.minus(each.after).gt(sizeTolerance(1));
const growthOf = (hedges: readonly MeasuredChange[]): Big =>
  sum(hedges.map(({ before, after }) => after.minus(before)));

/** Compares the change with this action and the other pending ones of this machine. */
function evidenceAmong(
  others: readonly ConcurrentAction[],
  seen: { own: Big; now: SidePosition; side: readonly MeasuredChange[]; changed: readonly MeasuredChange[] },
): Evidence {
  const { own, now, side, changed } = seen;
  const all = [own, ...others.map(({ change }) => change)];
  const onlyAdds = all.every((change) => change.gt(0));
  const onlyCuts = all.every((change) => change.lt(0));
  if ((onlyAdds && changed.some(hasShrunk)) || (onlyCuts && changed.some(hasGrown))) return other(side);
  const tolerance = sizeTolerance(changed.length * all.length);
  const names = others.map(({ shortId }) => shortId).join(', ');
  const attribution = attributeChange(growthOf(changed), { own, others, tolerance });
  switch (attribution) {
    case 'ours':
      return exactly(
        side,
        ...(growthOf(changed).minus(own).abs().lte(tolerance) ? [] : [`it includes the change of ${names}`]),
      );
    case 'either':
      return {
        kind: 'unclear',
        message: `the change may be from action ${names} instead`,
      };
    case 'others':
      return changed.length === 0 ? unchanged(now, side) : { kind: 'none' };
    case 'neither':
      return other(side);
    default:
      return attribution satisfies never;
  }
}

/** The side is gone from the positions (specification §3), or every hedge of it is. */
function closeEvidence(
  before: IntentRecord['before'],
  now: SidePosition,
  holding: readonly HedgeDiff[],
): Evidence {
  const side = measuredChanges(holding);
  const flat = now.inPositions === false;
  if (holding.length === 0 && !(flat && before.in_positions === true))
    return { kind: 'unclear', message: BEFORE_UNKNOWN };
  const remarks = closedMeanwhile(before, now);
  if (flat) return allMatured(holding) ? other(side) : exactly(side, ...remarks);
  const why = whyUnmeasured(holding);
  if (why !== undefined) return { kind: 'unclear', message: why };
  if (!side.some(hasChanged)) return unchanged(now, []);
  if (side.some(({ kind }) => kind === 'held') || allMatured(holding)) return other(side);
  const [since] = now.open;
  // All hedges are over but the positions still show the side: wait for the readings to agree.
  if (since === undefined)
    return isInconsistent(now) ? { kind: 'unclear', message: now.unclear ?? '' } : exactly(side, ...remarks);
  const opened = `${unquoted(since.id)} ${usdInWords(since.notional)} was opened on the side since`;
  return { ...exactly(side, opened, ...remarks), isReopened: true };
}

const allMatured = (hedges: readonly HedgeDiff[]): boolean => hedges.length > 0 && hedges.every(isPast);

const isPast = ({ kind }: HedgeDiff): boolean => kind === 'matured';

const cannotMeasure = (hedges: readonly HedgeDiff[]): string | undefined =>
  hedges.length === 0 ? BEFORE_UNKNOWN : whyUnmeasured(hedges);

/** No change except by maturing; a matured hedge no longer shows whether the action ran. */
function unchanged(now: SidePosition, side: readonly MeasuredChange[]): Evidence {
  const matured = changesInWords(side);
  const message = `${matured}, so the change can no longer be seen`;
  if (matured !== '') return { kind: 'unclear', message, isOver: side.every(isPast) };
  return isInconsistent(now) ? { kind: 'unclear', message: now.unclear ?? '' } : { kind: 'none' };
}

const exactly = (
  side: readonly MeasuredChange[],
  ...remarks: readonly string[]
): Extract<Evidence, { kind: 'exact' }> => ({
  kind: 'exact',
  hedges: changesOf(side),
  message: remarks.length === 0 ? undefined : someOf(remarks),
});

const other = (side: readonly MeasuredChange[]): Evidence => ({
  kind: 'other',
  message: `${changesInWords(side)}: ${NOT_AS_REQUESTED}`,
  hedges: changesOf(side),
  isOver: side.every(isPast),
});

/** A matured hedge settled by itself: the action did not change it. */
const changesOf = (side: readonly MeasuredChange[]): readonly HedgeChange[] =>
  side.filter((each) => !isPast(each)).map(({ id, before, after }) => ({ id, before, after }));

/** Statuses in which a hedge still has its original size. */
const AS_OPENED: readonly string[] = ['submitting', 'submitted', 'failed'];

/** `mayHaveGrown`: this machine has added to the side since, or nobody else knows its reference. */
interface SinceThen {
  mayHaveGrown?: boolean;
}

/** Ignores hedges that existed before the action: earlier, failed attempts under the same deal ID. */
export function openEvidence(
  intent: IntentRecord,
  underReference: readonly Hedge[],
  since: SinceThen = {},
): Evidence {
  if (intent.client_reference === undefined)
    return { kind: 'unclear', message: 'it was sent without a reference' };
  const found = underReference.filter(
    (hedge) => hedge.client_reference === intent.client_reference && !wasThereBefore(intent, hedge),
  );
  const [first, ...more] = found;
  if (first === undefined) {
    const before = underReference.find(({ client_reference: of }) => of === intent.client_reference);
    return { kind: 'none', ...(before?.status === 'failed' && { failed: before.id }) };
  }
  if (more.length === 0) {
    const evidence = hedgeEvidence(intent, first, since);
    // Somebody else's order under the reference, which opened nothing.
    return evidence.kind === 'other' && first.status === 'failed' ? { kind: 'none' } : evidence;
  }
  const isOneOf = found.map(({ id }) => id);
  return {
    kind: 'other',
    message: duplicateHedgesInWords(intent.client_reference, isOneOf),
    hedges: [],
    isOneOf,
  };
}

const wasThereBefore = ({ before }: IntentRecord, { id }: Hedge): boolean =>
  before.hedges.some(({ hedge_id }) => hedge_id === id);

/**
 * Whether a hedge is the requested one. `byId`: the service named it in its response. One that carries the reference may
 * be smaller, filled in part or reduced since, or larger, added to since: without its ID only if this machine may have.
 */
export function hedgeEvidence(
  intent: IntentRecord,
  hedge: Hedge,
  { byId = false, mayHaveGrown = byId }: SinceThen & { byId?: boolean } = {},
): Evidence {
  const requested = new Big(intent.notional_usd ?? 0);
  const { id, notional_usd: size, client_reference: reference } = hedge;
  const sent = intent.client_reference;
  const isCarried = reference ? reference === sent || (byId && isAltered(reference, sent ?? '')) : false;
  const isAsOpened = AS_OPENED.includes(hedge.status);
  const sameSize = isSameSize(size, requested);
  const isResized = isCarried && (size.lt(requested) ? byId || !isAsOpened : mayHaveGrown && !isAsOpened);
  const differences = Object.entries({
    market: !isSameName(hedge.market, intent.market),
    side: hedge.side !== intent.side,
    tenor: !hedge.tenor_days.eq(intent.tenor_days ?? 0),
    size: !(sameSize || isResized),
    reference: Boolean(reference) && intent.client_reference !== undefined && !isCarried,
    'opened earlier': !isCarried && wasThereBefore(intent, hedge),
  }).flatMap(([name, differs]) => (differs ? [name] : []));
  if (differences.length > 0) {
    const message = `${inWords(hedge)}: ${NOT_AS_REQUESTED} (${differences.join(', ')})`;
    // One with the ID and the reference is ours at any size.
    return byId && !(isCarried && differences.join() === 'size')
      ? { kind: 'other', message: `the response named another hedge: ${message}`, hedges: [], notOurs: id }
      : { kind: 'other', message, hedges: [] };
  }
  return {
    kind: 'exact',
    hedges: [],
    hedge,
    message: sameSize
      ? undefined
      : `${unquoted(id)} is ${usdInWords(size)}, requested ${usdInWords(requested)}`,
  };
}

const inWords = ({ client_reference: reference, ...hedge }: Hedge): string =>
  `${unquoted(hedge.id)} is ${hedge.side} ${unquoted(hedge.market)} ${usdInWords(hedge.notional_usd)}, ` +
  `${hedge.tenor_days.toFixed()} d, ${unquoted(hedge.status)}${reference ? `, reference ${unquoted(reference)}` : ''}`;

/** A clause without a full stop. */
export const duplicateHedgesInWords = (reference: string, ids: readonly string[]): string =>
  `${ids.length.toString()} hedges carry the reference ${unquoted(reference)}: ${ids.map(unquoted).join(', ')}`;

/** Undefined unless two exist that did not fail. `own`: the ID of one that exists, listed or not. */
export function hedgesUnderDealId(
  reference: string,
  hedges: readonly Hedge[],
  own?: string,
): OutcomeUnknownError | undefined {
  const found = hedges.filter(
    ({ client_reference: carried, status }) => carried === reference && status !== 'failed',
  );
  const ids = [...new Set([...(own === undefined ? [] : [own]), ...found.map(({ id }) => id)])];
  if (ids.length < 2) return undefined;
  return new OutcomeUnknownError({
    what: `UNKNOWN: ${duplicateHedgesInWords(reference, ids)}.`,
    meaning: 'One of them is a duplicate, or was opened elsewhere. Do not send it again.',
    hint: say`To see them: ${commandOnId(shell`hedge hedges`, reference)}. If one is too many, reduce or close.`,
    details: { client_reference: reference, hedge_ids: ids },
  });
}

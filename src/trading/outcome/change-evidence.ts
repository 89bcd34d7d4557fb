/**
 * What the book says about an add, a reduction or a close of ours: whether what was asked has happened, hedge by
 * hedge, measured against the side as it was before. Pure. A colleague deals on the same account, so a change
 * counts as ours only where it is exactly what was asked; the absence of one is never a failure.
 *
 * What the hedges that carry an open's reference say about it. Pure. A reference is ours alone when it was made
 * from our key; a deal id may have been used by a colleague too.
 *
 * Several hedges under one reference: each deal has a reference of its own, so that one of them is a second deal, or
 * somebody else's. Named by every command that reads them. Pure.
 */
import { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import { enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { sum } from '../../domain/amounts.ts';
import { isAboutEverything, usdInWords } from '../../domain/exposure.ts';
import { shellWord, unquoted } from '../../domain/quoted.ts';
import { OutcomeUnknownError } from '../../errors.ts';
import type { IntentRecord } from '../../journal/records.ts';
import { isInconsistent, type SideBook } from '../../readings/side-book.ts';
import type { HedgeChange } from '../plan.ts';
import { attributeChange, type ConcurrentAction } from './concurrent-actions.ts';
import {
  changesInWords,
  diffPosition,
  type HedgeDiff,
  hasChanged,
  type MeasuredChange,
  measuredChanges,
  whyUnmeasured,
} from './position-diff.ts';
/** `says` is half a sentence, for people. */
export type Evidence =
  /**
   * What was asked has happened. `hedges`: those that stood before, each as it is now, changed or not; of an
   * open, `hedge`. `says`: what else is worth knowing, such as a size that is not the one that was asked.
   * `closedBy`: a later close of this machine's, by its short id, under which those hedges may have left.
   */
  | {
      kind: 'exact';
      hedges: readonly HedgeChange[];
      hedge?: Hedge | undefined;
      says?: string | undefined;
      closedBy?: string;
    }
  /** Nothing of it can be seen. */
  | { kind: 'none' }
  /** Something happened, and it is not exactly what was asked. */
  | {
      kind: 'other';
      says: string;
      hedges: readonly HedgeChange[];
      closedBy?: string;
      /** Of an open: several hedges carry its reference, and which of them is this one cannot be told. */
      isOneOf?: readonly string[];
    }
  /** It cannot be told from what was read; `anotherKey`: since it was sent with one that may be another account's. */
  | { kind: 'unclear'; says: string; anotherKey?: boolean };

/**
 * Of an add, a reduction or a close. An open is told by its hedge: open-evidence.ts. `others`: what else of ours
 * may be in the change; a side that is gone is closed by whichever close.
 */
export function changeEvidence(
  intent: IntentRecord,
  now: SideBook,
  others: readonly ConcurrentAction[] = [],
): Evidence {
  const fates = diffPosition(intent.before, now);
  if (takesWholeSide(intent)) return closeEvidence(intent.before.in_positions, now, fates.holding);
  const hedges = [...fates.holding, ...fates.joined];
  const why = cannotMeasure(hedges);
  if (why !== undefined) return { kind: 'unclear', says: why };
  const asked = new Big(intent.notional_usd ?? 0);
  const side = measuredChanges(hedges);
  const changed = side.filter(hasChanged).filter(({ became }) => became !== 'matured');
  if (!enlarges(intent) && changed.length > 0 && isEmptiedBy(asked, measuredChanges(fates.holding)))
    return exactly(side);
  if (others.length > 0) {
    const own = enlarges(intent) ? asked : asked.neg();
    return evidenceAmong(others, { own, now, side, changed });
  }
  if (changed.length === 0) return unchanged(now, side);
  return (enlarges(intent) ? isAddition(asked, changed) : isReduction(asked, changed))
    ? exactly(side)
    : other(side);
}

const NOT_OURS = 'not exactly ours';
const BEFORE_UNKNOWN = 'what stood on the side before is not known';

/** Some hedge has grown by exactly what was asked, and no other has changed but by maturing. */
const isAddition = (asked: Big, changed: readonly MeasuredChange[]): boolean =>
  changed.length === 1 && growthOf(changed).eq(asked);

/** All hedges together are smaller by what was asked. */
const isReduction = (asked: Big, changed: readonly MeasuredChange[]): boolean =>
  !changed.some(hasGrown) && growthOf(changed).plus(asked).abs().lte(roundingOn(changed));

/** Every hedge has left, where about everything was to come off (specification §3). */
const isEmptiedBy = (asked: Big, holding: readonly MeasuredChange[]): boolean =>
  holding.every(({ became }) => became !== 'held') &&
  isAboutEverything(asked, sum(holding.map(({ before }) => before)));

/** What a service that keeps micro-USD may round on each hedge of a side that it scales (specification §3). */
const ROUNDING = new Big('0.000001');

const roundingOn = (changed: readonly MeasuredChange[]): Big => ROUNDING.times(changed.length);
const hasGrown = ({ before, after }: MeasuredChange): boolean => after.gt(before);
const growthOf = (hedges: readonly MeasuredChange[]): Big =>
  sum(hedges.map(({ before, after }) => after.minus(before)));

/** What is seen, held against everything of ours that may be in it. */
function evidenceAmong(
  others: readonly ConcurrentAction[],
  seen: { own: Big; now: SideBook; side: readonly MeasuredChange[]; changed: readonly MeasuredChange[] },
): Evidence {
  const { own, now, side, changed } = seen;
  const all = [own, ...others.map(({ change }) => change)];
  const onlyAdds = all.every((change) => change.gt(0));
  const onlyCuts = all.every((change) => change.lt(0));
  const grown = changed.filter(hasGrown).length;
  if ((onlyAdds && grown < changed.length) || (onlyCuts && grown > 0)) return other(side);
  const tolerance = onlyAdds ? new Big(0) : roundingOn(changed).times(all.length);
  const names = others.map(({ shortId }) => shortId).join(', ');
  const told = attributeChange(growthOf(changed), { own, others, tolerance });
  switch (told) {
    case 'ours':
      return exactly(
        side,
        growthOf(changed).minus(own).abs().lte(tolerance) ? undefined : `what ${names} changed is in it too`,
      );
    case 'either':
      return { kind: 'unclear', says: `whether it is in what is seen cannot be told from action ${names}` };
    case 'others':
      return changed.length === 0 ? unchanged(now, side) : { kind: 'none' };
    case 'neither':
      return other(side);
    default:
      return told satisfies never;
  }
}

/** The side is gone from the positions (specification §3), or every hedge that made it has left. */
function closeEvidence(stood: boolean | null, now: SideBook, holding: readonly HedgeDiff[]): Evidence {
  const side = measuredChanges(holding);
  const flat = now.inPositions === false;
  if (holding.length === 0 && !(flat && stood === true)) return { kind: 'unclear', says: BEFORE_UNKNOWN };
  if (flat) return allMatured(holding) ? other(side) : exactly(side);
  const why = whyUnmeasured(holding);
  if (why !== undefined) return { kind: 'unclear', says: why };
  if (!side.some(hasChanged)) return unchanged(now, []);
  if (side.some(({ became }) => became === 'held') || allMatured(holding)) return other(side);
  const [since] = now.open;
  // All of them are over, and the positions are behind: what else stands there is told when they are not.
  if (since === undefined)
    return isInconsistent(now) ? { kind: 'unclear', says: now.unclear ?? '' } : exactly(side);
  return exactly(side, `${unquoted(since.id)} ${usdInWords(since.notional)} stands on the side since`);
}

const allMatured = (hedges: readonly HedgeDiff[]): boolean =>
  hedges.length > 0 && hedges.every(({ fate }) => fate.became === 'matured');

const cannotMeasure = (hedges: readonly HedgeDiff[]): string | undefined =>
  hedges.length === 0 ? BEFORE_UNKNOWN : whyUnmeasured(hedges);

/** Nothing but maturing: what was asked of a hedge that has matured since cannot be seen on it any more. */
function unchanged(now: SideBook, side: readonly MeasuredChange[]): Evidence {
  const matured = changesInWords(side);
  if (matured !== '') return { kind: 'unclear', says: `${matured}, so that nothing can be seen on it` };
  return isInconsistent(now) ? { kind: 'unclear', says: now.unclear ?? '' } : { kind: 'none' };
}

const exactly = (side: readonly MeasuredChange[], says?: string): Evidence => ({
  kind: 'exact',
  hedges: changesOf(side),
  says,
});

const other = (side: readonly MeasuredChange[]): Evidence => ({
  kind: 'other',
  says: `${changesInWords(side)}: ${NOT_OURS}`,
  hedges: changesOf(side),
});

const changesOf = (side: readonly MeasuredChange[]): readonly HedgeChange[] =>
  side.map(({ id, before, after }) => ({ id, before, after }));

/** Statuses before anything can be added to a hedge, or taken from it. */
const AS_OPENED: readonly string[] = ['submitting', 'submitted', 'failed'];

/** Hedges that the before-state names are earlier ones: an attempt that failed, dealt anew under its deal id. */
export function openEvidence(intent: IntentRecord, underReference: readonly Hedge[]): Evidence {
  if (intent.client_reference === undefined)
    return { kind: 'unclear', says: 'it was sent without a reference to look for' };
  const earlier = new Set(intent.before.hedges.map(({ hedge_id }) => hedge_id));
  const found = underReference.filter(
    (hedge) => hedge.client_reference === intent.client_reference && !earlier.has(hedge.id),
  );
  const [first, ...more] = found;
  if (first === undefined) return { kind: 'none' };
  if (more.length === 0) return hedgeEvidence(intent, first);
  const isOneOf = found.map(({ id }) => id);
  return {
    kind: 'other',
    says: duplicateHedgesInWords(intent.client_reference, isOneOf),
    hedges: [],
    isOneOf,
  };
}

/**
 * Whether this hedge is what was asked: market, side and tenor, and its size unless it was changed since. `byId`: the
 * service named it as ours, so that less than was asked is a partial fill, also while it fills.
 */
export function hedgeEvidence(intent: IntentRecord, hedge: Hedge, { byId = false } = {}): Evidence {
  const asked = new Big(intent.notional_usd ?? 0);
  const sameTerms =
    hedge.market === intent.market &&
    hedge.side === intent.side &&
    hedge.tenor_days.eq(intent.tenor_days ?? 0);
  const sameSize = hedge.notional_usd.eq(asked);
  const isPart = byId && hedge.notional_usd.lt(asked);
  if (!sameTerms || (!sameSize && !isPart && AS_OPENED.includes(hedge.status)))
    return { kind: 'other', says: `${inWords(hedge)}: not what was asked`, hedges: [] };
  return {
    kind: 'exact',
    hedges: [],
    hedge,
    says: sameSize
      ? undefined
      : `${unquoted(hedge.id)} is ${usdInWords(hedge.notional_usd)}, asked were ${usdInWords(asked)}`,
  };
}

const inWords = (hedge: Hedge): string =>
  `${unquoted(hedge.id)} is ${hedge.side} ${unquoted(hedge.market)} ${usdInWords(hedge.notional_usd)}, ` +
  `${hedge.tenor_days.toFixed()} d, ${unquoted(hedge.status)}`;

/** As half a sentence. */
export const duplicateHedgesInWords = (reference: string, ids: readonly string[]): string =>
  `${ids.length.toString()} hedges carry the reference ${unquoted(reference)}: ${ids.map(unquoted).join(', ')}`;

/** Undefined where no more than one stands: an order that failed is dealt again under its reference. */
export function hedgesUnderDealId(
  reference: string,
  hedges: readonly Hedge[],
): OutcomeUnknownError | undefined {
  const standing = hedges.filter(
    ({ client_reference: carried, status }) => carried === reference && status !== 'failed',
  );
  if (standing.length < 2) return undefined;
  const ids = standing.map(({ id }) => id);
  return new OutcomeUnknownError({
    what: `UNKNOWN: ${duplicateHedgesInWords(reference, ids)}.`,
    book: 'One of them is a second deal, or was dealt elsewhere. Do not deal it again.',
    hint: `See them: hedge hedges ${shellWord(reference)}. If one is too many, reduce or close.`,
    details: { client_reference: reference, hedge_ids: ids },
  });
}

/**
 * What the book says about an add, a reduction or a close of ours: whether what was asked has happened, hedge by
 * hedge, measured against the side as it was before. Pure. A colleague deals on the same account, so a change
 * counts as ours only where it is exactly what was asked; the absence of one is never a failure.
 */
import { Big } from 'big.js';
import type { Hedge } from '../client/schemas.ts';
import { sum } from '../domain/amounts.ts';
import { isAboutEverything, usdInWords } from '../domain/exposure.ts';
import { unquoted } from '../domain/quoted.ts';
import type { IntentRecord } from '../journal/record.ts';
import {
  changesInWords,
  type FatedHedge,
  type Fates,
  fatesOf,
  hasChanged,
  type Measured,
  measured,
  whyUnmeasured,
} from './hedge-fates.ts';
import type { HedgeChange } from './plan-reduction.ts';
import { disagree, type SideBook } from './plan-side.ts';

/** `says` is half a sentence, for people. */
export type Evidence =
  /**
   * What was asked has happened. `hedges`: those that stood before, each as it is now, changed or not; of an
   * open, `hedge`. `says`: what else is worth knowing, such as a size that is not the one that was asked.
   */
  | { kind: 'exact'; hedges: readonly HedgeChange[]; hedge?: Hedge | undefined; says?: string | undefined }
  /** Nothing of it can be seen. */
  | { kind: 'none' }
  /** Something happened, and it is not exactly what was asked. */
  | { kind: 'other'; says: string; hedges: readonly HedgeChange[] }
  /** It cannot be told from what was read. */
  | { kind: 'unclear'; says: string };

/** Of an add, a reduction or a close. An open is told by its hedge: open-evidence.ts. */
export function changeEvidence(intent: IntentRecord, now: SideBook): Evidence {
  const fates = fatesOf(intent.before, now);
  if (intent.action === 'close') return closeEvidence(intent.before.in_positions, now, fates.holding);
  const asked = new Big(intent.notional_usd ?? 0);
  return intent.action === 'add' ? addEvidence(asked, now, fates) : reduceEvidence(asked, now, fates);
}

const NOT_OURS = 'not exactly ours';
const BEFORE_UNKNOWN = 'what stood on the side before is not known';

/** Some hedge has grown by exactly what was asked, and no other has changed but by maturing. */
function addEvidence(asked: Big, now: SideBook, { holding, joined }: Fates): Evidence {
  const hedges = [...holding, ...joined];
  const why = cannotMeasure(hedges);
  if (why !== undefined) return { kind: 'unclear', says: why };
  const side = measured(hedges);
  const changed = side.filter(hasChanged).filter(({ became }) => became !== 'matured');
  const [only] = changed;
  if (only === undefined) return unchanged(now, side);
  const grew = only.after.minus(only.before);
  return changed.length === 1 && grew.eq(asked) ? exactly(side) : other(side);
}

/** What a service that keeps micro-USD may round on each hedge of a side that it scales (specification §3). */
const ROUNDING = new Big('0.000001');

/** All hedges together are smaller by what was asked; or have left, where about everything was. */
function reduceEvidence(asked: Big, now: SideBook, { holding, joined }: Fates): Evidence {
  const hedges = [...holding, ...joined];
  const why = cannotMeasure(hedges);
  if (why !== undefined) return { kind: 'unclear', says: why };
  const side = measured(hedges);
  const changed = side.filter(hasChanged).filter(({ became }) => became !== 'matured');
  if (changed.length === 0) return unchanged(now, side);
  const total = sum(measured(holding).map(({ before }) => before));
  const emptied = measured(holding).every(({ became }) => became !== 'held');
  if (emptied && isAboutEverything(asked, total)) return exactly(side);
  const taken = sum(changed.map(({ before, after }) => before.minus(after)));
  const rounding = ROUNDING.times(changed.length);
  const grew = changed.some(({ before, after }) => after.gt(before));
  return !grew && taken.minus(asked).abs().lte(rounding) ? exactly(side) : other(side);
}

/** The side is gone from the positions (specification §3), or every hedge that made it has left. */
function closeEvidence(stood: boolean | null, now: SideBook, holding: readonly FatedHedge[]): Evidence {
  const side = measured(holding);
  const flat = now.inPositions === false;
  if (holding.length === 0 && !(flat && stood === true)) return { kind: 'unclear', says: BEFORE_UNKNOWN };
  if (flat) return allMatured(holding) ? other(side) : exactly(side);
  const why = whyUnmeasured(holding);
  if (why !== undefined) return { kind: 'unclear', says: why };
  if (!side.some(hasChanged)) return unchanged(now, []);
  if (side.some(({ became }) => became === 'held') || allMatured(holding)) return other(side);
  const [since] = now.open;
  if (since === undefined) return exactly(side);
  return exactly(side, `${unquoted(since.id)} ${usdInWords(since.notional)} stands on the side since`);
}

const allMatured = (hedges: readonly FatedHedge[]): boolean =>
  hedges.length > 0 && hedges.every(({ fate }) => fate.became === 'matured');

const cannotMeasure = (hedges: readonly FatedHedge[]): string | undefined =>
  hedges.length === 0 ? BEFORE_UNKNOWN : whyUnmeasured(hedges);

/** Nothing but maturing: what was asked of a hedge that has matured since cannot be seen on it any more. */
function unchanged(now: SideBook, side: readonly Measured[]): Evidence {
  const matured = changesInWords(side);
  if (matured !== '') return { kind: 'unclear', says: `${matured}, so that nothing can be seen on it` };
  return disagree(now) ? { kind: 'unclear', says: now.unclear ?? '' } : { kind: 'none' };
}

const exactly = (side: readonly Measured[], says?: string): Evidence => ({
  kind: 'exact',
  hedges: changesOf(side),
  says,
});

const other = (side: readonly Measured[]): Evidence => ({
  kind: 'other',
  says: `${changesInWords(side)}: ${NOT_OURS}`,
  hedges: changesOf(side),
});

const changesOf = (side: readonly Measured[]): readonly HedgeChange[] =>
  side.map(({ id, before, after }) => ({ id, before, after }));

/** The change of each earlier hedge of a side: held at a size, gone, matured or unseen. Pure. */
import { Big } from 'big.js';
import { sum } from '../../domain/amounts.ts';
import { isSameSize, someOf, usdInWords } from '../../domain/exposure.ts';
import { unquoted } from '../../domain/quoted.ts';
import { holdsSide } from '../../journal/queries.ts';
import type { IntentRecord } from '../../journal/records.ts';
import { closedEarly, takenAlong } from '../../readings/closed-here.ts';
import {
  hasMatured,
  OVER_STATUSES,
  PENDING_STATUSES,
  type SidePosition,
} from '../../readings/side-position.ts';

export interface HedgeDiff {
  id: string;
  /** USD; undefined when it was not known. */
  before: Big | undefined;
  /** `left`: gone before its maturity. `matured`: settled at it, or due to be, which proves nothing about an action. */
  kind: 'held' | 'left' | 'matured' | 'unseen';
  /** USD; undefined when unseen. */
  after: Big | undefined;
  /** Why it is unseen. */
  why?: string;
}

export interface PositionDiff {
  /** Those that held the position. */
  holding: readonly HedgeDiff[];
  /** Those in flight before that have filled since: the action may have changed them too. */
  joined: readonly HedgeDiff[];
}

const ZERO = new Big(0);

const isComing = (status: string | null): boolean => status !== null && PENDING_STATUSES.includes(status);

/** USD on the side before the action. */
export const filledBefore = ({ before }: IntentRecord): Big =>
  sum(
    before.hedges.flatMap(({ status, notional_usd: size }) =>
      holdsSide(status) && size !== null ? [new Big(size)] : [],
    ),
  );

export function diffPosition(before: IntentRecord['before'], now: SidePosition): PositionDiff {
  const diffed = (among: IntentRecord['before']['hedges']): readonly HedgeDiff[] =>
    among.map(({ hedge_id: id, notional_usd }) => ({
      id,
      before: notional_usd === null ? undefined : new Big(notional_usd),
      ...changeOf(id, now),
    }));
  const existing = before.hedges.filter(({ status }) => status === null || !OVER_STATUSES.includes(status));
  return {
    holding: diffed(existing.filter(({ status }) => !isComing(status))),
    joined: diffed(existing.filter(({ status }) => isComing(status))).filter(({ kind }) => kind === 'held'),
  };
}

function changeOf(id: string, now: SidePosition): Omit<HedgeDiff, 'id' | 'before'> {
  const held = now.open.find((hedge) => hedge.id === id);
  if (held !== undefined) return { kind: 'held', after: held.notional };
  const listed = now.listed.find((hedge) => hedge.id === id);
  // The service's time comes in whole seconds: a hedge that is over may have settled within this one.
  const by = new Date(now.servedAt.getTime() + 1_000);
  if (listed !== undefined && hasMatured(listed, by)) return { kind: 'matured', after: ZERO };
  const name = unquoted(id);
  if (listed === undefined)
    return now.mayBeCut && now.inPositions !== false
      ? { kind: 'unseen', after: undefined, why: `${name} is missing from an incomplete list of hedges` }
      : { kind: 'left', after: ZERO };
  if (listed.status === 'filled' || OVER_STATUSES.includes(listed.status))
    return { kind: 'left', after: ZERO };
  return { kind: 'unseen', after: undefined, why: `${name} is ${unquoted(listed.status)}` };
}

/**
 * Changes by others before a close took the side: hedges that closed at another size, and those opened since that are
 * closed too. Clauses; the figures of the action stay those that were decided on.
 */
export const closedMeanwhile = (before: IntentRecord['before'], now: SidePosition): readonly string[] => [
  ...closedEarly(now).flatMap(({ id, notional }) => {
    const was = before.hedges.find(({ hedge_id }) => hedge_id === id)?.notional_usd ?? undefined;
    return was === undefined || isSameSize(notional, new Big(was))
      ? []
      : `${unquoted(id)} is listed as closed at ${usdInWords(notional)}`;
  }),
  ...takenAlong(before, now).map(
    ({ id, notional }) =>
      `${unquoted(id)} ${usdInWords(notional)} was opened on the side since and is closed too`,
  ),
];

/** A hedge with a known size before and now; zero once it is gone or matured. */
export type MeasuredChange = HedgeDiff & { before: Big; after: Big };

export const measuredChanges = (hedges: readonly HedgeDiff[]): readonly MeasuredChange[] =>
  hedges.filter((each): each is MeasuredChange => each.before !== undefined && each.after !== undefined);

/** Why not every hedge can be measured; undefined when each can. */
export function whyUnmeasured(hedges: readonly HedgeDiff[]): string | undefined {
  for (const { id, before, why } of hedges) {
    if (why !== undefined) return why;
    if (before === undefined) return `the earlier size of ${unquoted(id)} is not known`;
  }
  return undefined;
}

export const hasChanged = ({ before, after, kind }: MeasuredChange): boolean =>
  kind !== 'held' || !after.eq(before);

/** `hdg_A 10,000.00 USD -> 12,000.00 USD, hdg_B 5,000.00 USD closed`: those that changed. */
export function changesInWords(hedges: readonly MeasuredChange[]): string {
  const changed = hedges.filter(hasChanged).map(({ id, before, after, kind }) => {
    const was = `${unquoted(id)} ${usdInWords(before)}`;
    if (kind === 'matured') return `${was} is past its maturity`;
    return kind === 'left' ? `${was} closed` : `${was} -> ${usdInWords(after)}`;
  });
  return someOf(changed);
}

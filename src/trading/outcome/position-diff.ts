/**
 * What became of each hedge that stood on a side before an action: held, at which size, gone, matured, or not
 * to be told. Pure; whose doing it was is evidence.ts's to say.
 */
import { Big } from 'big.js';
import { usdInWords } from '../../domain/exposure.ts';
import { unquoted } from '../../domain/quoted.ts';
import type { IntentRecord } from '../../journal/records.ts';
import { hasMatured, PENDING_STATUSES, type SideBook } from '../../readings/side-book.ts';
import type { HedgeChange } from '../plan.ts';
export type HedgeChangeKind =
  | { became: 'held'; notional: Big }
  /** On the book no more, before its maturity. */
  | { became: 'left' }
  /** Settled at its maturity, or due to be: its leaving says nothing about an action. */
  | { became: 'matured' }
  | { became: 'unseen'; why: string };

export interface HedgeDiff {
  id: string;
  /** USD; undefined when it was not known. */
  before: Big | undefined;
  fate: HedgeChangeKind;
}

export interface PositionDiff {
  /** Those that held the position. */
  holding: readonly HedgeDiff[];
  /** Those that were still to fill, and have: the action may have fallen on them too. */
  joined: readonly HedgeDiff[];
}

const OVER: readonly string[] = ['closed', 'failed'];

const isComing = (status: string | null): boolean => status !== null && PENDING_STATUSES.includes(status);

/** Neither still to fill nor over. */
export const holdsSide = (status: string | null): boolean =>
  !isComing(status) && (status === null || !OVER.includes(status));

export function diffPosition(before: IntentRecord['before'], now: SideBook): PositionDiff {
  const fated = (among: IntentRecord['before']['hedges']): readonly HedgeDiff[] =>
    among.map(({ hedge_id: id, notional_usd }) => ({
      id,
      before: notional_usd === null ? undefined : new Big(notional_usd),
      fate: fateOf(id, now),
    }));
  const stood = before.hedges.filter(({ status }) => status === null || !OVER.includes(status));
  return {
    holding: fated(stood.filter(({ status }) => !isComing(status))),
    joined: fated(stood.filter(({ status }) => isComing(status))).filter(
      ({ fate }) => fate.became === 'held',
    ),
  };
}

function fateOf(id: string, now: SideBook): HedgeChangeKind {
  const held = now.open.find((hedge) => hedge.id === id);
  if (held !== undefined) return { became: 'held', notional: held.notional };
  const listed = now.listed.find((hedge) => hedge.id === id);
  if (listed !== undefined && hasMatured(listed, now.servedAt)) return { became: 'matured' };
  const name = unquoted(id);
  if (listed === undefined)
    return now.mayBeCut && now.inPositions !== false
      ? { became: 'unseen', why: `${name} is not on the page of hedges that could be read` }
      : { became: 'left' };
  if (listed.status === 'filled' || OVER.includes(listed.status)) return { became: 'left' };
  return { became: 'unseen', why: `${name} is ${unquoted(listed.status)}` };
}

/** A hedge whose size before is known, and what it holds now: nothing, once it has left or matured. */
export interface MeasuredChange extends HedgeChange {
  became: 'held' | 'left' | 'matured';
}

export const measuredChanges = (hedges: readonly HedgeDiff[]): readonly MeasuredChange[] =>
  hedges.flatMap(({ id, before, fate }) =>
    before === undefined || fate.became === 'unseen'
      ? []
      : [{ id, before, after: fate.became === 'held' ? fate.notional : new Big(0), became: fate.became }],
  );

/** Why not every hedge can be measured; undefined when each can. */
export function whyUnmeasured(hedges: readonly HedgeDiff[]): string | undefined {
  for (const { id, before, fate } of hedges) {
    if (fate.became === 'unseen') return fate.why;
    if (before === undefined) return `how much ${unquoted(id)} was before is not known`;
  }
  return undefined;
}

export const hasChanged = ({ before, after, became }: MeasuredChange): boolean =>
  became !== 'held' || !after.eq(before);

const MOST_NAMED = 5;

/** `hdg_A 10,000.00 USD -> 12,000.00 USD, hdg_B 5,000.00 USD left the book`: those that changed. */
export function changesInWords(hedges: readonly MeasuredChange[]): string {
  const changed = hedges.filter(hasChanged);
  const named = changed.slice(0, MOST_NAMED).map(({ id, before, after, became }) => {
    const was = `${unquoted(id)} ${usdInWords(before)}`;
    if (became === 'matured') return `${was} matured`;
    return became === 'left' ? `${was} left the book` : `${was} -> ${usdInWords(after)}`;
  });
  const more = changed.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more.toString()} more` : named.join(', ');
}

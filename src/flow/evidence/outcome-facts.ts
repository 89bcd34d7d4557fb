/** What the journal keeps of an end that was seen: the service's own names, figures as digits. Pure. */
import { Big } from 'big.js';
import type { Hedge, Position } from '../../client/schemas.ts';
import { ownField } from '../../domain/fields.ts';
import type { Action } from '../../journal/fold.ts';
import type { HedgeChange } from '../plan/plan-reduction.ts';

export type OutcomeFacts = Record<string, string | null>;

/** Fields of a hedge that tell how it ended; one that was not sent is null. */
const OF_HEDGE = [
  'status',
  'notional_usd',
  'struck_rate',
  'filled_at',
  'maturity_at',
  'order_tx_hash',
  'fill_tx_hash',
] as const satisfies readonly (keyof Hedge)[];

/** Those of the names in a position line, ASSUMED all but one, that tell how a side stands afterwards. */
const OF_POSITION = [
  'notional_usd',
  'entry_price',
  'net_margin_usd',
] as const satisfies readonly (keyof Position)[];

export const factsOfHedge = (hedge: Hedge): OutcomeFacts =>
  Object.fromEntries(OF_HEDGE.map((name) => [name, digits(hedge[name])]));

/** By the id of each hedge that changed, what it holds now in USD; and the side's line, when it has one. */
export function factsOfSide(hedges: readonly HedgeChange[], position: Position | undefined): OutcomeFacts {
  const changed = hedges.filter(({ before, after }) => !after.eq(before));
  return Object.fromEntries([
    ...changed.map(({ id, after }) => [id, after.toFixed()] as const),
    ...(position === undefined ? [] : OF_POSITION.map((name) => [name, digits(position[name])] as const)),
  ]);
}

/** The same read back: each hedge that held the side, before and after; undefined where no end was kept. */
export function changesKept({ intent, outcome }: Action): readonly HedgeChange[] | undefined {
  if (outcome === undefined || intent.action === 'open') return undefined;
  const changes = intent.before.hedges.flatMap(({ hedge_id: id, notional_usd: before, status }) => {
    if (before === null || status !== 'filled') return [];
    const after = ownField(outcome.facts, id) ?? '';
    return [{ id, before: new Big(before), after: new Big(/^\d+(\.\d+)?$/.test(after) ? after : before) }];
  });
  return changes.some(({ before, after }) => !before.eq(after)) ? changes : undefined;
}

function digits(value: unknown): string | null {
  if (value instanceof Big) return value.toFixed();
  return typeof value === 'string' ? value : null;
}

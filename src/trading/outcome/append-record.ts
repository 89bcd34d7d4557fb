/**
 * Writes what became of an action that has been sent. By then the journal failing must not stop anything: the
 * operator is told, and the action goes on as the record would have left it.
 *
 * Whether an open was filled for less than was asked, told at the first reading that shows it filled: later its size
 * may be of any change. The service tells of no partial fill, only the size that the hedge has. Pure.
 *
 * What the journal keeps of an end that was seen: the service's own names, figures as digits. Pure.
 */

import { Big } from 'big.js';
import type { Hedge, Position } from '../../client/schemas.ts';
import { createsHedge } from '../../domain/action-table.ts';
import { ownField } from '../../domain/fields.ts';
import { exactInstant } from '../../domain/instants.ts';
import { sanitize } from '../../domain/sanitize.ts';
import { HedgeError } from '../../errors.ts';
import { reductionsSince } from '../../journal/queries.ts';
import { type JournalRecord, SCHEMA } from '../../journal/records.ts';
import { type Action, applyRecord } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/store.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import type { HedgeChange } from '../plan.ts';
export type RecordContext = Pick<ReadContext, 'journal' | 'clock' | 'watch'>;

/** A record without what every record begins with. */
export type RecordPayload = JournalRecord extends infer Each
  ? Each extends JournalRecord
    ? Omit<Each, 'schema' | 'action_id' | 'at'>
    : never
  : never;

/** The record as it stands in the journal, dated now. */
export const withTimestamp = (
  actionId: string,
  said: RecordPayload,
  { clock }: Pick<ReadContext, 'clock'>,
): JournalRecord => ({
  schema: SCHEMA,
  action_id: actionId,
  at: exactInstant(clock.now()),
  ...said,
});

/**
 * Adds the record and gives the action as it stands then. `isKnown`: another process has written the same already,
 * and nothing is added. Never throws: what is done is done, whatever happens to the file.
 */
export async function appendRecord(
  action: Action,
  said: RecordPayload,
  { journal, clock, watch }: RecordContext,
  isKnown: (standing: Action) => boolean = () => false,
): Promise<Action> {
  const record = withTimestamp(action.id, said, { clock });
  const own = ({ actions }: JournalState): Action | undefined => actions.find(({ id }) => id === action.id);
  let standing: Action | undefined;
  try {
    const written = await journal.append([record], (state) => {
      standing = own(state);
      if (standing !== undefined && isKnown(standing)) throw new WrittenAlready();
    });
    return own(written) ?? applyRecord(action, record);
  } catch (error) {
    if (error instanceof WrittenAlready && standing !== undefined) return standing;
    watch.news(warning(action, error));
    return applyRecord(action, record);
  }
}

class WrittenAlready extends Error {}

function warning({ shortId }: Action, error: unknown): string {
  const { what, hint } =
    error instanceof HedgeError ? error : { what: 'The journal could not be written.', hint: undefined };
  const next = hint ?? `When it can be written again: hedge check ${shortId}`;
  return `What became of action ${shortId} is not in the journal: ${sanitize(what)} What is said of the deal here holds all the same. ${sanitize(next)}`;
}

/** A size is asked for in whole cents: less than half of one is the service's rounding. */
const CENTS = 2;

/** USD that were filled; undefined where that is what was asked, or where one of our own reductions may explain it. */
export function filledInPart(
  action: Action,
  { status, notional_usd: size }: Hedge,
  actions: readonly Action[],
): Big | undefined {
  const { intent, notional: asked } = action;
  const isFilled = status === 'filled' || status === 'closed';
  if (!createsHedge(intent) || asked === undefined || !isFilled) return undefined;
  // A hedge of nothing has been closed since, and says nothing of its fill.
  if (size.lte(0) || size.round(CENTS).gte(asked)) return undefined;
  return reductionsSince(actions, action).length > 0 ? undefined : size;
}

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
  if (outcome === undefined || createsHedge(intent)) return undefined;
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

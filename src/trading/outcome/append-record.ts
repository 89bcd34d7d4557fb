/** Adds a record of a sent action to the journal. A failing journal only causes a warning: the action goes on. */

import { digitsFrom } from '../../client/json.ts';
import type { Hedge, Position } from '../../client/schemas.ts';
import { hintText, say, shell } from '../../domain/hint.ts';
import { exactInstant } from '../../domain/instants.ts';
import { sanitize } from '../../domain/sanitize.ts';
import { HedgeError } from '../../errors.ts';
import { type ActionRecord, SCHEMA } from '../../journal/records.ts';
import { type Action, applyRecord } from '../../journal/replay.ts';
import { actionById, type JournalState } from '../../journal/state.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import type { HedgeChange } from '../plan.ts';

export type RecordContext = Pick<ReadContext, 'journal' | 'clock' | 'progress'>;

/** A record without the fields that all records share. */
export type RecordPayload = ActionRecord extends infer Each
  ? Each extends ActionRecord
    ? Omit<Each, 'schema' | 'action_id' | 'at'>
    : never
  : never;

/** The complete record, dated now. */
export const withTimestamp = (
  actionId: string,
  payload: RecordPayload,
  { clock }: Pick<ReadContext, 'clock'>,
): ActionRecord => ({
  schema: SCHEMA,
  action_id: actionId,
  at: exactInstant(clock.now()),
  ...payload,
});

/**
 * Adds the record and returns the action after it. `isKnown`: asked under the journal's lock; another process has
 * written the same, or what this record rests on has changed, so nothing is added. Never throws.
 */
export async function appendRecord(
  action: Action,
  payload: RecordPayload,
  { journal, clock, progress }: RecordContext,
  isKnown: (current: Action, state: JournalState) => boolean = () => false,
): Promise<Action> {
  const record = withTimestamp(action.id, payload, { clock });
  const own = (state: JournalState): Action | undefined => actionById(state, action.id);
  let current: Action | undefined;
  try {
    const written = await journal.append([record], (state) => {
      current = own(state);
      if (current !== undefined && isKnown(current, state)) throw new WrittenAlready();
    });
    return own(written) ?? applyRecord(action, record);
  } catch (error) {
    if (error instanceof WrittenAlready && current !== undefined) return current;
    progress.news(warning(action, error));
    return applyRecord(action, record);
  }
}

class WrittenAlready extends Error {}

function warning({ shortId }: Action, error: unknown): string {
  const { what, hint } =
    error instanceof HedgeError ? error : { what: 'The journal could not be written.', hint: undefined };
  const then = hint ?? say`Once it is writable: ${shell`hedge check ${shortId}`}`;
  return `The outcome of action ${shortId} is not in the journal: ${sanitize(what)} The outcome shown here is correct. ${sanitize(hintText(then))}`;
}

export type OutcomeFacts = Record<string, string | null>;

/** Fields of a hedge that describe its outcome; a missing one is null. */
const OF_HEDGE = [
  'status',
  'notional_usd',
  'struck_rate',
  'filled_at',
  'maturity_at',
  'order_tx_hash',
  'fill_tx_hash',
] as const satisfies readonly (keyof Hedge)[];

/** Fields of a position that describe a side afterwards; all but one are ASSUMED. */
const OF_POSITION = [
  'notional_usd',
  'entry_price',
  'net_margin_usd',
] as const satisfies readonly (keyof Position)[];

export const factsOfHedge = (hedge: Hedge): OutcomeFacts =>
  Object.fromEntries(OF_HEDGE.map((name) => [name, digitsFrom(hedge[name])]));

/** The new size in USD of each changed hedge by ID, and the position's fields if there is one. */
export function factsOfSide(hedges: readonly HedgeChange[], position: Position | undefined): OutcomeFacts {
  const changed = hedges.filter(({ before, after }) => !after.eq(before));
  return Object.fromEntries([
    ...changed.map(({ id, after }) => [id, after.toFixed()] as const),
    ...(position === undefined ? [] : OF_POSITION.map((name) => [name, digitsFrom(position[name])] as const)),
  ]);
}

/**
 * Which hedge a record of the history is of, when that closed, and whether it had settled. ASSUMED: its names and values. Both as the service sends
 * it and as a snapshot has kept it. Pure.
 */
import { instantFrom, textFrom } from '../client/json.ts';
import type { ClosedHedge, Hedge } from '../client/schemas.ts';
import { readDecimal } from '../domain/amounts.ts';

type ClosedRecordFields = Readonly<Record<string, unknown>>;

/** A record has the ID of its hedge under one of these names; where it has both, `id` is its own. */
export const closedHedgeId = ({ hedge_id: hedge, id }: ClosedRecordFields): string | undefined =>
  textFrom(hedge) ?? textFrom(id);

/** Milliseconds since the epoch; undefined also for a date without a time of day. */
export const closedInstant = ({ closed_at: at }: ClosedRecordFields): number | undefined =>
  instantFrom(readDecimal(at) ?? at);

/** A record that is dated so long before the hedge's maturity is of an early close. */
export const EARLY_MS = 60_000;

/** Undefined where the record does not tell. */
export function settlementIn(
  record: ClosedHedge,
  { opened_at: opened, maturity_at: maturity }: Pick<Hedge, 'opened_at' | 'maturity_at'>,
): 'settled' | 'early' | undefined {
  if (textFrom(record.reason) === 'maturity') return 'settled';
  if (textFrom(record.reason) === 'close') return 'early';
  const closedMs = closedInstant(record);
  if (closedMs === undefined || closedMs < Date.parse(opened ?? '')) return undefined;
  return closedMs < Date.parse(maturity ?? '') - EARLY_MS ? 'early' : 'settled';
}

/**
 * Which hedge a record of the history is of, when that closed, and whether it had settled. ASSUMED: its names and values. Both as the service sends
 * it and as a snapshot has kept it. Pure.
 */
import { instantFrom, textFrom } from '../client/json.ts';
import type { ClosedHedge, Hedge } from '../client/schemas.ts';
import { readDecimal } from '../domain/amounts.ts';
import { HOUR_MS, hasOffset } from '../domain/instants.ts';

type ClosedRecordFields = Readonly<Record<string, unknown>>;

/** A record has the ID of its hedge under one of these names; where it has both, `id` is its own. */
export const closedHedgeId = ({ hedge_id: hedge, id }: ClosedRecordFields): string | undefined =>
  textFrom(hedge) ?? textFrom(id);

/** Milliseconds since the epoch; undefined also for a date without a time of day. */
export const closedInstant = ({ closed_at: at }: ClosedRecordFields): number | undefined =>
  instantFrom(readDecimal(at) ?? at);

/** A record that is dated so long before the hedge's maturity is of an early close. */
export const EARLY_MS = 60_000;

/** Its time names its zone, or is a number. */
export function hasZone({ closed_at: at }: ClosedRecordFields): boolean {
  const text = textFrom(at);
  return text === undefined || readDecimal(text) !== undefined || hasOffset(text);
}

/** No zone is further from UTC. */
const ZONE_HOURS = 14;

/** Settlement is automatic at the maturity (specification §3): a later time may be that of an early close, of another zone. */
export const SETTLES_WITHIN_MS = 15 * 60_000;

/** Told by its time alone. Undefined too for a time near the maturity that may be of another zone. */
export function endedBy(record: ClosedRecordFields, maturesMs: number): 'settled' | 'early' | undefined {
  const lateMs = (closedInstant(record) ?? Number.NaN) - maturesMs;
  if (Number.isNaN(lateMs)) return undefined;
  if (!hasZone(record) && Math.abs(lateMs) < ZONE_HOURS * HOUR_MS) return undefined;
  if (lateMs < -EARLY_MS) return 'early';
  return lateMs > SETTLES_WITHIN_MS && lateMs < ZONE_HOURS * HOUR_MS ? undefined : 'settled';
}

/** Undefined where the record does not tell. */
export function settlementIn(
  record: ClosedHedge,
  { opened_at: opened, maturity_at: maturity }: Pick<Hedge, 'opened_at' | 'maturity_at'>,
): 'settled' | 'early' | undefined {
  if (textFrom(record.reason) === 'maturity') return 'settled';
  if (textFrom(record.reason) === 'close') return 'early';
  const closedMs = closedInstant(record);
  if (closedMs === undefined || closedMs < Date.parse(opened ?? '')) return undefined;
  return endedBy(record, Date.parse(maturity ?? ''));
}

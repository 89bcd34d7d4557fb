/**
 * Which hedge a record of the history is of, and when that closed. ASSUMED: its names and values. Both as the service sends
 * it and as a snapshot has kept it. Pure.
 */
import { instantFrom, textFrom } from '../client/json.ts';
import { readDecimal } from '../domain/amounts.ts';

type ClosedRecordFields = Readonly<Record<string, unknown>>;

/** A record has the ID of its hedge under one of these names; where it has both, `id` is its own. */
export const closedHedgeId = ({ hedge_id: hedge, id }: ClosedRecordFields): string | undefined =>
  textFrom(hedge) ?? textFrom(id);

/** Milliseconds since the epoch; undefined also for a date without a time of day. */
export const closedInstant = ({ closed_at: at }: ClosedRecordFields): number | undefined =>
  instantFrom(readDecimal(at) ?? at);

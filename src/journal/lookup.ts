/** The fields by which the journal finds its records again. Pure. */
import type { JournalRecord } from './records.ts';

export const LOOKUPS = [
  'action_id',
  'idempotency_key',
  'deal_id',
  'chain_id',
  'hedge_id',
  'at',
  'kind',
] as const;

export type Lookup = (typeof LOOKUPS)[number];

/** Undefined for a record without the field. */
export function lookupIn(record: JournalRecord, name: Lookup): string | undefined {
  const fields: Partial<Record<Lookup, unknown>> = record;
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

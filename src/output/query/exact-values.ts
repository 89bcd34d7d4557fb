/**
 * Numbers inside a query: symbols named by their digits. The query library knows numbers only as floats; a symbol it can
 * only pass on, compare or reject, so no digit is lost silently. Functions that compute are in exact-functions.ts.
 */
import { Big } from 'big.js';
import { exactDigits } from '../../domain/exact-json.ts';
import { spendOnValue } from './query-budget.ts';
/** One symbol per number, in whatever way it is written. */
export const isWrappedExact = (amount: Big): symbol => Symbol.for(amount.eq(0) ? '0' : exactDigits(amount));

/** The number of a symbol; undefined for any other value. */
export function queryNumber(value: unknown): Big | undefined {
  if (typeof value === 'number') return new Big(value);
  const digits = typeof value === 'symbol' ? Symbol.keyFor(value) : undefined;
  return digits === undefined ? undefined : new Big(digits);
}

/** A copy with symbols for numbers, of objects that inherit nothing: a query sees only what was sent. */
export function wrapExact(value: unknown): unknown {
  if (value instanceof Big) return isWrappedExact(value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return isWrappedExact(new Big(value.toString()));
  if (Array.isArray(value)) return value.map(wrapExact);
  if (typeof value === 'object' && value !== null) return mapFields(value, wrapExact);
  return value ?? null;
}

/** The original value, numbers as Big. It counts as steps, since lists may share their elements. */
export function unwrapExact(value: unknown): unknown {
  spendOnValue(value);
  const amount = queryNumber(value);
  if (amount !== undefined) return amount;
  if (Array.isArray(value)) return value.map(unwrapExact);
  if (typeof value === 'object' && value !== null) return mapFields(value, unwrapExact);
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

/** The number of values in a document, nested ones included. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof Big) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 1);
}

function mapFields(value: object, change: (inner: unknown) => unknown): object {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, inner] of Object.entries(value)) if (inner !== undefined) fields[name] = change(inner);
  return fields;
}

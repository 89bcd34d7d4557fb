/**
 * Figures as a query carries them: symbols named by their digits. The library that runs queries knows numbers
 * as floats alone; a symbol it can only hand on, compare for being the same, or fail at, so no digit is lost
 * where nobody looks. What computes with figures is exact-functions.ts.
 */
import { Big } from 'big.js';
import { exactDigits } from '../../domain/exact-json.ts';
import { spendOnValue } from './query-budget.ts';
/** The same symbol for the same number, however it was written. */
export const isWrappedExact = (amount: Big): symbol => Symbol.for(amount.eq(0) ? '0' : exactDigits(amount));

/** The number that `value` carries, or undefined when it carries none. */
export function queryNumber(value: unknown): Big | undefined {
  if (typeof value === 'number') return new Big(value);
  const digits = typeof value === 'symbol' ? Symbol.keyFor(value) : undefined;
  return digits === undefined ? undefined : new Big(digits);
}

/** A copy with every figure carried, of objects that inherit nothing: a query sees what was sent and no more. */
export function wrapExact(value: unknown): unknown {
  if (value instanceof Big) return isWrappedExact(value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return isWrappedExact(new Big(value.toString()));
  if (Array.isArray(value)) return value.map(wrapExact);
  if (typeof value === 'object' && value !== null) return mapFields(value, wrapExact);
  return value ?? null;
}

/** The value that `carry` was given, figures as Big. Counts against what a query may do: lists may share their parts. */
export function unwrapExact(value: unknown): unknown {
  spendOnValue(value);
  const amount = queryNumber(value);
  if (amount !== undefined) return amount;
  if (Array.isArray(value)) return value.map(unwrapExact);
  if (typeof value === 'object' && value !== null) return mapFields(value, unwrapExact);
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

/** How many values there are in what came, itself and all below. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof Big) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 1);
}

function mapFields(value: object, change: (inner: unknown) => unknown): object {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, inner] of Object.entries(value)) if (inner !== undefined) fields[name] = change(inner);
  return fields;
}

/**
 * JSON with exact decimals: an amount goes out as the digits it has, never through a binary fraction.
 * Refuses to know what is written.
 */
import { decimalText, MONEY_PLACES, RATE_PLACES } from '../money/decimals.ts';

const digits = Symbol('digits');

/** A JSON number whose text is known exactly. */
export interface Exact {
  readonly [digits]: string;
}

export type Json =
  | string
  | number
  | boolean
  | null
  | Exact
  | readonly Json[]
  | { readonly [name: string]: Json };

export function exact(value: bigint, places: number): Exact {
  return { [digits]: decimalText(value, places) };
}

/** USD or USDC, from millionths. */
export function money(value: bigint): Exact {
  return exact(value, MONEY_PLACES);
}

/** Quote currency per USDT, from units of 1e-8. */
export function rate(value: bigint): Exact {
  return exact(value, RATE_PLACES);
}

/** A fraction in units of 1e-8, as percent. */
export function percent(value: bigint): Exact {
  return exact(value, RATE_PLACES - 2);
}

export function encode(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(encode).join(',')}]`;
  if (isExact(value)) return value[digits];
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${encode(field)}`);
  return `{${fields.join(',')}}`;
}

function isList(
  value: Exact | readonly Json[] | { readonly [name: string]: Json },
): value is readonly Json[] {
  return Array.isArray(value);
}

function isExact(value: Exact | { readonly [name: string]: Json }): value is Exact {
  return digits in value;
}

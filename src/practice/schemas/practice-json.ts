/** JSON with exact decimals: a number is written with the digits it has, never as a binary fraction. */
import { decimalText, MONEY_DECIMALS, RATE_DECIMALS } from '../domain/scaled-decimals.ts';

const digits = Symbol('digits');

/** A JSON number with exactly these digits. */
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

function exactNumber(value: bigint, places: number): Exact {
  return { [digits]: decimalText(value, places) };
}

/** USD or USDC, from millionths. */
export function moneyNumber(value: bigint): Exact {
  return exactNumber(value, MONEY_DECIMALS);
}

/** Quote currency per USDT, from units of 1e-8. */
export function rateNumber(value: bigint): Exact {
  return exactNumber(value, RATE_DECIMALS);
}

/** A fraction in units of 1e-8, as percent. */
export function percentNumber(value: bigint): Exact {
  return exactNumber(value, RATE_DECIMALS - 2);
}

export function encodeJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(encodeJson).join(',')}]`;
  if (isExact(value)) return value[digits];
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${encodeJson(field)}`);
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

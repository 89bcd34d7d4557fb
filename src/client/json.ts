/** Reads JSON from outside with exact numbers, and rejects what could exhaust or confuse the program. */

import { Big } from 'big.js';
import { parse } from 'lossless-json';
import { type Fields, isFields, ownField } from '../domain/fields.ts';
import { instantOf } from '../domain/instants.ts';
import { sanitize } from '../domain/sanitize.ts';
import { UsageError } from '../errors.ts';

export const MAX_DEPTH = 64;
const LONGEST_NUMERAL = 64;
const LARGEST_EXPONENT = 30;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The value of a JSON text, its numbers as big.js decimals. A byte order mark at the start is dropped.
 * @throws SyntaxError on anything that is not one JSON text, is nested more than 64 deep, has a numeral of
 *   more than 64 characters or an exponent beyond ±30, or names a key twice in one object.
 */
export function readJson(text: string): unknown {
  const bare = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const keysWritten = scan(bare);
  const value = parse(bare, null, { parseNumber: readNumeral });
  // lossless-json accepts a key repeated with the same value; counting the keys rejects that too.
  if (countKeys(value) !== keysWritten) throw new SyntaxError('a key appears twice');
  return value;
}

/** An object with fields: no list, no number. */
export const isObject = (value: unknown): value is Fields => isFields(value) && !(value instanceof Big);

/** An unspecified field as a number; undefined for anything else. */
export const decimalFrom = (value: unknown): Big | undefined => (value instanceof Big ? value : undefined);
/** An unspecified field as text; undefined for anything else. */
export const textFrom = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** A figure or a text as a record keeps it: figures as digits; null for anything else. */
export const digitsFrom = (value: unknown): string | null =>
  value instanceof Big ? value.toFixed() : (textFrom(value) ?? null);

/** From here on a number is in milliseconds. */
const LARGEST_SECONDS = 1e11;

/** An unspecified field as milliseconds since the epoch: ISO 8601 with a time of day, or seconds or milliseconds. */
export function instantFrom(value: unknown): number | undefined {
  const since = decimalFrom(value)?.toNumber();
  if (since !== undefined) {
    const ms = since < LARGEST_SECONDS ? since * 1_000 : since;
    return Number.isNaN(new Date(ms).valueOf()) ? undefined : ms;
  }
  const text = textFrom(value) ?? '';
  return text.includes(':') ? instantOf(text) : undefined;
}

/**
 * The indicative mid of `market` in a response of GET /prices; undefined when no assumed shape fits.
 * ASSUMED: one of `{ market, price }`, a list of those, `{ "USDTNGN": 1530.1 }`, a bare number.
 */
export function midOf(data: unknown, market: string): Big | undefined {
  if (data instanceof Big) return data;
  if (Array.isArray(data)) {
    const found: unknown = data.find((item) => isFields(item) && item['market'] === market);
    return isFields(found) ? decimalFrom(found['price']) : undefined;
  }
  if (!isFields(data)) return undefined;
  if (Object.hasOwn(data, market)) return decimalFrom(ownField(data, market));
  return data['market'] === market ? decimalFrom(data['price']) : undefined;
}

/** A string to its end, or to the end of the text: linear, as it never backtracks. */
const STRINGS = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)/g;

/** Counts the colons outside strings, one per key, and limits the nesting before anything recurses. */
function scan(text: string): number {
  const outside = text.replace(STRINGS, '');
  let depth = 0;
  for (const bracket of outside.replace(/[^[\]{}]+/g, '')) {
    depth += bracket === '{' || bracket === '[' ? 1 : -1;
    if (depth > MAX_DEPTH) throw new SyntaxError(`nested more than ${MAX_DEPTH} deep`);
  }
  return outside.split(':').length - 1;
}

function readNumeral(numeral: string): Big {
  const exponent = /e(.+)$/i.exec(numeral)?.[1];
  if (numeral.length > LONGEST_NUMERAL || Math.abs(Number(exponent ?? 0)) > LARGEST_EXPONENT) {
    throw new SyntaxError('a number is longer or larger than any amount or rate');
  }
  return new Big(numeral);
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null || value instanceof Big) return 0;
  const own = Object.values(value);
  const inside = own.reduce<number>((total, item) => total + countKeys(item), 0);
  return Array.isArray(value) ? inside : own.length + inside;
}

/** The object, its numbers as big.js decimals. @throws UsageError with `hint` for anything else. */
export function parseUserObject(text: string, hint: string): Fields {
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const why = sanitize(error.message).replace(/\.$/, '');
    throw new UsageError(`This is not one JSON object: ${why}.`, hint);
  }
  if (!isObject(value)) throw new UsageError('This is not one JSON object.', hint);
  return value;
}

/** Fields whose names or shapes the specification does not give, read as what they hold or not at all. */
import { Big } from 'big.js';
import { isFields, ownField } from '../domain/fields.ts';

/** A guessed or unknown field as a number, or undefined when it holds none. */
export const numberIn = (value: unknown): Big | undefined => (value instanceof Big ? value : undefined);
/** A guessed or unknown field as text, or undefined when it holds none. */
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * The indicative mid of `market` in an answer of GET /prices, or undefined when no assumed shape fits.
 * ASSUMED: one of `{ market, price }`, a list of those, `{ "USDTNGN": 1530.1 }`, a bare number.
 */
export function midOf(data: unknown, market: string): Big | undefined {
  if (data instanceof Big) return data;
  if (Array.isArray(data)) {
    const mine: unknown = data.find((item) => isFields(item) && item['market'] === market);
    return isFields(mine) ? numberIn(mine['price']) : undefined;
  }
  if (!isFields(data)) return undefined;
  if (Object.hasOwn(data, market)) return numberIn(ownField(data, market));
  return data['market'] === market ? numberIn(data['price']) : undefined;
}

/**
 * Fields whose names or shapes the specification does not give, read as what they hold or not at all.
 *
 * What came in an answer that neither the specification nor an assumption of ours has a name for: fields by
 * their path, and words where a list of words is specified. Judges nothing else.
 */
import { Big } from 'big.js';
import * as z from 'zod/mini';
import { isFields, ownField } from '../domain/fields.ts';
import { HEDGE_STATUSES } from '../domain/vocabulary.ts';
import { isObject } from './json.ts';
import { accountSchema, closedHedgeSchema, hedgeSchema, marketSchema, positionSchema } from './schemas.ts';
/** A guessed or unknown field as a number, or undefined when it holds none. */
export const decimalFrom = (value: unknown): Big | undefined => (value instanceof Big ? value : undefined);
/** A guessed or unknown field as text, or undefined when it holds none. */
export const textFrom = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/**
 * The indicative mid of `market` in an answer of GET /prices, or undefined when no assumed shape fits.
 * ASSUMED: one of `{ market, price }`, a list of those, `{ "USDTNGN": 1530.1 }`, a bare number.
 */
export function midOf(data: unknown, market: string): Big | undefined {
  if (data instanceof Big) return data;
  if (Array.isArray(data)) {
    const mine: unknown = data.find((item) => isFields(item) && item['market'] === market);
    return isFields(mine) ? decimalFrom(mine['price']) : undefined;
  }
  if (!isFields(data)) return undefined;
  if (Object.hasOwn(data, market)) return decimalFrom(ownField(data, market));
  return data['market'] === market ? decimalFrom(data['price']) : undefined;
}

const RESOURCES = {
  market: marketSchema,
  hedge: hedgeSchema,
  position: positionSchema,
  account: accountSchema,
  'closed hedge': closedHedgeSchema,
} as const;
export type Resource = keyof typeof RESOURCES;

/** Of these the specification does not show the names: one that is new breaks no promise. */
const UNNAMED: readonly Resource[] = ['position', 'account', 'closed hedge'];
export const namesAreShown = (resource: Resource): boolean => !UNNAMED.includes(resource);

/** Specification §2, §3. */
const STATUSES: Readonly<Partial<Record<Resource, readonly string[]>>> = {
  market: ['open', 'disabled'],
  hedge: HEDGE_STATUSES,
};

/** Specification §7. */
const CODES: readonly string[] = [
  'exposure_exceeded',
  'no_open_hedge',
  'hedge_not_found',
  'idempotency_key_reuse',
  'idempotency_in_flight',
  'rate_limited',
];
export const isSpecifiedCode = (code: string): boolean => CODES.includes(code);

/** `hedge.leverage`, `market.available_capacity_usd.both`, `hedge.status = "rolled"`; none twice. */
export function unspecifiedIn(resource: Resource, records: readonly unknown[]): readonly string[] {
  const words = STATUSES[resource];
  const found = records.flatMap((record) => [
    ...strangeFields(RESOURCES[resource](), record, resource),
    ...(words === undefined ? [] : strangeWord(record, { words, resource })),
  ]);
  return [...new Set(found)];
}

function strangeWord(
  record: unknown,
  { words, resource }: { words: readonly string[]; resource: Resource },
): readonly string[] {
  const status = isObject(record) ? record['status'] : undefined;
  return typeof status !== 'string' || words.includes(status) ? [] : [`${resource}.status = ${status}`];
}

function strangeFields(schema: z.core.$ZodType, value: unknown, path: string): readonly string[] {
  const shape = shapeOf(schema);
  if (shape === undefined || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = ownField(shape, name);
    return known === undefined ? [`${path}.${name}`] : strangeFields(known, inner, `${path}.${name}`);
  });
}

const shapeOf = (schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined =>
  schema instanceof z.ZodMiniObject ? schema.shape : undefined;

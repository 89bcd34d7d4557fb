/** Detects fields, statuses and codes that the specification does not name. */

import * as z from 'zod/mini';
import { ownField } from '../domain/fields.ts';
import { HEDGE_STATUSES } from '../domain/vocabulary.ts';
import { isObject } from './json.ts';
import { accountSchema, closedHedgeSchema, hedgeSchema, marketSchema, positionSchema } from './schemas.ts';

const RESOURCES = {
  market: marketSchema,
  hedge: hedgeSchema,
  position: positionSchema,
  account: accountSchema,
  'closed hedge': closedHedgeSchema,
} as const;
export type Resource = keyof typeof RESOURCES;

/** The specification does not name their fields. */
const UNNAMED: readonly Resource[] = ['position', 'account', 'closed hedge'];
export const hasSpecifiedNames = (resource: Resource): boolean => !UNNAMED.includes(resource);

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

/** `hedge.leverage`, `market.available_capacity_usd.both`, `hedge.status = rolled`; each once. */
export function unspecifiedIn(resource: Resource, records: readonly unknown[]): readonly string[] {
  const words = STATUSES[resource];
  const found = records.flatMap((record) => [
    ...unknownFields(RESOURCES[resource](), record, resource),
    ...(words === undefined ? [] : unknownStatus(record, { words, resource })),
  ]);
  return [...new Set(found)];
}

function unknownStatus(
  record: unknown,
  { words, resource }: { words: readonly string[]; resource: Resource },
): readonly string[] {
  const status = isObject(record) ? record['status'] : undefined;
  return typeof status !== 'string' || words.includes(status) ? [] : [`${resource}.status = ${status}`];
}

function unknownFields(schema: z.core.$ZodType, value: unknown, path: string): readonly string[] {
  const shape = shapeOf(schema);
  if (shape === undefined || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = ownField(shape, name);
    return known === undefined ? [`${path}.${name}`] : unknownFields(known, inner, `${path}.${name}`);
  });
}

const shapeOf = (schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined =>
  schema instanceof z.ZodMiniObject ? schema.shape : undefined;

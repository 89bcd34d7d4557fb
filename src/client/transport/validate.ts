/** Checks data against a schema and names the first mismatch by its path. Data passes through unchanged. */

import { Big } from 'big.js';
import type * as z from 'zod/mini';
import { ownField } from '../../domain/fields.ts';
import type { ParsedEnvelope } from './envelope.ts';
import { RequestFailure } from './request-failure.ts';

/** Values of the request that the response repeats, by their name in `data`. */
export type Echo = Readonly<Record<string, string>>;

/**
 * `echo` must be present and equal; `ifTold` must be equal if present.
 * @throws RequestFailure `unreadable`, for instance `data.pricing.execution_price is missing`.
 */
export function validate<T>(
  schema: z.ZodMiniType<T>,
  opened: Pick<ParsedEnvelope, 'status' | 'data'> & Partial<Pick<ParsedEnvelope, 'clocks'>>,
  { echo = {}, ifTold = {} }: { echo?: Echo | undefined; ifTold?: Echo | undefined } = {},
): T {
  const { status, data, clocks } = opened;
  const unreadable = (reason: string): RequestFailure =>
    new RequestFailure({ phase: 'answered', kind: 'unreadable', reason, status, clocks });
  if (!fits(schema, data)) throw unreadable(mismatchOf(schema, data));
  for (const [name, asked] of [...Object.entries(echo), ...Object.entries(ifTold)]) {
    const value = valueAt(data, [name]) ?? undefined;
    const got = plain(value);
    if (got !== asked && (value !== undefined || Object.hasOwn(echo, name)))
      throw unreadable(`data.${name} is ${got}, but the request had ${asked}`);
  }
  return data;
}

/** The first mismatch in words. */
function mismatchOf(schema: z.ZodMiniType, data: unknown): string {
  const issue = schema.safeParse(data).error?.issues[0];
  const where = pathInWords(issue?.path ?? []);
  const value = valueAt(data, issue?.path ?? []);
  if (value === undefined || value === null) return `${where} is missing`;
  if (issue?.code === 'custom') return `${where} ${issue.message}`;
  if (issue?.code === 'invalid_type')
    return `${where} is not ${ownField(EXPECTED, issue.expected) ?? issue.expected}`;
  if (issue?.code === 'invalid_value') return `${where} is not one of ${issue.values.map(String).join(', ')}`;
  return `${where} is not as specified`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'an object',
  array: 'a list',
};

/** `['pricing', 'execution_price']` → `data.pricing.execution_price`, `[2, 'price']` → `data[2].price`. */
function pathInWords(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (words, part) => (typeof part === 'number' ? `${words}[${part}]` : `${words}.${String(part)}`),
    'data',
  );
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let at = data;
  for (const part of path) {
    at = typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined;
  }
  return at;
}

const plain = (value: unknown): string => {
  if (value instanceof Big) return value.toFixed();
  return typeof value === 'string' ? value : `a ${typeof value}`;
};

function fits<T>(schema: z.ZodMiniType<T>, data: unknown): data is T {
  return schema.safeParse(data).success;
}

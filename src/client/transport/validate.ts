/**
 * Judges data against a schema and names what departs from it by its path. Data passes through as it came:
 * nothing is added, dropped or reordered.
 */
import { Big } from 'big.js';
import type * as z from 'zod/mini';
import { ownField } from '../../domain/fields.ts';
import type { Opened } from './envelope.ts';
import { RequestFailure } from './request-failure.ts';
/** What the answer repeats of the request, by its name in `data`. */
export type Echo = Readonly<Record<string, string>>;

/**
 * `echo` must be there; `ifTold` need not, and must not be another.
 * @throws Failure `unreadable`, saying for instance `data.pricing.execution_price is missing`.
 */
export function validate<T>(
  schema: z.ZodMiniType<T>,
  opened: Pick<Opened, 'status' | 'data'> & Partial<Pick<Opened, 'clocks'>>,
  { echo = {}, ifTold = {} }: { echo?: Echo | undefined; ifTold?: Echo | undefined } = {},
): T {
  const { status, data, clocks } = opened;
  const unreadable = (says: string): RequestFailure =>
    new RequestFailure({ phase: 'answered', kind: 'unreadable', reason: says, status, clocks });
  if (!fits(schema, data)) throw unreadable(departureOf(schema, data));
  for (const [name, asked] of [...Object.entries(echo), ...Object.entries(ifTold)]) {
    const value = valueAt(data, [name]) ?? undefined;
    const got = plain(value);
    if (got !== asked && (value !== undefined || Object.hasOwn(echo, name)))
      throw unreadable(`data.${name} is ${got}, but ${asked} was asked for`);
  }
  return data;
}

/** The first departure in words. */
function departureOf(schema: z.ZodMiniType, data: unknown): string {
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

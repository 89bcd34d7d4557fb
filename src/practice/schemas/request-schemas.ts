/** Schemas of request bodies and queries, and the error for what does not match. */
import * as z from 'zod';
import { fieldProblems } from '../domain/field-problems.ts';
import {
  hasProtoField,
  type MarketSide,
  PRACTICE_HEDGE_STATUSES,
  PRACTICE_TENORS,
} from '../domain/practice-types.ts';
import { decimalOf, type Micro, MONEY_DECIMALS } from '../domain/scaled-decimals.ts';
import { ApiError } from './api-error.ts';

const LARGEST_NOTIONAL = 1_000_000_000_000;

const market = z
  .string()
  .min(1)
  .max(32)
  .meta({ examples: ['USDTNGN'] });
const side = z.enum(['buy', 'sell']);
const tenorDays = z.literal([...PRACTICE_TENORS]);
const notionalUsd = z
  .number()
  .positive()
  .max(LARGEST_NOTIONAL)
  .refine((value) => decimalOf(String(value), MONEY_DECIMALS) !== undefined, 'must have at most 6 decimals')
  .meta({ description: 'USD, more than 0, at most 6 decimals' });
/** ASSUMED: 1 to 255 characters, no NUL; the specification shows no constraint. */
const reference = z
  .string()
  .min(1)
  .max(255)
  .refine(
    (value) => !value.includes('\0') && isWellFormed(value),
    'must be text without NUL and lone surrogates',
  );

const sized = { market, side, notional_usd: notionalUsd };
export const sizedBody = z.strictObject(sized).meta({ id: 'SizeRequest' });
export const quoteBody = z.strictObject({ ...sized, tenor_days: tenorDays }).meta({ id: 'QuoteRequest' });
export const openBody = quoteBody.extend({ client_reference: reference.optional() });
export const closeBody = z.strictObject({ market, side }).meta({ id: 'CloseRequest' });

/** Largest page of a list, and the default page of the history. */
export const MAX_PAGE_SIZE = 500;

/** ASSUMED: `limit`. `before` is an addition of this service, for the next page: the ID of the last hedge of this one. */
const paging = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a whole number from 1 to 500')
    .transform(Number)
    .pipe(z.number().min(1).max(MAX_PAGE_SIZE))
    .optional(),
  before: z.string().min(1).max(64).optional(),
};
export const noQuery = z.strictObject({});
export const pricesQuery = z.strictObject({ symbols: z.string().min(1).max(400).optional() });
export const historyQuery = z.strictObject(paging);
export type PageQuery = z.infer<typeof historyQuery>;
export const hedgesQuery = z.strictObject({
  status: z.enum(['submitting', ...PRACTICE_HEDGE_STATUSES]).optional(),
  client_reference: reference.optional(),
  ...paging,
});
export type HedgeListQuery = z.infer<typeof hedgesQuery>;

export const DEFAULT_HEDGES = 100;

/** An order without its tenor. */
export interface OrderSize extends MarketSide {
  notional: Micro;
}

export function orderSizeOf({ market: on, side: of, notional_usd }: z.infer<typeof sizedBody>): OrderSize {
  const notional = decimalOf(String(notional_usd), MONEY_DECIMALS);
  if (notional === undefined) throw new ApiError('invalid_request', 'notional_usd: at most 6 decimals.');
  return { market: on, side: of, notional };
}

export interface TenorOrder extends OrderSize {
  tenor_days: number;
}

export const tenorOrderOf = (body: z.infer<typeof quoteBody>): TenorOrder => ({
  ...orderSizeOf(body),
  tenor_days: body.tenor_days,
});

export interface OpenOrder extends TenorOrder {
  client_reference: string | null;
}

export const openOrderOf = (body: z.infer<typeof openBody>): OpenOrder => ({
  ...tenorOrderOf(body),
  client_reference: body.client_reference ?? null,
});

/** Throws a 400 whose details name the field. Messages never repeat the input. */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  part: 'field' | 'parameter' = 'field',
): T {
  const foreign = `is not a ${part} of this request`;
  const parsed = hasProtoField(value)
    ? { problems: [{ field: '__proto__', problem: foreign }] as const }
    : fieldProblems(schema, value, foreign);
  if ('data' in parsed) return parsed.data;
  const [first] = parsed.problems;
  const { field, problem } = first;
  const message = field === '' ? `The request ${problem}.` : `${field}: ${problem}.`;
  throw new ApiError('invalid_request', message, { details: { ...first, fields: parsed.problems } });
}

/** Lone surrogates cannot be stored as UTF-8. */
function isWellFormed(value: string): boolean {
  return Buffer.from(value, 'utf8').toString('utf8') === value;
}

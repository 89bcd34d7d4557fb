/** Schemas of request bodies and queries, and the error for what does not match. */
import * as z from 'zod';
import { hasProtoField, PRACTICE_HEDGE_STATUSES, PRACTICE_TENORS } from '../domain/practice-types.ts';
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
  .refine((value) => decimalOf(String(value), MONEY_DECIMALS) !== undefined, 'at most 6 decimals')
  .meta({ description: 'USD, more than 0, at most 6 decimals' });
/** ASSUMED: 1 to 255 characters, no NUL; the specification shows no constraint. */
const reference = z
  .string()
  .min(1)
  .max(255)
  .refine((value) => !value.includes('\0') && isWellFormed(value), 'not storable text');

const sized = { market, side, notional_usd: notionalUsd };
export const sizedBody = z.strictObject(sized).meta({ id: 'SizeRequest' });
export const quoteBody = z.strictObject({ ...sized, tenor_days: tenorDays }).meta({ id: 'QuoteRequest' });
export const openBody = quoteBody.extend({ client_reference: reference.optional() });
export const closeBody = z.strictObject({ market, side }).meta({ id: 'CloseRequest' });

/** Of a list, also the default of the history. */
export const MAX_PAGE_SIZE = 500;

/** ASSUMED: `limit`. `before` is an addition of this service, for the next page. */
const paging = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'a whole number from 1 to 500')
    .transform(Number)
    .pipe(z.number().min(1).max(MAX_PAGE_SIZE))
    .optional(),
  before: z.string().min(1).max(64).optional(),
};
export const noQuery = z.strictObject({});
export const pricesQuery = z.strictObject({ symbols: z.string().min(1).max(400).optional() });
export const historyQuery = z.strictObject(paging);
export const hedgesQuery = z.strictObject({
  status: z.enum(['submitting', ...PRACTICE_HEDGE_STATUSES]).optional(),
  client_reference: reference.optional(),
  ...paging,
});

export const DEFAULT_HEDGES = 100;

export function notionalMicro(notional: number): Micro {
  const micro = decimalOf(String(notional), MONEY_DECIMALS);
  if (micro === undefined) throw new ApiError('invalid_request', 'notional_usd: at most 6 decimals.');
  return micro;
}

/** Throws a 400 whose details name the field. Messages never repeat the input. */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  part: 'field' | 'parameter' = 'field',
): T {
  const parsed = schema.safeParse(value);
  const isForeign = hasProtoField(value);
  if (parsed.success && !isForeign) return parsed.data;
  const foreign = (name: string): FieldProblem => ({
    field: name.slice(0, 64),
    problem: `is not a ${part} of this request`,
  });
  const fields = isForeign
    ? [foreign('__proto__')]
    : parsed.error?.issues
        .slice(0, 8)
        .map((issue) =>
          issue.code === 'unrecognized_keys' ? foreign(issue.keys[0] ?? '') : problemOf(issue),
        );
  const first = fields?.[0] ?? { field: '', problem: 'is not valid for this endpoint' };
  throw new ApiError('invalid_request', sentence(first), { details: { ...first, fields: fields ?? [] } });
}

interface FieldProblem {
  readonly [name: string]: string;
  readonly field: string;
  readonly problem: string;
}

const problemOf = (issue: z.core.$ZodIssue): FieldProblem => ({
  field: issue.path.join('.').slice(0, 64),
  problem: issue.message,
});

function sentence(problem: FieldProblem): string {
  return problem.field === '' ? `The request ${problem.problem}.` : `${problem.field}: ${problem.problem}.`;
}

/** Lone surrogates cannot be stored as UTF-8. */
function isWellFormed(value: string): boolean {
  return Buffer.from(value, 'utf8').toString('utf8') === value;
}

/** What the service takes: bodies and queries as schemas, and the refusal of whatever is not that. */
import * as z from 'zod';
import { STATUSES, TENORS } from '../book/words.ts';
import { decimalOf, type Micro, MONEY_PLACES } from '../money/decimals.ts';
import { Refusal } from './refusal.ts';

const LARGEST_NOTIONAL = 1_000_000_000_000;

export const market = z
  .string()
  .min(1)
  .max(32)
  .meta({ examples: ['USDTNGN'] });
export const side = z.enum(['buy', 'sell']);
export const tenorDays = z.literal([...TENORS]);
export const notionalUsd = z
  .number()
  .positive()
  .max(LARGEST_NOTIONAL)
  .refine((value) => decimalOf(String(value), MONEY_PLACES) !== undefined, 'at most 6 decimals')
  .meta({ description: 'USD, more than 0, at most 6 decimals' });
/** ASSUMED: 1 to 255 characters, no NUL; the specification shows no constraint. */
const reference = z
  .string()
  .min(1)
  .max(255)
  .refine((value) => !value.includes('\0') && isWellFormed(value), 'not storable text');

export const sizedBody = z.strictObject({ market, side, notional_usd: notionalUsd });
export const quoteBody = sizedBody.extend({ tenor_days: tenorDays });
export const openBody = quoteBody.extend({ client_reference: reference.optional() });
export const closeBody = z.strictObject({ market, side });

/** ASSUMED: `limit`; `before` is this service's own, for the next page. */
const paging = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'a whole number from 1 to 500')
    .transform(Number)
    .pipe(z.number().min(1).max(500))
    .optional(),
  before: z.string().min(1).max(64).optional(),
};
export const noQuery = z.strictObject({});
export const pricesQuery = z.strictObject({ symbols: z.string().min(1).max(400).optional() });
export const historyQuery = z.strictObject(paging);
export const hedgesQuery = z.strictObject({
  status: z.enum(['submitting', ...STATUSES]).optional(),
  client_reference: reference.optional(),
  ...paging,
});

export const DEFAULT_LIMIT = 100;

/** The exact micro-USD of a notional that its schema has passed. */
export function microOf(notional: number): Micro {
  const micro = decimalOf(String(notional), MONEY_PLACES);
  if (micro === undefined) throw new Refusal('invalid_request', 'notional_usd: at most 6 decimals.');
  return micro;
}

/** The value, or a 400 whose details name the field. Messages never repeat what was sent. */
export function taken<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.slice(0, 8).map(fieldOf);
  const first = fields[0] ?? { field: '', problem: 'is not what this endpoint takes' };
  throw new Refusal('invalid_request', sentence(first), { details: { ...first, fields } });
}

interface FieldProblem {
  readonly [name: string]: string;
  readonly field: string;
  readonly problem: string;
}

function fieldOf(issue: z.core.$ZodIssue): FieldProblem {
  if (issue.code === 'unrecognized_keys') {
    return { field: (issue.keys[0] ?? '').slice(0, 64), problem: 'is not a field of this request' };
  }
  return { field: issue.path.join('.').slice(0, 64), problem: issue.message };
}

function sentence(problem: FieldProblem): string {
  return problem.field === '' ? `The request ${problem.problem}.` : `${problem.field}: ${problem.problem}.`;
}

/** Lone surrogates cannot be stored as UTF-8. */
function isWellFormed(value: string): boolean {
  return Buffer.from(value, 'utf8').toString('utf8') === value;
}

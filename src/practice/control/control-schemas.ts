/** Schemas of the requests and responses of the control API. Amounts are exact decimals, as text. */
import * as z from 'zod';
import { TENOR_DAY_MS } from '../domain/practice-types.ts';
import { requestMatch } from '../domain/request-match.ts';
import { decimalOf, RATE_DECIMALS } from '../domain/scaled-decimals.ts';
import { faultsSchema } from '../faults/fault-settings.ts';
import { RESPONSE_FAULT_NAMES } from '../faults/response-faults.ts';
import { openBody } from '../schemas/request-schemas.ts';
import { hedgeData } from '../schemas/response-schemas.ts';
import { advanceData, statusData, utcInstant } from '../schemas/status-schemas.ts';
import { BOOK_NAME } from './keyring.ts';

const LONGEST_SECONDS = (366 * TENOR_DAY_MS) / 1_000;

/** UTC; seconds and milliseconds are optional. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;
const time = z
  .string()
  .regex(TIME, { error: 'must be a time in UTC, such as 2026-12-01T08:00Z', abort: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), 'there is no such time');
const price = z
  .number()
  .min(0.01)
  .max(1_000_000_000)
  .refine((value) => decimalOf(String(value), RATE_DECIMALS) !== undefined, 'must have at most 8 decimals');
const market = z.string().min(1).max(32);
const environment = z.enum(['live', 'test']);

export const bookQuery = z.strictObject({
  book: z
    .string()
    .min(1)
    .max(32)
    .optional()
    .meta({ description: 'name of another book; default: the one at /practice/v2' }),
});
export const pricePathsQuery = bookQuery.extend({ market: market.optional() });

export const healthData = z
  .strictObject({
    status: z.literal('ok'),
    books: z.array(z.strictObject({ name: z.string(), clock: z.enum(['wall', 'manual']) })),
  })
  .meta({ id: 'Health' });

export const clockData = z
  .strictObject({
    mode: z.enum(['wall', 'manual']),
    book_time: utcInstant,
    book_id: z.string(),
  })
  .meta({ id: 'Clock' });
export const advanceBody = z.strictObject({
  seconds: z
    .number()
    .positive()
    .max(LONGEST_SECONDS)
    .refine(
      (value) => Number.isSafeInteger(Math.round(value * 1e6)) && decimalOf(String(value), 3) !== undefined,
      'must have at most 3 decimals',
    ),
});
export const setClockBody = z.strictObject({ time });

export const faultsBody = faultsSchema.partial();
export const faultsData = faultsSchema;
const settings = z
  .looseObject({ seed: z.string(), markets: z.record(z.string(), z.looseObject({})) })
  .meta({ id: 'Settings' });
export const settingsData = z
  .strictObject({ version: z.number().int(), settings })
  .meta({ id: 'VersionedSettings' });
const setting: z.ZodType = z
  .lazy(() =>
    z.union([z.string().max(100), z.number(), z.boolean(), z.record(z.string().min(1).max(100), setting)]),
  )
  .meta({ id: 'Setting' });
/** By name, such as `markets.USDTNGN.base_rate`, as nested objects, or what GET gives. */
export const settingsBody = z.record(z.string().min(1).max(100), setting).meta({
  description: 'what GET gives, or a part of it; by name, such as markets.USDTNGN.base_rate, or nested',
});

export const resetBody = z.strictObject({
  balance_usdc: z
    .union([z.number(), z.string().max(32)])
    .optional()
    .meta({ description: 'opening balance of both accounts; default: the setting' }),
  all: z
    .boolean()
    .optional()
    .meta({ description: 'true: faults, settings and price paths too are as the service started' }),
  requests: z.enum(['clear', 'keep']).optional().meta({ description: 'the log of requests; default: clear' }),
});

const pricePoint = z.strictObject({ at: utcInstant, price });
export const pricePath = z.strictObject({ market, points: z.array(pricePoint) }).meta({ id: 'PricePath' });
export const pricesBody = z.strictObject({
  market,
  points: z
    .array(z.strictObject({ at: time, price }))
    .min(1)
    .max(10_000),
});

export const placeBody = openBody.extend({
  environment: environment.default('test'),
  struck_rate: price.optional().meta({ description: 'default: the execution price at that time' }),
  opened_at: time.optional().meta({ description: 'default: now; never later' }),
});
export { advanceData, hedgeData, statusData };

const cell = z.union([z.string(), z.number(), z.null()]);
export const fixtureData = z
  .strictObject({
    format: z.literal('hedge-practice-book'),
    version: z.number().int(),
    faults: z.looseObject({}),
    settings: z.looseObject({ seed: z.string() }),
    tables: z
      .record(z.string(), z.array(z.record(z.string(), cell)))
      .meta({ description: 'rows as stored; integers beyond 2^53 are text' }),
  })
  .meta({ id: 'Fixture' });
export type Fixture = z.infer<typeof fixtureData>;

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const count = z
  .string()
  .regex(/^\d{1,12}$/, 'must be a whole number')
  .transform(Number);
const fault = z.enum([...RESPONSE_FAULT_NAMES, 'in_flight']);
const since = time.transform((text) => Date.parse(text));

/** In a query everything is text. */
export const requestsQuery = bookQuery.extend({
  ...requestMatch.shape,
  status: count.optional(),
  fault: fault.optional(),
  replayed: flag.optional(),
  executed: flag.optional(),
  since: since.optional(),
  after: count.optional().meta({ description: 'a number: later requests only, the oldest first' }),
});
const expectedRequests = requestMatch
  .extend({
    status: z.number().int().optional(),
    fault: fault.optional(),
    replayed: z.boolean().optional(),
    executed: z.boolean().optional(),
    since: since.optional(),
    after: z.number().int().min(0).optional(),
  })
  .meta({ id: 'RequestFilter' });
/** The fields that `same` compares. */
const COMPARED = ['key', 'client_reference', 'body'] as const;
const howMany = z.number().int().min(0).max(1_000_000).optional();
export const verifyBody = z.strictObject({
  match: expectedRequests.default({}),
  count: howMany.meta({ description: 'exactly so many' }),
  at_least: howMany.meta({ description: '1 if no number is given' }),
  at_most: howMany,
  same: z
    .array(z.enum(COMPARED))
    .optional()
    .meta({ description: 'fields that must be equal in all; a body byte by byte' }),
});
export type Expectation = z.infer<typeof verifyBody>;
export type Compared = (typeof COMPARED)[number];

export const receivedData = z
  .strictObject({
    number: z.number().int(),
    at: utcInstant,
    environment: environment.nullable(),
    method: z.string(),
    path: z.string(),
    query: z.record(z.string(), z.string()),
    headers: z.record(z.string(), z.string()).meta({ description: 'without the API key' }),
    body: z.unknown().meta({ description: 'the JSON value, or text that is none; null without a body' }),
    key: z.string().nullable().meta({ description: 'the idempotency key' }),
    client_reference: z.string().nullable(),
    status: z.number().int().nullable().meta({
      description:
        'of a lost response too; null while the request is in progress, 0 if it was cut before execution',
    }),
    code: z.string().nullable(),
    replayed: z.boolean(),
    executed: z.boolean().meta({ description: 'whether this request changed the book' }),
    fault: z.string().nullable(),
  })
  .meta({ id: 'ReceivedRequest' });
export type ShownRequest = z.infer<typeof receivedData>;
export const verifiedData = z
  .strictObject({
    verified: z.boolean(),
    count: z.number().int(),
    complete: z.boolean().meta({ description: 'false: older requests were dropped from the log' }),
    message: z.string(),
    requests: z.array(receivedData).meta({ description: 'what matches; the newest 1,000' }),
  })
  .meta({ id: 'Verification' });
export type Verification = z.infer<typeof verifiedData>;
export const clearedData = z.strictObject({ cleared: z.number().int() }).meta({ id: 'Cleared' });

const bookName = z
  .string()
  .regex(BOOK_NAME, 'must be 1 to 32 small letters, digits and hyphens; not a version like v2');
export const bookBody = z.strictObject({ name: bookName });
export const bookData = z
  .strictObject({
    name: z.string(),
    base_url: z.string(),
    keys: z.strictObject({ live: z.string(), test: z.string() }),
  })
  .meta({ id: 'Book' });
export const removeBookQuery = z.strictObject({ book: bookName });
export const pageData = z.strictObject({ page_url: z.string() }).meta({ id: 'PageLink' });

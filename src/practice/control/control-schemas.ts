/** Schemas of the requests and responses of the control API. Amounts are exact decimals, as text. */
import * as z from 'zod';
import { DAY_MS, ORDER_KINDS, PRACTICE_HEDGE_STATUSES } from '../domain/practice-types.ts';
import { decimalOf, RATE_DECIMALS } from '../domain/scaled-decimals.ts';
import { faultsSchema } from '../faults.ts';
import { openBody } from '../schemas/request-schemas.ts';
import { hedgeData } from '../schemas/response-schemas.ts';

const LONGEST_SECONDS = (366 * DAY_MS) / 1_000;

/** UTC; seconds and milliseconds are optional. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;
const time = z
  .string()
  .regex(TIME, 'a time in UTC, such as 2026-12-01T08:00Z')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'no such time');
const instant = z.iso.datetime().meta({ description: 'UTC' });
const amount = z.string().regex(/^-?\d+(\.\d+)?$/);
const price = z
  .number()
  .min(0.01)
  .max(1_000_000_000)
  .refine((value) => decimalOf(String(value), RATE_DECIMALS) !== undefined, 'at most 8 decimals');
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
export const requestsQuery = bookQuery.extend({
  after: z
    .string()
    .regex(/^\d{1,12}$/, 'a whole number')
    .optional(),
});
export const pricePathsQuery = bookQuery.extend({ market: market.optional() });

export const healthData = z.strictObject({
  status: z.literal('ok'),
  books: z.array(z.strictObject({ name: z.string(), clock: z.enum(['wall', 'manual']) })),
});

export const clockData = z.strictObject({
  mode: z.enum(['wall', 'manual']),
  book_time: instant,
  book_id: z.string(),
});
export const advanceBody = z.strictObject({
  seconds: z
    .number()
    .positive()
    .max(LONGEST_SECONDS)
    .refine(
      (value) => Number.isSafeInteger(Math.round(value * 1e6)) && decimalOf(String(value), 3) !== undefined,
      'at most 3 decimals',
    ),
});
export const setClockBody = z.strictObject({ time });
const bookEvent = z.strictObject({
  at: instant,
  what: z.enum(['filled', 'added', 'reduced', 'closed', 'settled', 'failed', 'lapsed']),
  order: z.enum([...ORDER_KINDS, 'settlement']),
  hedge_id: z.string().nullable(),
  client_reference: z.string().nullable(),
  market: z.string(),
  side: z.enum(['buy', 'sell']),
  notional_usd: amount,
  rate: amount.nullable(),
  net_pnl_usd: amount.nullable(),
  credited_usdc: amount.nullable(),
});
const advanced = z.strictObject({
  events: z.array(bookEvent).meta({ description: 'the latest 500' }),
  event_count: z.number().int(),
  balance_usdc: amount,
});
export const advanceData = z.strictObject({
  from: instant,
  to: instant,
  advanced_ms: z.number().int(),
  environments: z.strictObject({ live: advanced, test: advanced }),
});

export const faultsBody = faultsSchema.partial();
export const faultsData = faultsSchema;
const settings = z.looseObject({ seed: z.string(), markets: z.record(z.string(), z.looseObject({})) });
export const settingsData = z.strictObject({ version: z.number().int(), settings });
export const settingsBody = z
  .record(z.string().min(1).max(100), z.union([z.string().max(100), z.number(), z.boolean()]))
  .meta({ description: 'new values by name, such as margin_pct or markets.USDTNGN.base_rate' });

const accountStatus = z.strictObject({
  balance_usdc: amount,
  margin_in_use_usdc: amount,
  reserved_usdc: amount,
  house_usdc: amount,
  open_exposure_usd: amount,
  available_exposure_usd: amount,
  unrealized_pnl_usd: amount,
  hedges: z.record(z.enum(PRACTICE_HEDGE_STATUSES), z.number().int()),
  orders_in_flight: z.number().int(),
});
export const statusData = z.strictObject({
  book_id: z.string(),
  book_time: instant,
  clock: z.enum(['wall', 'manual']),
  accounts: z.strictObject({ live: accountStatus, test: accountStatus }),
});
export const resetBody = z.strictObject({
  balance_usdc: z
    .union([z.number(), z.string().max(32)])
    .optional()
    .meta({ description: 'opening balance of both accounts; default: the setting' }),
});

const pricePoint = z.strictObject({ at: instant, price });
export const pricePath = z.strictObject({ market, points: z.array(pricePoint) });
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
export { hedgeData };

const cell = z.union([z.string(), z.number(), z.null()]);
export const fixtureData = z.strictObject({
  format: z.literal('hedge-practice-book'),
  version: z.number().int(),
  faults: faultsSchema,
  settings: z.looseObject({ seed: z.string() }),
  tables: z
    .record(z.string(), z.array(z.record(z.string(), cell)))
    .meta({ description: 'rows as stored; integers beyond 2^53 are text' }),
});
export type Fixture = z.infer<typeof fixtureData>;

export const receivedData = z.strictObject({
  number: z.number().int(),
  at: instant,
  book: z.string(),
  environment: environment.nullable(),
  method: z.string(),
  path: z.string(),
  status: z.number().int(),
  code: z.string().nullable(),
  replayed: z.boolean(),
  fault: z.string().nullable(),
});
export const clearedData = z.strictObject({ cleared: z.number().int() });

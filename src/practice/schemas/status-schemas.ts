/** Schemas of the state of a book and of an advance of its time. Amounts are exact decimals, as text. */
import * as z from 'zod';
import { ORDER_KINDS, PRACTICE_HEDGE_STATUSES } from '../domain/practice-types.ts';

export const utcInstant = z.iso.datetime().meta({ description: 'UTC' });
const amount = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .meta({ description: 'an exact decimal, as text' });

const bookEvent = z
  .strictObject({
    at: utcInstant,
    what: z.enum(['filled', 'added', 'reduced', 'closed', 'settled', 'failed', 'lapsed']),
    order: z.enum([...ORDER_KINDS, 'settlement']),
    hedge_id: z.string().nullable(),
    client_reference: z.string().nullable(),
    market: z.string(),
    side: z.enum(['buy', 'sell']),
    notional_usd: amount,
    rate: amount.nullable(),
    realized_pnl_usd: amount.nullable().meta({
      description:
        'of the part that was closed: price, carry and close fee. net_pnl_usd of the history is that of the whole life, platform fee included',
    }),
    credited_usdc: amount.nullable(),
  })
  .meta({ id: 'BookEvent' });
const advanced = z
  .strictObject({
    events: z.array(bookEvent).meta({ description: 'the latest 500' }),
    event_count: z.number().int(),
    balance_usdc: amount,
  })
  .meta({ id: 'AdvancedAccount' });
export const advanceData = z
  .strictObject({
    from: utcInstant,
    to: utcInstant,
    advanced_ms: z.number().int(),
    environments: z.strictObject({ live: advanced, test: advanced }),
  })
  .meta({ id: 'Advance' });
export type AdvanceSummary = z.infer<typeof advanceData>;

const accountStatus = z
  .strictObject({
    balance_usdc: amount,
    /** Margin of filled hedges. */
    margin_in_use_usdc: amount,
    /** Margin and fees of orders in flight. */
    reserved_usdc: amount,
    /** The counterparty: minus the sum of the three above. */
    house_usdc: amount,
    open_exposure_usd: amount,
    available_exposure_usd: amount,
    unrealized_pnl_usd: amount,
    hedges: z.record(z.enum(PRACTICE_HEDGE_STATUSES), z.number().int()),
    orders_in_flight: z.number().int(),
  })
  .meta({ id: 'AccountStatus' });
export type BookStatus = z.infer<typeof accountStatus>;
export const statusData = z
  .strictObject({
    book_id: z.string(),
    book_time: utcInstant,
    clock: z.enum(['wall', 'manual']),
    accounts: z.strictObject({ live: accountStatus, test: accountStatus }),
  })
  .meta({ id: 'Status' });

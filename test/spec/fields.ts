/**
 * Every field of every resource of the specification (§2, §4), by hand: its type and when it is promised.
 * The referee of both sides: it imports nothing of src, and neither side may be bent to suit the other.
 */

/** `number` is any JSON number; `integer` has no fraction; `timestamp` is ISO 8601 in UTC (§1). */
export type FieldType = 'string' | 'number' | 'integer' | 'timestamp' | 'object' | 'array of string';

/**
 * When the document promises a field. `optional`: only when the caller supplied it (or never promised).
 * `from submitted` and `once filled` speak of the hedge's own status (§3).
 */
export type When = 'always' | 'from submitted' | 'once filled' | 'optional';

export interface Field {
  /** Dots lead into nested objects: `pricing.market_price`. */
  path: string;
  type: FieldType;
  when: When;
  /** The only values the document shows. */
  oneOf?: readonly (string | number)[];
  /** The value starts with this. */
  prefix?: string;
}

const SIDE = ['buy', 'sell'] as const;
const TENOR = [1, 3, 7] as const;

const field = (path: string, type: FieldType, rest: Partial<Field> = {}): Field => ({
  path,
  type,
  when: 'always',
  ...rest,
});

export const FIELDS = {
  /** §1, response envelope. Which of `data` and `error` is null is checked apart. */
  error: [
    field('code', 'string'),
    field('message', 'string'),
    field('details', 'object', { when: 'optional' }),
  ],
  /** §1: known keys of `meta`; `allowed_markets` on the markets list, `source` on quotes and markets. */
  'markets meta': [field('source', 'string'), field('allowed_markets', 'array of string')],
  'quote meta': [field('source', 'string')],
  market: [
    field('market', 'string'),
    field('status', 'string', { oneOf: ['open', 'disabled'] }),
    field('price', 'number'),
    field('available_capacity_usd', 'object'),
    field('available_capacity_usd.buy', 'number'),
    field('available_capacity_usd.sell', 'number'),
    field('net_rate_daily_pct', 'object'),
    field('net_rate_daily_pct.buy', 'number'),
    field('net_rate_daily_pct.sell', 'number'),
  ],
  quote: [
    field('market', 'string'),
    field('side', 'string', { oneOf: SIDE }),
    field('notional_usd', 'number'),
    field('tenor_days', 'integer', { oneOf: TENOR }),
    field('maturity', 'timestamp'),
    field('pricing', 'object'),
    field('pricing.market_price', 'number'),
    field('pricing.execution_price', 'number'),
    field('pricing.price_impact_usd', 'number'),
    field('carry', 'object'),
    field('carry.daily_usdc', 'number'),
    field('carry.daily_rate_pct', 'number'),
    field('carry.total_usdc', 'number'),
    field('carry.total_rate_pct', 'number'),
    field('upfront', 'object'),
    field('upfront.required_margin_usdc', 'number'),
    field('upfront.platform_fee_usdc', 'number'),
    field('upfront.total_upfront_usdc', 'number'),
  ],
  hedge: [
    field('id', 'string', { prefix: 'hdg_' }),
    field('client_reference', 'string', { when: 'optional' }),
    field('market', 'string'),
    field('side', 'string', { oneOf: SIDE }),
    field('notional_usd', 'number'),
    field('tenor_days', 'integer', { oneOf: TENOR }),
    field('status', 'string', { oneOf: ['submitting', 'submitted', 'filled', 'failed', 'closed'] }),
    field('order_tx_hash', 'string', { when: 'from submitted' }),
    field('fill_tx_hash', 'string', { when: 'once filled' }),
    field('struck_rate', 'number', { when: 'once filled' }),
    field('units', 'number'),
    field('order_key', 'string'),
    field('opened_at', 'timestamp'),
    field('filled_at', 'timestamp', { when: 'once filled' }),
    field('maturity_at', 'timestamp'),
  ],
  /** §2: the other field names of a position line are not shown. */
  position: [field('net_margin_usd', 'number')],
  /** §2: the other field names of the summary are not shown. */
  account: [field('balance_usdc', 'number'), field('available_exposure_usd', 'number')],
  /** §2: the other field names of a closed hedge are not shown. */
  'closed hedge': [field('net_pnl_usd', 'number')],
  /** §4, POST /hedges: what an accepted open answers. */
  'accepted open': [
    field('hedge_id', 'string', { prefix: 'hdg_' }),
    field('status', 'string', { oneOf: ['submitted'] }),
    field('order_tx_hash', 'string'),
  ],
  /** §4, POST /hedges/close. */
  'accepted close': [field('status', 'string', { oneOf: ['submitted'] }), field('order_tx_hash', 'string')],
} as const satisfies Readonly<Record<string, readonly Field[]>>;

export type Resource = keyof typeof FIELDS;

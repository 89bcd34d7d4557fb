/** Reads the options of `hedge practice faults` into the settings of the practice service. */
import { Big } from 'big.js';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import {
  hasDecimals,
  oneMeant,
  optionGiven,
  optionText,
  parsePlainDecimal,
  type RawInput,
  readMarket,
} from './operands.ts';

/** Absent fields stay unchanged. */
export interface FaultChange {
  latency_ms?: number;
  share_429?: number;
  share_5xx_before?: number;
  share_5xx_after?: number;
  share_lost_before?: number;
  share_lost_after?: number;
  in_flight_seconds?: number;
  slow_fills_seconds?: number;
  share_failing_orders?: number;
  share_partial_fills?: number;
  disabled_markets?: string[];
  only?: FaultScopeName;
  spare_replays?: boolean;
  once?: number;
}

export const FAULT_SCOPE_NAMES = ['all', 'readings', 'actions', 'open', 'add', 'reduce', 'close'] as const;
export type FaultScopeName = (typeof FAULT_SCOPE_NAMES)[number];

/** Shared by `practice faults` and `practice serve`. */
export const FAULT_OPTIONS = [
  { flags: '--latency <ms>', summary: 'delay every response by this long' },
  { flags: '--rate-limited <share>', summary: '429 rate_limited, before execution' },
  { flags: '--fail-before <share>', summary: '503 before execution' },
  { flags: '--fail-after <share>', summary: '503 after execution' },
  { flags: '--lost-before <share>', summary: 'connection cut before execution' },
  { flags: '--lost-after <share>', summary: 'connection cut after execution' },
  { flags: '--in-flight <seconds>', summary: 'respond with idempotency_in_flight for this long' },
  { flags: '--slow-fills <seconds>', summary: 'delay fills by this long' },
  { flags: '--failing-orders <share>', summary: 'share of orders that fail' },
  { flags: '--partial-fills <share>', summary: 'share of opens that fill at 60 % of their notional' },
  { flags: '--disable <markets>', summary: 'disabled markets: USDTNGN, a list, or none' },
  {
    flags: '--only <requests>',
    summary: `limit faults to ${FAULT_SCOPE_NAMES.join(', ')}`,
    completes: { words: FAULT_SCOPE_NAMES },
  },
  { flags: '--spare-replays', summary: 'no faults for a resend whose key has a response' },
  { flags: '--once <count>', summary: 'clear after this many requests; each attempt counts' },
] as const;

const SHARES = {
  rateLimited: 'share_429',
  failBefore: 'share_5xx_before',
  failAfter: 'share_5xx_after',
  lostBefore: 'share_lost_before',
  lostAfter: 'share_lost_after',
  failingOrders: 'share_failing_orders',
  partialFills: 'share_partial_fills',
} as const;

const COUNTS = {
  latency: 'latency_ms',
  inFlight: 'in_flight_seconds',
  slowFills: 'slow_fills_seconds',
  once: 'once',
} as const;

export function readFaultChange(raw: RawInput): FaultChange {
  const change: FaultChange = {};
  for (const [option, setting] of Object.entries(SHARES)) {
    const text = optionText(raw, option);
    if (text !== undefined) change[setting] = readShare(text);
  }
  for (const [option, setting] of Object.entries(COUNTS)) {
    const text = optionText(raw, option);
    if (text !== undefined) change[setting] = readCount(text);
  }
  const disabled = optionText(raw, 'disable');
  if (disabled !== undefined) change.disabled_markets = readMarkets(disabled);
  const only = optionText(raw, 'only');
  if (only !== undefined) change.only = readScope(only);
  if (optionGiven(raw, 'spareReplays')) change.spare_replays = true;
  return change;
}

const readMarkets = (text: string): string[] =>
  text.toLowerCase() === 'none' ? [] : text.split(',').map(readMarket);

/** `0.25` or `25%`. */
function readShare(text: string): number {
  const percent = text.endsWith('%');
  const value = parsePlainDecimal(percent ? text.slice(0, -1) : text)?.div(percent ? 100 : 1);
  if (value === undefined || value.gt(1) || !hasDecimals(value, 6))
    throw new UsageError(`${quoted(text)} is not a share.`, 'Use 0 to 1, or a percentage: 0.25, 25%');
  return value.toNumber();
}

const LARGEST_COUNT = new Big(1_000_000);

function readCount(text: string): number {
  const value = parsePlainDecimal(text);
  if (value === undefined || value.gt(LARGEST_COUNT) || !hasDecimals(value, 0))
    throw new UsageError(`${quoted(text)} is not a whole number.`, 'Use plain digits: 2, 250');
  return value.toNumber();
}

const readScope = (text: string): FaultScopeName =>
  oneMeant(FAULT_SCOPE_NAMES, text, 'a request type (--only)');

/** What `hedge practice weather` was asked: chosen trouble as settings, by the practice service's own names. */
import { Big } from 'big.js';
import { didYouMean } from '../domain/did-you-mean.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import {
  hasDecimals,
  optionGiven,
  optionText,
  parsePlainDecimal,
  type RawInput,
  readMarket,
} from './operands.ts';
/** The part of the weather that is to change; what is left out stays. */
export interface WeatherChange {
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
  only?: WeatherReach;
  spare_replays?: boolean;
  once?: number;
}

export const WEATHER_REACHES = ['all', 'readings', 'actions', 'open', 'add', 'reduce', 'close'] as const;
export type WeatherReach = (typeof WEATHER_REACHES)[number];

/** The options, the same for `weather` and `serve`. */
export const WEATHER_OPTIONS = [
  { flags: '--latency <ms>', summary: 'every answer takes this long' },
  { flags: '--rate-limited <share>', summary: '429 rate_limited; the book did not act' },
  { flags: '--fail-before <share>', summary: '503 before the book acted' },
  { flags: '--fail-after <share>', summary: '503 after the book acted' },
  { flags: '--lost-before <share>', summary: 'connection cut before the book acted' },
  { flags: '--lost-after <share>', summary: 'connection cut after the book acted' },
  { flags: '--in-flight <seconds>', summary: 'idempotency_in_flight for this long' },
  { flags: '--slow-fills <seconds>', summary: 'added to the time that a fill takes' },
  { flags: '--failing-orders <share>', summary: 'orders that do not land' },
  { flags: '--partial-fills <share>', summary: 'opens that are filled for 60 % of their notional' },
  { flags: '--disable <markets>', summary: 'disabled markets: USDTNGN, a list, or none' },
  {
    flags: '--only <requests>',
    summary: `falls on ${WEATHER_REACHES.join(', ')}`,
    completes: { words: WEATHER_REACHES },
  },
  { flags: '--spare-replays', summary: 'a resend under a key that has its answer passes' },
  { flags: '--once <count>', summary: 'for the next so many requests, then clear' },
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

/** Throws UsageError on a share that is none, a count that is not whole, a word that reaches nothing. */
export function readWeather(raw: RawInput): WeatherChange {
  const change: WeatherChange = {};
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
  if (only !== undefined) change.only = readReach(only);
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
    throw new UsageError(`${quoted(text)} is not a share.`, 'A share is 0 to 1, or a percentage: 0.25, 25%');
  return value.toNumber();
}

const LARGEST_COUNT = new Big(1_000_000);

function readCount(text: string): number {
  const value = parsePlainDecimal(text);
  if (value === undefined || value.gt(LARGEST_COUNT) || !hasDecimals(value, 0))
    throw new UsageError(`${quoted(text)} is not a whole number.`, 'Write it in plain digits: 2, 250');
  return value.toNumber();
}

function readReach(text: string): WeatherReach {
  const reach = WEATHER_REACHES.find((each) => each === text.toLowerCase());
  if (reach === undefined)
    throw new UsageError(
      `${quoted(text)} is nothing that weather falls on (--only).`,
      `${didYouMean(text, WEATHER_REACHES)}It is one of ${WEATHER_REACHES.join(', ')}.`,
    );
  return reach;
}

/** Reads the options of `hedge practice faults` into the settings of the practice service. */
import { Big } from 'big.js';
import { ACTION_NAMES } from '../domain/action-table.ts';
import { didYouMean } from '../domain/did-you-mean.ts';
import { UsageError } from '../errors.ts';
import { hasDecimals, isNot, oneMeant, parsePlainDecimal, readMarket } from './operands.ts';
import { optionGiven, optionText, type RawInput, readOption } from './option.ts';

/** The faults of responses, as the practice service names them; on the command line with hyphens. */
const RESPONSE_FAULTS = [
  'rate_limited',
  'fail_before',
  'fail_after',
  'lost_before',
  'lost_after',
  'bad_gateway_before',
  'bad_gateway_after',
  'gateway_timeout_before',
  'gateway_timeout_after',
  'gateway_forbidden',
  'revoked_key',
  'redirect',
  'truncated',
  'invalid_json',
  'drip',
  'unknown_fields',
  'unknown_status',
] as const;
type ResponseFaultName = (typeof RESPONSE_FAULTS)[number];
const STEPS = [...RESPONSE_FAULTS, 'none'] as const;

/** Absent fields stay unchanged. */
export interface FaultChange extends Partial<Record<ResponseFaultName, number>> {
  delay_before_ms?: number;
  delay_after_ms?: number;
  in_flight_seconds?: number;
  slow_fills_seconds?: number;
  failing_orders?: number;
  partial_fills?: number;
  disabled_markets?: string[];
  only?: FaultScopeName;
  spare_replays?: boolean;
  once?: number;
  scripts?: { match: { only: FaultScopeName }; steps: (typeof STEPS)[number][] }[];
}

export const FAULT_SCOPE_NAMES = ['all', 'readings', 'actions', ...ACTION_NAMES] as const;
export type FaultScopeName = (typeof FAULT_SCOPE_NAMES)[number];

const inHyphens = (name: string): string => name.replaceAll('_', '-');

/** Shared by `practice faults` and `practice serve`. */
export const FAULT_OPTIONS = [
  { flags: '--delay-before <ms>', summary: 'wait before the execution' },
  { flags: '--delay-after <ms>', summary: 'execute at once, and wait before the response' },
  { flags: '--rate-limited <share>', summary: '429 rate_limited, before execution' },
  { flags: '--fail-before <share>', summary: '503 before execution' },
  { flags: '--fail-after <share>', summary: '503 after execution' },
  { flags: '--lost-before <share>', summary: 'connection cut before execution' },
  { flags: '--lost-after <share>', summary: 'connection cut after execution' },
  {
    flags: '--answer <faults>',
    summary: 'other faults, by name, with =SHARE: bad-gateway-after, revoked-key, truncated=10%',
    completes: { words: RESPONSE_FAULTS.map(inHyphens), list: true },
  },
  { flags: '--in-flight <seconds>', summary: 'respond with idempotency_in_flight for this long' },
  { flags: '--slow-fills <seconds>', summary: 'delay fills by this long' },
  { flags: '--failing-orders <share>', summary: 'share of orders that fail' },
  { flags: '--partial-fills <share>', summary: 'share of opens that fill at 60 % of their notional' },
  { flags: '--disable <markets>', summary: 'disabled markets: USDTNGN, a list, or none' },
  {
    flags: '--script <faults>',
    summary: 'one for each of the next requests: fail-before,lost-after,none',
    completes: { words: STEPS.map(inHyphens), list: true },
  },
  {
    flags: '--only <requests>',
    summary: `limit faults to ${FAULT_SCOPE_NAMES.join(', ')}`,
    completes: { words: FAULT_SCOPE_NAMES },
  },
  { flags: '--spare-replays', summary: 'no faults for a resend whose key has a response' },
  { flags: '--once <count>', summary: 'clear after this many requests; each attempt counts' },
] as const;

/** Two words for what it was. */
export const FORMER_FAULT_OPTIONS = [{ flags: '--latency <ms>' }] as const;

/** Options with a number, and the settings that they are. */
const NUMBERS = [
  ['rateLimited', 'rate_limited', readShare],
  ['failBefore', 'fail_before', readShare],
  ['failAfter', 'fail_after', readShare],
  ['lostBefore', 'lost_before', readShare],
  ['lostAfter', 'lost_after', readShare],
  ['failingOrders', 'failing_orders', readShare],
  ['partialFills', 'partial_fills', readShare],
  ['delayBefore', 'delay_before_ms', readCount],
  ['delayAfter', 'delay_after_ms', readCount],
  ['inFlight', 'in_flight_seconds', readCount],
  ['slowFills', 'slow_fills_seconds', readCount],
  ['once', 'once', readCount],
] as const;

export function readFaultChange(raw: RawInput): FaultChange {
  if (optionText(raw, 'latency') !== undefined)
    throw new UsageError(
      '--latency is no option.',
      'Use --delay-before (wait, then execute) or --delay-after (execute, then wait before the response).',
    );
  const change: FaultChange = {};
  for (const [option, setting, read] of NUMBERS) {
    const value = readOption(raw, option, read);
    if (value !== undefined) change[setting] = value;
  }
  const disabled = readOption(raw, 'disable', readMarkets);
  if (disabled !== undefined) change.disabled_markets = disabled;
  Object.assign(change, readOption(raw, 'answer', readAnswers) ?? {});
  if (optionGiven(raw, 'spareReplays')) change.spare_replays = true;
  const only = optionText(raw, 'only');
  const script = optionText(raw, 'script');
  if (script === undefined) return only === undefined ? change : { ...change, only: readScope(only) };
  if (Object.keys(change).length > 0)
    throw new UsageError(
      '--script goes with --only alone.',
      'Set the other faults with a command of their own, or name them in the script.',
    );
  const steps = script.split(',').map((word) => readFaultName(STEPS, word, '--script'));
  return { scripts: [{ match: { only: only === undefined ? 'all' : readScope(only) }, steps }] };
}

/** `revoked-key,truncated=10%` */
function readAnswers(text: string): Partial<Record<ResponseFaultName, number>> {
  const named = text.split(',').map((each) => {
    const [word = '', share = '1'] = each.split('=');
    return [readFaultName(RESPONSE_FAULTS, word, '--answer'), readShare(share)];
  });
  return Object.fromEntries(named);
}

function readFaultName<Name extends string>(names: readonly Name[], word: string, option: string): Name {
  const words = names.map(inHyphens);
  const name = names.find((each) => inHyphens(each) === word.toLowerCase());
  if (name !== undefined) return name;
  throw isNot(word, `a fault (${option})`, `${didYouMean(word, words)}Use one of ${words.join(', ')}.`);
}

const readMarkets = (text: string): string[] =>
  text.toLowerCase() === 'none' ? [] : text.split(',').map(readMarket);

/** `0.25` or `25%`. */
function readShare(text: string): number {
  const percent = text.endsWith('%');
  const value = parsePlainDecimal(percent ? text.slice(0, -1) : text)?.div(percent ? 100 : 1);
  if (value === undefined || value.gt(1) || !hasDecimals(value, 6))
    throw isNot(text, 'a share', 'Use 0 to 1, or a percentage: 0.25, 25%');
  return value.toNumber();
}

const LARGEST_COUNT = new Big(1_000_000);

function readCount(text: string): number {
  const value = parsePlainDecimal(text);
  if (value === undefined || value.gt(LARGEST_COUNT) || !hasDecimals(value, 0))
    throw isNot(text, 'a whole number', 'Use plain digits: 2, 250');
  return value.toNumber();
}

const readScope = (text: string): FaultScopeName =>
  oneMeant(FAULT_SCOPE_NAMES, text, 'a request type (--only)');

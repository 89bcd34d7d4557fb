/** The command line equivalent to an open intent, ready to paste into a shell. */
import { shellWord } from '../domain/quoted.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { OpenIntent } from './action-intent.ts';
import { DEFAULT_TIMEOUT_MS } from './action-options.ts';
/** A profile by name, or else the required environment. */
export type CommandTarget = { profile: string } | { expectEnv: Environment };

/** `hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-8841 --profile desk`; defaults are left out. */
export function openCommandLine(intent: OpenIntent, place?: CommandTarget): string {
  const { bounds, options } = intent;
  const words = [
    'hedge',
    'open',
    intent.market,
    intent.side,
    intent.notional.toFixed(),
    ...valued('--tenor', intent.tenor.toString()),
    ...valued('--deal-id', intent.dealId),
    ...given('--ensure', intent.ensure),
    ...given('--retry-failed', intent.retryFailed),
    ...valued('--worst-price', bounds.worstPrice?.toFixed()),
    ...valued('--max-cost-bps', bounds.maxCostBps?.toFixed()),
    ...given('--any-price', intent.anyPrice),
    ...given('--allow-duplicate', intent.allowDuplicate),
    ...given('--yes', options.yes),
    ...given('--dry-run', options.dryRun),
    ...given('--no-wait', !options.wait),
    ...valued(
      '--timeout',
      options.timeoutMs === DEFAULT_TIMEOUT_MS || !options.wait ? undefined : seconds(options.timeoutMs),
    ),
    ...valued('--idempotency-key', options.idempotencyKey),
    ...valued('--despite', options.despite.length === 0 ? undefined : options.despite.join(',')),
    ...(place === undefined ? [] : placed(place)),
  ];
  return words.map(shellWord).join(' ');
}

const placed = (place: CommandTarget): readonly string[] =>
  'profile' in place ? valued('--profile', place.profile) : valued('--expect-env', place.expectEnv);

const seconds = (ms: number): string => (ms / 1_000).toString();

const given = (option: string, isGiven: boolean): readonly string[] => (isGiven ? [option] : []);

/** A value starting with - is joined to its option by =. */
const valued = (option: string, value: string | undefined): readonly string[] => {
  if (value === undefined) return [];
  return value.startsWith('-') ? [`${option}=${value}`] : [option, value];
};

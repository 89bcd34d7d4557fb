/** The one line that would do the same as an intent, to be pasted into any shell, whatever its default profile. */
import { shellWord } from '../domain/quoted.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { OpenIntent } from './action-intent.ts';
import { DEFAULT_TIMEOUT_MS } from './action-options.ts';
/** Which book the line is to deal on: a profile by its name, or else the environment that must hold. */
export type CommandTarget = { profile: string } | { expectEnv: Environment };

/** `hedge open USDTNGN buy 10000 --tenor 3 --deal-id PAY-8841 --profile desk`; what is as usual is left out. */
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

/** A value that begins like an option is joined to its own. */
const valued = (option: string, value: string | undefined): readonly string[] => {
  if (value === undefined) return [];
  return value.startsWith('-') ? [`${option}=${value}`] : [option, value];
};

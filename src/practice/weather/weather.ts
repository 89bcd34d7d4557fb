/** Weather as a value: its limits, a calm sky, and a change laid over it. Refuses to know requests and stores. */
import * as z from 'zod';
import { ORDER_KINDS } from '../book/words.ts';
import type { Weather } from '../door.ts';
import { PracticeInputError } from '../failures.ts';

export const calm: Weather = {
  latency_ms: 0,
  share_429: 0,
  share_5xx_before: 0,
  share_5xx_after: 0,
  share_lost_before: 0,
  share_lost_after: 0,
  in_flight_seconds: 0,
  slow_fills_seconds: 0,
  share_failing_orders: 0,
  share_partial_fills: 0,
  disabled_markets: [],
  only: 'all',
  spare_replays: false,
  once: null,
};

const aShare = z.number().min(0).max(1);

const schema = z.strictObject({
  latency_ms: z.number().int().min(0).max(600_000),
  share_429: aShare,
  share_5xx_before: aShare,
  share_5xx_after: aShare,
  share_lost_before: aShare,
  share_lost_after: aShare,
  in_flight_seconds: z.number().min(0).max(86_400),
  slow_fills_seconds: z.number().min(0).max(43_200),
  share_failing_orders: aShare,
  share_partial_fills: aShare,
  disabled_markets: z.array(z.string().min(1).max(32)).max(100),
  only: z.enum(['all', 'readings', 'actions', ...ORDER_KINDS]),
  spare_replays: z.boolean(),
  once: z.number().int().min(1).max(1_000_000).nullable(),
});

/** The answers' shares exclude one another: a request is struck by one of them at most. */
export function sumOfShares(weather: Weather): number {
  const { share_429, share_5xx_before, share_5xx_after, share_lost_before, share_lost_after } = weather;
  return share_429 + share_5xx_before + share_5xx_after + share_lost_before + share_lost_after;
}

/** `change` over `weather`; fields that are undefined are left alone. Throws `PracticeInputError`. */
export function changed(weather: Weather, change: Partial<Weather>, markets: ReadonlySet<string>): Weather {
  const named = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const parsed = schema.safeParse({ ...weather, ...named });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : (issue?.path.join('.') ?? '');
    throw new PracticeInputError(field, `${field}: ${issue?.message ?? 'is not a weather setting'}.`);
  }
  const unknown = parsed.data.disabled_markets.find((market) => !markets.has(market));
  if (unknown !== undefined) {
    throw new PracticeInputError(
      'disabled_markets',
      `disabled_markets: the practice service has no ${unknown}.`,
    );
  }
  if (sumOfShares(parsed.data) > 1 + 1e-9) {
    throw new PracticeInputError(
      'share_429',
      'The shares of 429, 5xx and lost answers add up to more than 1.',
    );
  }
  return parsed.data;
}

export function weatherText(weather: Weather): string {
  return JSON.stringify(weather);
}

export function weatherIn(text: string): Weather {
  // A book that was kept before a setting was known has it at its calm.
  return schema.parse({ ...calm, ...JSON.parse(text) });
}

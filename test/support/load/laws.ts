/**
 * The laws of the practice service as its clients can hold it to them, answer by answer: in words what must never be and
 * was. Knows no store.
 */
import * as z from 'zod/mini';
import { decimalOf } from '../../../src/practice/domain/scaled-decimals.ts';

const amount = z.number();
const accountData = z.object({
  available_exposure_usd: amount,
  open_exposure_usd: amount,
  margin_in_use_usdc: amount,
  reserved_usdc: amount,
});
const positionsData = z.array(z.object({ market: z.string(), side: z.string(), notional_usd: amount }));
const marketsData = z.array(z.object({ available_capacity_usd: z.object({ buy: amount, sell: amount }) }));
const acceptedData = z.object({
  status: z.literal('submitted'),
  order_tx_hash: z.string(),
  hedge_id: z.optional(z.string()),
});

/** A line of clients.mjs: what was asked, and what came of it. */
export const toldSchema = z.object({
  worker: z.number(),
  /** Milliseconds since the epoch; how long it took. */
  at: z.number(),
  ms: z.number(),
  method: z.string(),
  path: z.string(),
  as: z.enum(['live', 'test']),
  key: z.optional(z.string()),
  body: z.optional(z.record(z.string(), z.unknown())),
  /** No answer came. */
  lost: z.optional(z.string()),
  status: z.optional(z.number()),
  code: z.optional(z.nullable(z.string())),
  details: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  data: z.optional(z.unknown()),
  retryAfter: z.optional(z.string()),
});
export type Told = z.infer<typeof toldSchema>;

export interface Terms {
  capUsd: number;
  headroomUsd: number;
  /** A service that is stopped while it is asked loses answers; one that limits the rate turns requests away. */
  mayLose?: boolean;
  mayLimit?: boolean;
}

/** What was accepted under a key. */
export interface Accepted {
  as: 'live' | 'test';
  key: string;
  path: string;
  body: string;
  data: string;
  hedgeId: string | undefined;
  hash: string;
}

export interface Laws {
  see(told: Told): void;
  wrong: readonly string[];
  /** By environment and key. */
  accepted: ReadonlyMap<string, Accepted>;
  answers: number;
  /** Milliseconds, of those that were answered. */
  latencies: readonly number[];
}

const REFUSALS: Readonly<Record<string, readonly string[]>> = {
  '/hedges': ['exposure_exceeded', 'capacity_exceeded', 'insufficient_balance'],
  '/hedges/add': ['exposure_exceeded', 'capacity_exceeded', 'insufficient_balance', 'no_open_hedge'],
  '/hedges/reduce': ['no_open_hedge', 'invalid_request'],
  '/hedges/close': ['no_open_hedge'],
};

const micro = (value: number): bigint => decimalOf(String(value), 6) ?? -1n;

export function lawsOf({ capUsd, headroomUsd, mayLose = false, mayLimit = false }: Terms): Laws {
  const wrong: string[] = [];
  const accepted = new Map<string, Accepted>();
  const hashes = new Set<string>();
  const latencies: number[] = [];
  const cap = micro(capUsd);
  let answers = 0;

  const must = (holds: boolean, told: Told, what: string): void => {
    if (!holds) wrong.push(`${what}: ${JSON.stringify(told).slice(0, 600)}`);
  };

  function seeAccepted(told: Told, as: Told['as'], key: string): void {
    const read = acceptedData.safeParse(told.data);
    if (!read.success) return must(false, told, 'accepted without what an acceptance has');
    const { hedge_id: hedgeId, order_tx_hash: hash } = read.data;
    const name = `${as} ${key}`;
    const now = {
      as,
      key,
      path: told.path,
      body: JSON.stringify(told.body),
      data: JSON.stringify(told.data),
      hedgeId,
      hash,
    };
    const before = accepted.get(name);
    if (before !== undefined) {
      must(before.path === now.path && before.body === now.body, told, 'two requests accepted under one key');
      return must(before.data === now.data, told, `one key was answered otherwise before: ${before.data}`);
    }
    accepted.set(name, now);
    for (const id of [hash, ...(hedgeId === undefined ? [] : [hedgeId])]) {
      must(!hashes.has(id), told, `${id} was given twice`);
      hashes.add(id);
    }
    return undefined;
  }

  function seeRefused(told: Told): void {
    const { code, status, path, details } = told;
    if (code === 'rate_limited') {
      must(mayLimit, told, 'turned away although the rate is not limited');
      must(status === 429 && Number(told.retryAfter) >= 1, told, 'turned away without a time to wait');
    } else if (code === 'idempotency_key_reuse') {
      const before = accepted.get(`${told.as} ${told.key ?? ''}`);
      must(
        before === undefined || before.body !== JSON.stringify(told.body),
        told,
        'the same request is called another',
      );
    } else {
      must(
        told.method === 'POST' && (REFUSALS[path] ?? []).includes(code ?? ''),
        told,
        'refused for no reason of the rules',
      );
      if (code === 'exposure_exceeded')
        must(
          Number(details?.['requested_usd']) > Number(details?.['available_exposure_usd']),
          told,
          'refused although there is room',
        );
    }
  }

  function seeReading(told: Told): void {
    if (told.path === '/account') {
      const account = accountData.parse(told.data);
      const [open, free] = [micro(account.open_exposure_usd), micro(account.available_exposure_usd)];
      must(open <= cap && open + free === cap, told, 'open and free exposure are not the cap');
      must(account.margin_in_use_usdc >= 0 && account.reserved_usdc >= 0, told, 'a margin is negative');
    } else if (told.path === '/positions') {
      const lines = positionsData.parse(told.data);
      const sides = lines.map(({ market, side }) => `${market} ${side}`);
      must(new Set(sides).size === sides.length, told, 'a side has two lines');
      const sizes = lines.map(({ notional_usd }) => micro(notional_usd));
      must(
        sizes.every((size) => size > 0n && size <= micro(headroomUsd)),
        told,
        'a side is over its headroom',
      );
      must(sizes.reduce((sum, size) => sum + size, 0n) <= cap, told, 'more is open than the cap');
    } else if (told.path === '/markets') {
      for (const {
        available_capacity_usd: { buy, sell },
      } of marketsData.parse(told.data))
        for (const free of [buy, sell])
          must(free >= 0 && free <= Math.min(capUsd, headroomUsd), told, 'capacity beyond the limits');
    }
  }

  return {
    see(told) {
      if (told.lost !== undefined) return must(mayLose, told, 'no answer');
      answers += 1;
      latencies.push(told.ms);
      const { status = 0, key } = told;
      if (status >= 500) return must(false, told, 'the service failed');
      if (status >= 300) return seeRefused(told);
      return key === undefined ? seeReading(told) : seeAccepted(told, told.as, key);
    },
    wrong,
    accepted,
    get answers() {
      return answers;
    },
    latencies,
  };
}

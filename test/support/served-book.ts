/**
 * A practice service on real time, served over HTTPS to programs in processes of their own, which counts what
 * reached it and what it did. Orders fill at once unless its settings say otherwise.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passes } from 'node:timers/promises';
import type { PracticeRandom, RequestLogEntry } from '../../src/practice/index.ts';
import {
  expectAccepted,
  openPractice,
  type Reply,
  type TestClock,
  type TestPractice,
} from '../practice/support/practice-service.ts';

const CHANGES = ['/hedges', '/hedges/add', '/hedges/reduce', '/hedges/close'] as const;
export type ChangePath = (typeof CHANGES)[number];

const isChange = ({ method, path }: RequestLogEntry): boolean =>
  method === 'POST' && CHANGES.some((each) => each === path);

/** What a document says of the book, against how often the service may have done it then. */
const TRUE_OF: Readonly<Record<string, readonly number[]>> = {
  none: [0],
  done: [1],
  pending: [1],
  unknown: [0, 1],
};

/** `effect`: as a document says it; `acted`: how often the service did it. */
export const isToldTruly = (effect: string, acted: number): boolean =>
  (TRUE_OF[effect] ?? []).includes(acted);

export interface ServedBook {
  desk: TestPractice;
  /** What leads a program to this service: the sandbox unless the live book is asked for. */
  way(home: string, book?: 'live' | 'test'): Record<string, string> & { HEDGE_HOME: string };
  /** Requests that would change a book, as they reached the service since the last reset. */
  changes(): readonly RequestLogEntry[];
  /** How often the service did it: accepted, and not a kept answer given again. */
  acted(path: ChangePath): number;
  /** Resolves when that many requests to change something have been answered for; rejects after five minutes. */
  arrived(count: number): Promise<void>;
  /** A change as a colleague elsewhere makes it, with the key of the sandbox unless said; it is not counted. */
  colleague(path: ChangePath, body: Record<string, unknown>, book?: 'live' | 'test'): Promise<Reply>;
  /** Opens a hedge as a colleague would; it is filled. */
  opened(side: 'buy' | 'sell', notional: number, book?: 'live' | 'test'): Promise<string>;
  /** USD that are open on a side, over all its filled hedges. */
  openOn(side: 'buy' | 'sell', book?: 'live' | 'test'): Promise<number>;
  /** A fresh book, no faults, nothing counted. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

const ARRIVES_MS = 300_000;
const LOOK_MS = 5;
/** Longer than any fill takes here. */
const FILLED_MS = 10_000;

export const realTime: TestClock = {
  now: () => Date.now(),
  pass: () => undefined,
  sleep: (ms, stop) => passes(ms, undefined, { signal: stop }).catch(() => undefined),
};

/** For tests that ask more in a second than a desk ever does. */
export const WITHOUT_LIMIT = { rate_limit: { burst: 10_000, per_second: 10_000 } };

/** Left open until `close`: one service serves many cases. */
export async function servedBook(
  settings: Record<string, unknown> = {},
  clock: TestClock = realTime,
  random?: PracticeRandom,
): Promise<ServedBook> {
  const store = await mkdtemp(join(tmpdir(), 'hedge-served-'));
  const practice = await openPractice(store, {
    settings: { fill_seconds: { min: 0, max: 0 }, ...settings },
    clock,
    ...(random === undefined ? {} : { random }),
  });
  const changes = () => practice.log.filter(isChange);
  const colleague: ServedBook['colleague'] = async (path, body, book = 'test') => {
    const reply = await practice.post(path, { market: 'USDTNGN', ...body }, { as: book });
    const own = practice.log.findLastIndex((it) => it.path === path && it.idempotencyKey === undefined);
    if (own >= 0) practice.log.splice(own, 1);
    return expectAccepted(reply);
  };
  const caFile = join(store, 'trusted.pem');
  writeFileSync(caFile, practice.service.ca, { mode: 0o600 });
  return {
    desk: practice,
    way: (home, book = 'test') => ({
      HEDGE_HOME: home,
      HEDGE_API_KEY: practice.service.keys[book],
      HEDGE_BASE_URL: practice.service.url,
      HEDGE_CA_FILE: caFile,
    }),
    changes,
    acted: (path) =>
      changes().filter((it) => it.path === path && [200, 201].includes(it.status) && it.replayed !== true)
        .length,
    async arrived(count) {
      for (const until = Date.now() + ARRIVES_MS; changes().length < count; ) {
        if (Date.now() > until) throw new Error(`${changes().length} of ${count} requests arrived`);
        await passes(LOOK_MS);
      }
    },
    colleague,
    async opened(side, notional, book = 'test') {
      const { body: accepted } = await colleague(
        '/hedges',
        { side, notional_usd: notional, tenor_days: 3 },
        book,
      );
      await practice.service.admin.advance(FILLED_MS);
      const { body: read } = await practice.get(`/hedges/${accepted.data.hedge_id}`, { as: book });
      if (read.data.status !== 'filled') throw new Error(`it is ${read.data.status}`);
      return read.data.id;
    },
    async openOn(side, book = 'test') {
      const { body } = await practice.get('/positions', { as: book });
      const lines: { side: string; notional_usd: number }[] = body.data;
      return lines.find((line) => line.side === side)?.notional_usd ?? 0;
    },
    async reset() {
      await practice.service.admin.clearFaults();
      await practice.service.admin.reset();
      practice.log.length = 0;
    },
    async close() {
      await practice.close();
      rmSync(store, { recursive: true, force: true });
    },
  };
}

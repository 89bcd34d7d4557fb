/**
 * The practice service under load from many clients in several processes: every response and the final book are correct,
 * no request hangs, memory and descriptors do not grow, and it stops cleanly.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase, textColumn } from '../../src/practice/store/database.ts';
import { DATABASE_NAME } from '../../src/practice/store/open-store.ts';
import { isExecutable } from '../support/built.ts';
import { expectHeld, howMany, SOAKING } from '../support/goal.ts';
import { type Accepted, type Laws, lawsOf, type Told } from '../support/load/laws.ts';
import { load, percentiles, type Served, seeAll, serveFrom } from '../support/load/served.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type AcceptedOpen, expectBalanced, expectOpensInBook } from './support/book-checks.ts';
import { openPractice, storeFolder, testClock } from './support/practice-service.ts';

const GOAL = 'practice under load';
const WORKERS = howMany(3, 6);
/** Each has two connections, and the service takes 2,048 of them. */
const CLIENTS = howMany(50, 160);
const SECONDS = howMany(4, 120);
const TERMS = { capUsd: 500_000, headroomUsd: 300_000 };
const SETTINGS = {
  fill_seconds: { min: 0.05, max: 0.3 },
  markets: { USDTNGN: { headroom_usd: TERMS.headroomUsd } },
};
/** The defaults. */
const BURST = 20;
const PER_SECOND = 10;
const UNLIMITED = { ...SETTINGS, rate_limit: { burst: 1_000_000, per_second: 1_000_000 } };

/** After this a request counts as hanging. */
const LONGEST_ANSWER_MS = 120_000;
const STOPS_WITHIN_MS = 60_000;
/** After a signal the program cuts off requests that take longer: on an overloaded machine also correct ones. */
const GRACE_MS = 2_000;
/** A connection that is reset while its client sends the next request may drop a response that was sent. */
const LOST_RESPONSES = 2;

interface Order {
  hash: string;
  as: string;
  kind: string;
  state: string;
}

/** @throws when the integrity check of SQLite fails. */
function ordersIn(store: string): readonly Order[] {
  const db = openDatabase(join(store, DATABASE_NAME));
  try {
    const integrity = db.get('PRAGMA integrity_check')?.['integrity_check'];
    if (integrity !== 'ok') throw new Error(`integrity check: ${String(integrity)}`);
    return db.all('SELECT environment, kind, state, order_tx_hash FROM orders').map((row) => ({
      hash: textColumn(row, 'order_tx_hash'),
      as: textColumn(row, 'environment'),
      kind: textColumn(row, 'kind'),
      state: textColumn(row, 'state'),
    }));
  } finally {
    db.close();
  }
}

/** Each accepted action is one order, which has ended. */
function orderErrors(store: string, accepted: Iterable<Accepted>): readonly string[] {
  const orders = ordersIn(store);
  const byHash = new Map(orders.map((order) => [order.hash, order]));
  const wrong = orders.length === byHash.size ? [] : ['two orders have one hash'];
  for (const { hash, as, path } of accepted) {
    const order = byHash.get(hash);
    const kind = path === '/hedges' ? 'open' : path.replace('/hedges/', '');
    if (order === undefined) wrong.push(`${path} was accepted as ${hash} but is not in the book`);
    else if (order.as !== as || order.kind !== kind) wrong.push(`${hash} is another order`);
    else if (order.state === 'pending') wrong.push(`${hash} has not ended`);
  }
  return wrong;
}

const opensOf = (laws: Laws): AcceptedOpen[] =>
  [...laws.accepted.values()].flatMap(({ as, key, hedgeId }) =>
    hedgeId === undefined ? [] : [{ as, key, hedgeId }],
  );

/** Opens the store again: the book must balance and contain every accepted action. */
async function bookErrors(store: string, laws: Laws): Promise<readonly string[]> {
  const practice = await openPractice(store, { clock: testClock(Date.now()), settings: UNLIMITED });
  try {
    await expectOpensInBook(practice, opensOf(laws));
    await expectBalanced(practice);
  } finally {
    await practice.close();
  }
  return orderErrors(store, laws.accepted.values());
}

/** The first part of the run warms up; after it, memory may grow by this much. */
const WARM_UP_SHARE = 0.4;
const MOST_GROWTH_MB = 40;

function memoryErrors(memoryMb: readonly number[]): readonly string[] {
  const warm = memoryMb.slice(Math.ceil(memoryMb.length * WARM_UP_SHARE));
  if (warm.length < 2) return [`memory was measured only ${memoryMb.length.toString()} times`];
  const half = Math.ceil(warm.length / 2);
  const [before, after] = [Math.max(...warm.slice(0, half)), Math.max(...warm.slice(half))];
  return after - before > MOST_GROWTH_MB
    ? [`memory grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`]
    : [];
}

/** Each client has at most two connections; when all clients are gone, all are closed. */
async function descriptorErrors(service: Served, idle: number): Promise<readonly string[]> {
  const most = Math.max(0, ...service.descriptors);
  const wrong = most > idle + 2 * WORKERS * CLIENTS + FEW ? [`${most.toString()} descriptors were open`] : [];
  const left = (): number => service.openDescriptors() - idle;
  await expect
    .poll(left)
    .toBeLessThanOrEqual(FEW)
    .catch(() => undefined);
  return left() > FEW ? [...wrong, `${left().toString()} descriptors stay open`] : wrong;
}
const FEW = 8;

const print = (line: string): void => {
  if (SOAKING) process.stdout.write(`${line}\n`);
};

describe('the practice service under load', () => {
  it('load: every answer, the book, memory and descriptors stay within the rules', async () => {
    const home = temporaryFolder();
    const service = await serveFrom(home, UNLIMITED);
    const idle = service.openDescriptors();
    const logs = await load(service, home, {
      workers: WORKERS,
      clients: CLIENTS,
      seconds: SECONDS,
      withinMs: 1_000 * SECONDS + 2 * LONGEST_ANSWER_MS,
    });
    const memoryMb = [...service.memoryMb];
    const left = await descriptorErrors(service, idle);
    expect(await service.stop()).toMatchObject({ code: 0 });
    const laws = lawsOf(TERMS);
    await seeAll(logs, laws);
    const longest = laws.latencies.reduce((most, ms) => Math.max(most, ms), 0);
    const [first = 0, last = 0] = [memoryMb[0], memoryMb.at(-1)];
    print(
      `${(WORKERS * CLIENTS).toString()} clients, ${laws.answers.toString()} answers, ${laws.accepted.size.toString()} actions: ${percentiles(laws.latencies)}; ` +
        `${first.toFixed(0)} to ${last.toFixed(0)} MB, ${service.descriptors.at(-1)?.toString() ?? '?'} descriptors`,
    );
    const wrong = [
      ...laws.wrong,
      ...(isExecutable ? [] : memoryErrors(memoryMb)),
      ...left,
      ...(longest > LONGEST_ANSWER_MS ? [`a request took ${longest.toFixed(0)} ms`] : []),
      ...(await bookErrors(service.store, laws)),
    ];
    const paths = new Set([...laws.accepted.values()].map(({ path }) => path));
    expect(paths).toEqual(new Set(['/hedges', '/hedges/add', '/hedges/reduce', '/hedges/close']));
    expectHeld(`${GOAL}: its laws`, { runs: laws.answers, wrong });
  });

  it('load: the rate limit allows exactly its rate', async () => {
    const home = temporaryFolder();
    const service = await serveFrom(home, SETTINGS);
    const seconds = howMany(3, 20);
    const crowd = {
      workers: 2,
      clients: 30,
      seconds,
      readings: true,
      withinMs: 1_000 * seconds + 2 * LONGEST_ANSWER_MS,
    };
    const logs = await load(service, home, crowd);
    expect(await service.stop()).toMatchObject({ code: 0 });
    const laws = lawsOf({ ...TERMS, mayLimit: true });
    const handled: Record<'live' | 'test', number> = { live: 0, test: 0 };
    let [from, until] = [Number.POSITIVE_INFINITY, 0];
    await seeAll(logs, {
      ...laws,
      see(response) {
        laws.see(response);
        if (response.status !== 429) handled[response.as] += 1;
        from = Math.min(from, response.at);
        until = Math.max(until, response.at + response.ms);
      },
    });
    const allowed = BURST + (PER_SECOND * (until - from)) / 1_000;
    const wrong = [...laws.wrong];
    for (const [book, count] of Object.entries(handled)) {
      if (count > allowed + 1) wrong.push(`${book} handled ${count.toString()} of ${allowed.toFixed(0)}`);
      if (count < allowed * 0.8)
        wrong.push(`${book} handled only ${count.toString()} of ${allowed.toFixed(0)}`);
    }
    expectHeld(`${GOAL}: its rate limit`, { runs: laws.answers, wrong });
  });

  it('load: stopping answers requests in progress and keeps what was answered', async () => {
    const home = temporaryFolder();
    const service = await serveFrom(home, UNLIMITED);
    const crowd = {
      workers: WORKERS,
      clients: CLIENTS,
      seconds: 60,
      withinMs: 60_000 + 2 * LONGEST_ANSWER_MS,
    };
    const loading = load(service, home, crowd);
    await expect.poll(() => service.descriptors.length).toBeGreaterThan(howMany(4, 14));
    const stopped = await service.stop();
    const laws = lawsOf({ ...TERMS, mayLose: true });
    await seeAll(await loading, laws);
    const orders = ordersIn(service.store);
    const answered = new Set([...laws.accepted.values()].map(({ hash }) => hash));
    const inTime = stopped.code === 0;
    const unanswered = orders.filter(({ hash }) => !answered.has(hash)).length;
    const wrong = [
      ...laws.wrong,
      ...(inTime || stopped.ms > GRACE_MS
        ? []
        : [`it ended with ${String(stopped.code)}: ${stopped.stderr}`]),
      ...(stopped.ms > STOPS_WITHIN_MS ? [`it stopped after ${stopped.ms.toFixed(0)} ms`] : []),
      ...(unanswered <= LOST_RESPONSES || !inTime
        ? []
        : [`${unanswered.toString()} actions were executed without a response`]),
      ...(await bookErrors(service.store, laws)),
    ];
    print(`stopped in ${stopped.ms.toFixed(0)} ms, after ${orders.length.toString()} actions`);
    expectHeld(`${GOAL}: a clean stop`, { runs: laws.answers, wrong });
  });
});

const HEDGE_ID = 'hdg_0123456789ABCDEF';
const response = (parts: Partial<Told>): Told => ({
  worker: 0,
  at: 0,
  ms: 1,
  method: 'POST',
  path: '/hedges',
  as: 'test',
  key: 'k',
  body: { notional_usd: 1 },
  status: 201,
  data: { status: 'submitted', order_tx_hash: '0x1', hedge_id: HEDGE_ID },
  ...parts,
});
const reading = (path: string, data: unknown): Told =>
  response({ method: 'GET', path, key: undefined, body: undefined, status: 200, data });
const account = (parts: Record<string, number>): Told =>
  reading('/account', {
    available_exposure_usd: 499_999.5,
    open_exposure_usd: 0.5,
    margin_in_use_usdc: 0,
    reserved_usdc: 0.05,
    ...parts,
  });
const line = (side: string, notional_usd: number) => ({ market: 'USDTNGN', side, notional_usd });

describe('the checks of the load test', () => {
  it.each<[string, readonly Told[]]>([
    ['a failure of the service', [response({ status: 500, code: 'internal' })]],
    ['a missing response', [response({ lost: 'ECONNRESET', status: undefined })]],
    [
      'two responses for one key',
      [response({}), response({ data: { status: 'submitted', order_tx_hash: '0x2' } })],
    ],
    ['another request accepted under one key', [response({}), response({ body: { notional_usd: 2 } })]],
    [
      'a repeat rejected as key reuse',
      [response({}), response({ status: 409, code: 'idempotency_key_reuse' })],
    ],
    [
      'a hash given twice',
      [response({}), response({ key: 'other', data: { status: 'submitted', order_tx_hash: '0x1' } })],
    ],
    ['an acceptance without a hash', [response({ data: { status: 'submitted' } })]],
    ['a rate limit where there is none', [response({ status: 429, code: 'rate_limited', retryAfter: '1' })]],
    ['a rejection without a reason', [response({ status: 400, code: 'no_open_hedge' })]],
    [
      'a rejection within the limits',
      [
        response({
          status: 400,
          code: 'exposure_exceeded',
          details: { requested_usd: 5, available_exposure_usd: 6 },
        }),
      ],
    ],
    ['an account whose open and free exposure are not the cap', [account({ open_exposure_usd: 0.500_001 })]],
    ['more open than the cap', [account({ open_exposure_usd: 500_001, available_exposure_usd: -1 })]],
    ['a negative margin', [account({ margin_in_use_usdc: -0.000_001 })]],
    ['two positions on one side', [reading('/positions', [line('buy', 1), line('buy', 2)])]],
    ['a side over its headroom', [reading('/positions', [line('buy', 300_000.01)])]],
    ['positions over the cap', [reading('/positions', [line('buy', 290_000), line('sell', 210_001)])]],
    [
      'capacity beyond the limits',
      [reading('/markets', [{ available_capacity_usd: { buy: 300_001, sell: 0 } }])],
    ],
  ])('load checks: detect %s', (_, all) => {
    const laws = lawsOf(TERMS);
    for (const each of all) laws.see(each);
    expect(laws.wrong).toHaveLength(1);
  });

  it('load checks: accept correct answers', () => {
    const laws = lawsOf(TERMS);
    const again = response({ status: 409, code: 'idempotency_key_reuse', body: { notional_usd: 2 } });
    for (const each of [
      response({}),
      response({}),
      again,
      account({}),
      reading('/positions', [line('buy', 1)]),
    ])
      laws.see(each);
    expect(laws.wrong).toEqual([]);
  });

  it('load checks: detect growing memory', () => {
    const growing = (mb: number) => Array.from({ length: 40 }, (_, at) => 100 + at * mb);
    expect(memoryErrors(growing(0.5))).toEqual([]);
    expect(memoryErrors(growing(5))).toHaveLength(1);
    expect(memoryErrors([])).toHaveLength(1);
  });

  it('load checks: detect an accepted action that is not in the book, and one that has not finished', async () => {
    const practice = await openPractice(await storeFolder(), { settings: UNLIMITED });
    const body = { market: 'USDTNGN', side: 'buy', notional_usd: 1_000, tenor_days: 3 };
    const { data } = (await practice.post('/hedges', body, { key: 'k' })).body;
    await practice.close();
    const accepted = (hash: string): Accepted => ({
      as: 'live',
      key: 'k',
      path: '/hedges',
      body: '',
      data: '',
      hedgeId: undefined,
      hash,
    });
    expect(orderErrors(practice.store, [accepted(data.order_tx_hash)])).toEqual([
      `${String(data.order_tx_hash)} has not ended`,
    ]);
    expect(orderErrors(practice.store, [accepted('0x1')]).join()).toMatch(/not in the book/);
  });
});

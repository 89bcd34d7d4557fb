/** The control API: keys, clock, faults, settings, prices, hedges, fixtures and books. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectBalanced } from './support/book-checks.ts';
import {
  DAY,
  expectAccepted,
  expectLost,
  expectRejected,
  flatAt,
  NINE,
  openPractice,
  startPractice,
  storeFolder,
  type TestPracticeOptions,
} from './support/practice-service.ts';

const START = Date.UTC(2026, 11, 1, 8);
const BUY = { market: 'USDTNGN', side: 'buy' };
const OPEN = { ...BUY, notional_usd: 10_000, tenor_days: 3 };

/** A manual clock, a seed and a book in memory, as a test suite starts it. */
const mock = (more: TestPracticeOptions = {}) =>
  startPractice({
    ...more,
    modes: { seed: 7, clockMode: 'manual', memory: true, fillAfterMs: 2_000, ...more.modes },
  });

describe('the control key', () => {
  it('control: opens nothing of the partner API, and the practice keys open nothing of the control API', async () => {
    const practice = await mock();
    expect(practice.service.control.key).toMatch(/^hk_control_[0-9A-Z]{32}$/);
    for (const as of ['live', 'test', null, { bearer: 'hk_control_WRONG' }] as const)
      expectRejected(await practice.control('GET', '/status', undefined, { as }), 401, 'unauthorized');
    const as = { bearer: practice.service.control.key };
    expectRejected(await practice.get('/account', { as }), 401, 'unauthorized');
    expectRejected(await practice.control('GET', '/nowhere', undefined, { as: null }), 401, 'unauthorized');
    expect(await practice.control('GET', '/health', undefined, { as: null })).toMatchObject({
      status: 200,
      body: { data: { status: 'ok', books: [{ name: 'default', clock: 'manual' }] } },
    });
  });

  it('control: its key is made once and kept with the other keys, in files of the user alone', async () => {
    const store = await storeFolder();
    const first = await openPractice(store);
    const { key } = first.service.control;
    await first.close();
    const again = await startPractice({ store });
    expect(again.service.control.key).toBe(key);
    expect(statSync(join(store, 'practice.sqlite')).mode & 0o777).toBe(0o600);
  });

  it('control: a keys file is written for the user alone, and read by the next service', async () => {
    const keysFile = join(await storeFolder(), 'keys.json');
    const first = await mock({ modes: { keysFile, books: ['a'] } });
    expect(statSync(keysFile).mode & 0o777).toBe(0o600);
    const second = await mock({ modes: { keysFile, books: ['a'] } });
    expect(second.service.keys).toEqual(first.service.keys);
    expect(second.service.control.key).toBe(first.service.control.key);
    expect(second.service.books[0]?.keys).toEqual(first.service.books[0]?.keys);
    writeFileSync(keysFile, readFileSync(keysFile, 'utf8').replace('hk_live_', 'hk_test_'));
    await expect(mock({ modes: { keysFile } })).rejects.toThrow(/live: must look like hk_live_0123456789/);
  });

  it('control: a keys file that was written without books has the same keys for a book in each start', async () => {
    const keysFile = join(await storeFolder(), 'keys.json');
    const without = await mock({ modes: { keysFile } });
    const [first, second] = [
      await mock({ modes: { keysFile, books: ['b'] } }),
      await mock({ modes: { keysFile, books: ['b', 'c'] } }),
    ];
    const [b, c] = second.service.books;
    expect(first.service.books).toMatchObject([{ name: 'b', keys: b?.keys }]);
    expect(b?.keys.test).toMatch(/^hk_test_[0-9A-Z]{32}$/);
    expect(c?.keys).not.toEqual(b?.keys);
    expect(without.service.keys).toEqual(second.service.keys);
    expectAccepted(await second.get('/account', { book: 'b', as: 'test' }));
  });

  it('control: a keys file in a folder that does not exist is a wrong option, and says so', async () => {
    const keysFile = join(await storeFolder(), 'nowhere', 'keys.json');
    await expect(mock({ modes: { keysFile } })).rejects.toMatchObject({
      field: 'keys',
      message: `The keys file needs an existing folder: ${join(keysFile, '..')} is not one.`,
    });
  });
});

describe('the clock', () => {
  it('control: a manual clock starts at the given time and moves only when it is advanced', async () => {
    const practice = await mock({ modes: { startAt: START + DAY } });
    practice.clock.pass(10 * DAY);
    const clock = async () => (await practice.control('GET', '/clock')).body.data;
    expect(await clock()).toMatchObject({ mode: 'manual', book_time: '2026-12-02T08:00:00.000Z' });
    const opened = expectAccepted(await practice.post('/hedges', OPEN));
    const advanced = expectAccepted(await practice.control('POST', '/clock/advance', { seconds: 2 }));
    expect(advanced.body.data.environments.live.events).toMatchObject([
      { what: 'filled', hedge_id: opened.body.data.id, at: '2026-12-02T08:00:02.000Z' },
    ]);
    expect(advanced.headers['date']).toBe('Wed, 02 Dec 2026 08:00:02 GMT');
    const set = await practice.control('PUT', '/clock', { time: '2026-12-09T08:00Z' });
    expect(set.body.data.book_time).toBe('2026-12-09T08:00:00.000Z');
    expect((await practice.get('/hedges/history')).body.data).toMatchObject([{ reason: 'maturity' }]);
    expectRejected(
      await practice.control('PUT', '/clock', { time: '2026-12-09T07:59:59.999Z' }),
      400,
      'invalid_request',
    );
    for (const seconds of [0, -1, 0.0001, 400 * 86_400, '3'])
      expectRejected(await practice.control('POST', '/clock/advance', { seconds }), 400, 'invalid_request');
  });

  it('control: keys and leases follow a manual clock', async () => {
    const practice = await mock();
    await practice.control('PATCH', '/faults', { in_flight_seconds: 30, once: 1 });
    const sent = { key: 'slow' };
    expectRejected(await practice.post('/hedges', OPEN, sent), 409, 'idempotency_in_flight');
    await practice.control('POST', '/clock/advance', { seconds: 30 });
    const first = expectAccepted(await practice.post('/hedges', OPEN, sent));
    expect(first.headers['idempotency-replayed']).toBe('true');
    await practice.control('POST', '/clock/advance', { seconds: 86_400 });
    const second = expectAccepted(await practice.post('/hedges', OPEN, sent));
    expect(second.body.data.id).not.toBe(first.body.data.id);
  });

  it('control: a stored book keeps its time when the manual clock ends, and goes on from there', async () => {
    const store = await storeFolder();
    const manual = await openPractice(store, { modes: { clockMode: 'manual' } });
    await manual.control('POST', '/clock/advance', { seconds: 60 });
    await manual.close();
    const wall = await openPractice(store, { start: NINE });
    expect((await wall.admin.status()).book_time).toBe('2026-12-01T08:01:00.000Z');
    wall.clock.pass(1_000);
    expect((await wall.control('GET', '/clock')).body.data).toMatchObject({
      mode: 'wall',
      book_time: '2026-12-01T08:01:01.000Z',
    });
    await wall.close();
    await expect(openPractice(store, { modes: { clockMode: 'manual', startAt: START } })).rejects.toThrow(
      /is at 2026-12-01T08:01:0/,
    );
  });

  it('control: a manual clock that a crash left behind ends with the next service', async () => {
    const store = await storeFolder();
    const crashed = await openPractice(store, { modes: { clockMode: 'manual' } });
    onTestFinished(() => crashed.close());
    const other = await startPractice({ store });
    expect((await other.control('GET', '/clock')).body.data.mode).toBe('manual');
    const served = await startPractice({ store, modes: { clockMode: 'wall' } });
    expect((await served.control('GET', '/clock')).body.data.mode).toBe('wall');
    expect((await crashed.control('GET', '/clock')).body.data.mode).toBe('wall');
  });

  it('control: with the wall clock, a book begins at the given time and goes on by itself', async () => {
    for (const startAt of [START, NINE - DAY]) {
      const practice = await startPractice({ modes: { startAt, memory: true } });
      practice.clock.pass(90_000);
      expect((await practice.control('GET', '/clock')).body.data).toMatchObject({
        mode: 'wall',
        book_time: new Date(startAt + 90_000).toISOString(),
      });
    }
  });

  it('control: a manual clock has no rate limit, unless it is asked for', async () => {
    const settings = { rate_limit: { burst: 2, per_second: 1 } };
    const free = await mock({ settings });
    for (let count = 0; count < 5; count += 1) expectAccepted(await free.get('/account'));
    const off = await startPractice({ settings, modes: { rateLimit: false } });
    for (let count = 0; count < 5; count += 1) expectAccepted(await off.get('/account'));
    const limited = await mock({ settings, modes: { rateLimit: true } });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await limited.get('/account')).status);
    expect(statuses).toEqual([200, 200, 429]);
    await limited.control('POST', '/clock/advance', { seconds: 1 });
    expectAccepted(await limited.get('/account'));
  });
});

describe('faults, settings and reset', () => {
  it('control: sets and clears faults, those of its own service too', async () => {
    const practice = await mock({ faults: { rate_limited: 1 } });
    expectRejected(await practice.get('/account'), 429, 'rate_limited');
    expect((await practice.control('GET', '/faults')).body.data.rate_limited).toBe(1);
    expect((await practice.control('PATCH', '/faults', { rate_limited: 0 })).body.data.rate_limited).toBe(0);
    expectAccepted(await practice.get('/account'));
    await practice.control('PATCH', '/faults', { lost_after: 1, only: 'open', once: 1 });
    await expectLost(practice.post('/hedges', OPEN, { key: 'lost' }));
    expectAccepted(await practice.post('/hedges', OPEN, { key: 'lost' }));
    await practice.control('PATCH', '/faults', { delay_before_ms: 5 });
    expect((await practice.control('DELETE', '/faults')).body.data).toMatchObject({
      delay_before_ms: 0,
      once: null,
    });
    for (const change of [{ rate_limited: 2 }, { nonsense: 1 }, { disabled_markets: ['NOPE'] }])
      expectRejected(await practice.control('PATCH', '/faults', change), 400, 'invalid_request');
  });

  it('control: a reset empties the book, forgets its requests and begins time and IDs again', async () => {
    const practice = await mock();
    const first = await practice.post('/hedges', OPEN);
    await practice.control('POST', '/clock/advance', { seconds: 5 });
    const before = (await practice.control('GET', '/clock')).body.data;
    const reset = expectAccepted(await practice.control('POST', '/reset', { balance_usdc: 5_000 }));
    expect(reset.body.data).toMatchObject({
      book_time: '2026-12-01T08:00:00.000Z',
      accounts: { test: { balance_usdc: '5000' }, live: { hedges: { submitted: 0, filled: 0 } } },
    });
    expect(reset.body.data.book_id).not.toBe(before.book_id);
    expect((await practice.control('GET', '/requests')).body.data).toEqual([]);
    expect((await practice.post('/hedges', OPEN)).body.data).toEqual(first.body.data);
    const again = await practice.control('POST', '/reset');
    expect([before.book_id, reset.body.data.book_id]).not.toContain(again.body.data.book_id);
    expectRejected(await practice.control('POST', '/reset', { balance_usdc: -1 }), 400, 'invalid_request');
  });

  it('control: shows and changes the settings in force', async () => {
    const practice = await mock({ settings: { margin_pct: 12 } });
    const { data } = (await practice.control('GET', '/settings')).body;
    expect(data).toMatchObject({ version: 1, settings: { margin_pct: 12, seed: 'practice' } });
    const patched = await practice.control('PATCH', '/settings', {
      margin_pct: 15,
      'markets.USDTNGN.base_rate': 1600,
    });
    expect(patched.body.data).toMatchObject({
      version: 2,
      settings: { margin_pct: 15, markets: { USDTNGN: { base_rate: 1600 } } },
    });
    for (const wrong of [{ nonsense: 1 }, { margin_pct: 'much' }, { margin_pct: 101 }])
      expectRejected(await practice.control('PATCH', '/settings', wrong), 400, 'invalid_request');
    expectRejected(await practice.control('PUT', '/settings', {}), 405, 'method_not_allowed');
  });
});

describe('fixtures', () => {
  it('control: a price path holds from point to point, and settles what matures on it', async () => {
    const practice = await mock({ settings: flatAt(1500) });
    const price = async () => (await practice.get('/prices')).body.data[0].price;
    await practice.post('/hedges', OPEN);
    await practice.control('POST', '/clock/advance', { seconds: 2 });
    const points = [
      { at: '2026-12-01T09:00Z', price: 1600 },
      { at: '2026-12-02T09:00Z', price: 1700.5 },
    ];
    const set = await practice.control('PUT', '/prices', { market: 'USDTNGN', points });
    expect(set.body.data).toMatchObject([
      { market: 'USDTNGN', points: [{ price: 1600 }, { price: 1700.5 }] },
    ]);
    expect(await price()).toBe(1500);
    await practice.control('PUT', '/clock', { time: '2026-12-01T09:00Z' });
    expect(await price()).toBe(1600);
    await practice.control('POST', '/clock/advance', { seconds: 4 * 86_400 });
    expect((await practice.get('/hedges/history')).body.data).toMatchObject([{ exit_price: 1700.5 }]);
    expect((await practice.control('DELETE', '/prices')).body.data).toEqual([]);
    expect(await price()).toBe(1500);
    for (const wrong of [
      { market: 'USDTNGN', points: [] },
      { market: 'USDTNGN', points: points.toReversed() },
      { market: 'USDTNGN', points: [{ at: 'now', price: 1 }] },
      { market: 'USDTNGN', points: [{ at: '2026-12-01T09:00Z', price: 0 }] },
    ])
      expectRejected(await practice.control('PUT', '/prices', wrong), 400, 'invalid_request');
    expectRejected(
      await practice.control('PUT', '/prices', { market: 'NOPE', points }),
      404,
      'market_not_found',
    );
  });

  it('control: places a filled hedge, at a rate and a time of its own', async () => {
    const practice = await mock({ settings: flatAt(1500) });
    const placed = expectAccepted(
      await practice.control('POST', '/hedges', {
        ...OPEN,
        environment: 'live',
        struck_rate: 1400,
        opened_at: '2026-11-30T08:00Z',
        client_reference: 'PAY-1',
      }),
    ).body.data;
    expect(placed).toMatchObject({
      status: 'filled',
      struck_rate: 1400,
      filled_at: '2026-11-30T08:00:00.000Z',
    });
    expect((await practice.get(`/hedges/${placed.id}`)).body.data).toEqual(placed);
    const [line] = (await practice.get('/positions')).body.data;
    // 10,000 × 100 / 1,500, and a day of carry at 0.05 %.
    expect(line).toMatchObject({ entry_price: 1400, gross_pnl_usd: 666.666667, accrued_carry_usdc: -5 });
    const usual = await practice.control('POST', '/hedges', { ...OPEN, side: 'sell' });
    expect(usual.body.data).toMatchObject({ status: 'filled', struck_rate: 1499.1 });
    expect((await practice.get('/hedges', { as: 'test' })).body.data).toHaveLength(1);
    for (const wrong of [{ opened_at: '2026-12-01T08:01Z' }, { opened_at: '2026-11-28T08:00Z' }])
      expectRejected(
        await practice.control('POST', '/hedges', { ...OPEN, ...wrong }),
        400,
        'invalid_request',
      );
    expectRejected(
      await practice.control('POST', '/hedges', { ...OPEN, notional_usd: 600_000 }),
      400,
      'exposure_exceeded',
    );
    await expectBalanced(practice);
  });

  it('control: a dumped book holds no key, loads in another service and goes on there the same way', async () => {
    const first = await mock();
    await first.post('/hedges', OPEN, { key: 'one' });
    await first.control('POST', '/clock/advance', { seconds: 2 });
    await first.post('/hedges/add', { ...BUY, notional_usd: 500 });
    const dump = await first.control('GET', '/fixture');
    for (const key of [...Object.values(first.service.keys), first.service.control.key])
      expect(dump.text).not.toContain(key);
    const second = await mock({ modes: { seed: 8 } });
    expectAccepted(await second.control('PUT', '/fixture', dump.body.data));
    for (const path of ['/hedges', '/positions', '/account'])
      expect((await second.get(path)).body).toEqual((await first.get(path)).body);
    expect((await second.post('/hedges', OPEN, { key: 'one' })).headers['idempotency-replayed']).toBe('true');
    const advance = { seconds: 3 * 86_400 };
    const [one, two] = [
      await first.control('POST', '/clock/advance', advance),
      await second.control('POST', '/clock/advance', advance),
    ];
    expect(two.body).toEqual(one.body);
    expectAccepted(await second.post('/hedges', OPEN));
  });

  it('control: a book loads back into its own service, and its IDs never come twice', async () => {
    const practice = await mock();
    const one = await practice.post('/hedges', OPEN);
    const dump = (await practice.control('GET', '/fixture')).body.data;
    await practice.control('POST', '/reset');
    expectAccepted(await practice.control('PUT', '/fixture', dump));
    const two = expectAccepted(await practice.post('/hedges', OPEN));
    expect(two.body.data.id).not.toBe(one.body.data.id);
  });

  it('control: a book loads with its own time, days later too, and time goes on from there', async () => {
    const practice = await startPractice();
    const hedge = (await practice.post('/hedges', { ...OPEN, tenor_days: 1 })).body.data;
    practice.clock.pass(4_001);
    const dump = (await practice.control('GET', '/fixture')).body.data;
    const dumpedAt = practice.clock.now();
    practice.clock.pass(2 * DAY);
    expect(await practice.get('/positions')).toMatchObject({ body: { data: [] } });
    expectAccepted(await practice.control('PUT', '/fixture', dump));
    practice.clock.pass(5_000);
    const response = await practice.get(`/hedges/${hedge.id}`);
    expect(response.body.data.status).toBe('filled');
    expect(response.headers['date']).toBe(new Date(dumpedAt + 5_000).toUTCString());
    expect((await practice.admin.status()).ahead_ms).toBe(-2 * DAY);
  });

  it('control: a fixture that is not a book changes nothing', async () => {
    const practice = await mock();
    await practice.post('/hedges', OPEN);
    const dump = (await practice.control('GET', '/fixture')).body.data;
    const [hedge] = dump.tables.hedge_records;
    const [account, other] = dump.tables.accounts;
    const wrong = [
      { version: 99 },
      { tables: { ...dump.tables, sqlite_master: [] } },
      { tables: { ...dump.tables, hedge_records: [{ ...hedge, status: 'lost' }] } },
      { tables: { ...dump.tables, hedge_records: [{ ...hedge, extra: 1 }] } },
      { tables: { ...dump.tables, hedge_records: [hedge, hedge] } },
      { tables: { ...dump.tables, hedge_records: [{ ...hedge, notional: 1.5 }] } },
      { tables: { ...dump.tables, book: [] } },
      { tables: { ...dump.tables, hedge_records: [] }, faults: { only: 'readings', in_flight_seconds: 5 } },
      { tables: { ...dump.tables, hedge_records: [{ ...hedge, market: 'NOPE' }] } },
      {
        tables: {
          ...dump.tables,
          accounts: [{ ...account, balance: account.balance + 1, house: account.house - 1 }, other],
        },
      },
    ];
    for (const change of wrong)
      expectRejected(
        await practice.control('PUT', '/fixture', { ...dump, ...change }),
        400,
        'invalid_request',
      );
    expect((await practice.control('GET', '/fixture')).body.data).toEqual(dump);
  });
});

describe('several books', () => {
  it('books: neither sees the hedges, faults, prices, time, keys or requests of the other', async () => {
    const practice = await mock({ modes: { books: ['b', 'a'] } });
    const { service } = practice;
    expect(service.books.map(({ name, url }) => [name, new URL(url).pathname])).toEqual([
      ['a', '/practice/a/v2'],
      ['b', '/practice/b/v2'],
    ]);
    const keys = [service, ...service.books].flatMap((book) => Object.values(book.keys));
    expect(new Set(keys).size).toBe(6);
    const inA = { book: 'a', as: 'test' } as const;
    const opened = expectAccepted(await practice.post('/hedges', OPEN, { ...inA, key: 'same' }));
    await practice.control('PATCH', '/faults?book=a', { rate_limited: 1 });
    await practice.control('PUT', '/prices?book=a', {
      market: 'USDTNGN',
      points: [{ at: '2026-12-01T08:00Z', price: 9 }],
    });
    await practice.control('POST', '/clock/advance?book=a', { seconds: 60 });
    expectRejected(await practice.get('/account', inA), 429, 'rate_limited');
    for (const book of ['b', 'default']) {
      const here = { book, as: 'test' } as const;
      expect((await practice.get('/hedges', here)).body.data).toEqual([]);
      expectRejected(await practice.get(`/hedges/${opened.body.data.id}`, here), 404, 'hedge_not_found');
      expect((await practice.get('/prices', here)).body.data[0].price).toBeGreaterThan(1_000);
      expect((await practice.get('/account', here)).headers['date']).toBe('Tue, 01 Dec 2026 08:00:00 GMT');
      const [a] = service.books;
      const as = { bearer: a?.keys.test ?? '' };
      expectRejected(await practice.get('/account', { book, as }), 401, 'unauthorized');
      const another = expectAccepted(await practice.post('/hedges', OPEN, { ...here, key: 'same' }));
      expect(another.headers['idempotency-replayed']).toBeUndefined();
      expect(another.body.data.id).not.toBe(opened.body.data.id);
    }
    const inB = (await practice.control('GET', '/requests?book=b')).body.data;
    expect(inB.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    await practice.control('POST', '/reset?book=b');
    expect((await practice.control('GET', '/status')).body.data.accounts.test.hedges.submitted).toBe(1);
    expectRejected(await practice.control('GET', '/status?book=c'), 404, 'not_found');
  });

  it('books: each is stored in a folder of its own', async () => {
    const store = await storeFolder();
    const first = await openPractice(store, { modes: { books: ['a'] } });
    await first.post('/hedges', OPEN, { book: 'a' });
    await first.close();
    expect(statSync(join(store, 'books/a/practice.sqlite')).mode & 0o777).toBe(0o600);
    const again = await startPractice({ store, modes: { books: ['a'] } });
    expect(again.service.books).toMatchObject([{ keys: first.service.books[0]?.keys }]);
    expect((await again.get('/hedges', { book: 'a' })).body.data).toHaveLength(1);
    expect((await again.get('/hedges')).body.data).toEqual([]);
    const added = await Promise.all([1, 2].map(() => again.control('POST', '/books', { name: 'b' })));
    expect(added.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 400]));
    for (const name of ['default', 'v2', 'A', '../x', ''])
      await expect(openPractice(store, { modes: { books: [name] } })).rejects.toThrow(/name of a book/);
  });
});

describe('the Host header', () => {
  it.each(['evil.example', 'localhost.evil.example', '10.0.0.1'])(
    'host: %j is rejected on every path, with or without a key',
    async (host) => {
      const practice = await mock();
      const sent = { headers: { host } };
      expectRejected(await practice.get('/account', sent), 421, 'invalid_request');
      expectRejected(await practice.get('/openapi.json', { ...sent, as: null }), 421, 'invalid_request');
      expectRejected(await practice.control('POST', '/reset', {}, sent), 421, 'invalid_request');
      expect(practice.log.at(-1)).toMatchObject({
        status: 421,
        path: '/control/v1/reset',
        environment: null,
      });
      expectRejected(
        await practice.control('GET', '/health', undefined, { ...sent, as: null }),
        421,
        'invalid_request',
      );
    },
  );

  it.each(['127.0.0.1', 'LOCALHOST:1', '[::1]:443'])('host: %s is this machine', async (host) => {
    const practice = await mock();
    expectAccepted(await practice.get('/account', { headers: { host } }));
  });
});

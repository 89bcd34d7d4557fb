/** Book time, administration and the reference rate. */
import { describe, expect, it } from 'vitest';
import { referenceRate } from '../../src/practice/book/transaction-context.ts';
import { openPracticeAdmin, PracticeInputError } from '../../src/practice/index.ts';
import {
  DAY,
  expectAccepted,
  NINE,
  opened,
  startPractice,
  storeFolder,
  testClock,
  testRandom,
} from './support/practice-service.ts';

describe('advance', () => {
  it('advance: moves book time ahead, lists the events and leaves wall time alone', async () => {
    const practice = await startPractice();
    const long = await opened(practice, { tenor_days: 7, client_reference: 'PAY-1' });
    const short = await opened(practice, { tenor_days: 1, side: 'sell', client_reference: 'PAY-2' });
    expectAccepted(
      await practice.post('/hedges', { market: 'USDTNGN', side: 'buy', notional_usd: 5, tenor_days: 7 }),
    );
    const from = practice.clock.now();
    const summary = await practice.admin.advance(2 * DAY);
    expect(summary).toMatchObject({
      from: new Date(from).toISOString(),
      to: new Date(from + 2 * DAY).toISOString(),
      advanced_ms: 2 * DAY,
    });
    const [fill, settled, ...rest] = summary.environments.live.events;
    expect(rest).toEqual([]);
    expect(fill).toMatchObject({
      what: 'filled',
      order: 'open',
      side: 'buy',
      notional_usd: '5',
      realized_pnl_usd: null,
    });
    expect(settled).toMatchObject({
      what: 'settled',
      order: 'settlement',
      hedge_id: short.id,
      client_reference: 'PAY-2',
      at: short.maturity_at,
      notional_usd: '10000',
    });
    const [record] = (await practice.get('/hedges/history')).body.data;
    expect(Number(settled?.rate)).toBe(record.exit_price);
    // The event is without the platform fee of 10 that the record includes.
    expect(Number(settled?.realized_pnl_usd) - 10).toBeCloseTo(record.net_pnl_usd, 6);
    const answer = await practice.get(`/hedges/${long.id}`);
    expect(answer.headers['date']).toBe(new Date(from + 2 * DAY).toUTCString());
    // Tells clients not to measure durations by it.
    expect(answer.headers['x-practice-clock']).toBe('book');
    expect(answer.body.data.status).toBe('filled');
    expect(practice.clock.now()).toBe(from);
    expect(practice.log.at(-1)?.at).toBe(new Date(from).toISOString());
    expect(summary.environments.test.events).toEqual([]);
  });

  it('advance: settles the same in many steps as in one', async () => {
    const [inOne, inMany] = await Promise.all([startPractice({ seed: 5 }), startPractice({ seed: 5 })]);
    for (const practice of [inOne, inMany]) {
      for (const tenor_days of [1, 3, 7]) await opened(practice, { tenor_days });
    }
    await inOne.admin.advance(8 * DAY);
    for (let step = 0; step < 32; step += 1) {
      await inMany.admin.advance(DAY / 4);
      await inMany.get('/positions');
    }
    expect((await inMany.get('/hedges/history')).text).toBe((await inOne.get('/hedges/history')).text);
    expect((await inMany.get('/account')).text).toBe((await inOne.get('/account')).text);
  });

  it.each([0, -1, 0.5, Number.NaN, 367 * DAY])('advance: rejects %s ms', async (ms) => {
    const practice = await startPractice();
    await expect(practice.admin.advance(ms)).rejects.toBeInstanceOf(PracticeInputError);
  });
});

describe('book time', () => {
  it('book time: never runs backwards when the wall clock is set back', async () => {
    const practice = await startPractice();
    await opened(practice);
    const date = (await practice.get('/account')).headers['date'];
    practice.clock.pass(-3_600_000);
    const later = await practice.get('/account');
    expect(later.headers['date']).toBe(date);
    const { data } = expectAccepted(
      await practice.post('/hedges', { market: 'USDTNGN', side: 'buy', notional_usd: 5, tenor_days: 1 }),
    ).body;
    expect(new Date(data.opened_at).toUTCString()).toBe(date);
  });

  it('book time: goes on from where it was after the wall clock was set back, and the status says so', async () => {
    const practice = await startPractice();
    await opened(practice);
    const reached = practice.clock.now();
    practice.clock.pass(-3_600_000);
    const { data } = expectAccepted(
      await practice.post('/hedges', { market: 'USDTNGN', side: 'buy', notional_usd: 5, tenor_days: 1 }),
    ).body;
    practice.clock.pass(4_001);
    expect((await practice.get(`/hedges/${data.hedge_id}`)).body.data.status).toBe('filled');
    expect(await practice.admin.status()).toMatchObject({
      ahead_ms: 3_600_000,
      book_time: new Date(reached + 4_001).toISOString(),
    });
    await practice.admin.advance(DAY);
    practice.clock.pass(1_000);
    expect((await practice.admin.status()).ahead_ms).toBe(3_600_000 + DAY);
  });

  it('book time: an advance right after the wall clock was set back is not lost', async () => {
    const practice = await startPractice();
    await opened(practice);
    practice.clock.pass(-2 * DAY);
    await practice.admin.advance(1_000);
    practice.clock.pass(500);
    expect((await practice.admin.status()).ahead_ms).toBe(2 * DAY + 1_000);
  });

  it('book time: waits for a wall clock that is set back by a moment', async () => {
    const practice = await startPractice();
    await practice.get('/account');
    practice.clock.pass(-2_000);
    expect((await practice.admin.status()).ahead_ms).toBe(2_000);
    practice.clock.pass(3_000);
    expect((await practice.admin.status()).ahead_ms).toBe(0);
  });

  it('book time: is the Date of every response, errors included', async () => {
    const practice = await startPractice();
    await practice.admin.advance(DAY);
    const expected = new Date(NINE + DAY).toUTCString();
    for (const path of ['/account', '/nowhere', '/hedges/none', '/openapi.json'])
      expect((await practice.get(path)).headers['date']).toBe(expected);
    expect((await practice.get('/account', { as: null })).headers['date']).toBe(expected);
  });
});

describe('reset', () => {
  it('reset: starts a new book with a new ID, keeps the keys and takes an opening balance', async () => {
    const practice = await startPractice();
    const { keys, bookId } = practice.service;
    await opened(practice);
    await opened(practice, {}, { as: 'test' });
    await practice.admin.advance(DAY);
    const status = await practice.admin.reset({ balance: '2500.5' });
    expect(status.book_id).not.toBe(bookId);
    expect(practice.service.bookId).toBe(status.book_id);
    expect(status).toMatchObject({ ahead_ms: 0, book_time: new Date(practice.clock.now()).toISOString() });
    for (const environment of ['live', 'test'] as const)
      expect(status.books[environment]).toMatchObject({
        balance_usdc: '2500.5',
        house_usdc: '-2500.5',
        hedges: { submitted: 0, filled: 0, failed: 0, closed: 0 },
        orders_in_flight: 0,
      });
    expect(practice.service.keys).toEqual(keys);
    expect((await practice.get('/hedges')).body.data).toEqual([]);
  });

  it.each(['-1', '1e3', '', 'abc', '0.0000001', '1000000001'])(
    'reset: rejects a balance of %j',
    async (balance) => {
      const practice = await startPractice();
      const { bookId } = practice.service;
      await expect(practice.admin.reset({ balance })).rejects.toMatchObject({ field: 'balance' });
      expect(practice.service.bookId).toBe(bookId);
    },
  );

  it("reset: a running service sees the book ID of another process's reset", async () => {
    const practice = await startPractice();
    const admin = await openPracticeAdmin({
      store: practice.store,
      clock: practice.clock,
      random: testRandom(9),
    });
    const status = await admin.reset();
    await admin.close();
    expect(practice.service.bookId).toBe(status.book_id);
  });
});

describe('status', () => {
  it('status: needs no server and agrees with the service', async () => {
    const store = await storeFolder();
    const clock = testClock();
    const admin = await openPracticeAdmin({ store, clock, random: testRandom(4) });
    const fresh = await admin.status();
    await admin.close();
    expect(fresh.books.live.balance_usdc).toBe('100000');
    const practice = await startPractice({ store, clock });
    expect(practice.service.bookId).toBe(fresh.book_id);
    await opened(practice);
    await practice.post('/hedges', { market: 'USDTNGN', side: 'sell', notional_usd: 7_000, tenor_days: 1 });
    const status = await practice.admin.status();
    const account = (await practice.get('/account')).body.data;
    const { live } = status.books;
    expect(live).toMatchObject({
      hedges: { submitted: 1, filled: 1, failed: 0, closed: 0 },
      orders_in_flight: 1,
    });
    expect({
      balance_usdc: Number(live.balance_usdc),
      available_exposure_usd: Number(live.available_exposure_usd),
      margin_in_use_usdc: Number(live.margin_in_use_usdc),
      reserved_usdc: Number(live.reserved_usdc),
      open_exposure_usd: Number(live.open_exposure_usd),
      unrealized_pnl_usd: Number(live.unrealized_pnl_usd),
      open_positions: 1,
    }).toEqual(account);
    expect(status.settings.exposure_cap_usd).toBe(500_000);
    expect(status.store).toBe(store);
  });
});

describe('the reference rate', () => {
  const model = { seed: 'practice', market: 'USDTNGN', baseRate: 1530, swing: 1, driftYearly: 0.03 };

  it('reference rate: is the same on every machine', () => {
    const at = [0, NINE, NINE + 1, NINE + DAY, Date.UTC(2030, 0, 1), Date.UTC(2099, 11, 31)];
    expect(at.map((instant) => Number(referenceRate(model, instant)) / 1e8)).toMatchInlineSnapshot(`
      [
        306,
        1521.3223,
        1521.3223,
        1520.1473,
        1649.748,
        4885.6532,
      ]
    `);
  });

  it('reference rate: stays near its level, has four decimals and moves every second', () => {
    let largestStep = 0;
    let last: number | undefined;
    for (let instant = NINE; instant < NINE + DAY; instant += 1_000) {
      const rate = referenceRate(model, instant);
      expect(rate % 10_000n).toBe(0n);
      const seen = Number(rate) / 1e8;
      expect(Math.abs(seen / 1530 - 1)).toBeLessThan(0.04);
      if (last !== undefined) largestStep = Math.max(largestStep, Math.abs(seen - last) / last);
      last = seen;
    }
    expect(largestStep).toBeGreaterThan(0);
    expect(largestStep).toBeLessThan(0.0005);
  });

  it('reference rate: differs by seed and market, and is flat without swing and drift', () => {
    const of = (change: Partial<typeof model>) => referenceRate({ ...model, ...change }, NINE);
    expect(of({ seed: 'other' })).not.toBe(of({}));
    expect(of({ market: 'USDTKES' })).not.toBe(of({}));
    expect(of({ swing: 0, driftYearly: 0 })).toBe(153_000_000_000n);
    expect(referenceRate({ ...model, driftYearly: -0.9 }, Date.UTC(2200, 0, 1))).toBeGreaterThan(0n);
  });
});

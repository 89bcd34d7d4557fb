/** Orders on the practice book, over HTTPS. */
import { describe, expect, it } from 'vitest';
import {
  DAY,
  expectAccepted,
  expectRejected,
  flatAt,
  NINE,
  opened,
  startPractice,
  type TestPractice,
} from './support/practice-service.ts';

const BUY = { market: 'USDTNGN', side: 'buy' };
const buy = (notional: number, tenor = 3) => ({ ...BUY, notional_usd: notional, tenor_days: tenor });
const hedge = async (practice: TestPractice, id: string) => (await practice.get(`/hedges/${id}`)).body.data;
const account = async (practice: TestPractice) => (await practice.get('/account')).body.data;
const positions = async (practice: TestPractice) => (await practice.get('/positions')).body.data;
const history = async (practice: TestPractice) => (await practice.get('/hedges/history')).body.data;

describe('an open', () => {
  it('open: is submitted at once and filled 1.5 to 4 seconds later', async () => {
    const practice = await startPractice();
    for (let count = 0; count < 30; count += 1) {
      const at = practice.clock.now();
      const { data } = expectAccepted(await practice.post('/hedges', buy(1_000))).body;
      expect(data).toMatchObject({ status: 'submitted', opened_at: new Date(at).toISOString() });
      practice.clock.pass(1_499);
      const before = await hedge(practice, data.hedge_id);
      expect(before.status).toBe('submitted');
      expect(before).not.toHaveProperty('struck_rate');
      practice.clock.pass(2_501);
      const after = await hedge(practice, data.hedge_id);
      expect(after).toMatchObject({ status: 'filled', order_tx_hash: data.order_tx_hash });
      const took = Date.parse(after.filled_at) - at;
      expect(took).toBeGreaterThanOrEqual(1_500);
      expect(took).toBeLessThanOrEqual(4_000);
      expect(Date.parse(after.maturity_at)).toBe(at + 3 * DAY);
    }
  });

  it('open: gets the rate of its fill time, however late it is read', async () => {
    const early = await startPractice({ seed: 7 });
    const late = await startPractice({ seed: 7 });
    const [one, two] = await Promise.all(
      [early, late].map((practice) => practice.post('/hedges', buy(10_000))),
    );
    early.clock.pass(4_000);
    late.clock.pass(DAY);
    const seenEarly = await hedge(early, one?.body.data.hedge_id);
    expect(await hedge(late, two?.body.data.hedge_id)).toEqual(seenEarly);
  });

  it('open: above the cap, orders in flight included, is rejected and changes nothing', async () => {
    const practice = await startPractice();
    await practice.post('/hedges', buy(300_000));
    const before = await account(practice);
    const rejected = expectRejected(
      await practice.post('/hedges', buy(200_000.01)),
      400,
      'exposure_exceeded',
    );
    expect(rejected.body.error.details).toMatchObject({ available_exposure_usd: 200_000 });
    expect(await account(practice)).toEqual(before);
    expectAccepted(await practice.post('/hedges', buy(200_000)));
    expect(await account(practice)).toMatchObject({ available_exposure_usd: 0 });
  });

  it('open: above the capacity of the market is rejected', async () => {
    const practice = await startPractice({ settings: { markets: { USDTNGN: { headroom_usd: 50_000 } } } });
    const { data } = (await practice.get('/markets')).body;
    expect(data[0].available_capacity_usd).toEqual({ buy: 50_000, sell: 50_000 });
    expectAccepted(await practice.post('/hedges', buy(30_000)));
    const rejected = expectRejected(await practice.post('/hedges', buy(20_000.5)), 400, 'capacity_exceeded');
    expect(rejected.body.error.details).toMatchObject({ headroom_usd: 20_000 });
    const [market] = (await practice.get('/markets')).body.data;
    expect(market.available_capacity_usd).toEqual({ buy: 20_000, sell: 50_000 });
    expectAccepted(await practice.post('/hedges', { ...buy(50_000), side: 'sell' }));
    expectAccepted(await practice.post('/hedges', buy(20_000)));
    const [full] = (await practice.get('/markets')).body.data;
    expect(full.available_capacity_usd).toEqual({ buy: 0, sell: 0 });
    expectRejected(await practice.post('/quotes', buy(50_001)), 400, 'capacity_exceeded');
  });

  it('open: needs margin and fee in the free balance, to the last micro-USDC', async () => {
    const practice = await startPractice();
    await practice.admin.reset({ balance: '1009.999999' });
    const rejected = expectRejected(await practice.post('/hedges', buy(10_000)), 400, 'insufficient_balance');
    expect(rejected.body.error.details).toEqual({ required_usdc: 1_010, balance_usdc: 1_009.999999 });
    await practice.admin.reset({ balance: '1010' });
    expectAccepted(await practice.post('/hedges', buy(10_000)));
  });

  it('open: a failed one returns margin and fee and leaves no position', async () => {
    const practice = await startPractice({ faults: { failing_orders: 1 } });
    const { data } = expectAccepted(await practice.post('/hedges', buy(10_000))).body;
    practice.clock.pass(4_000);
    const failed = await hedge(practice, data.hedge_id);
    expect(failed.status).toBe('failed');
    expect(failed).not.toHaveProperty('fill_tx_hash');
    expect(await account(practice)).toMatchObject({
      balance_usdc: 100_000,
      reserved_usdc: 0,
      open_exposure_usd: 0,
    });
    expect(await history(practice)).toEqual([]);
  });
});

describe('an add', () => {
  it('add: increases the newest filled hedge and keeps its maturity', async () => {
    const practice = await startPractice();
    const older = await opened(practice, { tenor_days: 7 });
    const newer = await opened(practice, { tenor_days: 1 });
    expectAccepted(await practice.post('/hedges/add', { ...BUY, notional_usd: 2_500.25 }));
    practice.clock.pass(4_000);
    expect(await hedge(practice, older.id)).toEqual(older);
    expect(await hedge(practice, newer.id)).toMatchObject({
      notional_usd: 12_500.25,
      units: 12_500.25,
      maturity_at: newer.maturity_at,
      filled_at: newer.filled_at,
    });
  });

  it('add: counts toward the cap while in flight', async () => {
    const practice = await startPractice();
    await opened(practice, { notional_usd: 300_000 });
    expectAccepted(await practice.post('/hedges/add', { ...BUY, notional_usd: 150_000 }));
    expectRejected(
      await practice.post('/hedges/add', { ...BUY, notional_usd: 50_001 }),
      400,
      'exposure_exceeded',
    );
    expectRejected(await practice.post('/hedges', buy(50_001)), 400, 'exposure_exceeded');
    expect(await account(practice)).toMatchObject({ open_exposure_usd: 450_000 });
  });

  it('add: without a filled hedge on that side is a 404, also while an open is in flight', async () => {
    const practice = await startPractice();
    expectRejected(await practice.post('/hedges/add', { ...BUY, notional_usd: 1 }), 404, 'no_open_hedge');
    await practice.post('/hedges', buy(10_000));
    expectRejected(await practice.post('/hedges/add', { ...BUY, notional_usd: 1 }), 404, 'no_open_hedge');
    practice.clock.pass(4_000);
    expectAccepted(await practice.post('/hedges/add', { ...BUY, notional_usd: 1 }));
    const sell = { market: 'USDTNGN', side: 'sell', notional_usd: 1 };
    expectRejected(await practice.post('/hedges/add', sell), 404, 'no_open_hedge');
  });

  it('add: lapses and returns its margin if its hedge closes before the fill', async () => {
    const practice = await startPractice({ settings: { fill_seconds: { min: 2, max: 2 } } });
    await opened(practice);
    expectAccepted(await practice.post('/hedges/close', BUY));
    practice.clock.pass(1_000);
    expectAccepted(await practice.post('/hedges/add', { ...BUY, notional_usd: 5_000 }));
    expect(await account(practice)).toMatchObject({ reserved_usdc: 505, open_exposure_usd: 15_000 });
    practice.clock.pass(2_000);
    expect(await account(practice)).toMatchObject({
      reserved_usdc: 0,
      margin_in_use_usdc: 0,
      open_exposure_usd: 0,
      open_positions: 0,
    });
    expect(await history(practice)).toHaveLength(1);
  });

  it('add: lapses if its hedge settles first, even with another hedge on the side', async () => {
    const practice = await startPractice({ settings: { fill_seconds: { min: 2, max: 2 } } });
    const long = await opened(practice, { tenor_days: 7 });
    const short = await opened(practice, { tenor_days: 1 });
    practice.clock.pass(Date.parse(short.maturity_at) - practice.clock.now() - 1_000);
    expectAccepted(await practice.post('/hedges/add', { ...BUY, notional_usd: 5_000 }));
    const summary = await practice.admin.advance(10_000);
    expect(summary.environments.live.events.map((event) => event.what)).toEqual(['settled', 'lapsed']);
    expect(summary.environments.live.events[1]).toMatchObject({ hedge_id: short.id, credited_usdc: '505' });
    expect(await hedge(practice, long.id)).toEqual(long);
  });
});

describe('a reduction', () => {
  it('reduce: 99 % closes the side, a little less does not', async () => {
    const practice = await startPractice();
    await opened(practice);
    expectAccepted(await practice.post('/hedges/reduce', { ...BUY, notional_usd: 9_899.99 }));
    practice.clock.pass(4_000);
    expect((await positions(practice))[0].notional_usd).toBe(100.01);
    expectAccepted(await practice.post('/hedges/reduce', { ...BUY, notional_usd: 99.0099 }));
    practice.clock.pass(4_000);
    expect(await positions(practice)).toEqual([]);
    expect(await history(practice)).toMatchObject([{ reason: 'close', notional_usd: 10_000 }]);
  });

  it('reduce: more than the position is a 400 with the size of the position', async () => {
    const practice = await startPractice();
    await opened(practice);
    const rejected = await practice.post('/hedges/reduce', { ...BUY, notional_usd: 10_000.000001 });
    expectRejected(rejected, 400, 'invalid_request');
    expect(rejected.body.error.details).toMatchObject({ field: 'notional_usd', position_usd: 10_000 });
  });

  it('reduce: closes what is left if the position became smaller meanwhile', async () => {
    const practice = await startPractice({ settings: { fill_seconds: { min: 2, max: 2 } } });
    await opened(practice);
    expectAccepted(await practice.post('/hedges/reduce', { ...BUY, notional_usd: 6_000 }));
    expectAccepted(await practice.post('/hedges/reduce', { ...BUY, notional_usd: 6_000 }));
    practice.clock.pass(2_000);
    expect(await positions(practice)).toEqual([]);
    expect(await history(practice)).toMatchObject([{ notional_usd: 10_000 }]);
  });

  it('reduce and close: lapse without effect if nothing is left', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    await opened(practice);
    for (const path of ['/hedges/close', '/hedges/close'])
      expectAccepted(await practice.post(path, BUY, { key: `k${practice.log.length}` }));
    expectAccepted(await practice.post('/hedges/reduce', { ...BUY, notional_usd: 1_000 }));
    practice.clock.pass(2_000);
    const after = await account(practice);
    expect(after).toMatchObject({ margin_in_use_usdc: 0, reserved_usdc: 0 });
    const [record] = await history(practice);
    expect(after.balance_usdc).toBeCloseTo(100_000 + record.net_pnl_usd, 6);
    expectRejected(await practice.post('/hedges/reduce', { ...BUY, notional_usd: 1 }), 404, 'no_open_hedge');
    expectRejected(await practice.post('/hedges/close', BUY), 404, 'no_open_hedge');
  });
});

describe('a close', () => {
  it('close: closes all hedges of the side, and only of that side', async () => {
    const practice = await startPractice();
    const ids = [(await opened(practice)).id, (await opened(practice, { tenor_days: 1 })).id];
    const other = await opened(practice, { side: 'sell' });
    expectAccepted(await practice.post('/hedges/close', BUY));
    practice.clock.pass(4_000);
    expect((await positions(practice)).map((line: { side: string }) => line.side)).toEqual(['sell']);
    for (const id of ids)
      expect(await hedge(practice, id)).toMatchObject({ status: 'closed', notional_usd: 10_000 });
    expect((await hedge(practice, other.id)).status).toBe('filled');
    expect(await history(practice)).toHaveLength(2);
  });

  it('close: does not close an open that fills after it', async () => {
    const practice = await startPractice({ settings: { fill_seconds: { min: 2, max: 2 } } });
    await opened(practice);
    expectAccepted(await practice.post('/hedges/close', BUY));
    practice.clock.pass(500);
    const { data } = expectAccepted(await practice.post('/hedges', buy(2_000))).body;
    practice.clock.pass(4_000);
    expect((await hedge(practice, data.hedge_id)).status).toBe('filled');
    expect((await positions(practice))[0].notional_usd).toBe(2_000);
  });

  it('close: returns the net margin that the position showed at that time', async () => {
    const practice = await startPractice({ seed: 3 });
    const twin = await startPractice({ seed: 3 });
    for (const each of [practice, twin]) {
      await opened(each);
      await opened(each, { notional_usd: 23_456.78, tenor_days: 7 });
      each.clock.pass(5 * 3_600_000);
    }
    const before = await account(practice);
    expectAccepted(await practice.post('/hedges/close', BUY));
    practice.clock.pass(4_000);
    const [record] = await history(practice);
    twin.clock.pass(Date.parse(record.closed_at) - twin.clock.now());
    const [line] = await positions(twin);
    const after = await account(practice);
    expect(Math.round((after.balance_usdc - before.balance_usdc) * 1e6)).toBe(
      Math.round(line.net_margin_usd * 1e6),
    );
  });
});

describe('a settlement', () => {
  it('settlement: uses the rate at maturity, and a fill the rate at its own time', async () => {
    const practice = await startPractice();
    const filled = await opened(practice, { tenor_days: 1 });
    await practice.admin.advance(2 * DAY);
    const [record] = await history(practice);
    expect(record.closed_at).toBe(filled.maturity_at);
    const midAt = async (instant: string) => {
      const there = await startPractice({ start: Date.parse(instant) });
      return (await there.get('/prices?symbols=USDTNGN')).body.data[0].price;
    };
    expect(record.exit_price).toBe(await midAt(filled.maturity_at));
    expect(record.exit_price).not.toBe(
      await midAt(new Date(Date.parse(filled.maturity_at) + 60_000).toISOString()),
    );
    // 6 bps above the mid of its fill
    expect(filled.struck_rate).toBeCloseTo((await midAt(filled.filled_at)) * 1.0006, 7);
  });

  it('settlement: comes before an order due at the same time', async () => {
    const practice = await startPractice({ settings: { fill_seconds: { min: 2, max: 2 } } });
    const held = await opened(practice, { tenor_days: 1 });
    practice.clock.pass(Date.parse(held.maturity_at) - 2_000 - practice.clock.now());
    expectAccepted(await practice.post('/hedges/close', BUY));
    practice.clock.pass(2_000);
    expect(await history(practice)).toMatchObject([
      { reason: 'maturity', closed_at: held.maturity_at, fees_usdc: 10 },
    ]);
  });

  it('settlement: several hedges settle in order of maturity, each at its own time', async () => {
    const practice = await startPractice();
    const ids: string[] = [];
    for (const tenor of [7, 1, 3]) ids.push((await opened(practice, { tenor_days: tenor })).id);
    const { events } = (await practice.admin.advance(8 * DAY)).environments.live;
    expect(events.map((event) => event.hedge_id)).toEqual([ids[1], ids[2], ids[0]]);
    expect(events.map((event) => event.at)).toEqual(events.map((event) => event.at).toSorted());
  });
});

describe('the lists', () => {
  it('lists: are newest first, filtered and paged', async () => {
    const practice = await startPractice();
    const ids: string[] = [];
    for (const reference of ['A', 'B', 'A', 'B', 'A'])
      ids.push((await opened(practice, { notional_usd: 1_000, client_reference: reference })).id);
    ids.reverse();
    const idsOf = async (query: string) => {
      const { data, meta } = expectAccepted(await practice.get(`/hedges${query}`)).body;
      return { ids: data.map((each: { id: string }) => each.id), more: meta.has_more };
    };
    expect(await idsOf('')).toEqual({ ids, more: false });
    expect(await idsOf('?limit=2')).toEqual({ ids: ids.slice(0, 2), more: true });
    expect(await idsOf(`?limit=2&before=${ids[1]}`)).toEqual({ ids: ids.slice(2, 4), more: true });
    expect(await idsOf('?limit=500&client_reference=B')).toEqual({ ids: [ids[1], ids[3]], more: false });
    expect(await idsOf('?status=filled&client_reference=none')).toEqual({ ids: [], more: false });
    expect((await idsOf('?status=submitting')).ids).toEqual([]);
    await practice.post('/hedges/close', BUY);
    practice.clock.pass(4_000);
    expect((await idsOf('?status=closed')).ids).toEqual(ids);
    const past = expectAccepted(await practice.get('/hedges/history?limit=3')).body;
    expect(past.data.map((each: { id: string }) => each.id)).toEqual(ids.slice(0, 3));
    const rest = expectAccepted(await practice.get(`/hedges/history?before=${ids[2]}`)).body;
    expect(rest.data.map((each: { id: string }) => each.id)).toEqual(ids.slice(3));
  });

  it.each([
    ['/hedges?limit=0', 'limit'],
    ['/hedges?limit=501', 'limit'],
    ['/hedges?limit=ten', 'limit'],
    ['/hedges?limit=1e2', 'limit'],
    ['/hedges?status=open', 'status'],
    ['/hedges?client_ref=A', 'client_ref'],
    ['/hedges?limit=5&limit=6', 'limit'],
    ['/account?x=1', 'x'],
    ['/hedges/history?status=closed', 'status'],
  ])('lists: reject %s and name the field', async (path, field) => {
    const practice = await startPractice();
    const rejected = expectRejected(await practice.get(path), 400, 'invalid_request');
    expect(rejected.body.error.details.field).toBe(field);
  });
});

describe('the two books', () => {
  it('books: each key sees its own book only', async () => {
    const practice = await startPractice();
    const live = await opened(practice);
    expect((await practice.get('/positions', { as: 'test' })).body.data).toEqual([]);
    expect((await practice.get('/hedges', { as: 'test' })).body.data).toEqual([]);
    expectRejected(await practice.get(`/hedges/${live.id}`, { as: 'test' }), 404, 'hedge_not_found');
    expectRejected(await practice.post('/hedges/close', BUY, { as: 'test' }), 404, 'no_open_hedge');
    expectRejected(await practice.get(`/hedges?before=${live.id}`, { as: 'test' }), 404, 'hedge_not_found');
    expect((await practice.get('/account', { as: 'test' })).body.data).toMatchObject({
      balance_usdc: 100_000,
    });
  });

  it('books: reject any other key', async () => {
    const practice = await startPractice();
    for (const as of [
      null,
      { bearer: 'hk_live_WRONG' },
      { bearer: practice.service.keys.live.toLowerCase() },
    ] as const) {
      const rejected = expectRejected(await practice.get('/account', { as }), 401, 'unauthorized');
      expect(rejected.headers['www-authenticate']).toBe('Bearer');
    }
    const basic = { authorization: `Basic ${practice.service.keys.live}` };
    expectRejected(await practice.get('/account', { as: null, headers: basic }), 401, 'unauthorized');
    expect(JSON.stringify(practice.log)).not.toContain(practice.service.keys.live);
  });
});

describe('markets', () => {
  it('markets: come from the settings, where a second one can be enabled', async () => {
    const practice = await startPractice({
      settings: { markets: { USDTKES: { enabled: true }, USDTXOF: { base_rate: 605 } } },
    });
    const { data, meta } = expectAccepted(await practice.get('/markets')).body;
    expect(meta.allowed_markets).toEqual(['USDTNGN', 'USDTKES', 'USDTXOF']);
    expect(data.map((each: { market: string }) => each.market)).toEqual(meta.allowed_markets);
    await opened(practice, { market: 'USDTKES' });
    await opened(practice);
    expect((await positions(practice)).map((line: { market: string }) => line.market)).toEqual([
      'USDTKES',
      'USDTNGN',
    ]);
    const prices = expectAccepted(await practice.get('/prices?symbols=USDTXOF,USDTNGN')).body.data;
    expect(prices.map((each: { market: string }) => each.market)).toEqual(['USDTXOF', 'USDTNGN']);
    expect((await practice.get('/prices')).body.data).toHaveLength(3);
  });

  it('markets: one that the account does not have is a 404', async () => {
    const practice = await startPractice();
    const elsewhere = { ...buy(1_000), market: 'USDTKES' };
    for (const path of ['/quotes', '/hedges'])
      expectRejected(await practice.post(path, elsewhere), 404, 'market_not_found');
    for (const path of ['/hedges/add', '/hedges/reduce'])
      expectRejected(
        await practice.post(path, { market: 'NO', side: 'buy', notional_usd: 1 }),
        404,
        'market_not_found',
      );
    expectRejected(
      await practice.post('/hedges/close', { market: 'NO', side: 'buy' }),
      404,
      'market_not_found',
    );
    expectRejected(await practice.get('/prices?symbols=USDTNGN,NO'), 404, 'market_not_found');
  });
});

describe('a market that was switched off', () => {
  it('takes no new hedge; those that are open can still be reduced and closed', async () => {
    const practice = await startPractice({ settings: { markets: { USDTKES: { enabled: true } } } });
    const side = { market: 'USDTKES', side: 'buy' };
    await opened(practice, side);
    await practice.admin.changeSettings([{ name: 'markets.USDTKES.enabled', value: 'false' }]);
    for (const path of ['/hedges', '/hedges/add'])
      expectRejected(
        await practice.post(path, {
          ...side,
          notional_usd: 100,
          ...(path === '/hedges' && { tenor_days: 1 }),
        }),
        404,
        'market_not_found',
      );
    expectAccepted(await practice.post('/hedges/reduce', { ...side, notional_usd: 4_000 }));
    practice.clock.pass(4_001);
    expect(await positions(practice)).toMatchObject([{ ...side, notional_usd: 6_000 }]);
    expectAccepted(await practice.post('/hedges/close', side));
    practice.clock.pass(4_001);
    expect(await positions(practice)).toEqual([]);
    expectRejected(await practice.post('/hedges/close', side), 404, 'market_not_found');
  });
});

describe('the rate limit', () => {
  it('rate limit: allows a burst of 20 and then 10 a second, per key, in wall time', async () => {
    const practice = await startPractice({ settings: { rate_limit: { burst: 20, per_second: 10 } } });
    for (let count = 0; count < 20; count += 1) expectAccepted(await practice.get('/account'));
    const rejected = expectRejected(await practice.get('/account'), 429, 'rate_limited');
    expect(rejected.headers['retry-after']).toBe('1');
    expectAccepted(await practice.get('/account', { as: 'test' }));
    await practice.admin.advance(DAY);
    expectRejected(await practice.get('/account'), 429, 'rate_limited');
    practice.clock.pass(99);
    expectRejected(await practice.get('/account'), 429, 'rate_limited');
    practice.clock.pass(1);
    expectAccepted(await practice.get('/account'));
    expectRejected(await practice.get('/account'), 429, 'rate_limited');
    practice.clock.pass(60_000);
    for (let count = 0; count < 20; count += 1) expectAccepted(await practice.get('/account'));
    expectRejected(await practice.get('/account'), 429, 'rate_limited');
  });

  it('rate limit: does not block after the wall clock is set back', async () => {
    const practice = await startPractice({
      settings: { rate_limit: { burst: 2, per_second: 1 } },
      start: NINE + DAY,
    });
    expectAccepted(await practice.get('/account'));
    practice.clock.pass(-DAY);
    expectAccepted(await practice.get('/account'));
    expectAccepted(await practice.get('/account'));
    expectRejected(await practice.get('/account'), 429, 'rate_limited');
  });
});

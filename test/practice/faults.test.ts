/** Faults: what each does to a request and to the book, and how long it lasts. */
import { describe, expect, it } from 'vitest';
import { type Faults, PracticeInputError } from '../../src/practice/index.ts';
import {
  expectAccepted,
  expectLost,
  expectRejected,
  opened,
  openPractice,
  startPractice,
  storeFolder,
  type TestPractice,
} from './support/practice-service.ts';

const BUY = { market: 'USDTNGN', side: 'buy' };
const OPEN = { ...BUY, notional_usd: 10_000, tenor_days: 3 };
const open = (practice: TestPractice, key: string) => practice.post('/hedges', OPEN, { key });
const count = async (practice: TestPractice) => (await practice.get('/hedges')).body.data.length;

describe('a lost response', () => {
  it('lost response: before execution, nothing happened', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ lost_before: 1, once: 1 });
    await expectLost(open(practice, 'k'));
    expect(await count(practice)).toBe(0);
    expect((await open(practice, 'k')).headers).not.toHaveProperty('idempotency-replayed');
    expect(practice.log[0]).toMatchObject({ status: 0, fault: 'lost_before', idempotencyKey: 'k' });
  });

  it('lost response: after execution, a resend under the same key gets it', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ lost_after: 1, once: 1 });
    await expectLost(open(practice, 'k'));
    const [hedge] = (await practice.get('/hedges')).body.data;
    const again = expectAccepted(await open(practice, 'k'));
    expect(again.body.data.hedge_id).toBe(hedge.id);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await count(practice)).toBe(1);
    expect(practice.log[0]).toMatchObject({ status: 201, fault: 'lost_after' });
  });

  it('lost response: can be lost for two sends in a row', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ lost_after: 1, once: 2, only: 'open' });
    expectAccepted(await practice.get('/account'));
    await expectLost(open(practice, 'k'));
    await expectLost(open(practice, 'k'));
    expectAccepted(await open(practice, 'k'));
    expect(await count(practice)).toBe(1);
  });

  it('lost response: with spare_replays only the first sends of two opens lose it', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({
      lost_after: 1,
      once: 2,
      only: 'open',
      spare_replays: true,
    });
    for (const key of ['one', 'two']) {
      await expectLost(open(practice, key));
      expectAccepted(await open(practice, key));
    }
    expectAccepted(await open(practice, 'three'));
    expect(await count(practice)).toBe(3);
    expect((await practice.admin.faults()).once).toBeNull();
  });

  it('lost response: a rejected request does not count toward once', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ lost_after: 1, once: 1 });
    expectRejected(await practice.post('/hedges/close', BUY), 404, 'no_open_hedge');
    expectRejected(await practice.post('/hedges', { ...OPEN, notional_usd: -1 }), 400, 'invalid_request');
    expectAccepted(await practice.get('/markets'));
    await expectLost(open(practice, 'k'));
    expectAccepted(await open(practice, 'other'));
  });
});

describe('a failing service', () => {
  it('503: before execution, nothing happened', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ fail_before: 1, once: 1 });
    expectRejected(await open(practice, 'k'), 503, 'service_unavailable');
    expect(await count(practice)).toBe(0);
  });

  it('503: after execution, a resend gets the stored response', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ fail_after: 1, once: 1 });
    expectRejected(await open(practice, 'k'), 503, 'service_unavailable');
    expect(await count(practice)).toBe(1);
    expect((await open(practice, 'k')).headers['idempotency-replayed']).toBe('true');
    expect(await count(practice)).toBe(1);
  });

  it('429: has a Retry-After, for reads too', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ rate_limited: 1, once: 2 });
    const rejected = expectRejected(await practice.get('/account'), 429, 'rate_limited');
    expect(rejected.headers['retry-after']).toBe('1');
    expectRejected(await open(practice, 'k'), 429, 'rate_limited');
    expect(await count(practice)).toBe(0);
  });

  it('shares: about that share of requests gets the fault', async () => {
    const practice = await startPractice({ seed: 11 });
    await practice.admin.setFaults({ rate_limited: 0.25, fail_before: 0.25, only: 'readings' });
    const seen = { 200: 0, 429: 0, 503: 0 };
    for (let sent = 0; sent < 400; sent += 1) {
      const { status } = await practice.get('/account');
      if (status === 200 || status === 429 || status === 503) seen[status] += 1;
    }
    // 400 draws at 1/4: mean 100, standard deviation 8.7; the seed is fixed.
    expect(seen[429]).toBeGreaterThan(65);
    expect(seen[429]).toBeLessThan(135);
    expect(seen[503]).toBeGreaterThan(65);
    expect(seen[503]).toBeLessThan(135);
    expect(seen[200] + seen[429] + seen[503]).toBe(400);
  });
});

describe('a key that stays in progress', () => {
  it('in flight: the key answers 409 for that long, then gives the response', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ in_flight_seconds: 5, once: 1 });
    const first = expectRejected(await open(practice, 'k'), 409, 'idempotency_in_flight');
    expect(first.headers['retry-after']).toBe('5');
    practice.clock.pass(4_999);
    expectRejected(await open(practice, 'k'), 409, 'idempotency_in_flight');
    expect(await count(practice)).toBe(1);
    practice.clock.pass(1);
    expectAccepted(await open(practice, 'k'));
    expect(await count(practice)).toBe(1);
  });

  it('in flight: an action without a key gets its response and does not count toward once', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ in_flight_seconds: 5, once: 1 });
    expectAccepted(await practice.post('/hedges', OPEN));
    expectRejected(await open(practice, 'k'), 409, 'idempotency_in_flight');
  });
});

describe('orders', () => {
  it('orders: slow fills are slow in book time', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ slow_fills_seconds: 90, once: 1 });
    const { data } = expectAccepted(await open(practice, 'k')).body;
    practice.clock.pass(91_499);
    expect((await practice.get(`/hedges/${data.hedge_id}`)).body.data.status).toBe('submitted');
    practice.clock.pass(2_501);
    expect((await practice.get(`/hedges/${data.hedge_id}`)).body.data.status).toBe('filled');
    expect((await opened(practice)).status).toBe('filled');
  });

  it('orders: a partial fill returns what was reserved for the rest', async () => {
    const practice = await startPractice();
    const free = (await practice.get('/account')).body.data;
    await practice.admin.setFaults({ partial_fills: 1, once: 1 });
    const { data } = expectAccepted(await practice.post('/hedges', { ...OPEN, notional_usd: 10_000 })).body;
    practice.clock.pass(4_000);
    const hedge = (await practice.get(`/hedges/${data.hedge_id}`)).body.data;
    expect(hedge).toMatchObject({ status: 'filled', notional_usd: 6_000, units: 6_000 });
    const [line] = (await practice.get('/positions')).body.data;
    expect(line).toMatchObject({ notional_usd: 6_000 });
    const after = (await practice.get('/account')).body.data;
    expect(after).toMatchObject({ open_exposure_usd: 6_000, margin_in_use_usdc: 600 });
    expect(free.balance_usdc - after.balance_usdc).toBe(606);
    expectAccepted(await practice.post('/hedges/add', { ...BUY, notional_usd: 1_000 }));
    practice.clock.pass(4_000);
    expect((await practice.get('/positions')).body.data[0]).toMatchObject({ notional_usd: 7_000 });
  });

  it('orders: a failed add, reduce or close changes nothing', async () => {
    const practice = await startPractice();
    const hedge = await opened(practice);
    await practice.admin.setFaults({ failing_orders: 1, once: 3 });
    const before = (await practice.get('/account')).body.data;
    expectAccepted(await practice.post('/hedges/add', { ...BUY, notional_usd: 500 }));
    expectAccepted(await practice.post('/hedges/reduce', { ...BUY, notional_usd: 500 }));
    expectAccepted(await practice.post('/hedges/close', BUY));
    practice.clock.pass(4_000);
    expect((await practice.get(`/hedges/${hedge.id}`)).body.data).toEqual(hedge);
    const { unrealized_pnl_usd: _then, ...still } = before;
    expect((await practice.get('/account')).body.data).toMatchObject(still);
    expectAccepted(await practice.post('/hedges/close', BUY));
    practice.clock.pass(4_000);
    expect((await practice.get('/positions')).body.data).toEqual([]);
  });
});

describe('a disabled market', () => {
  it('disabled market: rejects quotes, opens and adds, but allows reduce and close', async () => {
    const practice = await startPractice();
    await opened(practice);
    await practice.admin.setFaults({ disabled_markets: ['USDTNGN'] });
    expect((await practice.get('/markets')).body.data[0].status).toBe('disabled');
    expectRejected(await practice.post('/quotes', OPEN), 400, 'market_disabled');
    expectRejected(await open(practice, 'k'), 400, 'market_disabled');
    expectRejected(await practice.post('/hedges/add', { ...BUY, notional_usd: 1 }), 400, 'market_disabled');
    expectAccepted(await practice.post('/hedges/reduce', { ...BUY, notional_usd: 1_000 }));
    expectAccepted(await practice.post('/hedges/close', BUY));
    await practice.admin.clearFaults();
    expectAccepted(await open(practice, 'k'));
  });

  it('disabled market: once counts the next request that names it', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ disabled_markets: ['USDTNGN'], once: 1 });
    expectAccepted(await practice.get('/account'));
    expectRejected(await open(practice, 'k'), 400, 'market_disabled');
    expectAccepted(await open(practice, 'k'));
  });
});

describe('latency', () => {
  it('latency: passes in wall time before execution, outside transactions', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({ delay_before_ms: 2_500, once: 1, only: 'open' });
    const before = practice.clock.now();
    const { data } = expectAccepted(await open(practice, 'k')).body;
    expect(practice.clock.now()).toBe(before + 2_500);
    expect(Date.parse(data.opened_at)).toBe(before + 2_500);
    expect(practice.log[0]).toMatchObject({ ms: 2_500 });
  });
});

describe('the fault settings', () => {
  it('faults: persist across services until they are cleared', async () => {
    const store = await storeFolder();
    const first = await openPractice(store);
    await first.admin.setFaults({ fail_before: 1, only: 'readings' });
    await first.admin.setFaults({ delay_before_ms: 10 });
    await first.close();
    const practice = await startPractice({ store, clock: first.clock });
    expect(await practice.admin.faults()).toMatchObject({
      fail_before: 1,
      delay_before_ms: 10,
      only: 'readings',
    });
    expectRejected(await practice.get('/account'), 503, 'service_unavailable');
    await practice.admin.reset();
    expectRejected(await practice.get('/account'), 503, 'service_unavailable');
    await practice.admin.clearFaults();
    expectAccepted(await practice.get('/account'));
  });

  it('faults: those of one service override the stored ones and end with it', async () => {
    const store = await storeFolder();
    const first = await openPractice(store, { faults: { rate_limited: 1, once: 2, only: 'readings' } });
    await first.admin.setFaults({ slow_fills_seconds: 60 });
    expect(await first.admin.faults()).toMatchObject({
      rate_limited: 1,
      slow_fills_seconds: 60,
      once: 2,
    });
    expectRejected(await first.get('/account'), 429, 'rate_limited');
    expectRejected(await first.get('/account'), 429, 'rate_limited');
    expectAccepted(await first.get('/account'));
    await first.close();
    const practice = await startPractice({ store, clock: first.clock });
    expect(await practice.admin.faults()).toMatchObject({
      rate_limited: 0,
      slow_fills_seconds: 60,
      once: null,
    });
  });

  const impossible: [Partial<Faults> & Record<string, unknown>, string][] = [
    [{ rate_limited: 1.5 }, 'rate_limited'],
    [{ delay_before_ms: -1 }, 'delay_before_ms'],
    [{ once: 0 }, 'once'],
    [{ rate_limited: 0.6, lost_after: 0.6 }, 'rate_limited'],
    [{ disabled_markets: ['NOPE'] }, 'disabled_markets'],
    [{ storm: true }, 'storm'],
    [{ lost_after: 1, only: 'readings' }, 'lost_after'],
    [{ failing_orders: 0.1, only: 'readings' }, 'failing_orders'],
    [{ partial_fills: 1, only: 'close' }, 'partial_fills'],
    [{ once: 2, only: 'open' }, 'once'],
  ];
  it.each(impossible)('faults: rejects %j and changes nothing', async (change, field) => {
    const practice = await startPractice();
    const before = await practice.admin.faults();
    const rejected = practice.admin.setFaults(change);
    await expect(rejected).rejects.toBeInstanceOf(PracticeInputError);
    await expect(rejected).rejects.toMatchObject({ field });
    expect(await practice.admin.faults()).toEqual(before);
  });
});

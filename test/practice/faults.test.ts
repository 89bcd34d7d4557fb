/** Faults: what each does to a request and to the book, and how long it lasts. */
import { describe, expect, it } from 'vitest';
import { type Faults, PracticeInputError } from '../../src/practice/index.ts';
import {
  aDesk,
  aFolder,
  expectAccepted,
  expectLost,
  expectRefused,
  openDesk,
  opened,
  type PracticeDesk,
} from './support/desk.ts';

const BUY = { market: 'USDTNGN', side: 'buy' };
const OPEN = { ...BUY, notional_usd: 10_000, tenor_days: 3 };
const open = (desk: PracticeDesk, key: string) => desk.post('/hedges', OPEN, { key });
const count = async (desk: PracticeDesk) => (await desk.get('/hedges')).body.data.length;

describe('an answer that is lost', () => {
  it('lost answer: before execution, nothing happened', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ share_lost_before: 1, once: 1 });
    await expectLost(open(desk, 'k'));
    expect(await count(desk)).toBe(0);
    expect((await open(desk, 'k')).headers).not.toHaveProperty('idempotency-replayed');
    expect(desk.log[0]).toMatchObject({ status: 0, fault: 'lost_before', idempotencyKey: 'k' });
  });

  it('lost answer: after execution, a resend under the same key gets it', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ share_lost_after: 1, once: 1 });
    await expectLost(open(desk, 'k'));
    const [hedge] = (await desk.get('/hedges')).body.data;
    const again = expectAccepted(await open(desk, 'k'));
    expect(again.body.data.hedge_id).toBe(hedge.id);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(await count(desk)).toBe(1);
    expect(desk.log[0]).toMatchObject({ status: 201, fault: 'lost_after' });
  });

  it('lost answer: can be lost for two sends in a row', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ share_lost_after: 1, once: 2, only: 'open' });
    expectAccepted(await desk.get('/account'));
    await expectLost(open(desk, 'k'));
    await expectLost(open(desk, 'k'));
    expectAccepted(await open(desk, 'k'));
    expect(await count(desk)).toBe(1);
  });

  it('lost answer: with spare_replays only the first sends of two opens lose it', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ share_lost_after: 1, once: 2, only: 'open', spare_replays: true });
    for (const key of ['one', 'two']) {
      await expectLost(open(desk, key));
      expectAccepted(await open(desk, key));
    }
    expectAccepted(await open(desk, 'three'));
    expect(await count(desk)).toBe(3);
    expect((await desk.service.admin.faults()).once).toBeNull();
  });

  it('lost answer: a rejected request does not count toward once', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ share_lost_after: 1, once: 1 });
    expectRefused(await desk.post('/hedges/close', BUY), 404, 'no_open_hedge');
    expectRefused(await desk.post('/hedges', { ...OPEN, notional_usd: -1 }), 400, 'invalid_request');
    expectAccepted(await desk.get('/markets'));
    await expectLost(open(desk, 'k'));
    expectAccepted(await open(desk, 'other'));
  });
});

describe('a failing service', () => {
  it('503: before execution, nothing happened', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ share_5xx_before: 1, once: 1 });
    expectRefused(await open(desk, 'k'), 503, 'service_unavailable');
    expect(await count(desk)).toBe(0);
  });

  it('503: after execution, a resend gets the stored answer', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ share_5xx_after: 1, once: 1 });
    expectRefused(await open(desk, 'k'), 503, 'service_unavailable');
    expect(await count(desk)).toBe(1);
    expect((await open(desk, 'k')).headers['idempotency-replayed']).toBe('true');
    expect(await count(desk)).toBe(1);
  });

  it('429: has a Retry-After, for reads too', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ share_429: 1, once: 2 });
    const refused = expectRefused(await desk.get('/account'), 429, 'rate_limited');
    expect(refused.headers['retry-after']).toBe('1');
    expectRefused(await open(desk, 'k'), 429, 'rate_limited');
    expect(await count(desk)).toBe(0);
  });

  it('shares: about that share of requests gets the fault', async () => {
    const desk = await aDesk({ seed: 11 });
    await desk.service.admin.setFaults({ share_429: 0.25, share_5xx_before: 0.25, only: 'readings' });
    const seen = { 200: 0, 429: 0, 503: 0 };
    for (let sent = 0; sent < 400; sent += 1) {
      const { status } = await desk.get('/account');
      if (status === 200 || status === 429 || status === 503) seen[status] += 1;
    }
    // 400 draws at 1/4: mean 100, standard deviation 8.7; the seed is fixed
    expect(seen[429]).toBeGreaterThan(65);
    expect(seen[429]).toBeLessThan(135);
    expect(seen[503]).toBeGreaterThan(65);
    expect(seen[503]).toBeLessThan(135);
    expect(seen[200] + seen[429] + seen[503]).toBe(400);
  });
});

describe('a key that stays in progress', () => {
  it('in flight: the key answers 409 for that long, then the answer', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ in_flight_seconds: 5, once: 1 });
    const first = expectRefused(await open(desk, 'k'), 409, 'idempotency_in_flight');
    expect(first.headers['retry-after']).toBe('5');
    desk.clock.pass(4_999);
    expectRefused(await open(desk, 'k'), 409, 'idempotency_in_flight');
    expect(await count(desk)).toBe(1);
    desk.clock.pass(1);
    expectAccepted(await open(desk, 'k'));
    expect(await count(desk)).toBe(1);
  });

  it('in flight: an action without a key is answered and does not count toward once', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ in_flight_seconds: 5, once: 1 });
    expectAccepted(await desk.post('/hedges', OPEN));
    expectRefused(await open(desk, 'k'), 409, 'idempotency_in_flight');
  });
});

describe('orders', () => {
  it('orders: slow fills are slow in book time', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ slow_fills_seconds: 90, once: 1 });
    const { data } = expectAccepted(await open(desk, 'k')).body;
    desk.clock.pass(91_499);
    expect((await desk.get(`/hedges/${data.hedge_id}`)).body.data.status).toBe('submitted');
    desk.clock.pass(2_501);
    expect((await desk.get(`/hedges/${data.hedge_id}`)).body.data.status).toBe('filled');
    expect((await opened(desk)).status).toBe('filled');
  });

  it('orders: a partial fill returns what was reserved for the rest', async () => {
    const desk = await aDesk();
    const free = (await desk.get('/account')).body.data;
    await desk.service.admin.setFaults({ share_partial_fills: 1, once: 1 });
    const { data } = expectAccepted(await desk.post('/hedges', { ...OPEN, notional_usd: 10_000 })).body;
    desk.clock.pass(4_000);
    const hedge = (await desk.get(`/hedges/${data.hedge_id}`)).body.data;
    expect(hedge).toMatchObject({ status: 'filled', notional_usd: 6_000, units: 6_000 });
    const [line] = (await desk.get('/positions')).body.data;
    expect(line).toMatchObject({ notional_usd: 6_000 });
    const after = (await desk.get('/account')).body.data;
    expect(after).toMatchObject({ open_exposure_usd: 6_000, margin_in_use_usdc: 600 });
    expect(free.balance_usdc - after.balance_usdc).toBe(606);
    expectAccepted(await desk.post('/hedges/add', { ...BUY, notional_usd: 1_000 }));
    desk.clock.pass(4_000);
    expect((await desk.get('/positions')).body.data[0]).toMatchObject({ notional_usd: 7_000 });
  });

  it('orders: a failed add, reduce or close changes nothing', async () => {
    const desk = await aDesk();
    const hedge = await opened(desk);
    await desk.service.admin.setFaults({ share_failing_orders: 1, once: 3 });
    const before = (await desk.get('/account')).body.data;
    expectAccepted(await desk.post('/hedges/add', { ...BUY, notional_usd: 500 }));
    expectAccepted(await desk.post('/hedges/reduce', { ...BUY, notional_usd: 500 }));
    expectAccepted(await desk.post('/hedges/close', BUY));
    desk.clock.pass(4_000);
    expect((await desk.get(`/hedges/${hedge.id}`)).body.data).toEqual(hedge);
    const { unrealized_pnl_usd: _then, ...still } = before;
    expect((await desk.get('/account')).body.data).toMatchObject(still);
    expectAccepted(await desk.post('/hedges/close', BUY));
    desk.clock.pass(4_000);
    expect((await desk.get('/positions')).body.data).toEqual([]);
  });
});

describe('a disabled market', () => {
  it('disabled market: rejects quotes, opens and adds, but allows reduce and close', async () => {
    const desk = await aDesk();
    await opened(desk);
    await desk.service.admin.setFaults({ disabled_markets: ['USDTNGN'] });
    expect((await desk.get('/markets')).body.data[0].status).toBe('disabled');
    expectRefused(await desk.post('/quotes', OPEN), 400, 'market_disabled');
    expectRefused(await open(desk, 'k'), 400, 'market_disabled');
    expectRefused(await desk.post('/hedges/add', { ...BUY, notional_usd: 1 }), 400, 'market_disabled');
    expectAccepted(await desk.post('/hedges/reduce', { ...BUY, notional_usd: 1_000 }));
    expectAccepted(await desk.post('/hedges/close', BUY));
    await desk.service.admin.clearFaults();
    expectAccepted(await open(desk, 'k'));
  });

  it('disabled market: once counts the next request that names it', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ disabled_markets: ['USDTNGN'], once: 1 });
    expectAccepted(await desk.get('/account'));
    expectRefused(await open(desk, 'k'), 400, 'market_disabled');
    expectAccepted(await open(desk, 'k'));
  });
});

describe('latency', () => {
  it('latency: passes in wall time before execution, outside transactions', async () => {
    const desk = await aDesk();
    await desk.service.admin.setFaults({ latency_ms: 2_500, once: 1, only: 'open' });
    const before = desk.clock.now();
    const { data } = expectAccepted(await open(desk, 'k')).body;
    expect(desk.clock.now()).toBe(before + 2_500);
    expect(Date.parse(data.opened_at)).toBe(before + 2_500);
    expect(desk.log[0]).toMatchObject({ ms: 2_500 });
  });
});

describe('the faults itself', () => {
  it('faults: last across services until they are cleared', async () => {
    const store = await aFolder();
    const first = await openDesk(store);
    await first.service.admin.setFaults({ share_5xx_before: 1, only: 'readings' });
    await first.service.admin.setFaults({ latency_ms: 10 });
    await first.close();
    const desk = await aDesk({ store, clock: first.clock });
    expect(await desk.service.admin.faults()).toMatchObject({
      share_5xx_before: 1,
      latency_ms: 10,
      only: 'readings',
    });
    expectRefused(await desk.get('/account'), 503, 'service_unavailable');
    await desk.service.admin.reset();
    expectRefused(await desk.get('/account'), 503, 'service_unavailable');
    await desk.service.admin.clearFaults();
    expectAccepted(await desk.get('/account'));
  });

  it('faults: those of one service override the stored ones and end with it', async () => {
    const store = await aFolder();
    const first = await openDesk(store, { faults: { share_429: 1, once: 2, only: 'readings' } });
    await first.service.admin.setFaults({ slow_fills_seconds: 60 });
    expect(await first.service.admin.faults()).toMatchObject({
      share_429: 1,
      slow_fills_seconds: 60,
      once: 2,
    });
    expectRefused(await first.get('/account'), 429, 'rate_limited');
    expectRefused(await first.get('/account'), 429, 'rate_limited');
    expectAccepted(await first.get('/account'));
    await first.close();
    const desk = await aDesk({ store, clock: first.clock });
    expect(await desk.service.admin.faults()).toMatchObject({
      share_429: 0,
      slow_fills_seconds: 60,
      once: null,
    });
  });

  const impossible: [Partial<Faults> & Record<string, unknown>, string][] = [
    [{ share_429: 1.5 }, 'share_429'],
    [{ latency_ms: -1 }, 'latency_ms'],
    [{ once: 0 }, 'once'],
    [{ share_429: 0.6, share_lost_after: 0.6 }, 'share_429'],
    [{ disabled_markets: ['NOPE'] }, 'disabled_markets'],
    [{ storm: true }, 'storm'],
  ];
  it.each(impossible)('faults: rejects %j and changes nothing', async (change, field) => {
    const desk = await aDesk();
    const before = await desk.service.admin.faults();
    const refused = desk.service.admin.setFaults(change);
    await expect(refused).rejects.toBeInstanceOf(PracticeInputError);
    await expect(refused).rejects.toMatchObject({ field });
    expect(await desk.service.admin.faults()).toEqual(before);
  });
});

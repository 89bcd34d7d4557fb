/** Keys of actions: the same request acts once, another one under the key is refused. */
import { describe, expect, it } from 'vitest';
import { aDesk, aFolder, DAY, expectAccepted, expectRefused, openDesk, opened } from './support/desk.ts';

const BUY = { market: 'USDTNGN', side: 'buy' };
const OPEN = { ...BUY, notional_usd: 10_000, tenor_days: 3 };

const actions = [
  ['/hedges', OPEN, { ...OPEN, tenor_days: 7 }],
  ['/hedges/add', { ...BUY, notional_usd: 1_000 }, { ...BUY, notional_usd: 1_001 }],
  ['/hedges/reduce', { ...BUY, notional_usd: 1_000 }, { ...BUY, notional_usd: 1_001 }],
  ['/hedges/close', BUY, { ...BUY, side: 'sell' }],
] as const;

describe.each(actions)('%s under a key', (path, body, other) => {
  it('acts once and gives the same answer again, whatever happened since', async () => {
    const desk = await aDesk();
    await opened(desk);
    const first = expectAccepted(await desk.post(path, body, { key: 'pay-8841' }));
    desk.clock.pass(5_000);
    const moved = (await desk.get('/account')).text;
    await desk.service.admin.advance(60_000);
    const again = await desk.post(path, body, { key: 'pay-8841' });
    expect({ status: again.status, text: again.text }).toEqual({ status: first.status, text: first.text });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    desk.clock.pass(5_000);
    const status = await desk.service.admin.status();
    expect(status.books.live.orders_in_flight).toBe(0);
    expect((await desk.get('/account')).body.data.open_exposure_usd).toBe(
      JSON.parse(moved).data.open_exposure_usd,
    );
  });

  it('with another body is 409 idempotency_key_reuse and changes nothing', async () => {
    const desk = await aDesk();
    await opened(desk);
    await opened(desk, { side: 'sell' });
    expectAccepted(await desk.post(path, body, { key: 'k' }));
    const before = (await desk.get('/account')).text;
    expectRefused(await desk.post(path, other, { key: 'k' }), 409, 'idempotency_key_reuse');
    expect((await desk.get('/account')).text).toBe(before);
  });
});

describe('a key', () => {
  it('of one path does not serve another', async () => {
    const desk = await aDesk();
    await opened(desk);
    expectAccepted(await desk.post('/hedges/add', { ...BUY, notional_usd: 5 }, { key: 'k' }));
    const reduce = await desk.post('/hedges/reduce', { ...BUY, notional_usd: 5 }, { key: 'k' });
    expectRefused(reduce, 409, 'idempotency_key_reuse');
  });

  it('knows a body by what it says, not by how it is written', async () => {
    const desk = await aDesk();
    const first = expectAccepted(await desk.post('/hedges', OPEN, { key: 'k' }));
    const raw = '{ "tenor_days": 3, "notional_usd": 1e4, "side": "buy",\n "market": "USDTNGN" }';
    expect((await desk.send('POST', '/hedges', { raw, key: 'k' })).text).toBe(first.text);
  });

  it('is each environment’s own', async () => {
    const desk = await aDesk();
    const live = expectAccepted(await desk.post('/hedges', OPEN, { key: 'k' }));
    const test = expectAccepted(
      await desk.post('/hedges', { ...OPEN, side: 'sell' }, { key: 'k', as: 'test' }),
    );
    expect(test.body.data.hedge_id).not.toBe(live.body.data.hedge_id);
  });

  it('is left free by a refusal', async () => {
    const desk = await aDesk();
    expectRefused(await desk.post('/hedges/close', BUY, { key: 'k' }), 404, 'no_open_hedge');
    await opened(desk);
    expectAccepted(await desk.post('/hedges/close', BUY, { key: 'k' }));
  });

  it('is kept for 24 hours of wall time, through restarts and jumps of book time', async () => {
    const store = await aFolder();
    const first = await openDesk(store);
    const answer = expectAccepted(await first.post('/hedges', OPEN, { key: 'k' }));
    await first.service.admin.advance(5 * DAY);
    await first.close();
    const desk = await aDesk({ store, clock: first.clock, seed: 2 });
    desk.clock.pass(DAY - 1);
    expect((await desk.post('/hedges', OPEN, { key: 'k' })).text).toBe(answer.text);
    desk.clock.pass(1);
    const fresh = expectAccepted(await desk.post('/hedges', OPEN, { key: 'k' }));
    expect(fresh.body.data.hedge_id).not.toBe(answer.body.data.hedge_id);
  });

  it('is forgotten with the book', async () => {
    const desk = await aDesk();
    const answer = expectAccepted(await desk.post('/hedges', OPEN, { key: 'k' }));
    await desk.service.admin.reset();
    const fresh = expectAccepted(await desk.post('/hedges', OPEN, { key: 'k' }));
    expect(fresh.body.data.hedge_id).not.toBe(answer.body.data.hedge_id);
  });

  it.each(['a b', 'x'.repeat(256), 'clé', 'tab\there'])('like %j is a 400', async (key) => {
    const desk = await aDesk();
    const refused = expectRefused(await desk.post('/hedges', OPEN, { key }), 400, 'invalid_request');
    expect(refused.body.error.details.field).toBe('Idempotency-Key');
  });

  it('may be any 255 visible characters', async () => {
    const desk = await aDesk();
    const key = `!~"'{}<>%:;,`.padEnd(255, 'x');
    const first = expectAccepted(await desk.post('/hedges', OPEN, { key }));
    expect((await desk.post('/hedges', OPEN, { key })).text).toBe(first.text);
  });
});

describe('a request in progress', () => {
  /** A clock whose sleepers wake when the test lets time pass. */
  function heldClock(start: number) {
    let now = start;
    let sleepers: { until: number; wake: () => void }[] = [];
    return {
      now: () => now,
      sleep: (ms: number) =>
        ms <= 0
          ? Promise.resolve()
          : new Promise<void>((wake) => {
              sleepers.push({ until: now + ms, wake });
            }),
      pass(ms: number) {
        now += ms;
        const due = sleepers.filter((each) => each.until <= now);
        sleepers = sleepers.filter((each) => each.until > now);
        for (const each of due) each.wake();
      },
      sleeping: () => sleepers.length,
    };
  }

  it('holds its key: the same one meanwhile is 409 idempotency_in_flight, then gets its answer', async () => {
    const clock = heldClock(Date.UTC(2026, 10, 20));
    const desk = await aDesk({ clock });
    await desk.service.admin.setWeather({ latency_ms: 5_000, once: 1 });
    const slow = desk.post('/hedges', OPEN, { key: 'k' });
    await expect.poll(clock.sleeping).toBe(1);
    const refused = expectRefused(
      await desk.post('/hedges', OPEN, { key: 'k' }),
      409,
      'idempotency_in_flight',
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expectRefused(
      await desk.post('/hedges', { ...OPEN, tenor_days: 1 }, { key: 'k' }),
      409,
      'idempotency_key_reuse',
    );
    clock.pass(5_000);
    const answer = expectAccepted(await slow);
    expect((await desk.post('/hedges', OPEN, { key: 'k' })).text).toBe(answer.text);
    expect((await desk.get('/hedges')).body.data).toHaveLength(1);
  });

  it('that takes longer than 30 seconds loses its key, and still only one of two acts', async () => {
    const clock = heldClock(Date.UTC(2026, 10, 20));
    const desk = await aDesk({ clock });
    await desk.service.admin.setWeather({ latency_ms: 60_000, once: 1 });
    const slow = desk.post('/hedges', OPEN, { key: 'k' });
    await expect.poll(clock.sleeping).toBe(1);
    clock.pass(30_001);
    const second = expectAccepted(await desk.post('/hedges', OPEN, { key: 'k' }));
    clock.pass(30_000);
    expect((await slow).text).toBe(second.text);
    expect((await desk.get('/hedges')).body.data).toHaveLength(1);
  });

  it('is let go when the service closes: nothing was done, and its key is free', async () => {
    const clock = heldClock(Date.UTC(2026, 10, 20));
    const store = await aFolder();
    const first = await openDesk(store, { clock });
    await first.service.admin.setWeather({ latency_ms: 1_000, once: 1 });
    const slow = first.post('/hedges', OPEN, { key: 'k' }).then(
      () => 'answered',
      () => 'lost',
    );
    await expect.poll(clock.sleeping).toBe(1);
    const closing = first.service.close();
    clock.pass(1_000);
    await closing;
    expect(await slow).toBe('lost');
    const desk = await aDesk({ store, clock, seed: 5 });
    expect((await desk.get('/hedges')).body.data).toEqual([]);
    expectAccepted(await desk.post('/hedges', OPEN, { key: 'k' }));
  });
});

/** Idempotency keys: the same request executes once, another one under the key is rejected. */
import { describe, expect, it } from 'vitest';
import {
  DAY,
  expectAccepted,
  expectRejected,
  opened,
  openPractice,
  startPractice,
  storeFolder,
  testClock,
} from './support/practice-service.ts';

const BUY = { market: 'USDTNGN', side: 'buy' };
const OPEN = { ...BUY, notional_usd: 10_000, tenor_days: 3 };

const actions = [
  ['/hedges', OPEN, { ...OPEN, tenor_days: 7 }],
  ['/hedges/add', { ...BUY, notional_usd: 1_000 }, { ...BUY, notional_usd: 1_001 }],
  ['/hedges/reduce', { ...BUY, notional_usd: 1_000 }, { ...BUY, notional_usd: 1_001 }],
  ['/hedges/close', BUY, { ...BUY, side: 'sell' }],
] as const;

describe.each(actions)('%s with a key', (path, body, other) => {
  it('executes once and repeats the same response, whatever happened since', async () => {
    const practice = await startPractice();
    await opened(practice);
    const first = expectAccepted(await practice.post(path, body, { key: 'pay-8841' }));
    practice.clock.pass(5_000);
    const moved = (await practice.get('/account')).text;
    await practice.admin.advance(60_000);
    const again = await practice.post(path, body, { key: 'pay-8841' });
    expect({ status: again.status, text: again.text }).toEqual({ status: first.status, text: first.text });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    practice.clock.pass(5_000);
    const status = await practice.admin.status();
    expect(status.books.live.orders_in_flight).toBe(0);
    expect((await practice.get('/account')).body.data.open_exposure_usd).toBe(
      JSON.parse(moved).data.open_exposure_usd,
    );
  });

  it('with another body is a 409 idempotency_key_reuse and changes nothing', async () => {
    const practice = await startPractice();
    await opened(practice);
    await opened(practice, { side: 'sell' });
    expectAccepted(await practice.post(path, body, { key: 'k' }));
    const before = (await practice.get('/account')).text;
    expectRejected(await practice.post(path, other, { key: 'k' }), 409, 'idempotency_key_reuse');
    expect((await practice.get('/account')).text).toBe(before);
  });
});

describe('a key', () => {
  it('key: repeats its response after the wall clock was set back, with a delay before it or without', async () => {
    const practice = await startPractice();
    for (const delay_after_ms of [0, 500]) {
      await practice.admin.setFaults({ delay_after_ms });
      const key = `after-${delay_after_ms}`;
      const first = expectAccepted(await practice.post('/hedges', OPEN, { key }));
      practice.clock.pass(-3_600_000);
      const again = expectAccepted(await practice.post('/hedges', OPEN, { key }));
      expect(again.text).toBe(first.text);
    }
  });

  it('key: of one path is rejected on another', async () => {
    const practice = await startPractice();
    await opened(practice);
    expectAccepted(await practice.post('/hedges/add', { ...BUY, notional_usd: 5 }, { key: 'k' }));
    const reduce = await practice.post('/hedges/reduce', { ...BUY, notional_usd: 5 }, { key: 'k' });
    expectRejected(reduce, 409, 'idempotency_key_reuse');
  });

  it('key: the same body may be written differently', async () => {
    const practice = await startPractice();
    const first = expectAccepted(await practice.post('/hedges', OPEN, { key: 'k' }));
    const raw = '{ "tenor_days": 3, "notional_usd": 1e4, "side": "buy",\n "market": "USDTNGN" }';
    expect((await practice.send('POST', '/hedges', { raw, key: 'k' })).text).toBe(first.text);
  });

  it('key: is separate in each environment', async () => {
    const practice = await startPractice();
    const live = expectAccepted(await practice.post('/hedges', OPEN, { key: 'k' }));
    const test = expectAccepted(
      await practice.post('/hedges', { ...OPEN, side: 'sell' }, { key: 'k', as: 'test' }),
    );
    expect(test.body.data.hedge_id).not.toBe(live.body.data.hedge_id);
  });

  it('key: stays free after an error', async () => {
    const practice = await startPractice();
    expectRejected(await practice.post('/hedges/close', BUY, { key: 'k' }), 404, 'no_open_hedge');
    await opened(practice);
    expectAccepted(await practice.post('/hedges/close', BUY, { key: 'k' }));
  });

  it('key: is kept for 24 hours of wall time, across restarts and advances of book time', async () => {
    const store = await storeFolder();
    const first = await openPractice(store);
    const answer = expectAccepted(await first.post('/hedges', OPEN, { key: 'k' }));
    await first.admin.advance(5 * DAY);
    await first.close();
    const practice = await startPractice({ store, clock: first.clock, seed: 2 });
    practice.clock.pass(DAY - 1);
    expect((await practice.post('/hedges', OPEN, { key: 'k' })).text).toBe(answer.text);
    practice.clock.pass(1);
    const fresh = expectAccepted(await practice.post('/hedges', OPEN, { key: 'k' }));
    expect(fresh.body.data.hedge_id).not.toBe(answer.body.data.hedge_id);
  });

  it('key: is deleted by a reset', async () => {
    const practice = await startPractice();
    const answer = expectAccepted(await practice.post('/hedges', OPEN, { key: 'k' }));
    await practice.admin.reset();
    const fresh = expectAccepted(await practice.post('/hedges', OPEN, { key: 'k' }));
    expect(fresh.body.data.hedge_id).not.toBe(answer.body.data.hedge_id);
  });

  it.each(['a b', 'x'.repeat(256), 'clé', 'tab\there'])('key: %j is a 400', async (key) => {
    const practice = await startPractice();
    const rejected = expectRejected(await practice.post('/hedges', OPEN, { key }), 400, 'invalid_request');
    expect(rejected.body.error.details.field).toBe('Idempotency-Key');
  });

  it('key: may be any 255 visible characters', async () => {
    const practice = await startPractice();
    const key = `!~"'{}<>%:;,`.padEnd(255, 'x');
    const first = expectAccepted(await practice.post('/hedges', OPEN, { key }));
    expect((await practice.post('/hedges', OPEN, { key })).text).toBe(first.text);
  });
});

describe('a request in progress', () => {
  /** A clock whose sleeps end only by `pass`. */
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

  it('request in progress: its key is a 409 idempotency_in_flight until it has its response', async () => {
    const clock = heldClock(Date.UTC(2026, 10, 20));
    const practice = await startPractice({ clock });
    await practice.admin.setFaults({ delay_before_ms: 5_000, once: 1 });
    const slow = practice.post('/hedges', OPEN, { key: 'k' });
    await expect.poll(clock.sleeping).toBe(1);
    const rejected = expectRejected(
      await practice.post('/hedges', OPEN, { key: 'k' }),
      409,
      'idempotency_in_flight',
    );
    expect(rejected.headers['retry-after']).toBe('5');
    expectRejected(
      await practice.post('/hedges', { ...OPEN, tenor_days: 1 }, { key: 'k' }),
      409,
      'idempotency_key_reuse',
    );
    clock.pass(5_000);
    const answer = expectAccepted(await slow);
    expect((await practice.post('/hedges', OPEN, { key: 'k' })).text).toBe(answer.text);
    expect((await practice.get('/hedges')).body.data).toHaveLength(1);
  });

  it.each([
    ['before', false],
    ['after', true],
  ] as const)(
    'request in progress: its key is in flight as long as it is delayed %s the execution, and gives its response then',
    async (when, executedAtOnce) => {
      const clock = heldClock(Date.UTC(2026, 10, 20));
      const practice = await startPractice({ clock });
      await practice.admin.setFaults({ [`delay_${when}_ms`]: 120_000, once: 3 });
      const slow = practice.post('/hedges', OPEN, { key: 'k' });
      await expect.poll(clock.sleeping).toBe(1);
      // Nobody waits for an answer that is known, delayed or not.
      for (const ms of [0, 60_000, 59_999]) {
        clock.pass(ms);
        expectRejected(await practice.post('/hedges', OPEN, { key: 'k' }), 409, 'idempotency_in_flight');
        await practice.admin.clearFaults();
        expect((await practice.get('/hedges')).body.data).toHaveLength(executedAtOnce ? 1 : 0);
      }
      clock.pass(1);
      const answer = expectAccepted(await slow);
      expect((await practice.post('/hedges', OPEN, { key: 'k' })).text).toBe(answer.text);
      expect((await practice.get('/hedges')).body.data).toHaveLength(1);
    },
  );

  it('request in progress: a client that gives up after the execution finds the hedge, and its key', async () => {
    const clock = heldClock(Date.UTC(2026, 10, 20));
    const practice = await startPractice({ clock });
    await practice.admin.setFaults({ delay_after_ms: 60_000, once: 1 });
    const gone = new AbortController();
    const slow = practice.post('/hedges', OPEN, { key: 'k', signal: gone.signal }).catch(() => 'gone');
    await expect.poll(clock.sleeping).toBe(1);
    gone.abort();
    expect(await slow).toBe('gone');
    const [hedge] = (await practice.get('/hedges')).body.data;
    expectRejected(await practice.post('/hedges', OPEN, { key: 'k' }), 409, 'idempotency_in_flight');
    clock.pass(60_000);
    await expect
      .poll(async () => (await practice.post('/hedges', OPEN, { key: 'k' })).body.data?.id)
      .toBe(hedge.id);
    expect((await practice.get('/hedges')).body.data).toHaveLength(1);
  });

  it('request in progress: a service that was killed leaves its key in flight for 30 seconds more', async () => {
    const clock = heldClock(Date.UTC(2026, 10, 20));
    const store = await storeFolder();
    const killed = await openPractice(store, { clock });
    await killed.admin.setFaults({ delay_before_ms: 10_000, once: 1 });
    const slow = killed.post('/hedges', OPEN, { key: 'k' }).catch(() => 'lost');
    await expect.poll(clock.sleeping).toBe(1);
    // It never wakes: the other service takes its place.
    const practice = await startPractice({ store, clock: testClock(clock.now() + 39_999), settings: null });
    expectRejected(await practice.post('/hedges', OPEN, { key: 'k' }), 409, 'idempotency_in_flight');
    practice.clock.pass(1);
    expectAccepted(await practice.post('/hedges', OPEN, { key: 'k' }));
    const closing = killed.close();
    clock.pass(10_000);
    await closing;
    expect(await slow).toBe('lost');
    expect((await practice.get('/hedges')).body.data).toHaveLength(1);
  });

  it('request in progress: closing the service cancels it and frees its key', async () => {
    const clock = heldClock(Date.UTC(2026, 10, 20));
    const store = await storeFolder();
    const first = await openPractice(store, { clock });
    await first.admin.setFaults({ delay_before_ms: 1_000, once: 1 });
    const slow = first.post('/hedges', OPEN, { key: 'k' }).then(
      () => 'response',
      () => 'lost',
    );
    await expect.poll(clock.sleeping).toBe(1);
    const closing = first.service.close();
    clock.pass(1_000);
    await closing;
    expect(await slow).toBe('lost');
    const practice = await startPractice({ store, clock, seed: 5 });
    expect((await practice.get('/hedges')).body.data).toEqual([]);
    expectAccepted(await practice.post('/hedges', OPEN, { key: 'k' }));
  });
});

/** The log of requests, and what a test suite verifies with it. */
import { describe, expect, it } from 'vitest';
import {
  expectAccepted,
  expectLost,
  expectRejected,
  startPractice,
  type TestPracticeOptions,
  testClock,
} from './support/practice-service.ts';

const BUY = { market: 'USDTNGN', side: 'buy' };
const OPEN = { ...BUY, notional_usd: 10_000, tenor_days: 3 };

const mock = (more: TestPracticeOptions = {}) =>
  startPractice({ ...more, modes: { seed: 7, clockMode: 'manual', memory: true, ...more.modes } });

describe('the log of requests', () => {
  it('log: lists what the partner API received, without API keys', async () => {
    const practice = await mock();
    await practice.post('/hedges', { ...OPEN, client_reference: 'PAY-1' }, { key: 'one' });
    await practice.post('/hedges', { ...OPEN, client_reference: 'PAY-1' }, { key: 'one' });
    await practice.control('PATCH', '/faults', { lost_before: 1, once: 1 });
    await expectLost(practice.get('/hedges?limit=1', { as: 'test', headers: { 'x-mine': 'yes' } }));
    await practice.get(`/nowhere?api_key=${practice.service.keys.live}`, { as: null });
    await practice.send('POST', '/hedges', { raw: 'no JSON' });
    const listed = await practice.control('GET', '/requests');
    const sent = {
      number: 1,
      at: '2026-12-01T08:00:00.000Z',
      environment: 'live',
      method: 'POST',
      path: '/hedges',
      query: {},
      headers: { 'content-type': 'application/json' },
      body: { ...OPEN, client_reference: 'PAY-1' },
      key: 'one',
      client_reference: 'PAY-1',
      status: 201,
      code: null,
      replayed: false,
      executed: true,
      fault: null,
    };
    expect(listed.body.data).toMatchObject([
      sent,
      { ...sent, number: 2, replayed: true, executed: false },
      {
        number: 3,
        environment: 'test',
        method: 'GET',
        path: '/hedges',
        query: { limit: '1' },
        headers: { 'x-mine': 'yes' },
        body: null,
        key: null,
        status: 0,
        code: 'service_unavailable',
        fault: 'lost_before',
      },
      { number: 4, environment: null, path: '/nowhere', query: { api_key: '[API key]' }, status: 401 },
      { number: 5, body: 'no JSON', status: 400, executed: false },
    ]);
    expect(Object.keys(listed.body.data[0]).toSorted()).toEqual(Object.keys(sent).toSorted());
    for (const key of [...Object.values(practice.service.keys), practice.service.control.key])
      expect(listed.text).not.toContain(key);
    expect((await practice.control('DELETE', '/requests')).body.data).toEqual({ cleared: 5 });
    await practice.get('/account');
    expect((await practice.control('GET', '/requests')).body.data).toMatchObject([{ number: 6 }]);
  });

  it.each([
    ['path=/hedges', [1, 2, 5]],
    ['path=/hedges/*', [3]],
    ['method=GET', [4, 5]],
    ['key=one', [1, 2]],
    ['client_reference=PAY-2', [2, 5]],
    ['status=201', [1]],
    ['executed=true', [1, 3]],
    ['environment=test', [4]],
    ['only=readings', [4, 5]],
    ['fault=rate_limited', [4]],
    ['since=2026-12-01T08:01:00Z', [3, 4, 5]],
    ['after=3', [4, 5]],
    ['path=/hedges&method=GET', [5]],
    ['key=none', []],
  ])('log: %s lists only these', async (filter, numbers) => {
    const practice = await mock();
    await practice.post('/hedges', { ...OPEN, client_reference: 'PAY-1' }, { key: 'one' });
    await practice.post('/hedges', { ...OPEN, client_reference: 'PAY-2' }, { key: 'one' });
    await practice.control('POST', '/clock/advance', { seconds: 60 });
    await practice.post('/hedges/close', BUY);
    await practice.control('PATCH', '/faults', { rate_limited: 1, once: 1 });
    await practice.get('/account', { as: 'test' });
    await practice.get('/hedges?client_reference=PAY-2');
    const { data } = (await practice.control('GET', `/requests?${filter}`)).body;
    expect(data.map(({ number }: { number: number }) => number)).toEqual(numbers);
  });

  it('log: a request is listed while it is in progress', async () => {
    const sleep = (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((wake) => signal?.addEventListener('abort', () => wake()));
    const practice = await mock({ clock: { ...testClock(), sleep } });
    await practice.control('PATCH', '/faults', { delay_after_ms: 1_000, once: 1 });
    const gone = new AbortController();
    const slow = practice.post('/hedges', OPEN, { key: 'slow', signal: gone.signal }).catch(() => 'gone');
    const listed = async () => (await practice.control('GET', '/requests?key=slow')).body.data;
    await expect.poll(async () => (await listed()).length).toBe(1);
    expect(await listed()).toMatchObject([{ status: null, key: 'slow', environment: 'live' }]);
    gone.abort();
    expect(await slow).toBe('gone');
  });

  it('log: an unknown filter is named as a parameter', async () => {
    const practice = await mock();
    const reply = expectRejected(await practice.control('GET', '/requests?kee=1'), 400, 'invalid_request');
    expect(reply.body.error.message).toBe('kee: is not a parameter of this request.');
    const ofPartner = expectRejected(await practice.get('/hedges?page=2'), 400, 'invalid_request');
    expect(ofPartner.body.error.message).toBe('page: is not a parameter of this request.');
  });

  it('log: has the newest 5,000 requests, lists 1,000 of them, and says that older ones were dropped', async () => {
    const practice = await mock();
    const verified = async () =>
      (await practice.control('POST', '/requests/verify', { at_least: 1 })).body.data;
    for (let count = 0; count < 5_000; count += 1) await practice.get('/account', { as: null });
    expect(await verified()).toMatchObject({ verified: true, count: 5_000, complete: true });
    for (let count = 0; count < 3; count += 1) await practice.get('/account', { as: null });
    const { data } = (await practice.control('GET', '/requests')).body;
    expect([data.length, data[0].number, data.at(-1).number]).toEqual([1_000, 4_004, 5_003]);
    const after = (await practice.control('GET', '/requests?after=100')).body.data;
    expect([after.length, after[0].number]).toEqual([1_000, 101]);
    expect(await verified()).toMatchObject({ count: 5_000, complete: false });
    await practice.control('POST', '/reset');
    expect(await verified()).toMatchObject({ verified: false, count: 0, complete: true });
  });

  it('log: large bodies do not fill the memory', async () => {
    const practice = await mock();
    const raw = JSON.stringify({ ...OPEN, client_reference: 'x'.repeat(60_000) });
    for (let count = 0; count < 160; count += 1) await practice.send('POST', '/hedges', { raw });
    const { data } = (await practice.control('POST', '/requests/verify', {})).body;
    expect(data.complete).toBe(false);
    expect(data.count).toBeGreaterThan(130);
    expect(data.count).toBeLessThan(142);
  });
});

describe('verifying requests', () => {
  const PAY_1 = { ...OPEN, client_reference: 'PAY-1' };

  it('verify: counts what matches, compares it and says what it saw', async () => {
    const practice = await mock();
    const verify = async (body: object) =>
      expectAccepted(await practice.control('POST', '/requests/verify', body)).body.data;
    const match = { method: 'POST', path: '/hedges', client_reference: 'PAY-1' };
    expect(await verify({ match, count: 1 })).toEqual({
      verified: false,
      count: 0,
      complete: true,
      message: '0 requests match; expected exactly 1.',
      requests: [],
    });
    await practice.control('PATCH', '/faults', { scripts: [{ steps: ['lost_after'] }] });
    await expectLost(practice.post('/hedges', PAY_1, { key: 'a' }));
    expect(await verify({ match, count: 1 })).toMatchObject({
      verified: true,
      message: '1 request matches.',
    });
    await practice.post('/hedges', PAY_1, { key: 'a' });
    expect(await verify({ match, count: 2, same: ['key', 'body'] })).toMatchObject({
      verified: true,
      requests: [
        { number: 1, fault: 'lost_after', executed: true },
        { number: 2, replayed: true, executed: false },
      ],
    });
    expect(await verify({ match: { ...match, executed: true }, count: 1 })).toMatchObject({ verified: true });
    await practice.post('/hedges', { ...PAY_1, notional_usd: 5 }, { key: 'b' });
    expect(await verify({ match, at_most: 2, same: ['key', 'body'] })).toMatchObject({
      verified: false,
      count: 3,
      message:
        '3 requests match; expected at most 2; expected one key, saw "a", "b"; expected one body, saw 2 different ones.',
    });
    expect(await verify({ match, at_least: 4 })).toMatchObject({ verified: false });
  });

  it('verify: without a number, at least one request must match', async () => {
    const practice = await mock();
    const verify = async (body: object) =>
      expectAccepted(await practice.control('POST', '/requests/verify', body)).body.data;
    const match = { client_reference: 'PAY-1' };
    expect(await verify({ match, same: ['key'] })).toMatchObject({
      verified: false,
      message: '0 requests match; expected at least 1.',
    });
    for (const none of [{ at_most: 2 }, { count: 0 }, { at_least: 0 }])
      expect(await verify({ match, ...none })).toMatchObject({ verified: true, count: 0 });
    await practice.post('/hedges', PAY_1, { key: 'a' });
    expect(await verify({ match, same: ['key'] })).toMatchObject({ verified: true, count: 1 });
  });

  it.each([
    [{ counts: 1 }, 'counts: is not a field of this request.'],
    [{ match: { paths: '/hedges' } }, 'match.paths: is not a field of this request.'],
    [{ match: { fault: 'lost' } }, /^match\.fault: must be one of rate_limited, .*, in_flight\.$/],
    [{ match: { since: 'today' } }, 'match.since: must be a time in UTC, such as 2026-12-01T08:00Z.'],
    [{ count: -1 }, 'count: must be at least 0.'],
    [{ same: ['headers'] }, 'same.0: must be one of key, client_reference, body.'],
    [[], 'The request must be an object.'],
  ])('verify: rejects %j and says what it must be', async (body, message) => {
    const practice = await mock();
    const reply = await practice.control('POST', '/requests/verify', body);
    expect(expectRejected(reply, 400, 'invalid_request').body.error.message).toMatch(message);
  });
});

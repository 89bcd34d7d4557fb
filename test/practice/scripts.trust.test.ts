/** Scripts of faults: which requests they meet, what a client gets, and that the service behind them stays exact. */
import { describe, expect, it } from 'vitest';
import { RESPONSE_FAULT_NAMES, RESPONSE_FAULTS } from '../../src/practice/faults/response-faults.ts';
import type { Faults } from '../../src/practice/index.ts';
import { conformsTo } from '../spec/conforms-to.ts';
import type { Resource } from '../spec/fields.ts';
import { howMany } from '../support/goal.ts';
import { mixedRequests } from './support/mixed-requests.ts';
import { judgesOf } from './support/openapi-judge.ts';
import {
  expectAccepted,
  expectLost,
  expectRejected,
  openPractice,
  type Reply,
  startPractice,
  storeFolder,
  type TestPractice,
  testClock,
} from './support/practice-service.ts';
import { tradeDay } from './support/trade-day.ts';

const BUY = { market: 'USDTNGN', side: 'buy' };
const OPEN = { ...BUY, notional_usd: 1_000, tenor_days: 3 };
type Script = Faults['scripts'][number];

const set = (practice: TestPractice, ...scripts: Script[]) => practice.admin.setFaults({ scripts });
const open = (practice: TestPractice, key: string, more: object = {}) =>
  practice.post('/hedges', { ...OPEN, ...more }, { key });
const statusOf = (sent: Promise<Reply>): Promise<number> =>
  sent.then(
    ({ status }) => status,
    () => 0,
  );

describe('a script', () => {
  it('script: gives each request that matches one step, and ends with the last', async () => {
    const practice = await startPractice();
    await set(practice, { match: { only: 'open' }, steps: ['fail_before', 'lost_after', 'none'] });
    expectRejected(await open(practice, 'k'), 503, 'service_unavailable');
    expectAccepted(await practice.get('/account'));
    await expectLost(open(practice, 'k'));
    expect((await open(practice, 'k')).headers['idempotency-replayed']).toBe('true');
    expect((await practice.admin.faults()).scripts).toEqual([]);
    expectAccepted(await open(practice, 'other'));
  });

  const matches: [string, Script['match'], boolean][] = [
    ['another method', { method: 'GET' }, false],
    ['its method', { method: 'POST' }, true],
    ['its path', { path: '/hedges' }, true],
    ['a path above it', { path: '/*' }, true],
    ['a path below it', { path: '/hedges/*' }, false],
    ['its key', { key: 'k' }, true],
    ['another key', { key: 'K' }, false],
    ['its reference', { client_reference: 'PAY-1' }, true],
    ['another reference', { client_reference: 'PAY' }, false],
    ['its account', { environment: 'live' }, true],
    ['the other account', { environment: 'test' }, false],
    ['its action', { only: 'open' }, true],
    ['readings', { only: 'readings' }, false],
    ['all of them', { method: 'POST', path: '/hedges', key: 'k', client_reference: 'PAY-1' }, true],
    ['all but one', { method: 'POST', path: '/hedges', key: 'k', client_reference: 'PAY-2' }, false],
    ['nothing', undefined, true],
  ];
  it.each(matches)('script: one that names %s meets the request or not', async (_what, match, meets) => {
    const practice = await startPractice();
    await set(practice, { ...(match && { match }), steps: ['fail_before'] });
    expect((await open(practice, 'k', { client_reference: 'PAY-1' })).status).toBe(meets ? 503 : 201);
  });

  it('script: a reading is met by the reference of its query', async () => {
    const practice = await startPractice();
    await set(practice, { match: { client_reference: 'PAY-1' }, steps: ['fail_before'] });
    expectAccepted(await practice.get('/hedges?client_reference=PAY-2'));
    expectRejected(await practice.get('/hedges?client_reference=PAY-1'), 503, 'service_unavailable');
  });

  it('script: begins with the nth request that matches', async () => {
    const practice = await startPractice();
    await set(practice, { match: { path: '/account', nth: 3 }, steps: ['rate_limited', 'fail_before'] });
    await practice.get('/markets');
    const statuses = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await practice.get('/account')).status);
    expect(statuses).toEqual([200, 200, 429, 503, 200]);
  });

  it('script: the first that matches decides, and the faults that are set apply to the others', async () => {
    const practice = await startPractice();
    await practice.admin.setFaults({
      rate_limited: 1,
      scripts: [
        { match: { path: '/account' }, steps: ['fail_before', 'none'] },
        { match: { method: 'GET' }, steps: ['bad_gateway_before'] },
      ],
    });
    const get = (path: string) => statusOf(practice.get(path, { plain: true }));
    expect([
      await get('/account'),
      await get('/account'),
      await get('/markets'),
      await get('/account'),
    ]).toEqual([503, 200, 502, 429]);
  });

  it('script: a step may have several faults, and faults of orders', async () => {
    const practice = await startPractice();
    await set(practice, {
      steps: [
        { delay_before_ms: 700, fail_before: 1 },
        { failing_orders: 1 },
        { disabled_markets: ['USDTNGN'] },
      ],
    });
    const before = practice.clock.now();
    expectRejected(await open(practice, 'k'), 503, 'service_unavailable');
    expect(practice.clock.now()).toBe(before + 700);
    const { id } = expectAccepted(await open(practice, 'k')).body.data;
    practice.clock.pass(4_000);
    expectRejected(await open(practice, 'other'), 400, 'market_disabled');
    expect((await practice.get(`/hedges/${id}`)).body.data.status).toBe('failed');
  });

  it('script: is stored, and goes on in the next service; once counts the other faults', async () => {
    const store = await storeFolder();
    const first = await openPractice(store);
    await first.admin.setFaults({ rate_limited: 1, once: 1, only: 'readings' });
    await set(first, { match: { only: 'open' }, steps: ['fail_before', 'fail_before', 'none'] });
    expectRejected(await open(first, 'k'), 503, 'service_unavailable');
    await first.close();
    const practice = await startPractice({ store, clock: first.clock });
    expectRejected(await practice.get('/account'), 429, 'rate_limited');
    expectAccepted(await practice.get('/account'));
    expectRejected(await open(practice, 'k'), 503, 'service_unavailable');
    expectAccepted(await open(practice, 'k'));
  });

  it('script: that of one service is its own, and both kinds of fault end apart', async () => {
    const practice = await startPractice({
      faults: { rate_limited: 1, once: 1, scripts: [{ steps: ['none', 'fail_before'] }] },
    });
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await practice.get('/account')).status);
    expect(statuses).toEqual([200, 503, 429, 200]);
  });

  const wrong: [object, string | RegExp][] = [
    [{ steps: [] }, 'scripts.0.steps: must not be empty.'],
    [{ steps: ['later'] }, /^scripts\.0\.steps\.0: must be one of none, rate_limited, .*, unknown_status\.$/],
    [{ steps: [{ later: 1 }] }, 'scripts.0.steps.0.later: is not a field of this request.'],
    [{ steps: [{ fail_before: 2 }] }, 'scripts.0.steps.0.fail_before: must be at most 1.'],
    [{ steps: ['none'], match: { path: '' } }, 'scripts.0.match.path: must not be empty.'],
    [{ steps: ['none'], match: { nth: 0 } }, 'scripts.0.match.nth: must be at least 1.'],
    [
      { steps: [{ fail_before: 0.6, lost_after: 0.6 }] },
      'scripts.0.steps.0.fail_before: the shares of the response faults add up to more than 1, with those that were set before.',
    ],
    [{ steps: [{ disabled_markets: ['NOPE'] }] }, /^scripts\.0\.steps\.0\.disabled_markets: NOPE is not/],
  ];
  it.each(wrong)('script: %j is rejected, and says what it must be', async (script, message) => {
    const practice = await startPractice();
    const reply = await practice.control('PATCH', '/faults', { scripts: [script] });
    expect(expectRejected(reply, 400, 'invalid_request').body.error.message).toMatch(message);
  });
});

describe('the answers of the world between', () => {
  const sent = async (fault: (typeof RESPONSE_FAULT_NAMES)[number]) => {
    const practice = await startPractice();
    await set(practice, { steps: [fault] });
    const reply = await practice.post('/hedges', OPEN, { key: 'k', plain: true });
    const opened = (await practice.get('/hedges')).body.data.length;
    return { reply, opened };
  };

  it.each([
    ['bad_gateway_before', 502, 0],
    ['bad_gateway_after', 502, 1],
    ['gateway_timeout_before', 504, 0],
    ['gateway_timeout_after', 504, 1],
    ['gateway_forbidden', 403, 0],
  ] as const)('answers: %s is a page with status %i', async (fault, status, executed) => {
    const { reply, opened } = await sent(fault);
    expect(reply).toMatchObject({ status, headers: { 'content-type': 'text/html' } });
    expect(reply.text).toMatch(/^<!doctype html>/);
    expect(opened).toBe(executed);
  });

  it('answers: a redirect leads to another path of this service', async () => {
    const { reply, opened } = await sent('redirect');
    expect(reply).toMatchObject({ status: 307, text: '', headers: { location: '/moved/hedges' } });
    expect(opened).toBe(0);
  });

  it('answers: a revoked key is a 401 in the envelope', async () => {
    const { reply, opened } = await sent('revoked_key');
    expect(JSON.parse(reply.text)).toMatchObject({ data: null, error: { code: 'unauthorized' } });
    expect([reply.status, opened]).toEqual([401, 0]);
  });

  it('answers: invalid JSON is complete, and is no JSON', async () => {
    const { reply, opened } = await sent('invalid_json');
    expect(Number(reply.headers['content-length'])).toBe(Buffer.byteLength(reply.text));
    expect(() => JSON.parse(reply.text)).toThrow(SyntaxError);
    expect([reply.status, opened]).toEqual([201, 1]);
  });

  it('answers: a truncated body ends before its length', async () => {
    await expect(sent('truncated')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('answers: unknown fields are in the envelope and in every object, and change no other', async () => {
    const { reply } = await sent('unknown_fields');
    const { x_added: added, ...envelope } = JSON.parse(reply.text);
    expect(added).toBeDefined();
    expect(envelope).toMatchObject({
      data: { x_added: added, status: 'submitted', notional_usd: 1_000 },
      error: null,
    });
  });

  it('answers: an unknown status is in every hedge of a list', async () => {
    const practice = await startPractice();
    await open(practice, 'a', { client_reference: '"status":"filled"' });
    await open(practice, 'b');
    await set(practice, { steps: ['unknown_status'] });
    const { data } = (await practice.get('/hedges')).body;
    expect(data).toMatchObject([
      { status: 'settling' },
      { status: 'settling', client_reference: '"status":"filled"' },
    ]);
  });

  it('answers: a drip has all of the body, byte by byte', async () => {
    const practice = await startPractice();
    const whole = (await practice.get('/account')).text;
    await set(practice, { steps: ['drip'] });
    const before = practice.clock.now();
    expect((await practice.get('/account')).text).toBe(whole);
    expect(practice.clock.now() - before).toBe(100 * whole.length);
  });
});

/** Time stays while the service waits, so that fills are where the model has them. */
function stillClock() {
  const clock = testClock();
  return { ...clock, sleep: async () => undefined };
}

const STEPS: readonly (readonly [name: string, step: Script['steps'][number]])[] = [
  ...RESPONSE_FAULT_NAMES.map((name) => [name, name] as const),
  ['delays', { delay_before_ms: 800, delay_after_ms: 800 }],
  ['a delay and a lost response', { delay_after_ms: 800, lost_after: 1 }],
];

/** Sends the same key and body until the service itself has answered, as the specification asks. */
async function resend(
  practice: TestPractice,
  steps: Script['steps'],
  sent: Parameters<TestPractice['post']>,
) {
  const [path, body, options] = sent;
  await set(practice, { match: { method: 'POST', path }, steps: [...steps, 'none'] });
  for (let attempt = 0; ; attempt += 1) {
    const reply = await practice.post(path, body, { ...options, plain: true }).catch(() => undefined);
    if (attempt < steps.length) continue;
    if (reply === undefined) throw new Error('the last attempt has no response');
    return { ...reply, body: JSON.parse(reply.text) };
  }
}

const DAYS = howMany(3, 25);

describe('the service behind a script', () => {
  it.each(STEPS)('exact: random days equal the model to the last digit under %s', async (_name, step) => {
    let key = 0;
    for (let day = 0; day < DAYS; day += 1) {
      const compared = await tradeDay(1_000 + day, {
        hedges: 40,
        changes: 10,
        clock: stillClock(),
        send: async (practice, path, body) => {
          key += 1;
          return resend(practice, [step, step], [path, body, { key: `key-${key}` }]);
        },
      });
      expect(compared).toBe(1 + 2 * 10 + 1);
    }
  });

  it.each(STEPS)(
    'conformance: its own responses are as both documents and the specification say under %s',
    async (name, step) => {
      const practice = await startPractice({
        clock: stillClock(),
        modes: { seed: 3, clockMode: 'manual', memory: true, books: ['a'] },
      });
      const judges = await judgesOf(practice);
      const requests = mixedRequests(EACH).filter(
        ({ path }) => !/^\/(?:openapi|faults|reset|fixture)/.test(path),
      );
      const wrong: string[] = [];
      for (const [index, { api, method, path, ...sent }] of requests.entries()) {
        // Every other request of the partner API meets the fault.
        if (index % 2 === 0)
          await practice.control('PATCH', `/faults?book=${sent.book ?? 'default'}`, {
            scripts: [{ steps: [step] }],
          });
        const meets =
          api === 'partner' &&
          (await practice.control('GET', `/faults?book=${sent.book ?? 'default'}`)).body.data.scripts.length >
            0;
        const reply = await (api === 'control'
          ? practice.control(method, path, sent.body, { plain: true })
          : practice.send(method, path, { ...sent, plain: true })
        ).catch(() => undefined);
        if (reply === undefined || (meets && BY_OTHERS.has(name))) continue;
        wrong.push(...[judges[api](method, path, reply) ?? []].flat());
        if (api === 'partner') wrong.push(...departures(method, path, JSON.parse(reply.text)));
      }
      expect(wrong).toEqual([]);
    },
  );

  it("conformance: the faults whose answers are not the service's own are those of gateways and of broken bodies", () => {
    expect(RESPONSE_FAULT_NAMES.filter((name) => !BY_OTHERS.has(name))).toEqual([
      'rate_limited',
      'fail_before',
      'fail_after',
      'lost_before',
      'lost_after',
      'revoked_key',
      'truncated',
      'drip',
    ]);
    expect(RESPONSE_FAULTS.drip.kind).toBe('response');
  });
});

const EACH = howMany(1_000, 1_000);

const BY_OTHERS: ReadonlySet<string> = new Set([
  'bad_gateway_before',
  'bad_gateway_after',
  'gateway_timeout_before',
  'gateway_timeout_after',
  'gateway_forbidden',
  'redirect',
  'invalid_json',
  'unknown_fields',
  'unknown_status',
]);

const RESOURCES: readonly (readonly [line: RegExp, resource: Resource])[] = [
  [/^GET \/markets$/, 'market'],
  [/^POST \/quotes$/, 'quote'],
  [/^POST \/hedges$/, 'accepted open'],
  [/^POST \/hedges\/close$/, 'accepted close'],
  [/^GET \/hedges(?:\?.*)?$/, 'hedge'],
  [/^GET \/hedges\/hdg_/, 'hedge'],
  [/^GET \/hedges\/history/, 'closed hedge'],
  [/^GET \/positions$/, 'position'],
  [/^GET \/account$/, 'account'],
];

/** From the tables of the specification, written by hand. */
function departures(
  method: string,
  path: string,
  { data, error }: { data: unknown; error: unknown },
): string[] {
  const line = `${method} ${path}`;
  if (error !== null) return conformsTo('error', error).map((each) => `${line}: ${each}`);
  const [, resource] = RESOURCES.find(([pattern]) => pattern.test(line)) ?? [];
  if (resource === undefined) return [];
  const all: unknown[] = Array.isArray(data) ? data : [data];
  return all.flatMap((each) => conformsTo(resource, each).map((departure) => `${line}: ${departure}`));
}

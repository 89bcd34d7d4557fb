/** Many different requests to both APIs of a practice service. */
import { type TestPractice, testRandom } from './practice-service.ts';

export interface Step {
  api: 'partner' | 'control';
  method: string;
  path: string;
  body?: unknown;
  key?: string;
  as?: 'live' | 'test';
  book?: string;
}

const SCRIPTS: readonly [unknown, ...unknown[]] = [
  ['fail_before', 'lost_after', 'none'],
  ['rate_limited', { fail_after: 0.5 }],
  ['none'],
];

/** Every endpoint of both APIs, with right and wrong requests; the same list each time. */
export function mixedRequests(count: number): Step[] {
  const { fraction } = testRandom(20_261_201);
  const pick = <T>(all: readonly [T, ...T[]]): T => all[Math.floor(fraction() * all.length)] ?? all[0];
  const side = () => pick(['buy', 'sell'] as const);
  const notional = () => pick([100, 2_500.5, 20_000, 450_000, -1]);
  const step = (index: number): Step => {
    const to = { as: pick(['live', 'test'] as const), book: pick(['default', 'a']) };
    const on = { market: pick(['USDTNGN', 'USDTNGN', 'USDTNGN', 'NOPE']), side: side() };
    const key = pick([`key-${index}`, `key-${index % 20}`]);
    const ordered = { ...on, notional_usd: notional() };
    const partner = (method: string, path: string, body?: unknown): Step => ({
      api: 'partner',
      method,
      path,
      ...to,
      ...(body === undefined ? {} : { body, key }),
    });
    const book = `?book=${to.book}`;
    const control = (method: string, path: string, body?: unknown): Step => ({
      api: 'control',
      method,
      path: `${path}${path.includes('?') ? '' : book}`,
      body,
    });
    const at = new Date(Date.UTC(2026, 11, 1 + (index % 9), 9)).toISOString();
    const make = pick<() => Step>([
      () => partner('POST', '/hedges', { ...ordered, tenor_days: pick([1, 3, 7]) }),
      () => partner('POST', '/hedges', { ...ordered, tenor_days: pick([1, 3, 7]) }),
      () => partner('POST', '/hedges/add', ordered),
      () => partner('POST', '/hedges/reduce', ordered),
      () => partner('POST', '/hedges/close', on),
      () => partner('POST', '/quotes', { ...ordered, tenor_days: 3 }),
      () =>
        partner('GET', pick(['/hedges', '/hedges?status=filled&limit=3', '/hedges/history', '/hedges/x'])),
      () => partner('GET', pick(['/positions', '/account', '/markets', '/prices', '/nowhere'])),
      () => partner('DELETE', '/account'),
      () => control('POST', '/clock/advance', { seconds: pick([1, 60, 7_200, 90_000]) }),
      () => control('POST', '/clock/advance', { seconds: 2.5 }),
      () => control('PATCH', '/faults', { fail_after: 0.3, failing_orders: 0.2, once: 3 }),
      () => control('PATCH', '/faults', { lost_after: 0.5, partial_fills: 0.5, only: 'open' }),
      () => control('DELETE', '/faults'),
      () => control('PATCH', '/faults', { scripts: [{ match: { path: '/hedges' }, steps: pick(SCRIPTS) }] }),
      () =>
        control(
          'PATCH',
          '/settings',
          pick<object>([{ margin_pct: 12 }, { fill_seconds: { min: 1 } }, { x: 1 }]),
        ),
      () => control('DELETE', '/settings'),
      () => control('POST', '/requests/verify', { match: { path: '/hedges' }, at_least: 2, same: ['key'] }),
      () => control('GET', pick(['/status', '/clock', '/faults', '/settings', '/health', '/openapi.json'])),
      () => control('POST', '/hedges', { ...ordered, tenor_days: 7 }),
      () => control('PUT', '/prices', { market: 'USDTNGN', points: [{ at, price: 1_500 + index / 8 }] }),
      () => control(pick(['GET', 'DELETE']), '/prices'),
      () => control(pick(['GET', 'DELETE']), '/requests'),
      () => control('GET', pick(['/fixture', '/nowhere', '/requests?after=5', '/requests?path=/hedges'])),
    ]);
    return make();
  };
  const drawn = Array.from({ length: count }, (_, index) => step(index));
  const reset = { api: 'control', method: 'POST', path: '/reset?book=default' } as const;
  drawn[Math.floor(count / 2)] = { ...reset, body: {} };
  drawn[Math.floor(count / 3)] = { ...reset, body: { all: true, requests: 'keep' } };
  return drawn;
}

export interface Seen {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** One after the other. A cut connection has status 0. */
export async function sendAll(practice: TestPractice, all: readonly Step[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { api, method, path, ...sent } of all) {
    const reply =
      api === 'control'
        ? practice.control(method, path, sent.body)
        : practice.send(method, path, { body: sent.body, ...sent });
    seen.push(
      await reply.then(
        ({ status, headers, text }) => ({ status, headers, text }),
        (error: Error) => ({ status: 0, headers: {}, text: error.message }),
      ),
    );
  }
  return seen;
}

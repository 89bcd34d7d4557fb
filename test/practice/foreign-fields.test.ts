/** Fields that no endpoint has, under names that JavaScript gives a meaning, at every depth of every body. */
import { describe, expect, it } from 'vitest';
import {
  expectAccepted,
  expectRejected,
  startPractice,
  type TestPractice,
} from './support/practice-service.ts';

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'];
const MARKET = { market: 'USDTNGN', side: 'buy' };
const SIZED = { ...MARKET, notional_usd: 1_000 };
const PATHS = { market: 'USDTNGN', points: [{ at: '2026-12-01T08:00Z', price: 1_500 }] };

const PARTNER: readonly (readonly [path: string, body: object])[] = [
  ['/quotes', { ...SIZED, tenor_days: 3 }],
  ['/hedges', { ...SIZED, tenor_days: 3 }],
  ['/hedges/add', SIZED],
  ['/hedges/reduce', SIZED],
  ['/hedges/close', MARKET],
];

const controlBodies = async (practice: TestPractice) =>
  [
    ['POST', '/clock/advance', { seconds: 1 }],
    ['PUT', '/clock', { time: '2026-12-01T08:00Z' }],
    ['PATCH', '/faults', { delay_before_ms: 0 }],
    ['PATCH', '/settings', { margin_pct: 10 }],
    ['POST', '/reset', {}],
    ['PUT', '/fixture', (await practice.control('GET', '/fixture')).body.data],
    ['PUT', '/prices', PATHS],
    ['POST', '/hedges', { ...SIZED, tenor_days: 3 }],
  ] as const satisfies readonly (readonly [string, string, object])[];

/** The JSON text with the field added to each of its objects in turn: `JSON.stringify` writes no `__proto__`. */
function withField(body: object, field: string): readonly string[] {
  const text = JSON.stringify(body);
  const starts = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);
  return starts.map((at) => {
    const comma = text[at] === '}' ? '' : ',';
    return `${text.slice(0, at)}${field}${comma}${text.slice(at)}`;
  });
}

/** As a name is written, plainly and escaped. */
const fieldsOf = (name: string): readonly string[] => [
  `"${name}":{"polluted":true}`,
  `"${name}":1`,
  `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}":{"polluted":true}`,
];

describe('a field that no request has', () => {
  it.each(NAMES)('is a 400 in every body of the partner API, and changes nothing: %s', async (name) => {
    const practice = await startPractice();
    const before = JSON.stringify(await practice.admin.status());
    for (const [path, body] of PARTNER)
      for (const raw of fieldsOf(name).flatMap((field) => withField(body, field)))
        expectRejected(await practice.send('POST', path, { raw }), 400, 'invalid_request');
    expect(JSON.stringify(await practice.admin.status())).toBe(before);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each(NAMES)('is a 400 at every depth of every body of the control API: %s', async (name) => {
    const practice = await startPractice({ settings: { rate_limit: { burst: 10_000, per_second: 10_000 } } });
    const wrong: string[] = [];
    const settings = JSON.stringify((await practice.control('GET', '/settings')).body.data);
    for (const [method, path, body] of await controlBodies(practice)) {
      for (const raw of fieldsOf(name).flatMap((field) => withField(body, field))) {
        const { status } = await practice.control(method, path, undefined, { raw });
        // A name of a column, table or market is judged by itself.
        if (status !== 400) wrong.push(`${method} ${path} ${raw.slice(0, 300)}: ${String(status)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(JSON.stringify((await practice.control('GET', '/settings')).body.data)).toBe(settings);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each(NAMES)('is a 400 as part of the name of a setting: %s', async (name) => {
    const practice = await startPractice();
    for (const setting of [
      name,
      `${name}.swing`,
      `markets.${name}.base_rate`,
      `markets.USDTNGN.${name}`,
      `fill_seconds.${name}.min`,
    ])
      expectRejected(
        await practice.control('PATCH', '/settings', undefined, { raw: `{"${setting}":1}` }),
        400,
        'invalid_request',
      );
    expectAccepted(await practice.get('/account'));
  });

  it.each(NAMES)('is a 400 in a query: %s', async (name) => {
    const practice = await startPractice();
    expectRejected(await practice.get(`/hedges?${name}=1`), 400, 'invalid_request');
    expectRejected(await practice.control('GET', `/prices?${name}=1`), 400, 'invalid_request');
  });
});

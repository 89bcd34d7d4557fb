/** Thousands of invalid requests: each gets a 4xx in the envelope, never a 500. */
import { text as wholeText } from 'node:stream/consumers';
import { connect } from 'node:tls';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { howMany } from '../support/goal.ts';
import {
  expectAccepted,
  expectRejected,
  opened,
  type Reply,
  startPractice,
  type TestPractice,
  testClock,
} from './support/practice-service.ts';

const RUNS = howMany(1_500, 15_000);
const POSTS = ['/quotes', '/hedges', '/hedges/add', '/hedges/reduce', '/hedges/close'] as const;
const GOOD = { market: 'USDTNGN', side: 'buy', notional_usd: 1_000, tenor_days: 3 };

function bodyFor(path: string): Record<string, unknown> {
  const { market, side, notional_usd, tenor_days } = GOOD;
  if (path === '/hedges/close') return { market, side };
  return path === '/hedges/add' || path === '/hedges/reduce'
    ? { market, side, notional_usd }
    : { market, side, notional_usd, tenor_days };
}

/** A 4xx in the envelope, without internals. */
function expectErrorEnvelope(reply: Reply): void {
  expect(Object.keys(reply.body ?? {}).toSorted()).toEqual(['data', 'error', 'meta']);
  expect(reply.body.data).toBeNull();
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expect(reply.status).toBeLessThan(500);
  expect(reply.body.error.code).toMatch(/^[a-z_]+$/);
  expect(reply.body.error.message).toMatch(/^.{3,400}$/s);
  expect(reply.text).not.toMatch(/\bat .*:\d+:\d+|node:internal|\.[jt]s:\d/);
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
}

async function expectUnchanged(practice: TestPractice, work: () => Promise<void>): Promise<void> {
  const before = JSON.stringify((await practice.admin.status()).books);
  await work();
  expect(JSON.stringify((await practice.admin.status()).books)).toBe(before);
  expectAccepted(await practice.get('/account'));
}

describe('bodies', () => {
  it('body: any other JSON is rejected', async () => {
    const practice = await startPractice();
    await expectUnchanged(practice, async () => {
      const bodies = fc.tuple(fc.constantFrom(...POSTS), fc.jsonValue());
      await fc.assert(
        fc.asyncProperty(bodies, async ([path, body]) => {
          expectErrorEnvelope(expectRejected(await practice.post(path, body), 400, 'invalid_request'));
        }),
        { numRuns: RUNS, seed: 1 },
      );
    });
  });

  it('body: a wrong, missing or extra field is named', async () => {
    const practice = await startPractice();
    const wrong: Record<string, fc.Arbitrary<unknown>> = {
      market: fc.oneof(
        fc.constant(''),
        fc.integer(),
        fc.constant(null),
        fc.constant('X'.repeat(33)),
        fc.constant(['USDTNGN']),
      ),
      side: fc.oneof(fc.constantFrom('BUY', 'long', '', null, 1, true), fc.string({ maxLength: 2 })),
      notional_usd: fc.oneof(
        fc.constantFrom(0, -0, -1, 1e-7, 1e13, 0.1234567, '1000', null, [1], Number.MAX_VALUE, 0.1 + 0.2),
        fc.double({ max: -Number.MIN_VALUE, noNaN: true }),
      ),
      tenor_days: fc.oneof(fc.constantFrom(0, 2, 4, -1, 1.5, '3', null, 30), fc.integer({ min: 8 })),
    };
    const changes = fc
      .constantFrom(...POSTS)
      .chain((path) =>
        fc
          .constantFrom(...Object.keys(bodyFor(path)))
          .chain((field) =>
            fc.tuple(
              fc.constant(path),
              fc.constant(field),
              fc.option(wrong[field] ?? fc.constant(null), { nil: undefined }),
            ),
          ),
      );
    await expectUnchanged(practice, async () => {
      await fc.assert(
        fc.asyncProperty(changes, async ([path, field, value]) => {
          const reply = await practice.post(path, { ...bodyFor(path), [field]: value });
          expectErrorEnvelope(expectRejected(reply, 400, 'invalid_request'));
          expect(reply.body.error.details.field).toBe(field);
        }),
        { numRuns: RUNS, seed: 2 },
      );
      for (const path of POSTS) {
        const reply = await practice.post(path, { ...bodyFor(path), leverage: 5 });
        expectErrorEnvelope(expectRejected(reply, 400, 'invalid_request'));
        expect(reply.body.error.details.field).toBe('leverage');
      }
    });
  });

  it('body: bytes that are not JSON are rejected', async () => {
    const practice = await startPractice();
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .constantFrom(
          '',
          '{',
          'null,',
          "{'market': 1}",
          '{"a":1}}',
          '\u0000',
          '[',
          '{"market":"USDTNGN"',
          'NaN',
        )
        .map((text) => Buffer.from(text)),
      fc.constant(Buffer.from([0xff, 0xfe, 0x7b, 0x00])),
      fc.constant(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(GOOD))])),
      fc.constant(Buffer.from('{"market":"\xff"}', 'latin1')),
      fc.constant(Buffer.from('['.repeat(30_000))),
      fc.constant(Buffer.from(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)),
    );
    await expectUnchanged(practice, async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...POSTS), bytes, async (path, content) => {
          expectErrorEnvelope(
            expectRejected(
              await practice.send('POST', path, { raw: Buffer.from(content) }),
              400,
              'invalid_request',
            ),
          );
        }),
        { numRuns: Math.ceil(RUNS / 2), seed: 3 },
      );
    });
  });

  it('body: too large, a little or by far, is a 413', async () => {
    const practice = await startPractice();
    await expectUnchanged(practice, async () => {
      for (const length of [65_537, 200_000, 1_500_000]) {
        const reply = await practice.send('POST', '/hedges', {
          raw: JSON.stringify({ ...GOOD, x: 'x'.repeat(length) }),
        });
        expectErrorEnvelope(expectRejected(reply, 413, 'invalid_request'));
      }
    });
    const full = JSON.stringify(GOOD).padEnd(65_536, ' ');
    expectAccepted(await practice.send('POST', '/quotes', { raw: full }));
  });

  it.each([
    ['no type', { 'content-type': '' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', { 'content-type': 'text/plain' }],
    ['another character set', { 'content-type': 'application/json; charset=latin1' }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
  ])('body: sent with %s is a 415', async (_what, headers) => {
    const practice = await startPractice();
    await expectUnchanged(practice, async () => {
      for (const path of POSTS) {
        expectErrorEnvelope(
          expectRejected(await practice.post(path, bodyFor(path), { headers }), 415, 'invalid_request'),
        );
      }
    });
  });

  it('body: any valid spelling of the content type is accepted', async () => {
    const practice = await startPractice();
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/json;charset="utf-8"',
    ])
      expect((await practice.post('/quotes', GOOD, { headers: { 'content-type': type } })).status).toBe(200);
  });

  it('body: fields named __proto__ and constructor pollute nothing', async () => {
    const practice = await startPractice();
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const raw = `${JSON.stringify(GOOD).slice(0, -1)},"${name}":{"polluted":true}}`;
      await practice.send('POST', '/quotes', { raw });
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expectAccepted(await practice.post('/quotes', GOOD));
  });
});

describe('addresses and methods', () => {
  it('path: an unknown one is a 404, an unknown method a 405 with Allow', async () => {
    const practice = await startPractice();
    const hedge = await opened(practice);
    const allowed: Record<string, string> = {
      '/markets': 'GET',
      '/prices': 'GET',
      '/quotes': 'POST',
      '/hedges': 'POST, GET',
      '/hedges/add': 'POST',
      '/hedges/reduce': 'POST',
      '/hedges/close': 'POST',
      '/hedges/history': 'GET',
      [`/hedges/${hedge.id}`]: 'GET',
      '/positions': 'GET',
      '/account': 'GET',
    };
    await expectUnchanged(practice, async () => {
      for (const [path, methods] of Object.entries(allowed)) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
          if (methods.split(', ').includes(method)) continue;
          const reply = expectRejected(await practice.send(method, path), 405, 'method_not_allowed');
          expectErrorEnvelope(reply);
          expect(reply.headers['allow']).toBe(methods);
        }
        const head = await practice.send('HEAD', path);
        expect({ status: head.status, text: head.text }).toEqual({ status: 405, text: '' });
      }
    });
  });

  it('path: arbitrary paths are rejected', async () => {
    const practice = await startPractice();
    const paths = fc.oneof(
      fc.webPath().map((path) => `/x${path}`),
      fc.constantFrom(
        '/',
        '/markets/',
        '//markets',
        '/Markets',
        '/markets/x',
        '/hedges/%',
        '/hedges/%ff',
        '/hedges/a/b',
      ),
      fc.constantFrom(
        '/../account',
        '/hedges/..%2f..',
        '/%00',
        '/account%3f',
        '/account;a=b',
        '/hedges/',
        '/v2/account',
      ),
      fc.webSegment().map((segment) => `/hedges/none${segment}`),
      fc.webQueryParameters().map((query) => `/account?x${query}`),
    );
    await expectUnchanged(practice, async () => {
      await fc.assert(
        fc.asyncProperty(paths, async (path) => expectErrorEnvelope(await practice.get(path))),
        { numRuns: RUNS, seed: 4 },
      );
    });
  });
});

describe('headers', () => {
  it('header: an invalid Authorization is a 401', async () => {
    const practice = await startPractice();
    const { live } = practice.service.keys;
    const wrong = [
      '',
      'Bearer',
      'Bearer ',
      live,
      `Bearer ${live}x`,
      `Bearer x${live}`,
      `Bearer ${live} ${live}`,
      `Token ${live}`,
    ];
    for (const authorization of wrong) {
      const reply = await practice.get('/account', { as: null, headers: { authorization } });
      expectErrorEnvelope(expectRejected(reply, 401, 'unauthorized'));
    }
  });

  it('header: an invalid Idempotency-Key is a 400', async () => {
    const practice = await startPractice();
    const keys = fc.string({
      minLength: 1,
      maxLength: 300,
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
    });
    const bad = keys.filter((key) => !/^[\x21-\x7e]{1,255}$/.test(key.trim()) && key.trim() !== '');
    await expectUnchanged(practice, async () => {
      await fc.assert(
        fc.asyncProperty(bad, async (key) => {
          expectErrorEnvelope(
            expectRejected(await practice.post('/hedges', GOOD, { key }), 400, 'invalid_request'),
          );
        }),
        { numRuns: Math.ceil(RUNS / 5), seed: 5 },
      );
    });
  });
});

describe('invalid HTTP', () => {
  /** Sends the bytes unchanged; returns all that is received until the connection closes. */
  function raw(practice: TestPractice, content: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const port = Number(new URL(practice.service.url).port);
      const socket = connect({ port, host: '127.0.0.1', ca: practice.service.ca }, () =>
        socket.write(content, 'latin1'),
      );
      let seen = '';
      socket.on('data', (chunk: Buffer) => {
        seen += chunk.toString('latin1');
        if (/\r\n\r\n.*\}$/s.test(seen)) socket.end();
      });
      socket.on('close', () => resolve(seen));
      socket.on('error', reject);
    });
  }

  const CLOSE = 'Host: localhost\r\nConnection: close\r\n';
  const cases: [string, string, number][] = [
    ['garbage', 'hello\r\n\r\n', 400],
    ['an unknown HTTP version', `GET /practice/v2/account HTTP/9.9\r\n${CLOSE}\r\n`, 400],
    ['an unknown method', `FOO /practice/v2/account HTTP/1.1\r\n${CLOSE}\r\n`, 400],
    ['a header without a colon', `GET /practice/v2/account HTTP/1.1\r\n${CLOSE}nonsense\r\n\r\n`, 400],
    ['a NUL in a header', `GET /practice/v2/account HTTP/1.1\r\n${CLOSE}A: \0\r\n\r\n`, 400],
    [
      'two lengths',
      `POST /practice/v2/hedges HTTP/1.1\r\n${CLOSE}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
    ],
    [
      'length and chunks',
      `POST /practice/v2/hedges HTTP/1.1\r\n${CLOSE}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a negative length', `POST /practice/v2/hedges HTTP/1.1\r\n${CLOSE}Content-Length: -1\r\n\r\n`, 400],
    [
      'an invalid chunk size',
      `POST /practice/v2/hedges HTTP/1.1\r\n${CLOSE}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    ['no host', 'GET /practice/v2/account HTTP/1.1\r\nConnection: close\r\n\r\n', 401],
    [
      'headers without end',
      `GET /practice/v2/account HTTP/1.1\r\n${CLOSE}A: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    [
      'an expectation',
      `POST /practice/v2/hedges HTTP/1.1\r\n${CLOSE}Expect: miracles\r\nContent-Length: 0\r\n\r\n`,
      417,
    ],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 405],
    [
      'a foreign Host header',
      'GET /practice/v2/account HTTP/1.1\r\nHost: localhost.example\r\nConnection: close\r\n\r\n',
      421,
    ],
    [
      'an absolute address of another host',
      `GET https://example.com/practice/v2/account HTTP/1.1\r\n${CLOSE}\r\n`,
      401,
    ],
  ];

  it.each(cases)(
    'connection: %s gets a response in the envelope and is closed',
    async (_what, content, status) => {
      const practice = await startPractice();
      const seen = await raw(practice, content);
      const [head = '', body = ''] = seen.split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).toMatch(/\r\ndate: /i);
      const envelope = JSON.parse(body);
      expect(envelope).toMatchObject({ data: null, meta: {} });
      expect(envelope.error.code).toMatch(/^[a-z_]+$/);
      expectAccepted(await practice.get('/account'));
    },
  );

  it('connection: a body that is on its way when the service closes is received, and answered', async () => {
    const clock = { ...testClock(), sleep: () => new Promise<void>(() => undefined) };
    const practice = await startPractice({ clock });
    const body = JSON.stringify(GOOD);
    const head = [
      'POST /practice/v2/hedges HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${practice.service.keys.live}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length.toString()}`,
    ];
    const port = Number(new URL(practice.service.url).port);
    const socket = connect({ port, host: '127.0.0.1', ca: practice.service.ca });
    const answer = wholeText(socket);
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 9)}`);
    expectAccepted(await practice.get('/account'));
    const closed = practice.close();
    socket.write(body.slice(9));
    await closed;
    expect(await answer).toMatch(/^HTTP\/1\.1 20[01] .*hdg_/s);
  });

  it('header: a missing Host is a 400', async () => {
    const practice = await startPractice();
    const key = `Authorization: Bearer ${practice.service.keys.live}\r\n`;
    const seen = await raw(practice, `GET /practice/v2/account HTTP/1.1\r\nConnection: close\r\n${key}\r\n`);
    expect(seen).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('connection: random bytes never crash the service', async () => {
    const practice = await startPractice();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 5, maxLength: 400 }), async (bytes) => {
        const seen = await raw(practice, `${Buffer.from(bytes).toString('latin1')}\r\n\r\n`);
        expect(seen).toMatch(/^HTTP\/1\.1 4\d\d /);
      }),
      { numRuns: 100, seed: 6 },
    );
    expectAccepted(await practice.get('/account'));
  });
});

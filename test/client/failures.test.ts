import { connect as connectTcp, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { HedgeApi } from '../../src/client/hedge-api.ts';
import { TOTAL_MS } from '../../src/client/transport/retry-policy.ts';
import { ATTEMPT_MS, LARGEST_BODY } from '../../src/client/transport/send.ts';
import type { AttemptRecord } from '../../src/client/transport/transport.ts';
import {
  CredentialError,
  HedgeError,
  OutcomeUnknownError,
  RefusedError,
  UnavailableError,
  UnreadableAnswerError,
} from '../../src/errors.ts';
import { anAcceptedClose, anAccount, aQuote, succeeded } from '../spec/bodies.ts';
import { ERROR_CODES } from '../spec/rules.ts';
import { unusedPort } from '../support/ports.ts';
import { rejection, TRANSPORTS } from '../support/scripted-client.ts';
import {
  type Answer,
  bytes,
  hangUp,
  html,
  json,
  no,
  ok,
  on,
  plainServer,
  raw,
  reset,
  scriptedService,
  silence,
} from '../support/scripted-service.ts';

const CLOSE = { market: 'USDTNGN', side: 'buy' } as const;
const ACCOUNT = 'GET /account';
const CLOSING = 'POST /hedges/close';
const fine = ok(anAccount());
const closed = ok(anAcceptedClose());

const read = (api: HedgeApi): Promise<unknown> => rejection(api.account());
const act = (api: HedgeApi): Promise<unknown> => rejection(api.close(CLOSE, 'one-key'));
const times = (count: number, line: string, answer: Answer) =>
  Array.from({ length: count }, () => on(line, answer));
/** Good for the reading and for the action, so that only what is broken can be the reason. */
const good = { ...anAccount(), ...anAcceptedClose() };
const envelope = JSON.stringify(succeeded(good));
const head = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

/**
 * Field by field what a broken or foreign answer means. A reading that found nothing out is unavailable or
 * unreadable; an action that found nothing out is unknown, and was sent at most three times.
 */
const BROKEN: readonly {
  name: string;
  answer: Answer;
  reading: typeof UnavailableError | typeof UnreadableAnswerError;
  readings: number;
  actions: number;
}[] = [
  { name: 'a reset', answer: reset, reading: UnavailableError, readings: 4, actions: 3 },
  { name: 'a hang-up', answer: hangUp, reading: UnavailableError, readings: 4, actions: 3 },
  {
    name: 'a body cut short of its length',
    answer: bytes(`${head('content-length: 400')}{"data":`),
    reading: UnavailableError,
    readings: 4,
    actions: 3,
  },
  {
    name: 'a chunked body that is never finished',
    answer: bytes(`${head('transfer-encoding: chunked')}8\r\n{"data":\r\n`),
    reading: UnavailableError,
    readings: 4,
    actions: 3,
  },
  {
    name: 'a body reset half-way',
    answer: bytes(`${head('content-length: 400')}{"data":`, 'reset'),
    reading: UnavailableError,
    readings: 4,
    actions: 3,
  },
  { name: 'a 503', answer: no(503, 'maintenance'), reading: UnavailableError, readings: 4, actions: 3 },
  { name: 'a 408', answer: no(408, 'request_timeout'), reading: UnavailableError, readings: 4, actions: 3 },
  { name: 'a 425', answer: no(425, 'too_early'), reading: UnavailableError, readings: 4, actions: 3 },
  {
    name: 'a 409 with an unknown code',
    answer: no(409, 'request_in_progress'),
    reading: RefusedError,
    readings: 1,
    actions: 3,
  },
  { name: "a gateway's 502", answer: html(502), reading: UnavailableError, readings: 4, actions: 3 },
  {
    name: 'something that is not HTTP',
    answer: bytes('SSH-2.0-OpenSSH\r\n'),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'status 000',
    answer: bytes('HTTP/1.1 000 Nothing\r\n\r\n'),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'headers without end',
    answer: bytes(head(`x-much: ${'a'.repeat(40_000)}`, 'content-length: 0')),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'a body larger than four megabytes',
    answer: ok({ ...good, padding: 'a'.repeat(LARGEST_BODY) }),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'a compressed body',
    answer: raw(200, envelope, { 'content-encoding': 'gzip' }),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'two encodings',
    answer: raw(200, envelope, { 'content-encoding': 'identity, br' }),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'bytes that are not UTF-8',
    answer: raw(200, Buffer.from(envelope.replace('meta', 'm\u00e9ta'), 'latin1')),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  { name: 'a web page', answer: html(200), reading: UnreadableAnswerError, readings: 1, actions: 3 },
  {
    name: 'nothing at all with 204',
    answer: raw(204, ''),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'a body deeper than 64',
    answer: raw(200, envelope.replace('{}', `{"deep":${'['.repeat(64)}${']'.repeat(64)}}`)),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'JSON without an envelope',
    answer: json(200, good),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'a list in place of the envelope',
    answer: json(200, [1]),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  { name: 'data that is null', answer: ok(null), reading: UnreadableAnswerError, readings: 1, actions: 3 },
  {
    name: 'success and an error at once',
    answer: json(200, { data: good, error: { code: 'x', message: 'y' }, meta: {} }),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'a meta that is a list',
    answer: json(200, { data: good, error: null, meta: [] }),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  {
    name: 'data of the wrong shape',
    answer: ok({ nothing: 'known' }),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 3,
  },
  { name: 'a 404 web page', answer: html(404), reading: UnreadableAnswerError, readings: 1, actions: 1 },
  {
    name: 'a 400 without a code',
    answer: json(400, { data: null, error: { message: 'no' }, meta: {} }),
    reading: UnreadableAnswerError,
    readings: 1,
    actions: 1,
  },
];

describe.each(TRANSPORTS)(
  'a response that brings nothing, over the $road transport',
  ({ scriptedClient }) => {
    it.each(BROKEN)(
      '$name: a reading is repeated only if it may pass',
      async ({ answer, reading, readings }) => {
        const { api, service, clock } = await scriptedClient(times(readings, ACCOUNT, answer));
        const error = await read(api);
        expect(error).toBeInstanceOf(reading);
        expect(error).toMatchObject({ effect: 'none', meaning: 'Nothing was changed.' });
        expect(service.requests).toHaveLength(readings);
        expect(clock.sleeps).toHaveLength(readings - 1);
        expect(clock.running()).toEqual([]);
      },
    );

    it.each([201, 202, 203, 206])(
      'the status %i is no reading, whatever it brings; an action or a quote may have it',
      async (status) => {
        const { api } = await scriptedClient([
          on('GET /positions', json(status, succeeded([]))),
          on(CLOSING, json(status, succeeded(anAcceptedClose()))),
          on('POST /quotes', json(status, succeeded(aQuote()))),
        ]);
        const error = await rejection(api.positions());
        expect(error).toBeInstanceOf(UnreadableAnswerError);
        expect(String(error)).toContain(`${status} in place of 200`);
        await expect(api.close(CLOSE, 'k1')).resolves.toMatchObject({ data: anAcceptedClose() });
        const quoted = { ...CLOSE, notional_usd: '10000', tenor_days: 3 };
        await expect(api.quote(quoted)).resolves.toMatchObject({ data: { market: 'USDTNGN' } });
      },
    );

    it.each(BROKEN)(
      '$name: an action is unknown, its key and bytes the same every time',
      async ({ name, answer, actions }) => {
        const records: AttemptRecord[] = [];
        const { api, service } = await scriptedClient(times(actions, CLOSING, answer));
        const error = await rejection(
          api.close(CLOSE, 'one-key', { onAttempt: (record) => records.push(record) }),
        );
        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(error).toMatchObject({ code: 'outcome_unknown', effect: 'unknown', retry: 'after_check' });
        const sent = service.requests.map(
          ({ headers, body }) => `${String(headers['idempotency-key'])} ${body}`,
        );
        expect(sent).toHaveLength(actions);
        expect(new Set(sent)).toEqual(new Set(['one-key {"market":"USDTNGN","side":"buy"}']));
        const responded = !['a reset', 'a hang-up'].includes(name);
        expect(records).toMatchObject(
          sent.map((_, at) => ({ outcome: 'unclear', responded, retries: at + 1 < actions })),
        );
        expect(String(error)).toContain(responded ? 'No usable response after' : 'No response after');
      },
    );

    it.each([{ market: 'USDTKES' }, { side: 'sell' }])(
      'an acceptance of another action (%o) is none of this one',
      async (other) => {
        const { api, service } = await scriptedClient(
          times(3, CLOSING, ok({ status: 'submitted', ...other })),
        );
        const error = await rejection(api.close(CLOSE, 'one-key'));
        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(service.requests).toHaveLength(3);
      },
    );

    it('an acceptance that repeats the action, or nothing of it, is one', async () => {
      const { api } = await scriptedClient([
        on(CLOSING, ok({ status: 'submitted', ...CLOSE })),
        on(CLOSING, ok({ status: 'submitted', market: null })),
      ]);
      await expect(api.close(CLOSE, 'k1')).resolves.toMatchObject({ data: CLOSE });
      await expect(api.close(CLOSE, 'k2')).resolves.toMatchObject({ data: { status: 'submitted' } });
    });

    it('is got over when the next attempt brings one', async () => {
      const { api, clock } = await scriptedClient([
        on(ACCOUNT, reset),
        on(ACCOUNT, html(503)),
        on(ACCOUNT, fine),
      ]);
      await expect(api.account()).resolves.toMatchObject({ data: {} });
      // Half of windows of 500 ms and 1 s.
      expect(clock.sleeps).toEqual([250, 500]);
    });

    it('is got over by an action too, under the same key', async () => {
      const { api, service } = await scriptedClient([
        on(CLOSING, reset),
        on(CLOSING, no(409, 'idempotency_in_flight')),
        on(CLOSING, closed),
      ]);
      await expect(api.close(CLOSE, 'k1')).resolves.toMatchObject({ data: { status: 'submitted' } });
      expect(new Set(service.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(
        new Set(['k1']),
      );
    });
  },
);

/** Everything between this machine and the service may answer in its place, also after it has acted. */
const FOREIGN: readonly [string, (status: number) => Answer][] = [
  ['a web page', html],
  ['nothing', (status) => raw(status, '')],
  ['an error without data', (status) => json(status, { error: { code: 'forbidden', message: 'no' } })],
  ['an error of a gateway', (status) => json(status, { message: 'Unauthorized', code: 'forbidden' })],
  [
    'data and an error at once',
    (status) => json(status, { data: {}, error: { code: 'forbidden', message: 'no' }, meta: {} }),
  ],
  ['an error without a message', (status) => json(status, { data: null, error: { code: 'x' }, meta: {} })],
  [
    'an error with a number for its code',
    (status) => json(status, { data: null, error: { code: 403, message: 'no' }, meta: {} }),
  ],
  [
    'an error with a list for its meta',
    (status) => json(status, { data: null, error: { code: 'x', message: 'no' }, meta: [] }),
  ],
];
const STATUSES = [400, 401, 403, 404, 408, 409, 422, 425, 429, 451, 499, 500, 503];

describe.each(TRANSPORTS)(
  'a failure without the envelope, over the $road transport',
  ({ scriptedClient }) => {
    it.each(FOREIGN)('%s leaves the outcome of an action unknown, whatever the status', async (_, answer) => {
      for (const status of STATUSES) {
        const sends = status === 429 || status >= 500 ? 3 : 1;
        const { api, service } = await scriptedClient(times(sends, CLOSING, answer(status)));
        const error = await act(api);
        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(error).toMatchObject({ effect: 'unknown', httpStatus: status, refusal: undefined });
        expect(service.requests).toHaveLength(sends);
      }
    });

    it('settles nothing after an unclear attempt, and the same key may bring the original response', async () => {
      const { api } = await scriptedClient([on(CLOSING, html(429)), on(CLOSING, closed)]);
      await expect(api.close(CLOSE, 'k1')).resolves.toMatchObject({ data: { status: 'submitted' } });
    });

    it.each([
      [401, CredentialError, 1],
      [403, CredentialError, 1],
      [429, UnavailableError, 4],
      [408, UnreadableAnswerError, 1],
    ] as const)('a reading takes a web page with %i for what it says', async (status, kind, readings) => {
      const { api, service } = await scriptedClient(times(readings, ACCOUNT, html(status)));
      expect(await read(api)).toBeInstanceOf(kind);
      expect(service.requests).toHaveLength(readings);
    });
  },
);

describe.each(TRANSPORTS)('time, over the $road transport', ({ scriptedClient }) => {
  it('ends an attempt that gets no answer, and the next may get one', async () => {
    const { api, service, clock } = await scriptedClient([on(ACCOUNT, silence), on(ACCOUNT, fine)]);
    const answer = api.account();
    await service.arrived(1);
    clock.fire(ATTEMPT_MS);
    await expect(answer).resolves.toMatchObject({ data: {} });
    expect(clock.running()).toEqual([]);
  });

  it('ends a call as a whole, however slowly the answer drips', async () => {
    const drip = bytes(`${head('content-length: 400')}{`, 'hold');
    const { api, service, clock } = await scriptedClient([on(CLOSING, drip)]);
    const error = act(api);
    await service.arrived(1);
    clock.fire(TOTAL_MS);
    expect(await error).toBeInstanceOf(OutcomeUnknownError);
    expect(service.requests).toHaveLength(1);
  });

  it('is not spent on a wait that would end after it', async () => {
    const { api, clock } = await scriptedClient([
      on(ACCOUNT, no(429, 'rate_limited', { headers: { 'retry-after': '999999' } })),
    ]);
    expect(await read(api)).toMatchObject({ code: 'rate_limited', retry: 'later', httpStatus: 429 });
    expect(clock.sleeps).toEqual([]);
  });

  it('is waited as the service asks, in seconds or until a date by its own clock', async () => {
    const dated = { date: 'Fri, 20 Nov 2026 09:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 09:00:07 GMT' };
    const { api, clock } = await scriptedClient([
      on(CLOSING, no(429, 'rate_limited', { headers: { 'retry-after': '3' } })),
      on(CLOSING, html(503)),
      on(CLOSING, no(503, 'busy', { headers: dated })),
      on(CLOSING, closed),
    ]);
    await api.close(CLOSE, 'k');
    // Half of 500 ms above what was asked for; half of the second window of 500 ms where nothing was.
    expect(clock.sleeps).toEqual([3250, 500, 7250]);
  });
});

describe.each(TRANSPORTS)('before anything is sent, over the $road transport', ({ connected }) => {
  it('no service at the address is unavailable: four readings, three actions, nothing sent', async () => {
    const { api, clock } = connected(`https://127.0.0.1:${await unusedPort()}/v2`);
    const reading = await read(api);
    expect(reading).toBeInstanceOf(UnavailableError);
    expect(reading).toMatchObject({
      code: 'unavailable',
      effect: 'none',
      meaning: 'Nothing was changed.',
      retry: 'later',
    });
    expect(String(reading)).toMatch(/The service cannot be reached: connection refused, 4 attempts/);
    expect(clock.sleeps).toHaveLength(3);
    expect(await act(api)).toMatchObject({
      code: 'unavailable',
      effect: 'none',
      meaning: 'Nothing was sent.',
    });
    expect(clock.sleeps).toHaveLength(5);
  });

  it('a name that does not resolve is unavailable', async () => {
    const { api } = connected('https://desk.invalid/v2');
    expect(String(await act(api))).toMatch(/The service cannot be reached: host name not found/);
  });

  it('a host that accepts and never shakes hands is given up at the deadline, and nothing was sent', async () => {
    let connections = 0;
    let accepted: () => void = () => undefined;
    const { port } = await plainServer(() => {
      connections++;
      accepted();
    });
    const { api, clock } = connected(`https://127.0.0.1:${port}/v2`);
    accepted = () => clock.fire(ATTEMPT_MS);
    expect(await act(api)).toMatchObject({
      code: 'unavailable',
      effect: 'none',
      meaning: 'Nothing was sent.',
    });
    // Ten seconds each, and a call has thirty.
    expect(connections).toBe(3);
    expect(clock.running()).toEqual([]);
  });

  it('a host that hangs up during the handshake cannot have acted', async () => {
    let connections = 0;
    const { port } = await plainServer((socket) => {
      connections++;
      socket.destroy();
    });
    const { api } = connected(`https://127.0.0.1:${port}/v2`);
    expect(await act(api)).toMatchObject({
      code: 'unavailable',
      effect: 'none',
      meaning: 'Nothing was sent.',
    });
    expect(connections).toBe(3);
  });
});

describe.each(TRANSPORTS)('the service says no, over the $road transport', ({ scriptedClient }) => {
  const refusals = ERROR_CODES.filter(({ again }) => again === 'never');

  it.each(refusals)('$code ($status) is final, for a reading and for an action', async ({ status, code }) => {
    const details = { headroom_usd: 180000 };
    const answer = no(status, code, { message: 'would exceed the cap', details });
    const { api, service, clock } = await scriptedClient([on(ACCOUNT, answer), on(CLOSING, answer)]);
    for (const error of [await read(api), await act(api)]) {
      expect(error).toBeInstanceOf(RefusedError);
      expect(error).toMatchObject({
        code,
        what: `${code.endsWith('_not_found') ? 'Not found' : 'Refused'}: would exceed the cap.`,
        httpStatus: status,
        effect: 'none',
        retry: 'never',
      });
      expect(JSON.stringify(error instanceof HedgeError && error.details)).toContain('headroom_usd');
    }
    expect(service.requests).toHaveLength(2);
    expect(clock.sleeps).toEqual([]);
  });

  it.each([...refusals, { status: 401, code: 'unauthorized' }])(
    '$code ($status) after an unclear attempt settles nothing',
    async ({ status, code }) => {
      const { api } = await scriptedClient([
        on(CLOSING, reset),
        on(CLOSING, no(status, code, { message: 'no' })),
      ]);
      const error = await act(api);
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error).toMatchObject({
        refusal: { code, message: 'no' },
        httpStatus: status,
        effect: 'unknown',
      });
    },
  );

  it('after an attempt that was never sent, a refusal is definite', async () => {
    const { api, service } = await scriptedClient([
      on(CLOSING, no(429, 'rate_limited')),
      on(CLOSING, no(404, 'no_open_hedge')),
    ]);
    expect(await act(api)).toBeInstanceOf(RefusedError);
    expect(service.requests).toHaveLength(2);
  });

  it('rate_limited is waited out, longer each time, and then unavailable: it acts on nothing', async () => {
    const { api, clock } = await scriptedClient(times(4, ACCOUNT, no(429, 'rate_limited')));
    const error = await read(api);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ code: 'rate_limited', effect: 'none', retry: 'later', httpStatus: 429 });
    expect(clock.sleeps).toEqual([500, 1000, 2000]);
  });

  it('rate_limited keeps an action trying within its time, and leaves it undone', async () => {
    // Half of 1, 2, 4, 8, 8, 8, 8 s: seven waits of 19.5 s in all, then the eighth attempt is the last.
    const { api } = await scriptedClient(times(8, CLOSING, no(429, 'rate_limited')));
    expect(await act(api)).toMatchObject({ code: 'rate_limited', effect: 'none' });
  });

  it('idempotency_in_flight to the end is unknown', async () => {
    const { api } = await scriptedClient(times(8, CLOSING, no(409, 'idempotency_in_flight')));
    const error = await act(api);
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(String(error)).toContain('still processing it');
  });

  it.each([
    [401, 'unauthorized', no(401, 'unauthorized')],
    [403, 'key_revoked', no(403, 'key_revoked')],
  ])('%i (%s) in the envelope is a matter of credentials', async (status, code, answer) => {
    const { api } = await scriptedClient([on(ACCOUNT, answer), on(CLOSING, answer)]);
    for (const error of [await read(api), await act(api)]) {
      expect(error).toBeInstanceOf(CredentialError);
      expect(error).toMatchObject({ code, httpStatus: status, effect: 'none' });
    }
  });
});

describe.each(TRANSPORTS)('a redirect, over the $road transport', ({ scriptedClient }) => {
  it.each([301, 302, 303, 307, 308])(
    '%i is never followed: the other server sees nothing',
    async (status) => {
      let seen = 0;
      const { port } = await plainServer(() => seen++);
      const answer = (scheme: string): Answer =>
        raw(status, '', { location: `${scheme}://127.0.0.1:${port}/elsewhere` });
      const { api, service } = await scriptedClient([
        on(ACCOUNT, answer('https')),
        on(CLOSING, answer('http')),
      ]);
      const error = await read(api);
      expect(error).toMatchObject({ code: 'unreadable_answer', httpStatus: status });
      expect(String(error)).toContain(`redirect (${status}), which is not followed`);
      expect(await act(api)).toBeInstanceOf(OutcomeUnknownError);
      expect(service.requests).toHaveLength(2);
      expect(seen).toBe(0);
    },
  );
});

describe.each(TRANSPORTS)('closing the client, over the $road transport', ({ connected, scriptedClient }) => {
  it('drops a connection that is still being made', async () => {
    let knock: (socket: Socket) => void = () => undefined;
    const knocked = new Promise<Socket>((resolve) => (knock = resolve));
    const { port } = await plainServer((socket) => knock(socket));
    const { api, close } = connected(`https://127.0.0.1:${port}/v2`);
    const error = read(api);
    const hungUp = new Promise(
      (resolve) => void knocked.then((socket) => socket.resume().once('close', resolve)),
    );
    await knocked;
    await close();
    await hungUp;
    expect(await error).toMatchObject({ code: 'unavailable', meaning: 'Nothing was changed.' });
  });

  it('asks nothing again that was under way, and waits for nothing', async () => {
    const { api, close, clock, service } = await scriptedClient([on(ACCOUNT, silence)]);
    const error = read(api);
    await service.arrived(1);
    await close();
    expect(await error).toMatchObject({ code: 'unavailable', effect: 'none' });
    expect(clock.sleeps).toEqual([]);
    expect(service.requests).toHaveLength(1);
  });
});

describe.each(TRANSPORTS)('a caller who stops, over the $road transport', ({ connected, scriptedClient }) => {
  const reason = new Error('Ctrl-C');

  it('a reading gets its own reason back', async () => {
    const controller = new AbortController();
    const { api, service, clock } = await scriptedClient([on(ACCOUNT, silence)], {
      signal: controller.signal,
    });
    const error = read(api);
    await service.arrived(1);
    controller.abort(reason);
    expect(await error).toBe(reason);
    expect(clock.running()).toEqual([]);
  });

  it('an action that was sent is in doubt', async () => {
    const controller = new AbortController();
    const { api, service } = await scriptedClient([on(CLOSING, silence)]);
    const error = rejection(api.close(CLOSE, 'k', { signal: controller.signal }));
    await service.arrived(1);
    controller.abort(reason);
    expect(await error).toBeInstanceOf(OutcomeUnknownError);
    expect(await error).toMatchObject({ cause: reason });
  });

  it('an action before its first byte is not, and nothing is sent', async () => {
    const { api, service } = await scriptedClient([]);
    expect(await rejection(api.close(CLOSE, 'k', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(service.requests).toEqual([]);
  });

  it('an action whose connection comes only afterwards is not sent then', async () => {
    const service = await scriptedService([]);
    let knock: (socket: Socket) => void = () => undefined;
    const knocked = new Promise<Socket>((resolve) => (knock = resolve));
    const { port } = await plainServer((socket) => knock(socket));
    const controller = new AbortController();
    const { api } = connected(`https://127.0.0.1:${port}/partner/v2`, { ca: [service.ca] });
    const error = rejection(api.close(CLOSE, 'k', { signal: controller.signal }));
    const socket = await knocked;
    controller.abort(reason);
    expect(await error).toBe(reason);

    // Only now does anybody shake hands behind the port: the client must hang up, and send nothing.
    const hungUp = new Promise((resolve) => socket.once('close', resolve));
    const onward = connectTcp(service.port, '127.0.0.1').on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
    await Promise.race([hungUp, service.arrived(1)]);
    expect(service.requests).toEqual([]);
  });
});

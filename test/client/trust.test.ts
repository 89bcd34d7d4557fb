/** Whom the client believes, and what it lets anybody see: certificates, proxies, the key. */
import { createServer as createProxy } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { probeTls } from '../../src/client/tls-probe.ts';
import { UnavailableError } from '../../src/errors.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { anAccount } from '../spec/bodies.ts';
import { hinting } from '../support/hints.ts';
import { unusedPort } from '../support/ports.ts';
import { CANARY, type Connected, KEY, rejection, TRANSPORTS } from '../support/scripted-client.ts';
import {
  type Answer,
  BASE_PATH,
  bytes,
  close,
  html,
  listen,
  no,
  ok,
  on,
  plainServer,
  reset,
  scriptedService,
} from '../support/scripted-service.ts';
import { anAuthority, type Issued, inDays, loopbackTls } from '../support/tls.ts';

const ACCOUNT = 'GET /account';

/** A TLS server that keeps every decrypted byte it is sent and answers nothing. */
async function eavesdropper(certificate: Issued): Promise<{ port: number; heard: () => string }> {
  const heard: string[] = [];
  const server = createServer({ ...certificate }, (socket: TLSSocket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => heard.push(chunk.toString('latin1')));
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  onTestFinished(() => close(server));
  return { port, heard: () => heard.join('') };
}

describe.each(TRANSPORTS)('a certificate, over the $road transport', ({ connected, scriptedClient }) => {
  // The variable that switches verification off in Node; it must make no difference here.
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  beforeEach(() => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  });
  afterEach(() => {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  });

  it.each([
    ['has expired', { from: inDays(-9), until: inDays(-1) }, /certificate has expired/, /machine's clock/],
    [
      'is not yet valid',
      { from: inDays(1), until: inDays(9) },
      /certificate is not yet valid/,
      /machine's clock/,
    ],
    ['is for another host', { hosts: ['desk.partner.test'] }, /certificate is for another host/, /base URL/],
  ])('that %s lets nothing leave', async (_, issue, says, hint) => {
    const authority = await anAuthority();
    const { port, heard } = await eavesdropper(await authority.issue(issue));
    const client = connected(`https://127.0.0.1:${port}/v2`, { ca: [authority.ca] });
    expect(await refusalOf(client, heard)).toEqual(refused(says, hint));
  });

  it('of an unknown authority lets nothing leave, and the way out is named', async () => {
    const stranger = await anAuthority('Somebody else');
    const { ca } = await loopbackTls();
    const { port, heard } = await eavesdropper(await stranger.issue());
    const expected = refused(
      /certificate is from an unknown authority/,
      /--ca-file FILE of hedge profile add or set, or HEDGE_CA_FILE/,
    );
    expect(await refusalOf(connected(`https://127.0.0.1:${port}/v2`, { ca: [ca] }), heard)).toEqual(expected);
    expect(await refusalOf(connected(`https://127.0.0.1:${port}/v2`), heard)).toEqual(expected);
  });

  it('of no TLS at all lets nothing leave', async () => {
    const heard: string[] = [];
    const { port } = await plainServer((socket) => {
      socket.on('data', (chunk) => heard.push(chunk.toString('latin1')));
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    const client = connected(`https://127.0.0.1:${port}/v2`);
    const expected = refused(/HTTPS|TLS handshake/, /port/);
    expect(await refusalOf(client, () => heard.join(''))).toEqual(expected);
  });

  it('of the authority that was named is believed', async () => {
    const { api } = await scriptedClient([on(ACCOUNT, ok(anAccount()))]);
    await expect(api.account()).resolves.toMatchObject({ data: {} });
  });

  /** How a call ended, and whether anything of it reached the other side. */
  async function refusalOf(
    { api, clock }: Connected,
    heard: () => string,
  ): Promise<{ error: unknown; waits: number; leaked: boolean }> {
    const error = await rejection(api.account());
    const leaked = /bearer|account|GET/i.test(heard()) || heard().includes(CANARY);
    return { error, waits: clock.sleeps.length, leaked };
  }

  const refused = (says: RegExp, hint: RegExp): unknown => ({
    error: expect.objectContaining({
      name: UnavailableError.name,
      code: 'unavailable',
      meaning: 'Nothing was sent.',
      retry: 'never',
      what: expect.stringMatching(says),
      hint: hinting(hint),
    }),
    waits: 0,
    leaked: false,
  });
});

/** A CONNECT proxy that leads every host to `leadsTo`, or refuses with `status`. */
async function aProxy(
  leadsTo: number,
  status = 200,
): Promise<{ url: string; asked: string[]; authorizations: unknown[] }> {
  const asked: string[] = [];
  const authorizations: unknown[] = [];
  const server = createProxy();
  server.on('connect', (request, socket: Socket) => {
    asked.push(request.url ?? '');
    authorizations.push(request.headers['proxy-authorization']);
    socket.on('error', () => undefined);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const onward = connectTcp(leadsTo, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  const port = await listen(server);
  onTestFinished(() => close(server));
  return { url: `http://127.0.0.1:${port}`, asked, authorizations };
}

describe('a proxy', () => {
  const { connected, scriptedClient } = TRANSPORTS[0];
  const AWAY = `https://desk.partner.test${BASE_PATH}`;

  it('leads to the service, whose own certificate still counts', async () => {
    const authority = await anAuthority();
    const certificate = await authority.issue({ hosts: ['desk.partner.test'] });
    const service = await scriptedService([on(ACCOUNT, ok(anAccount()))], { certificate });
    const proxy = await aProxy(service.port);
    const https = proxy.url.replace('://', '://trader:pass%40word@');
    const { api } = connected(AWAY, { ca: [authority.ca], proxy: { https } });
    await expect(api.account()).resolves.toMatchObject({ data: {} });
    expect(proxy.asked).toEqual(['desk.partner.test:443']);
    // printf 'trader:pass@word' | base64
    expect(proxy.authorizations).toEqual(['Basic dHJhZGVyOnBhc3NAd29yZA==']);
    expect(service.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('lets the TLS probe through, and nothing is sent', async () => {
    const authority = await anAuthority('Beyond');
    const certificate = await authority.issue({ hosts: ['desk.partner.test'] });
    const service = await scriptedService([], { certificate });
    const proxy = await aProxy(service.port);
    const probing = {
      baseUrl: AWAY,
      trust: { ca: [authority.ca], roots: false },
      proxy: { https: proxy.url },
      clock: systemClock,
    };
    const seen = await probeTls(probing, new AbortController().signal);
    expect(seen).toMatchObject({ protocol: 'TLSv1.3', chain: [{ issuer: 'Beyond' }] });
    expect(proxy.asked).toEqual(['desk.partner.test:443']);
    const untrusted = probeTls({ ...probing, trust: { ca: [], roots: false } }, new AbortController().signal);
    expect(String(await rejection(untrusted))).toContain('unknown authority');
    expect(service.requests).toEqual([]);
  });

  it('that reads along with a certificate of its own is not believed', async () => {
    const stranger = await anAuthority('Middle box');
    const { port, heard } = await eavesdropper(await stranger.issue({ hosts: ['desk.partner.test'] }));
    const proxy = await aProxy(port);
    const { api } = connected(AWAY, { proxy: { https: proxy.url } });
    expect(String(await rejection(api.account()))).toContain('unknown authority');
    expect(heard()).toBe('');
  });

  it.each([
    [407, /the proxy requires a user and password/, 1],
    [403, /the proxy did not connect \(403\)/, 1],
    [502, /the proxy did not connect \(502\)/, 4],
  ])('that answers %i is named, its password is not', async (status, says, attempts) => {
    const proxy = await aProxy(0, status);
    const { api } = connected(AWAY, { proxy: { https: proxy.url.replace('://', '://u:hush-hush@') } });
    const error = await rejection(api.account());
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ what: expect.stringMatching(says), meaning: 'Nothing was changed.' });
    expect(inspect(error, { depth: 9 })).not.toContain('hush-hush');
    expect(proxy.asked).toHaveLength(attempts);
  });

  it('that is not there, or hangs up, is named', async () => {
    const dead = connected(AWAY, { proxy: { https: `127.0.0.1:${await unusedPort()}` } });
    expect(String(await rejection(dead.api.account()))).toMatch(/proxy failed: connection refused/);
    const { port } = await plainServer((socket) => socket.destroy());
    const mute = connected(AWAY, { proxy: { https: `http://127.0.0.1:${port}` } });
    expect(await rejection(mute.api.account())).toMatchObject({
      meaning: 'Nothing was changed.',
      what: expect.stringContaining('proxy'),
    });
  });

  it('is never asked for this machine', async () => {
    const { api } = await scriptedClient([on(ACCOUNT, ok(anAccount()))], {
      proxy: { https: `http://127.0.0.1:${await unusedPort()}` },
    });
    await expect(api.account()).resolves.toMatchObject({ data: {} });
  });
});

describe.each(TRANSPORTS)('the key, over the $road transport', ({ scriptedClient }) => {
  const secret = KEY.reveal();
  const echoes: readonly [string, Answer][] = [
    [
      'a refusal that repeats it',
      no(400, 'bad_key', { message: `bad key ${secret}`, details: { key: secret } }),
    ],
    ['a 401 that repeats it', no(401, 'unauthorized', { message: `who is ${secret}?` })],
    ['a header that repeats it', no(404, 'hedge_not_found', { headers: { 'x-seen': `Bearer ${secret}` } })],
    ['a web page', html(200)],
    ['a wrong shape with it as a name', ok({ [secret]: secret })],
    ['a meta with it', ok({ balance_usdc: secret }, { key: secret })],
    ['something that is not HTTP', bytes(`SSH ${secret}\r\n\r\n`)],
    ['a reset', reset],
  ];

  it.each(echoes)('is in no error and no trace line after %s', async (_, answer) => {
    const lines: string[] = [];
    const { api } = await scriptedClient(
      Array.from({ length: answer === reset ? 4 : 1 }, () => on(ACCOUNT, answer)),
      { trace: (line) => lines.push(line) },
    );
    const error = await rejection(api.account());
    const seen = inspect(error, { depth: 12, showHidden: true }) + JSON.stringify(error) + lines.join('\n');
    expect(seen).not.toContain(CANARY);
    expect(lines.filter((line) => line.startsWith('> authorization'))[0]).toBe(
      '> authorization: Bearer hk_test_…9f2c',
    );
  });

  it('is masked in data that repeats it', async () => {
    const { api } = await scriptedClient([on(ACCOUNT, ok(anAccount({ note: `key ${secret}` })))]);
    expect((await api.account()).data['note']).toBe('key hk_test_…9f2c');
  });
});

describe.each(TRANSPORTS)('the trace, over the $road transport', ({ scriptedClient }) => {
  it('says what was sent, what came back and how long it took, an attempt at a time', async () => {
    const lines: string[] = [];
    const { api } = await scriptedClient(
      [
        on(ACCOUNT, reset),
        on(ACCOUNT, ok(anAccount(), {}, { 'x-note': 'a\u009bb', date: 'Fri, 20 Nov 2026 09:02:11 GMT' })),
      ],
      {
        trace: (line) => lines.push(line),
        userAgent: 'hedge-cli/9',
      },
    );
    await api.account();
    const sent = [
      '> accept: application/json',
      '> accept-encoding: identity',
      '> user-agent: hedge-cli/9',
      '> authorization: Bearer hk_test_…9f2c',
    ];
    expect(lines.slice(0, 12)).toEqual([
      '> GET /account attempt 1',
      ...sent,
      expect.stringMatching(/^< no response from 127\.0\.0\.1:\d+ in 0 ms: connection reset \(ECONNRESET\)$/),
      '> GET /account attempt 2',
      ...sent,
      '< 200 in 0 ms',
    ]);
    expect(lines).toContain('< date: Fri, 20 Nov 2026 09:02:11 GMT');
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });
});

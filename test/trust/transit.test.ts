/**
 * S3, S4: the key goes to the one address that proves who it is, and to nobody else: no one who took its place, and no
 * one it points to.
 */
import { readdirSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anAccount, succeeded } from '../spec/bodies.ts';
import { runBuilt } from '../support/built.ts';
import { wayTo } from '../support/cli-for.ts';
import { bookFor, EACH_ACTION, wordsOf } from '../support/each-action.ts';
import { frontOf } from '../support/front.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { close, listen, on, plainServer, raw, scriptedService } from '../support/scripted-service.ts';
import { servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { anAuthority, type Issued, inDays } from '../support/tls.ts';

const UNCHECKED = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };

/** Keeps every byte that comes out of its TLS. */
async function listener(issued: Issued, at: number): Promise<() => string> {
  const heard: Buffer[] = [];
  const server = createTlsServer({ key: issued.key, cert: issued.cert }, (socket) => {
    socket.on('data', (part) => heard.push(part));
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  await listen(server, '127.0.0.1', at);
  onTestFinished(() => close(server));
  return () => Buffer.concat(heard).toString('latin1');
}

describe('a saved session', () => {
  const inPlace: readonly [string, (known: Awaited<ReturnType<typeof anAuthority>>) => Promise<Issued>][] = [
    ['another authority', async () => (await anAuthority()).issue()],
    ['the same authority, for another host', (known) => known.issue({ hosts: ['wrong.example'] })],
    ['the same authority, expired since', (known) => known.issue({ from: inDays(-9), until: inDays(-2) })],
    ['the same authority, not valid yet', (known) => known.issue({ from: inDays(2), until: inDays(9) })],
  ];
  it.each(inPlace)('does not make a certificate of %s believed', async (_what, issue) => {
    const known = await anAuthority();
    const good = await known.issue();
    const server = createHttpsServer({ key: good.key, cert: good.cert }, (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(succeeded(anAccount())));
    });
    const port = await listen(server);
    const home = temporaryFolder();
    const env = {
      ...wayTo({ url: `https://127.0.0.1:${port}/v2`, ca: known.ca }, home),
      ...UNCHECKED,
      HEDGE_HOME: home,
    };
    expect(await runBuilt(['account'], { env })).toMatchObject({ code: 0 });
    expect(readdirSync(join(home, 'cache', 'tls-sessions'))).toHaveLength(1);
    await close(server);
    const heard = await listener(await issue(known), port);
    const wrong: string[] = [];
    const lines = ['account --json', 'open USDTNGN buy 10k --tenor 3 --yes --json', 'api GET /x --json'];
    const tried = spread(lines, 3);
    for (const words of tried) {
      const ran = await runBuilt([...words.split(' '), '-q'], { env });
      if (ran.code !== 5 || heard() !== '') wrong.push(`${words}: ${ran.code} ${ran.err} heard ${heard()}`);
    }
    expectHeld('S3 TLS', { runs: tried.length, wrong });
  });
});

/** A port where somebody counts who comes. */
async function somewhereElse(): Promise<{ port: number; reached: () => number }> {
  let reached = 0;
  const { port } = await plainServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  return { port, reached: () => reached };
}

describe('a redirect', () => {
  it('would be seen to be followed', async () => {
    const { port, reached } = await somewhereElse();
    const redirecting = createHttpServer((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
    });
    const from = await listen(redirecting);
    onTestFinished(() => close(redirecting));
    await expect(fetch(`http://127.0.0.1:${from}/`, { method: 'POST', body: '{}' })).rejects.toThrow(
      'fetch failed',
    );
    expect(reached()).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])('of %i is followed to nobody', async (status) => {
    const { port, reached } = await somewhereElse();
    const wrong: string[] = [];
    for (const location of [
      `https://127.0.0.1:${port}/v2/account`,
      `http://127.0.0.1:${port}/`,
      `//127.0.0.1:${port}/`,
    ]) {
      const service = await scriptedService([on('GET /account', raw(status, '', { location }))]);
      const home = temporaryFolder();
      const env = { ...wayTo(service, home), HEDGE_HOME: home };
      const ran = await runHedge(['account', '--json'], { env });
      if (ran.code !== 6 || reached() > 0) wrong.push(`${location}: ${ran.code}, ${reached()} connections`);
      if (service.requests.length !== 1) wrong.push(`${location}: asked ${service.requests.length} times`);
    }
    expectHeld('S4 redirects', { runs: 3, wrong });
  });
});

describe('a redirect of an action', () => {
  it.each(EACH_ACTION)(
    'to $name is sent on to nobody, and leaves open whether it was done',
    async (action) => {
      const served = await servedBook(WITHOUT_LIMIT);
      onTestFinished(() => served.close());
      const front = await frontOf(served, temporaryFolder());
      const { port, reached } = await somewhereElse();
      const wrong: string[] = [];
      const cases = REDIRECTS(port).flatMap((redirect) =>
        [true, false].map((acts) => ({ ...redirect, acts })),
      );
      const tried = spread(cases, 9, 3);
      for (const { status, location, acts } of tried) {
        await bookFor(served, action);
        const asked: string[] = [];
        front.watch((line) => asked.push(line));
        front.meddle(async (line, pass) => {
          if (line !== `POST ${action.path}`) return pass();
          if (acts) await pass();
          return { status, headers: { location }, body: '' };
        });
        const env = front.way(temporaryFolder());
        const ran = await runHedge(wordsOf(action), { env });
        const { error } = JSON.parse(ran.out);
        const told = `${status.toString()} to ${location}, acted: ${acts.toString()}: ${String(ran.code)} ${ran.err}`;
        if (ran.code !== 7 || error.effect !== 'unknown') wrong.push(`not in doubt: ${told}`);
        if (asked.filter((line) => line === `POST ${action.path}`).length !== 1)
          wrong.push(`sent again: ${told}`);
        if (reached() > 0) wrong.push(`sent on: ${told}`);
        front.meddle((_, pass) => pass());
        const settled = await runHedge(['resume', '--yes', '--resend', '--json'], { env });
        if (settled.code !== 0 || served.acted(action.path) !== 1)
          wrong.push(`not settled: ${told}, then ${String(settled.code)} ${settled.err}`);
      }
      expectHeld('S4 redirects', { runs: tried.length, wrong });
    },
  );
});

const REDIRECTS = (port: number) =>
  [301, 302, 303, 307, 308].flatMap((status) =>
    [
      'https://127.0.0.1:PORT/v2/hedges',
      'http://127.0.0.1:PORT/',
      '//localhost:PORT/',
      '/elsewhere',
      'https://evil.test/',
    ].map((location) => ({ status, location: location.replace('PORT', port.toString()) })),
  );

/**
 * S20: what reaches the practice service without its key costs it nothing: no body is kept before key, method and path are
 * known, and large bodies of the control API are read one at a time.
 */
import { readFileSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { aQuarterOf, expectHeld } from '../support/goal.ts';
import { serveFrom } from '../support/load/served.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const GOAL = 'S20 practice requests';
const MIB = 1_048_576;
const CONNECTIONS = 16;
const BODY = 64 * MIB;
/** Far below the bodies together, far above what the service needs for itself. */
const MOST_GROWTH_MB = 200;

/** The most memory that the process ever had, in MB. */
const peakMb = (pid = 0): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid.toString()}/status`, 'utf8'))?.[1]) / 1_024;

/** Sends the head and as much of the body as the service takes; gives the status, or 0 where none arrived. */
function sent(url: URL, ca: string, { head, bytes }: { head: string; bytes: number }): Promise<number> {
  const socket: TLSSocket = connect({ host: url.hostname, port: Number(url.port), ca });
  const isChunked = head.includes('chunked');
  const part = Buffer.alloc(MIB, ' ');
  let text = '';
  let left = bytes;
  const write = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= part.length;
      if (isChunked) socket.write(`${part.length.toString(16)}\r\n`);
      const hasRoom = socket.write(part);
      if (isChunked) socket.write('\r\n');
      if (!hasRoom) return;
    }
    if (isChunked && left <= 0 && !socket.destroyed) socket.write('0\r\n\r\n');
  };
  socket.once('secureConnect', () => {
    socket.write(head);
    write();
  });
  socket.on('drain', write);
  return new Promise((resolve) => {
    const end = (): void => {
      socket.destroy();
      resolve(Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0));
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.includes('\r\n\r\n')) end();
    });
    socket.on('error', () => undefined);
    socket.on('close', end);
  });
}

const headOf = (method: string, path: string, key: string, chunked: boolean): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    ...(key === '' ? [] : [`Authorization: Bearer ${key}`]),
    chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${BODY.toString()}`,
    '\r\n',
  ].join('\r\n');

// The figure is the system's.
it.skipIf(process.platform !== 'linux')(
  'keeps no body of a request that it refuses, however many come at once',
  async () => {
    const service = await serveFrom(temporaryFolder(), {});
    onTestFinished(async () => void (await service.stop()));
    const url = new URL(service.url);
    const all: readonly (readonly [what: string, method: string, path: string, key: string])[] = [
      ['a fixture without a key', 'PUT', '/control/v1/fixture', ''],
      ['a fixture with the key of the partner API', 'PUT', '/control/v1/fixture', service.keys.live],
      ['a price path without a key', 'PUT', '/control/v1/prices', ''],
      ['a hedge without a key', 'POST', '/practice/v2/hedges', ''],
      ['a hedge with a wrong key', 'POST', '/practice/v2/hedges', 'hk_live_0123456789'],
      ['a hedge with the key', 'POST', '/practice/v2/hedges', service.keys.live],
      ['an unknown method', 'DELETE', '/practice/v2/hedges', service.keys.live],
      ['an unknown path', 'POST', '/practice/v2/nowhere', service.keys.live],
      ['below no book', 'POST', '/nowhere', ''],
    ];
    const cases = aQuarterOf(all);
    const wrong: string[] = [];
    for (const [what, method, path, key] of cases) {
      for (const chunked of [false, true]) {
        const before = peakMb(service.child.pid);
        const head = headOf(method, path, key, chunked);
        const sending = Array.from({ length: CONNECTIONS }, () =>
          sent(url, service.ca, { head, bytes: BODY }),
        );
        const statuses = await Promise.all(sending);
        const growth = peakMb(service.child.pid) - before;
        const told = `${what}${chunked ? ', in chunks' : ''}`;
        if (growth > MOST_GROWTH_MB) wrong.push(`${told}: ${growth.toFixed(0)} MB more`);
        // A sender that is cut off may not see the answer.
        if (statuses.some((status) => status !== 0 && (status < 400 || status > 499)))
          wrong.push(`${told}: ${statuses.join(' ')}`);
      }
    }
    expectHeld(GOAL, { runs: cases.length * 2, wrong });
    const head = `GET /practice/v2/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    expect(await sent(url, service.ca, { head, bytes: 0 })).toBe(200);
  },
);

/** S1, S3: a proxy carries the key and never sees it, and one that is not who it says carries nothing. */
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createPlainServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anAccount, succeeded } from '../spec/bodies.ts';
import { runBuilt } from '../support/built.ts';
import { holdsCanary } from '../support/canary.ts';
import { SANDBOX_KEY, wayTo } from '../support/cli-for.ts';
import { expectHeld } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { close, listen } from '../support/scripted-service.ts';
import { anAuthority, type Issued } from '../support/tls.ts';

const UNCHECKED = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };

describe('a proxy', () => {
  it.each(['http:', 'https:'])('(%s) learns the host, and not one byte of the key', async (scheme) => {
    const known = await anAuthority();
    const good = await known.issue({ hosts: ['desk.test'] });
    const heard: string[] = [];
    const service = createHttpsServer({ key: good.key, cert: good.cert }, (request, response) => {
      heard.push(request.headers.authorization ?? '');
      response.end(JSON.stringify(succeeded(anAccount())));
    });
    const port = await listen(service);
    onTestFinished(() => close(service));
    const seen: Buffer[] = [];
    const proxy = await tapped(seen, { scheme, to: port, certificate: await known.issue() });
    const home = temporaryFolder();
    const env = {
      ...wayTo({ url: 'https://desk.test/v2', ca: known.ca }, home),
      HEDGE_HOME: home,
      HTTPS_PROXY: `${scheme}//user:pass@127.0.0.1:${proxy}`,
    };
    const wrong: string[] = [];
    const lines = ['account', 'api GET /account', 'batch -', 'doctor', 'account --json'];
    for (const line of lines) {
      const ran = await runHedge(line.split(' '), { env, stdin: 'account\naccount\n' });
      if (![0, 11].includes(ran.code ?? -1)) wrong.push(`${line}: ${ran.code} ${ran.err}`);
    }
    const bytes = Buffer.concat(seen);
    expect(heard).toContain(`Bearer ${SANDBOX_KEY}`);
    expect(bytes.toString('latin1')).toContain('CONNECT desk.test:443');
    if (holdsCanary(SANDBOX_KEY, bytes)) wrong.push('the proxy saw the key');
    expectHeld('S1 secrets', { runs: lines.length, wrong });
  });
});

describe('a proxy that is not who it says', () => {
  it.each<[string, (known: Awaited<ReturnType<typeof anAuthority>>) => Promise<Issued>]>([
    ['has the certificate of another host', (known) => known.issue({ hosts: ['wrong.example'] })],
    ['has that of the host behind it', (known) => known.issue({ hosts: ['desk.test'] })],
    ['has that of an unknown authority', async () => (await anAuthority()).issue()],
  ])('and %s learns neither the host nor the sender', async (_, issue) => {
    const known = await anAuthority();
    const seen: Buffer[] = [];
    const proxy = await tapped(seen, { scheme: 'https:', to: 1, certificate: await issue(known) });
    const home = temporaryFolder();
    const env = {
      ...wayTo({ url: 'https://desk.test/v2', ca: known.ca }, home),
      ...UNCHECKED,
      HEDGE_HOME: home,
      HTTPS_PROXY: `https://user:pass@127.0.0.1:${proxy}`,
    };
    const ran = await runBuilt(['account'], { env });
    const heard = Buffer.concat(seen).toString('latin1');
    const wrong = ran.code === 5 && heard === '' ? [] : [`${ran.code} ${ran.err} heard ${heard}`];
    expectHeld('S3 TLS', { runs: 1, wrong });
  });
});

/** A proxy that keeps every byte that passes, and leads wherever it is asked to go `to` this port. */
async function tapped(
  seen: Buffer[],
  { scheme, to, certificate }: { scheme: string; to: number; certificate: Issued },
): Promise<number> {
  const serve = (socket: Socket): void => {
    socket.on('error', () => undefined);
    socket.once('data', (head: Buffer) => {
      seen.push(head);
      const behind = connect(to, '127.0.0.1', () => {
        for (const [from, other] of [
          [socket, behind],
          [behind, socket],
        ] as const)
          from.on('data', (part: Buffer) => seen.push(part)).pipe(other);
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      });
      behind.on('error', () => socket.destroy());
      socket.on('close', () => behind.destroy());
    });
  };
  const server =
    scheme === 'https:'
      ? createTlsServer({ key: certificate.key, cert: certificate.cert }, serve)
      : createPlainServer(serve);
  const port = await listen(server);
  onTestFinished(() => close(server));
  return port;
}

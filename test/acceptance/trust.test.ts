import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anAccount } from '../spec/bodies.ts';
import { runBuilt } from '../support/built.ts';
import { SANDBOX_KEY } from '../support/cli-for.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { anAuthority, type Issued, inDays, loopbackTls } from '../support/tls.ts';

/** A TLS server that keeps every byte it is told. */
async function listener(issued: Issued) {
  const heard: Buffer[] = [];
  const server = createServer({ key: issued.key, cert: issued.cert }, (socket) => {
    socket.on('data', (part) => heard.push(part));
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `https://127.0.0.1:${port}/v2`, heard: () => Buffer.concat(heard).toString('latin1') };
}

describe('a certificate that is not to be trusted', () => {
  it.each([
    [
      'of an unknown authority',
      async () => ({ issued: await (await anAuthority()).issue(), known: await anAuthority() }),
    ],
    ['of another host', async () => issueFrom({ hosts: ['wrong.example'] })],
    ['that has expired', async () => issueFrom({ from: inDays(-9), until: inDays(-2) })],
    ['that is not valid yet', async () => issueFrom({ from: inDays(2), until: inDays(9) })],
  ])('%s is refused, checks switched off or not, and hears no key', async (_what, make) => {
    const { issued, known } = await make();
    const service = await listener(issued);
    const home = temporaryFolder();
    const caFile = join(home, 'ca.pem');
    writeFileSync(caFile, known.ca);
    const ran = await runBuilt(['account', '--json', '-q'], {
      env: {
        HEDGE_HOME: home,
        HEDGE_API_KEY: SANDBOX_KEY,
        HEDGE_BASE_URL: service.url,
        HEDGE_CA_FILE: caFile,
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_NO_WARNINGS: '1',
      },
    });
    expect(ran.code).toBe(5);
    expect(JSON.parse(ran.out)).toMatchObject({ error: { code: 'unavailable', effect: 'none' } });
    expect(service.heard()).toBe('');
  });

  async function issueFrom(options: Parameters<Awaited<ReturnType<typeof anAuthority>>['issue']>[0]) {
    const authority = await anAuthority();
    return { issued: await authority.issue(options), known: authority };
  }
});

describe('a certificate of an authority that was named', () => {
  it.each(['HEDGE_CA_FILE', 'NODE_EXTRA_CA_CERTS'])('is let in by %s', async (variable) => {
    const service = await scriptedService([on('GET /account', ok(anAccount()))]);
    const home = temporaryFolder();
    const caFile = join(home, 'ca.pem');
    writeFileSync(caFile, (await loopbackTls()).ca);
    const ran = await runBuilt(['account'], {
      env: { HEDGE_HOME: home, HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: service.url, [variable]: caFile },
    });
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toContain('41,320.00');
  });
});

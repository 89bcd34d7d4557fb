import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../spec/bodies.ts';
import { isExecutable, runBuilt, runProgram, toStart } from '../support/built.ts';
import { cliFor, SANDBOX_KEY, wayTo } from '../support/cli-for.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';

const twice = Array.from({ length: 2 }, () => on('GET /account', ok(anAccount())));

describe('what hedge keeps of a TLS connection', () => {
  it('is a session in the cache, with no key in it', async () => {
    const cli = cliFor(await scriptedService(twice));
    const folder = join(cli.home, 'cache', 'tls-sessions');
    for (let run = 0; run < 2; run++) expect((await cli.run('account --json')).code).toBe(0);
    const files = readdirSync(folder);
    expect(files).toHaveLength(1);
    const text = readFileSync(join(folder, files[0] ?? ''), 'latin1');
    const kept: { session: string } = JSON.parse(text.slice(text.indexOf('{"session"')));
    expect(kept.session).not.toBe('');
    expect(Buffer.from(kept.session, 'base64').toString('latin1')).not.toContain(SANDBOX_KEY);
  });

  it('is nothing under HEDGE_TLS_SESSIONS=off', async () => {
    const cli = cliFor(await scriptedService(twice.slice(1)));
    const env = { HEDGE_TLS_SESSIONS: 'off' };
    expect((await cli.run('account --json', { env })).code).toBe(0);
    expect(existsSync(join(cli.home, 'cache'))).toBe(false);
  });

  it.each([
    ['--use-openssl-ca', { NODE_OPTIONS: '--use-openssl-ca' }],
    ['SSL_CERT_FILE', { SSL_CERT_FILE: '/etc/ssl/cert.pem' }],
    ['SSL_CERT_DIR', { SSL_CERT_DIR: '/etc/ssl/certs' }],
  ])('is nothing under %s, and what was kept before is neither used nor renewed', async (_, env) => {
    const service = await scriptedService([...twice, ...twice.slice(1)]);
    const home = temporaryFolder();
    const way = { ...wayTo(service, home), HEDGE_HOME: home };
    const folder = join(home, 'cache', 'tls-sessions');
    expect(await runBuilt(['account'], { env: { ...way, ...env } })).toMatchObject({ code: 0 });
    expect(existsSync(folder)).toBe(false);
    expect(await runBuilt(['account'], { env: way })).toMatchObject({ code: 0 });
    const [file = ''] = readdirSync(folder);
    const before = readFileSync(join(folder, file), 'utf8');
    expect(await runBuilt(['account'], { env: { ...way, ...env } })).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, file), 'utf8')).toBe(before);
  });

  // An executable takes no options of Node.
  it.skipIf(isExecutable)('is nothing where Node itself was started with --use-openssl-ca', async () => {
    const service = await scriptedService(twice.slice(1));
    const home = temporaryFolder();
    const [node, ...args] = toStart('account');
    const env = { ...wayTo(service, home), HEDGE_HOME: home };
    expect(await runProgram(node, ['--use-openssl-ca', ...args.flat()], { env })).toMatchObject({ code: 0 });
    expect(existsSync(join(home, 'cache', 'tls-sessions'))).toBe(false);
  });

  it('is nothing of the practice service, which is another one every time', async () => {
    const cli = cliFor({ url: 'https://unused.test/v2', ca: '' });
    const env = { HEDGE_API_KEY: '', HEDGE_BASE_URL: '', HEDGE_CA_FILE: '', HEDGE_PROFILE: 'practice' };
    expect((await cli.run('account --json', { env })).code).toBe(0);
    expect(existsSync(join(cli.home, 'cache'))).toBe(false);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../spec/bodies.ts';
import { deskAt, SANDBOX_KEY } from '../support/desk-at.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';

const twice = Array.from({ length: 2 }, () => on('GET /account', ok(anAccount())));

describe('what hedge keeps of a TLS connection', () => {
  it('is a session in the cache, with no key in it', async () => {
    const desk = deskAt(await scriptedService(twice));
    const folder = join(desk.home, 'cache', 'tls-sessions');
    for (let run = 0; run < 2; run++) expect((await desk.run('account --json')).code).toBe(0);
    const files = readdirSync(folder);
    expect(files).toHaveLength(1);
    const kept: { session: string } = JSON.parse(readFileSync(join(folder, files[0] ?? ''), 'utf8'));
    expect(kept.session).not.toBe('');
    expect(Buffer.from(kept.session, 'base64').toString('latin1')).not.toContain(SANDBOX_KEY);
  });

  it('is nothing under HEDGE_TLS_SESSIONS=off', async () => {
    const desk = deskAt(await scriptedService(twice.slice(1)));
    const env = { HEDGE_TLS_SESSIONS: 'off' };
    expect((await desk.run('account --json', { env })).code).toBe(0);
    expect(existsSync(join(desk.home, 'cache'))).toBe(false);
  });

  it('is nothing of the practice service, which is another one every time', async () => {
    const desk = deskAt({ url: 'https://unused.test/v2', ca: '' });
    const env = { HEDGE_API_KEY: '', HEDGE_BASE_URL: '', HEDGE_CA_FILE: '', HEDGE_PROFILE: 'practice' };
    expect((await desk.run('account --json', { env })).code).toBe(0);
    expect(existsSync(join(desk.home, 'cache'))).toBe(false);
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Keychain } from '../../src/config/keychain.ts';
import { CredentialError } from '../../src/errors.ts';
import { anAccount } from '../spec/bodies.ts';
import { SANDBOX_KEY } from '../support/cli-for.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { type TestCli, testCli, testKeychain } from '../support/test-cli.ts';

const ADDRESS = 'https://partner.example/desk/v2';
const add = (cli: TestCli, name = 'desk', url = ADDRESS, more: readonly string[] = ['--no-check']) =>
  cli.run(['profile', 'add', name, '--base-url', url, '--key-stdin', '--store', 'keychain', ...more], {
    stdin: `${SANDBOX_KEY}\n`,
  });
const profilesOf = (cli: TestCli): string => readFileSync(join(cli.home, 'config', 'profiles.json'), 'utf8');

/** One that cannot be used. */
const refuse = async (): Promise<never> => {
  throw new CredentialError({
    code: 'credential_unusable',
    what: 'The keychain is locked.',
    hint: 'Unlock it.',
  });
};
const LOCKED: Keychain = { read: refuse, keep: refuse, forget: refuse };

describe('a profile whose key is in the keychain', () => {
  it('trades with it, and no file holds it', async () => {
    const service = await scriptedService([
      on('GET /account', ok(anAccount())),
      on('GET /account', ok(anAccount())),
    ]);
    const { keychain, held } = testKeychain();
    const cli = testCli({ keychain });
    const caFile = join(cli.home, 'ca.pem');
    writeFileSync(caFile, service.ca);
    const added = await add(cli, 'desk', service.url, ['--ca-file', caFile]);
    expect([added.code, added.out]).toEqual([0, expect.stringContaining('in the keychain of this machine')]);
    expect([...held]).toEqual([[expect.stringMatching(/^desk-[0-9a-f]{12}$/), SANDBOX_KEY]]);
    expect(profilesOf(cli)).not.toContain(SANDBOX_KEY);
    const ran = await cli.run('--profile desk account --json');
    expect(ran.document()).toMatchObject({ meta: { environment: 'sandbox' }, error: null });
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${SANDBOX_KEY}`,
      `Bearer ${SANDBOX_KEY}`,
    ]);
  });

  it('is shown by where its key is, and goes with it', async () => {
    const { keychain, held } = testKeychain();
    const cli = testCli({ keychain });
    await add(cli);
    const shown = await cli.run('profile show desk');
    expect(shown.out).toMatch(/Key +in the keychain of this machine, as hedge desk-[0-9a-f]{12}/);
    expect((await cli.run('profile remove desk --yes')).code).toBe(0);
    expect(held.size).toBe(0);
  });

  it('is not added when the keychain cannot be used, and the key is not stored', async () => {
    const cli = testCli({ keychain: LOCKED });
    const ran = await add(cli, 'desk', ADDRESS, ['--no-check', '--json']);
    expect([ran.code, ran.document()]).toMatchObject([4, { error: { code: 'credential_unusable' } }]);
    expect(ran.err).toContain('Unlock it.');
    expect((await cli.run('profile list --json')).document()).toMatchObject({
      data: [{ name: 'practice' }, { name: 'practice-live' }],
    });
  });

  it('leaves nothing in the keychain when it is not added', async () => {
    const { keychain, held } = testKeychain();
    const cli = testCli({ keychain });
    await add(cli);
    expect((await add(cli)).code).toBe(2);
    expect(held.size).toBe(1);
    const forgetful = testCli({ keychain: { ...keychain, read: async () => 'another' } });
    expect((await add(forgetful)).code).toBe(4);
    expect(held.size).toBe(1);
  });

  it('says so when the keychain has lost it, or is locked', async () => {
    const { keychain, held } = testKeychain();
    const cli = testCli({ keychain });
    await add(cli);
    held.clear();
    const lost = await cli.run('--profile desk account');
    expect([lost.code, lost.err]).toEqual([4, expect.stringContaining('has no API key for profile desk')]);
  });

  it('stays when its key cannot be forgotten, unless the key is to be left there', async () => {
    const { keychain, held } = testKeychain();
    let locked = false;
    const cli = testCli({
      keychain: { ...keychain, forget: (entry) => (locked ? refuse() : keychain.forget(entry)) },
    });
    await add(cli);
    locked = true;
    expect((await cli.run('profile remove desk --yes')).code).toBe(4);
    expect(profilesOf(cli)).toContain('"desk"');
    expect((await cli.run('profile remove desk --yes --leave-key')).code).toBe(0);
    expect(held.size).toBe(1);
  });

  it.each([
    ['of a command', ['--key-command', '["cat"]', '--store', 'keychain']],
    ['in a place that is none', ['--key-stdin', '--store', 'cloud']],
  ])('is not kept %s', async (_what, words) => {
    const ran = await testCli().run(['profile', 'add', 'desk', '--base-url', ADDRESS, ...words], {
      stdin: SANDBOX_KEY,
    });
    expect(ran.code).toBe(2);
  });
});

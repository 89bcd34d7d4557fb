import { describe, expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';

describe('--version', () => {
  it('is one line', async () => {
    expect(await testCli().run('--version')).toMatchObject({ code: 0, out: '0.0.0\n', err: '' });
  });

  it.each(['--version --json', '--json --version', 'open USDTNGN buy 10 --version --json'])(
    'tells a script what runs it: %s',
    async (words) => {
      const ran = await testCli().run(words);
      expect(ran).toMatchObject({ code: 0, err: '' });
      expect(ran.document()).toMatchObject({
        data: {
          version: '0.0.0',
          node: process.versions.node,
          platform: 'linux-x64',
          commit: null,
          executable: false,
        },
        error: null,
        meta: { schema: 1, command: '--version', profile: null },
      });
    },
  );

  it('needs no home folder and no profile', async () => {
    const env = { HEDGE_HOME: 'relative', HEDGE_PROFILE: 'nobody' };
    expect((await testCli({ env }).run('--version --json')).code).toBe(0);
  });
});

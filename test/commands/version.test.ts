import { describe, expect, it } from 'vitest';
import { steadyClock } from '../support/steady-clock.ts';
import { testCli } from '../support/test-cli.ts';

describe('what people type', () => {
  it.each([
    ['version', '--version'],
    ['status', ''],
    ['status -ojson', '-o json'],
    ['-o jsonl journal', 'journal --output jsonl'],
  ])('`hedge %s` prints what `hedge %s` prints', async (words, same) => {
    const clock = steadyClock();
    const [one, other] = [await testCli({ clock }).run(words), await testCli({ clock }).run(same)];
    expect(one).toMatchObject({ code: 0, err: other.err });
    expect(one.out.replace('"command":"status"', '"command":"hedge"')).toBe(other.out);
  });

  it('an unknown format after -o is a usage error, and --output beside it too', async () => {
    expect((await testCli().run('status -o jsno')).err).toContain('Did you mean json?');
    expect((await testCli().run('status -o json --output csv')).code).toBe(2);
  });
});

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

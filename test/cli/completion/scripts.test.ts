/** The files in completions/ and what `hedge completion` prints are the scripts of the source. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { completionFiles } from '../../../src/cli/completion/scripts.ts';
import { testCli } from '../../support/test-cli.ts';

const shipped = (file: string): string =>
  readFileSync(new URL(`../../../completions/${file}`, import.meta.url), 'utf8');

describe('completions/', () => {
  it('holds the scripts as they are now; otherwise run npm run completions', () => {
    const files = completionFiles();
    expect(files.map(({ file }) => file)).toEqual(['hedge.bash', '_hedge', 'hedge.fish']);
    for (const { file, content } of files) expect(shipped(file)).toBe(content);
  });

  it.each([
    ['bash', 'hedge.bash'],
    ['zsh', '_hedge'],
    ['fish', 'hedge.fish'],
  ])('is printed for %s as it ships, without a profile', async (shell, file) => {
    const { code, out, err } = await testCli().run(`completion ${shell}`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(shipped(file));
  });

  it('uses nothing that bash 3.2 does not have', () => {
    expect(shipped('hedge.bash')).not.toMatch(
      /\b(?:mapfile|readarray|coproc|declare -[A-Zn]|local -[A-Zn]|compgen|eval)\b|\$\{\w+(?:,,?|\^\^?|@\w)\}|\|&|&>>|;;&/,
    );
  });

  it.each(['tcsh', 'powershell'])('exits 2 for %s, a shell without completion', async (shell) => {
    const { code, err } = await testCli().run(`completion ${shell}`);
    expect(code).toBe(2);
    expect(err).toContain('Use one of bash, zsh, fish.');
  });
});

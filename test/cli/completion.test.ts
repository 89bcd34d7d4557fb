/** The scripts that ship are those that the commands make, and `hedge completion` prints them to the byte. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { completionFiles } from '../../src/cli/completion/scripts.ts';
import { aDesk } from '../support/desk.ts';

const shipped = (file: string): string =>
  readFileSync(new URL(`../../completions/${file}`, import.meta.url), 'utf8');

describe('completions/', () => {
  it('is what the commands make of it now; otherwise: npm run completions', async () => {
    const files = await completionFiles();
    expect(files.map(({ file }) => file)).toEqual(['hedge.bash', '_hedge', 'hedge.fish', 'hedge.ps1']);
    for (const { file, content } of files) expect(shipped(file)).toBe(content);
  });

  it.each([
    ['bash', 'hedge.bash'],
    ['zsh', '_hedge'],
    ['fish', 'hedge.fish'],
    ['powershell', 'hedge.ps1'],
  ])('is printed for %s as it ships, without a profile', async (shell, file) => {
    const { code, out, err } = await aDesk().run(`completion ${shell}`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(shipped(file));
  });

  it('asks nothing of bash that one of 3.2 does not have', () => {
    expect(shipped('hedge.bash')).not.toMatch(
      /\b(?:mapfile|readarray|coproc|declare -[A-Zn]|local -[A-Zn]|compgen|eval)\b|\$\{\w+(?:,,?|\^\^?|@\w)\}|\|&|&>>|;;&/,
    );
  });

  it('turns down a shell that it has nothing for', async () => {
    const { code, err } = await aDesk().run('completion tcsh');
    expect(code).toBe(2);
    expect(err).toContain('bash, zsh, fish, powershell');
  });
});

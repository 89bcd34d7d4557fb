/** The files in completions/ and what `hedge completion` prints are the scripts of the source. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionFiles } from '../../../src/cli/completion/scripts.ts';
import { temporaryFolder } from '../../support/own-folder.ts';
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

  it.each([
    ['hedge check SAL:', '2'],
    ['hedge check S', 'SAL:2'],
    ['hedge close USDTNGN buy --despite=SAL:', '2'],
    ['hedge close USDTNGN buy --despite PAY-1,S', 'SAL:2'],
  ])('puts only what follows a colon in its place in bash, which splits words there: %s', (line, put) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'hedge'), "#!/bin/sh\necho 'SAL:2'\n", { mode: 0o755 });
    const script = `source completions/hedge.bash; COMP_LINE='${line}'; COMP_POINT=${line.length}; _hedge; echo "$COMPREPLY"`;
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    expect(execFileSync('bash', ['--norc', '-c', script], { env, encoding: 'utf8' })).toBe(`${put}\n`);
  });

  it.each(['tcsh', 'powershell'])('exits 2 for %s, a shell without completion', async (shell) => {
    const { code, err } = await testCli().run(`completion ${shell}`);
    expect(code).toBe(2);
    expect(err).toContain('Use one of bash, zsh, fish.');
  });
});

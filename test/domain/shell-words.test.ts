/** Words of a next command as the shells of an operator read them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { commandOnId, commandText, shell, shellWord, withOperands } from '../../src/domain/hint.ts';
import { sanitize } from '../../src/domain/sanitize.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';

type ShellRun = readonly [name: string, options: readonly string[], before: string];
const SHELLS: readonly ShellRun[] = [
  ['bash', ['--norc'], ''],
  ['dash', [], ''],
  ['zsh', ['-f'], ''],
  ['fish', ['--no-config'], ''],
  // As at a prompt, where ! names an earlier command.
  ['bash', ['--norc'], 'set -o history -H\n'],
  ['zsh', ['-f'], 'setopt rc_quotes extended_glob magic_equal_subst\n'],
];

/** What a shell acts on, in any order. */
const fragments = [
  ...`'"\\\`$;&|<>(){}[]*?~!#=%^@+-_.,:/ abc019`,
  "'; touch pwned; '",
  "\\'",
  '\\\\',
  '$(touch pwned)',
  '%self',
  '=ls',
  '!!',
  '  ',
  'é',
  'ナ',
];
const typed = fc
  .array(fc.constantFrom(...fragments), { maxLength: 12 })
  .map((parts) => parts.join(''))
  .filter((text) => sanitize(text) === text);

/** The words that the shell passed on, one list for each line. Elsewhere, since a wrong quoting runs commands. */
function heard([program, options, before]: ShellRun, lines: readonly string[]): readonly string[][] {
  const folder = temporaryFolder();
  const script = lines.map((line) => String.raw`printf '%s\0' ${line}; printf '\n\0'`).join('\n');
  const file = join(folder, 'script');
  writeFileSync(file, `${before}${script}\n`);
  const said = execFileSync(program, [...options, file], { encoding: 'utf8', cwd: folder });
  expect(readdirSync(folder)).toEqual(['script']);
  return said
    .split('\n\0')
    .slice(0, -1)
    .map((line) => line.split('\0').slice(0, -1));
}

describe('a command to be copied', () => {
  for (const each of SHELLS) {
    const [name, , before] = each;
    const where = before === '' ? name : `${name} after ${before.trim()}`;
    it(`has words that ${where} reads as they were, whatever they are`, needs(name), () => {
      const words = fc.sample(typed, { numRuns: 1_500, seed: 29 });
      expect(heard(each, words.map(shellWord))).toEqual(words.map((word) => [word]));
    });
  }

  it('is one line that a screen shows as it is, and in which no two blanks end it', () => {
    const any = fc.oneof(typed, fc.string({ unit: 'binary' }), fc.string());
    fc.assert(
      fc.property(fc.array(any, { minLength: 1 }), (words) => {
        const command = commandText(withOperands(shell`hedge hedges`, words));
        expect(sanitize(command)).toBe(command);
        expect(command).not.toMatch(/ {2}/);
      }),
    );
  });

  it.each([
    ['hdg_1\nhedge open USDTNGN buy 50k --tenor 3 --any-price --yes'],
    ['hdg_1\r\nhedge close USDTNGN buy'],
    ['hdg_1\u2028hedge open'],
    ['hdg_1\u0085hedge open'],
    ['hdg_1\u001b[2K\u001b[Ghedge open'],
    ['hdg_\u202e1'],
    ['hdg_1 '],
    [''],
    ['x'.repeat(129)],
    ['hk_live_0123456789abcdef'],
    [`Z${'\u0301'.repeat(9)}`],
  ])('has no ID that is none: %j', (id) => {
    expect(commandText(commandOnId(shell`hedge wait`, id))).toBe('hedge hedges --watch');
    expect(commandText(commandOnId(shell`hedge roll`, id))).toBe('hedge hedges');
  });

  it.each([
    ['hdg_01JD8K', 'hedge wait hdg_01JD8K'],
    ['-hdg_1', 'hedge wait -- -hdg_1'],
    ['--yes', 'hedge wait -- --yes'],
    ["o'clock", `hedge wait 'o'"'"'clock'`],
    ['a\\', String.raw`hedge wait 'a'"\\"''`],
    ['a    b', `hedge wait 'a '" "' '" "'b'`],
  ])('has the ID %j as %s', (id, line) => {
    expect(commandText(commandOnId(shell`hedge wait`, id))).toBe(line);
  });

  it('on an ID that begins with - means that ID', async () => {
    const ids = ['-x', '--yes', '--help', '-', '--'];
    for (const id of ids) {
      const line = commandOnId(shell`hedge roll`, id, shell`--tenor 3 --at maturity`);
      // oxlint-disable-next-line no-await-in-loop
      const read = await readCommandLine(line.slice(1), { width: 80 });
      expect(read).toMatchObject({ kind: 'run', raw: { operands: [id], options: { tenor: '3' } } });
    }
  });
});

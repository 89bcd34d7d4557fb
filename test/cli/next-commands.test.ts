/** The commands that hints and screens name, as they are in the source: each is one that the command line has. */
import { describe, expect, it } from 'vitest';
import { GLOBAL_OPTIONS } from '../../src/cli/global-options.ts';
import { loadCommands } from '../../src/commands/registry.ts';
import { sourceFiles } from '../support/source-files.ts';

const TEMPLATE = /\bshell`hedge((?:[^`$]|\$\{(?:[^{}]|\{[^{}]*\})*\})*)`/g;
/** A profile before the name of the command, and any value. */
const PROFILE = /^ (?:--profile )?\$\{(?:profile|name|reaching|selected[^}]*)\}(?= [a-z])/;
const VALUE = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;

const named = sourceFiles().flatMap(({ name, text }) =>
  [...text.matchAll(TEMPLATE)].map(([, words = '']) => ({
    name,
    words: words.replace(PROFILE, '').replaceAll(VALUE, '…').trim().split(' '),
  })),
);
/** Those whose name is not a value. */
const commands = named.filter(({ words: [first = ''] }) => /^[a-z]/.test(first));

const longOf = (flags: string): string => /--[a-z-]+/.exec(flags)?.[0] ?? flags;
const known = await loadCommands();
const words = (name: string): readonly string[] => name.split(' ');

/** The longest name that these words begin with. */
const commandOf = (typed: readonly string[]) =>
  known
    .filter(({ name }) => words(name).every((word, at) => typed[at] === word))
    .toSorted((one, other) => words(other.name).length - words(one.name).length)[0];

describe('a command in the source', () => {
  it('is found, in hints and on screens', () => {
    expect(commands.length).toBeGreaterThan(150);
    expect(commands.map(({ words: typed }) => typed.join(' '))).toContain('check …');
  });

  it('has the name of a command, and options that this has', () => {
    const wrong = commands.filter(({ words: typed }) => {
      if (typed[0] === 'help') return false;
      const found = commandOf(typed);
      const flags = [...(found?.options ?? []), ...GLOBAL_OPTIONS, { flags: '--help' }].map((option) =>
        longOf(option.flags).replace('--no-', '--'),
      );
      const isGroup = known.some(({ name }) => name.startsWith(`${typed.join(' ')} `));
      return (
        (found === undefined && !isGroup) ||
        typed.some((word) => word.startsWith('--') && !flags.includes(longOf(word).replace('--no-', '--')))
      );
    });
    expect(wrong).toEqual([]);
  });
});

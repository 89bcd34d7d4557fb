/**
 * The option of every command that can be watched, and how the words around it are taken. Loaded with every help:
 * it imports nothing; what the option means is read in intent/watching.ts.
 */
import type { OptionSpec } from './words.ts';

export const WATCH_OPTION: OptionSpec = {
  flags: '--watch [seconds]',
  summary: 'reads again, every 5 s or as often as said (1 at least), until q or Ctrl-C',
};

/** What is taken for the seconds of `--watch`; any other word after it is a word of the command. */
const NUMBER = /^\d+(?:\.\d+)?s?$/i;

/** `--watch USDTNGN`: the word after it is no number, so it is not its seconds. The words as a parser should take them. */
export function withoutSwallowing(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const next = argv[index + 1];
    const isLast = next === undefined || (end !== -1 && index >= end);
    return word !== '--watch' || isLast || NUMBER.test(next) || next.startsWith('-') ? word : '--watch=';
  });
}

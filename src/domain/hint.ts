/**
 * Commands as words, and hints: sentences with commands in them, and commands with what they do. Rendered here alone,
 * quoted for bash, dash, zsh and fish.
 */

import {
  type CommandWords,
  type Hint,
  type HintLine,
  hintLines,
  type NextStep,
  type Sentence,
} from '../errors.ts';
import { isId } from './quoted.ts';
import { sanitize } from './sanitize.ts';

/** Words of a command, and values: one word each, or a list of them. */
type Template = readonly [texts: TemplateStringsArray, ...values: readonly (string | readonly string[])[]];

/** shell`hedge check ${id}` */
export const shell = (...[texts, ...values]: Template): CommandWords =>
  texts.flatMap((text, at) => [...text.split(' ').filter(Boolean), ...[values[at] ?? []].flat()]);

/** If an operand begins with `-`, all of them come after `--`, and the options before it. */
export const withOperands = (
  words: CommandWords,
  operands: readonly string[],
  options: readonly string[] = [],
): CommandWords =>
  operands.some((each) => each.startsWith('-'))
    ? [...words, ...options, '--', ...operands]
    : [...words, ...operands, ...options];

/** A command on an ID of the service. One that hedge does not accept as an ID is in no command: the list shows its hedge. */
export function commandOnId(words: CommandWords, id: string, options: readonly string[] = []): CommandWords {
  if (isId(id) && sanitize(id) === id) return withOperands(words, [id], options);
  return words.includes('wait') ? shell`hedge hedges --watch` : shell`hedge hedges`;
}

/** An option of a command; a value that begins with `-` is joined to it. */
export function optionWords(option: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  return value.startsWith('-') ? [`${option}=${value}`] : [option, value];
}

/** A command to be copied. */
export const commandText = (words: CommandWords): string => words.map(shellWord).join(' ');

/** No shell expands `=` (zsh) or `%` (fish) behind the first letter. */
const PLAIN = /^[A-Za-z0-9_./:@+,…-][A-Za-z0-9_./:=@%+,…-]*$/;
/** A word that a screen would change cannot be copied from it. */
const NOT_TO_BE_COPIED = '…';

/**
 * One word, quoted if it has special characters. Backslashes and apostrophes are between double quotes: fish reads them
 * as escapes between single ones. It has no two blanks in a row, which separate a command from its description.
 */
export function shellWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (sanitize(word) !== word) return NOT_TO_BE_COPIED;
  const inner = word
    .replaceAll(/['\\]+/g, (run) => `'"${run.replaceAll('\\', String.raw`\\`)}"'`)
    .replaceAll('  ', ` '" "'`);
  return `'${inner}'`;
}

const AFTER_COMMAND = ' '.repeat(4);

/** A sentence with commands: say`To see it: ${shell`hedge journal ${id}`}.` */
export const say = (
  texts: TemplateStringsArray,
  ...values: readonly (string | CommandWords | Sentence)[]
): Sentence => ({
  parts: texts.flatMap((text, at) => {
    const value = values[at] ?? '';
    return [text, ...(typeof value === 'object' && 'parts' in value ? value.parts : [value])];
  }),
});

/** `does`: empty for a command that needs no description. */
export const step = (command: CommandWords, does: Sentence = '', lead?: string): NextStep => ({
  command,
  does,
  lead,
});

/** The hint, and a sentence that follows its last one in the same line. */
export function andThen(hint: Hint, more: Sentence): readonly HintLine[] {
  const lines = hintLines(hint);
  const last = lines.at(-1);
  // A command at the end of a sentence would be read with the next one.
  return last === undefined || isCommand(last) || endsWithCommand(last)
    ? [...lines, more]
    : [...lines.slice(0, -1), say`${last} ${more}`];
}

const endsWithCommand = (line: Sentence): boolean =>
  typeof line === 'object' && typeof line.parts.findLast((part) => part !== '') === 'object';

/** Above the command that repeats a failed order. */
export const TO_RETRY = 'To retry:';

/** How a command is shown: under the profile that the command line named. */
export type CommandPlacing = (command: CommandWords) => CommandWords;

const asItIs: CommandPlacing = (command) => command;

export const sentenceText = (sentence: Sentence, place = asItIs): string =>
  typeof sentence === 'string'
    ? sentence
    : sentence.parts.map((part) => (typeof part === 'string' ? part : commandText(place(part)))).join('');

export const isCommand = (line: HintLine): line is NextStep => typeof line === 'object' && 'command' in line;

const partsOf = (line: HintLine): readonly (string | CommandWords)[] =>
  isCommand(line)
    ? [line.command, AFTER_COMMAND, ...partsOf(line.does)]
    : typeof line === 'string'
      ? [line]
      : line.parts;

/** All of a hint as one sentence. */
export const inOneLine = (hint: Hint | undefined): Sentence => ({
  parts: hintLines(hint).flatMap((line, at) => [at === 0 ? '' : ' ', ...partsOf(line)]),
});

/** Sentences, and the commands that follow one another: their descriptions are in one column. */
export function groupsOf(hint: Hint | undefined): readonly (Sentence | readonly NextStep[])[] {
  const groups: (Sentence | NextStep[])[] = [];
  for (const each of hintLines(hint)) {
    const last = groups.at(-1);
    if (!isCommand(each)) groups.push(each);
    else if (Array.isArray(last)) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

/** One line each; empty without a hint. */
export const hintText = (hint: Hint | undefined, place = asItIs): string =>
  groupsOf(hint)
    .flatMap((group) => {
      if (typeof group === 'string' || 'parts' in group) return sentenceText(group, place);
      const typed = group.map(({ command }) => commandText(place(command)));
      const width = Math.max(...typed.map(({ length }) => length));
      return group.map(({ does }, at) =>
        `${(typed[at] ?? '').padEnd(width)}${AFTER_COMMAND}${sentenceText(does, place)}`.trimEnd(),
      );
    })
    .join('\n');

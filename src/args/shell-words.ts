/** Splits a line into words with shell quoting. Expansions, pipes and redirections are rejected. Pure. */
import { UsageError } from '../errors.ts';

/** Unquoted, these have a special meaning in a shell. */
const SHELL_ONLY = /[|&;<>(){}*?[\]]/;
const BLANK = /[ \t]/;
/** Characters that a backslash escapes between double quotes. */
const ESCAPED_IN_QUOTES = /["\\$`]/;

interface Reading {
  text: string;
  at: number;
}

/**
 * The words of one line; none for a blank line or a comment. `'…'` keeps everything, `"…"` all but `\"`,
 * `\\`, `\$` and `` \` ``, a backslash the next character; `#` at the start of a word starts a comment.
 * @throws UsageError for an unclosed quote, a final backslash, and shell syntax.
 */
export function readWords(text: string): readonly string[] {
  const words: string[] = [];
  const line: Reading = { text, at: 0 };
  for (;;) {
    while (BLANK.test(text[line.at] ?? '')) line.at += 1;
    const next = text[line.at];
    if (next === undefined || next === '#') return words;
    words.push(readWord(line));
  }
}

function readWord(line: Reading): string {
  let word = '';
  for (;;) {
    const character = line.text[line.at];
    if (character === undefined || BLANK.test(character)) return word;
    line.at += 1;
    if (character === "'") word += readSingle(line);
    else if (character === '"') word += readDouble(line);
    else if (character === '\\') word += readEscaped(line);
    else if ((character === '~' && word === '') || isExpansion(character)) throw noExpansion(character);
    else if (SHELL_ONLY.test(character)) throw noShell(character);
    else word += character;
  }
}

function readSingle(line: Reading): string {
  const end = line.text.indexOf("'", line.at);
  if (end === -1) throw openQuote();
  const inside = line.text.slice(line.at, end);
  line.at = end + 1;
  return inside;
}

function readDouble(line: Reading): string {
  let inside = '';
  for (;;) {
    const character = line.text[line.at];
    if (character === undefined) throw openQuote();
    line.at += 1;
    if (character === '"') return inside;
    if (isExpansion(character)) throw noExpansion(character);
    const next = line.text[line.at] ?? '';
    if (character === '\\' && ESCAPED_IN_QUOTES.test(next)) {
      inside += next;
      line.at += 1;
    } else inside += character;
  }
}

function readEscaped(line: Reading): string {
  const next = line.text[line.at];
  if (next === undefined)
    throw new UsageError('A line cannot continue on the next one.', 'Write the whole command on one line.');
  line.at += 1;
  return next;
}

const isExpansion = (character: string): boolean => character === '$' || character === '`';

const openQuote = (): UsageError =>
  new UsageError('A quotation mark is not closed.', 'Close it on the same line.');

const noExpansion = (character: string): UsageError =>
  new UsageError(
    `${character} is not expanded: no shell reads this line.`,
    `Write the value itself, or '${character}' in single quotes.`,
  );

const noShell = (character: string): UsageError =>
  new UsageError(
    `${character} has no effect: each line is one command, and no shell reads it.`,
    `Leave it out, or write '${character}' in single quotes.`,
  );

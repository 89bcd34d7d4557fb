/**
 * A line of text to the words of a command line, quoted as in a shell and expanded as in none: what a shell
 * would have replaced, joined or run is refused, never taken literally. Pure.
 */
import { UsageError } from '../errors.ts';

/** Unquoted, a shell would run, join or redirect something, or look for files. */
const SHELL_ONLY = /[|&;<>(){}*?[\]]/;
const BLANK = /[ \t]/;
/** What a backslash takes the meaning from between double quotes. */
const ESCAPED_IN_QUOTES = /["\\$`]/;

interface Reading {
  text: string;
  at: number;
}

/**
 * The words of one line; none for a blank line or a comment. `'…'` keeps everything, `"…"` all but `\"`,
 * `\\`, `\$` and `` \` ``, a backslash the next character; `#` at the start of a word begins a comment.
 * @throws UsageError for an open quote, a backslash at the end, and whatever only a shell can do.
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
    throw new UsageError('A line cannot go on in the next one.', 'Write the whole command on one line.');
  line.at += 1;
  return next;
}

const isExpansion = (character: string): boolean => character === '$' || character === '`';

const openQuote = (): UsageError =>
  new UsageError('A quotation mark is opened and not closed.', 'Close it on the same line.');

const noExpansion = (character: string): UsageError =>
  new UsageError(
    `Nothing is expanded here, and ${character} would have to be.`,
    `Write the value itself, or '${character}' in single quotes for the character.`,
  );

const noShell = (character: string): UsageError =>
  new UsageError(
    `Each line is one command and no shell reads it: ${character} does nothing here.`,
    `Leave it out, or write '${character}' in single quotes for the character.`,
  );

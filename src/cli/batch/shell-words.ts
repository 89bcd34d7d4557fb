/** Splits a line into words with shell quoting. Expansions, pipes and redirections are rejected. Pure. */
import { UsageError } from '../../errors.ts';

/** Unquoted, these have a special meaning in a shell. */
const SHELL_ONLY = /[|&;<>(){}*?[\]]/;
/** Blanks, text in quotes, an escaped character, or one character. */
const TOKENS = /[ \t]+|'[^']*'|"(?:[^"\\$`]|\\[^])*"|\\[^]|[^]/g;
const EXPANDS_IN_QUOTES = /^"(?:[^"\\$`]|\\[^])*([$`])/;

/**
 * The words of one line; none for a blank line or a comment. `'…'` keeps everything, `"…"` all but `\"`,
 * `\\`, `\$` and `` \` ``, a backslash the next character; `#` at the start of a word starts a comment.
 * @throws UsageError for an unclosed quote, a final backslash, and shell syntax.
 */
export function readWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (/^[ \t]/.test(token)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (word === undefined && token === '#') return words;
    else word = (word ?? '') + meantBy(token, { rest: text.slice(index), isFirst: (word ?? '') === '' });
  }
  return word === undefined ? words : [...words, word];
}

/** `rest`: the line from this token on. `isFirst`: it begins a word. */
function meantBy(token: string, { rest, isFirst }: { rest: string; isFirst: boolean }): string {
  if (token.length > 1) {
    if (token.startsWith('\\')) return token.slice(1);
    const inside = token.slice(1, -1);
    return token.startsWith("'") ? inside : inside.replace(/\\(["\\$`])/g, '$1');
  }
  const expanded = token === '"' ? EXPANDS_IN_QUOTES.exec(rest)?.[1] : token;
  if (expanded === '$' || expanded === '`' || (expanded === '~' && isFirst)) throw noExpansion(expanded);
  if (token === "'" || token === '"') throw openQuote();
  if (token === '\\')
    throw new UsageError('A line cannot continue on the next one.', 'Write the whole command on one line.');
  if (SHELL_ONLY.test(token)) throw noShell(token);
  return token;
}

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

/** Quotes untrusted text in messages: shortened, escaped, API keys redacted. */

import { ownField } from './fields.ts';
import { containsKey, escapeJsonToAscii, redactKeys } from './sanitize.ts';

const MAX_SHOWN = 60;

const ORDINARY = /^[\x20!\x23-\x5b\x5d-\x7e]$/;
/** Controls, format and bidirectional marks, lone surrogates, unassigned, invisible, and every blank but the space. */
const isUnshowable = (character: string): boolean =>
  !ORDINARY.test(character) &&
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?! )\p{Zs}|["\\]/u.test(character);

const SHORT: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
};

/** `a\u001b[2J` becomes `"a\u{1b}[2J"`, and no two blanks are in a row; more than 60 characters end in `…`. */
export const quoted = (text: string): string => inQuotes(text, (character) => character);

/** An ID or a market, with other scripts escaped: a Cyrillic letter looks like a Latin one. `PAY-\u0410` */
export const quotedName = (name: string): string => inQuotes(name, escapeJsonToAscii);

/** Without quotation marks, for a word inside a line. */
export const unquoted = (name: string): string => quotedName(name).slice(1, -1);

function inQuotes(text: string, show: (character: string) => string): string {
  const characters: string[] = [];
  for (const character of redactKeys(text)) {
    if (characters.length === MAX_SHOWN) return `"${characters.join('')}…"`;
    const isHidden = isUnshowable(character) || (character === ' ' && characters.at(-1) === ' ');
    characters.push(isHidden ? escaped(character) : show(character));
  }
  return `"${characters.join('')}"`;
}

const escaped = (character: string): string =>
  ownField(SHORT, character) ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

export const LONGEST_ID = 128;

/**
 * A deal ID or hedge ID: 1 to 128 visible characters, with spaces only between them, and no API key.
 * ASSUMED: the specification (§2) shows no limits for `client_reference`.
 */
export const isId = (text: string): boolean =>
  Array.from(text).length <= LONGEST_ID && isVisible(text) && !containsKey(text);

/** Compiled only when needed: Unicode properties are slow to build. */
const isVisible = (text: string): boolean =>
  /^(?! )(?:(?! )[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}]| (?!$))+$/u.test(text);

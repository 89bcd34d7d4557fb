/**
 * Masks one API key in text that others sent, however its characters are spelled there: as they are, or escaped as
 * JSON, URLs, HTML and source code do it, more than once too, with characters between them that show nothing.
 */
import type { ApiKey } from './api-key.ts';
import { isFields } from './fields.ts';
import { once } from './once.ts';

export interface KeyMask {
  /** The text without the key. */
  text: (text: string) => string;
  /** The same JSON value without the key in any of its texts and names. */
  value: (value: unknown) => unknown;
}

export function keyMaskOf(key: ApiKey): KeyMask {
  const small = key.reveal().toLowerCase();
  const spelled = once(() => new RegExp(Array.from(key.reveal(), spellingsOf).join(UNSEEN), 'giu'));
  const text = (given: string): string =>
    MAY_ESCAPE.test(given) || given.toLowerCase().includes(small)
      ? given.replace(spelled(), () => key.masked)
      : given;
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given);
    if (Array.isArray(given)) return given.map(value);
    if (!isFields(given) || Object.getPrototypeOf(given) !== Object.prototype) return given;
    return Object.fromEntries(Object.entries(given).map(([name, inner]) => [text(name), value(inner)]));
  };
  return { text, value };
}

/** Every other text has the key as it is, or not at all: most need no pattern, which takes a while to make. */
const MAY_ESCAPE = /[\\%&]|[^\n\x20-\x7e]/;

/** Few enough that looking for the key takes no time that grows faster than the text. */
const UNSEEN = String.raw`[\u{ad}\u{34f}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{2060}-\u{206f}\u{fe00}-\u{fe0f}\u{feff}\u{e0000}-\u{e0fff}]{0,8}`;

/** A pattern of the ways in which a character is written. */
function spellingsOf(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  const itself = /\w/.test(character) ? character : String.raw`\u{${hex}}`;
  const ways = [
    String.raw`\\{0,8}${itself}`,
    String.raw`\\{1,8}(?:u(?:00${hex}|\{0{0,4}${hex}\})|x${hex})`,
    `%(?:25){0,4}${hex}`,
    `&(?:amp;){0,4}#(?:0{0,5}${code.toString()}|x0{0,4}${hex});?`,
  ];
  return `(?:${ways.join('|')})`;
}

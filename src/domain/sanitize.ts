/**
 * Makes untrusted text safe for a terminal (one line, no control, invisible or reordering characters) and limits its
 * length. Plain text takes a fast path, as Unicode's tables are slow to load. Removes what looks like an API key from
 * typed text: keys get pasted into the wrong place.
 */

import { isFields } from './fields.ts';

/** Built when the first text asks for them: sets of Unicode's properties take a millisecond to make. */
const patterns = once(() => ({
  /** CSI with its parameters; OSC, DCS, SOS, PM and APC strings; any other escape; each in 7 or 8 bits. */
  sequences: new RegExp(
    [
      String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
      String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)?`,
      String.raw`\x1b[ -/]*[0-~]?`,
    ].join('|'),
    'gu',
  ),
  /** Every kind of blank, line ends and separators among them; a terminal may move the cursor on most. */
  blanks: /[\t\n\v\f\r\u{85}]|\p{Zs}|\p{Zl}|\p{Zp}/gu,
  /** Joiners and variation selectors shape the letters around them and show nothing themselves. */
  shapers: /\p{Join_Control}|\p{Variation_Selector}|\u{ad}/gu,
  /**
   * Characters that must not reach a screen: controls, format characters (bidi, zero width, tags), lone surrogates,
   * private use, whatever is ignorable (fillers), and the blank-looking braille cell.
   */
  harmful: /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u{2800}]+/gu,
  /** More marks on one letter than any script writes would paint over the lines above. */
  stackedMarks: /(\p{M}{4})\p{M}+/gu,
  leadingMark: /^\p{M}/u,
}));

const REPLACEMENT = '\u{fffd}';

/**
 * One line of text that cannot act on a terminal. Blanks of every kind become a space, anything else that
 * would act, hide or reorder becomes `�` once for a run, so that it is seen that something was there.
 * Letters, marks and emoji stay.
 */
export function sanitize(text: string): string {
  if (isPlain(text)) return text;
  const { sequences, blanks, shapers, harmful, stackedMarks, leadingMark } = patterns();
  const visible = text
    .replace(/\r\n/g, ' ')
    .replace(sequences, REPLACEMENT)
    .replace(blanks, ' ')
    .replace(shapers, '')
    .replace(harmful, REPLACEMENT)
    .replace(/\u{fffd}{2,}/gu, REPLACEMENT)
    .replace(stackedMarks, '$1');
  // A mark with nothing under it would change the character printed before it.
  return leadingMark.test(visible) ? `\u{25cc}${visible}` : visible;
}

/** Blanks and line ends are data; other controls and overrides of the direction act on whatever shows them. */
export const withoutControls = (text: string): string =>
  text.replace(/(?![\t\n\r])[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu, REPLACEMENT);

/** Characters that JSON leaves raw and a terminal acts on or hides: only ever found inside strings. */
const rawInJson = once(
  () =>
    /[\u{7f}-\u{9f}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}\u{2800}]/gu,
);
/** Most documents: nothing in them to look for. */
const PLAIN_JSON = /^[\n\x20-\x7e]*$/;
const BEYOND_ASCII = /[\u{7f}-\u{10ffff}]/gu;

/** The same JSON value with every character a terminal would act on or hide spelled `\uXXXX`. */
export function escapeJson(json: string): string {
  return PLAIN_JSON.test(json) ? json : json.replace(rawInJson(), spellOut);
}

/** The same JSON value in ASCII alone, for a terminal that cannot show more. */
export function escapeJsonToAscii(json: string): string {
  return json.replace(BEYOND_ASCII, spellOut);
}

/**
 * A name in visible ASCII alone, for a person to compare: IDs and markets have no other letters, one of another script may
 * look like a Latin one, and a line end in one is no blank.
 */
export const spelledName = (name: string): string =>
  escapeJsonToAscii(sanitize(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, spellOut)));

function spellOut(character: string): string {
  let spelled = '';
  for (let unit = 0; unit < character.length; unit += 1) {
    spelled += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
  }
  return spelled;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** ASCII, Latin letters, dashes and dots, currencies, arrows, mathematics, lines and blocks, braille but its blank. */
const PLAIN =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u22ff\u2500-\u259f\u2801-\u28ff]*$/;

export const isPlain = (text: string): boolean => PLAIN.test(text);

const LONGEST_ON_SCREEN = 300;
const LONGEST_FIELD_BYTES = 4_096;
const CUT_OFF = '…';

/** One harmless line of at most 300 characters with one blank between words. */
export const forScreen = (text: string): string => shortened(sanitize(text).replace(/ {2,}/g, ' ').trim());

/** At most 300 characters; `…` where the rest was cut off. */
export function shortened(line: string): string {
  if (line.length <= LONGEST_ON_SCREEN) return line;
  // By whole characters, of which each has two units at most.
  const characters = Array.from(line.slice(0, 2 * LONGEST_ON_SCREEN));
  const isWhole = characters.length <= LONGEST_ON_SCREEN && line.length <= 2 * LONGEST_ON_SCREEN;
  return isWhole ? line : characters.slice(0, LONGEST_ON_SCREEN - 1).join('') + CUT_OFF;
}

/** The same value with each text and each name in it cut to 4 KB of UTF-8. */
export function forDocument(value: unknown): unknown {
  if (typeof value === 'string') return cutField(value);
  if (Array.isArray(value)) return value.map(forDocument);
  if (!isFields(value) || !isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [cutField(name), forDocument(inner)]),
  );
}

/** Figures are objects as well, and stay. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A text cut to 4 KB of UTF-8. */
export function cutField(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_FIELD_BYTES) return text;
  const room = new Uint8Array(LONGEST_FIELD_BYTES - Buffer.byteLength(CUT_OFF));
  return text.slice(0, new TextEncoder().encodeInto(text, room).read) + CUT_OFF;
}

/** Specification §5. A secret is long; a deal id such as `Q4_live_20261120` is none. In capitals or small
 * letters a reader still recognizes it. Linear in any text. */
const KEY = /(?<![A-Za-z0-9])([A-Za-z0-9]+_(?:live|test)_)[\x21-\x7e]{16,}/gi;

/** `--profile=hk_live_0123456789abcdef` becomes `--profile=hk_live_…`. */
export const redactKeys = (text: string): string => text.replace(KEY, '$1…');

export const containsKey = (text: string): boolean => redactKeys(text) !== text;

/** A command line with every word, or part of a word, that looks like an API key blotted out (specification §5). */
export const redactArgv = (argv: readonly string[]): string[] =>
  argv.map((word) => word.replace(/(?<![A-Za-z0-9])([A-Za-z0-9]+_(?:live|test)_)[\x21-\x7e]+/gi, '$1…'));

const LONGEST_HASH = 16;
const HEAD = 6;
const TAIL = 4;

/** `0x9f31...77aa` */
export const shortHash = (hash: string): string =>
  hash.length > LONGEST_HASH ? `${hash.slice(0, HEAD)}...${hash.slice(-TAIL)}` : hash;

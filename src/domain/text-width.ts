/**
 * How many columns a text takes on a terminal, and cutting it to fit. Expects clean text (clean.ts):
 * control sequences are not its business.
 */
import { isPlain } from './plain-text.ts';

// Within functions, as sets of Unicode's properties take a millisecond to make, and most text is plain.
const isEmoji = (text: string): boolean =>
  /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}\p{Regional_Indicator})/u.test(text);
/** Marks that sit on the letter before them, and the Korean vowels and finals that join it. */
const hasNoWidth = (character: string): boolean =>
  /^[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u{1160}-\u{11ff}]$/u.test(character);
const isWide = (character: string): boolean =>
  /^(?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Yi}|\p{Script=Bopomofo}|[\u{2329}\u{232a}\u{3000}-\u{303e}\u{30fb}\u{30fc}\u{3190}-\u{33ff}\u{4dc0}-\u{4dff}\u{fe10}-\u{fe19}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}])/u.test(
    character,
  ) && !/^[\u{ff61}-\u{ffdc}]/u.test(character);

let segmenter: Intl.Segmenter | undefined;

/** The characters as a reader counts them: a letter with its marks is one. */
export function graphemesOf(text: string): string[] {
  if (isPlain(text)) return text.split('');
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map((part) => part.segment);
}

/** Columns that `text` takes: two for East Asian wide characters and emoji, none for a mark alone. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

export function graphemeWidth(grapheme: string): number {
  if (isEmoji(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!hasNoWidth(character)) width += isWide(character) ? 2 : 1;
  }
  return width;
}

/** The longest beginning of `text` that takes at most `width` columns, ending in `ellipsis` where it was cut. */
export function cutToWidth(text: string, width: number, ellipsis: string): string {
  if (textWidth(text) <= width) return text;
  const room = width - textWidth(ellipsis);
  if (room <= 0) return '';
  let kept = '';
  let taken = 0;
  for (const grapheme of graphemesOf(text)) {
    taken += graphemeWidth(grapheme);
    if (taken > room) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}${ellipsis}`;
}

/**
 * `text` as lines of at most `width` columns, broken at blanks alone: a longer word stands on a line of its own.
 * Lines after the first begin `indent` columns in.
 */
export function wrapWords(text: string, width: number, indent = 0): readonly string[] {
  const lines: string[] = [];
  let room = 0;
  for (const word of text.split(' ')) {
    const taken = textWidth(word);
    const last = lines.at(-1);
    if (last !== undefined && taken + 1 <= room) {
      lines[lines.length - 1] = `${last} ${word}`;
      room -= taken + 1;
    } else {
      const hanging = last === undefined ? 0 : indent;
      lines.push(' '.repeat(hanging) + word);
      room = width - hanging - taken;
    }
  }
  return lines.map((line) => line.trimEnd());
}

/** The width of sanitized text in terminal columns, cutting and wrapping it. */
import { once } from './once.ts';
import { isPlain } from './sanitize.ts';

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

const segmenter = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** Long texts are segmented in pieces of so many units: in one, each takes memory for what the whole text takes. */
const PIECE = 1_024;

/** The characters as a reader counts them: a letter with its marks is one, unless it has more of them than a piece. */
export function graphemesOf(text: string): string[] {
  if (isPlain(text)) return text.split('');
  const graphemes: string[] = [];
  for (let from = 0; from < text.length; ) {
    const found = Array.from(segmenter().segment(text.slice(from, from + PIECE)), ({ segment }) => segment);
    // The last one may go on in the next piece.
    if (from + PIECE < text.length && found.length > 1) found.pop();
    for (const grapheme of found) {
      graphemes.push(grapheme);
      from += grapheme.length;
    }
  }
  return graphemes;
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

/** The text in pieces of which the first takes at most `first` columns and each other one at most `later`. */
export function cutInPieces(text: string, first: number, later: number): readonly string[] {
  if (textWidth(text) <= first) return [text];
  const pieces: string[] = [];
  let piece = '';
  let room = first;
  for (const grapheme of graphemesOf(text)) {
    const taken = graphemeWidth(grapheme);
    if (taken > room && (piece !== '' || pieces.length === 0)) {
      pieces.push(piece);
      piece = '';
      room = later;
    }
    piece += grapheme;
    room -= taken;
  }
  return [...pieces, piece];
}

/**
 * `text` as lines of at most `width` columns, broken at blanks; a word that is longer than a line is cut. Lines after
 * the first begin `indent` columns in.
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
      continue;
    }
    const later = Math.max(1, width - indent);
    for (const piece of taken <= later
      ? [word]
      : cutInPieces(word, last === undefined ? width : later, later)) {
      const hanging = lines.length === 0 ? 0 : indent;
      lines.push(' '.repeat(hanging) + piece);
      room = width - hanging - textWidth(piece);
    }
  }
  return lines.map((line) => line.trimEnd());
}

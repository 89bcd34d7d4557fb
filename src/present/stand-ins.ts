/**
 * cli-table3 counts columns by an older table of widths than ours. It is given one private character for
 * each column of a letter beyond ASCII (clean text has none of them), and the letters are put back later.
 */
import { graphemesOf, graphemeWidth } from '../domain/text-width.ts';

export interface StandIns {
  /** The text with a character for each column it takes. */
  hide(text: string): string;
  /** The text as it was. */
  show(text: string): string;
}

const FIRST = 0xf0000;
const FILLER = '\u{e000}';
const ASCII = /^[\x20-\x7e]*$/;

export function makeStandIns(): StandIns {
  const letters: string[] = [];
  const places = new Map<string, string>();
  const standInFor = (letter: string): string => {
    const known = places.get(letter);
    if (known !== undefined) return known;
    const made =
      String.fromCodePoint(FIRST + letters.length) + FILLER.repeat(Math.max(0, graphemeWidth(letter) - 1));
    letters.push(letter);
    places.set(letter, made);
    return made;
  };
  return {
    hide: (text) =>
      ASCII.test(text)
        ? text
        : graphemesOf(text)
            .map((letter) => (ASCII.test(letter) ? letter : standInFor(letter)))
            .join(''),
    show: (text) =>
      text.replace(/[\u{f0000}-\u{10ffff}]\u{e000}*/gu, (standIn) => {
        const letter = letters[(standIn.codePointAt(0) ?? FIRST) - FIRST];
        return letter ?? standIn;
      }),
  };
}

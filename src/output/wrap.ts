/** Breaks styled words into lines that fit a width, and paints them. */
import { cutInPieces, textWidth } from '../domain/text-width.ts';
import type { Painter, Style } from './style.ts';

/** A stretch of text in one style, without line ends. `whole` stretches are not broken at their blanks. */
export interface Run {
  text: string;
  style: Style;
  whole?: boolean;
}

export type WrappedLine = readonly Run[];

interface Word {
  text: string;
  style: Style;
  /** Blanks before it, dropped where a line begins with it. */
  gap: number;
}

export const lineWidth = (line: WrappedLine): number =>
  line.reduce((width, { text }) => width + textWidth(text), 0);

/** The line in its colors, without blanks at its end. */
export function paintLine(line: WrappedLine, paint: Painter): string {
  const runs = [...line];
  while (runs.at(-1)?.text.trim() === '') runs.pop();
  return runs
    .map(({ text, style }, index) => paint(index === runs.length - 1 ? text.trimEnd() : text, style))
    .join('');
}

export const blank = (columns: number): Run => ({ text: ' '.repeat(Math.max(0, columns)), style: 'plain' });

/**
 * The runs as lines of at most `width` columns, broken between words; a word longer than a line is cut.
 * Lines after the first begin `indent` columns in.
 */
export function wrapRuns(runs: readonly Run[], width: number, indent = 0): WrappedLine[] {
  const room = Math.max(1, width);
  const hanging = Math.min(indent, room - 1);
  const lines: Run[][] = [];
  let current: Run[] = [];
  let column = 0;
  const breakLine = (): void => {
    lines.push(current);
    current = hanging === 0 ? [] : [blank(hanging)];
    column = hanging;
  };
  let atStart = true;
  for (const group of groupsOf(wordsOf(runs))) {
    const taken = group.reduce((sum, { text }) => sum + textWidth(text), 0);
    const wanted = group[0]?.gap ?? 0;
    if (!atStart && column + wanted + taken > room) {
      breakLine();
      atStart = true;
    }
    const gap = atStart && lines.length > 0 ? 0 : Math.min(wanted, Math.max(0, room - column - 1));
    if (gap > 0) append(current, ' '.repeat(gap), group[0]?.style ?? 'plain');
    column += gap;
    for (const word of group) {
      for (const [at, piece] of cutInPieces(word.text, room - column, room - hanging).entries()) {
        if (at > 0) breakLine();
        if (piece === '') continue;
        append(current, piece, word.style);
        column += textWidth(piece);
      }
    }
    atStart = false;
  }
  lines.push(current);
  return lines;
}

/** Words of one style that follow each other become one run, so that a colour is not begun for each. */
function append(line: Run[], text: string, style: Style): void {
  const last = line.at(-1);
  if (last !== undefined && last.style === style) line[line.length - 1] = { text: last.text + text, style };
  else if (text.trim() === '') line.push({ text, style: 'plain' });
  else line.push({ text, style });
}

function wordsOf(runs: readonly Run[]): Word[] {
  const words: Word[] = [];
  let gap = 0;
  for (const { text, style, whole } of runs) {
    for (const part of whole === true ? [text] : text.split(/( +)/)) {
      if (part === '') continue;
      if (whole !== true && part.trim() === '') {
        gap += part.length;
        continue;
      }
      words.push({ text: part, style, gap });
      gap = 0;
    }
  }
  return words;
}

/** Words with nothing between them stay on one line: a full stop does not begin a line. */
function groupsOf(words: readonly Word[]): Word[][] {
  const groups: Word[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last === undefined || word.gap > 0) groups.push([word]);
    else last.push(word);
  }
  return groups;
}

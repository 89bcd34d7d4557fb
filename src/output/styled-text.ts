/** The colors of views, and styled words broken into lines that fit a width. */

import { Chalk, type ChalkInstance } from 'chalk';
import { cutInPieces, textWidth } from '../domain/text-width.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { Tone } from './cells.ts';

/** Colors of a stream: 0 none, 1 sixteen, 2 two hundred and fifty-six, 3 all. */
export type PaintLevel = 0 | 1 | 2 | 3;

/** The tone of a cell, or an environment. */
export type Style = Tone | Environment;

export type Painter = (text: string, style: Style) => string;

export function painterOf(level: PaintLevel): Painter {
  const chalk = new Chalk({ level });
  const styles: Readonly<Record<Style, ChalkInstance | undefined>> = {
    plain: undefined,
    strong: chalk.bold,
    dim: chalk.dim,
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    live: chalk.red.bold.inverse,
    sandbox: chalk.yellow.bold,
    practice: chalk.cyan.bold,
  };
  return (text, style) => styles[style]?.(text) ?? text;
}

/** Text in one style, without line ends. A `whole` run is not broken at its blanks. */
export interface Run {
  text: string;
  style: Style;
  whole?: boolean;
}

export type WrappedLine = readonly Run[];

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

/** Lines of at most `width` columns, broken between words; a longer word is cut. Later lines are indented. */
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
  for (const { gap: wanted, words } of groupsOf(runs)) {
    if (!atStart && column + wanted + lineWidth(words) > room) {
      breakLine();
      atStart = true;
    }
    const gap = atStart && lines.length > 0 ? 0 : Math.min(wanted, Math.max(0, room - column - 1));
    if (gap > 0) append(current, ' '.repeat(gap), words[0]?.style ?? 'plain');
    column += gap;
    for (const word of words) {
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

/** Adjacent words of one style become one run, so that the color starts once. */
function append(line: Run[], text: string, style: Style): void {
  const last = line.at(-1);
  if (last !== undefined && last.style === style) line[line.length - 1] = { text: last.text + text, style };
  else if (text.trim() === '') line.push({ text, style: 'plain' });
  else line.push({ text, style });
}

/** Words with no blank between them stay together: a full stop does not start a line. `gap`: blanks before them. */
function groupsOf(runs: readonly Run[]) {
  const groups: { gap: number; words: Run[] }[] = [];
  let gap = 0;
  for (const { text, style, whole } of runs)
    for (const part of whole === true ? [text] : text.split(/( +)/)) {
      if (part === '' || (whole !== true && part.trim() === '')) {
        gap += part.length;
        continue;
      }
      const last = groups.at(-1);
      if (last === undefined || gap > 0) groups.push({ gap, words: [{ text: part, style }] });
      else last.words.push({ text: part, style });
      gap = 0;
    }
  return groups;
}

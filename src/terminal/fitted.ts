/** A note within the width of a terminal. Knows neither where it is written nor what it says. */
import { textWidth, wrapWords } from '../domain/text-width.ts';

/**
 * Broken between its words. What goes on stands further in, so that no text of a service begins a line: under the last
 * column of the first line, where two blanks or more make columns of it: `10:02:58  sending    action 7c1e`.
 */
export function fitted(note: string, width: number): string {
  const [columns = ''] = /^(?:\S+(?: \S+)* {2,})+/.exec(note) ?? [];
  const indent = Math.max(HANGING, Math.min(textWidth(columns), Math.floor(width / 2)));
  return wrapWords(note, width, indent).join('\n');
}

const HANGING = 2;

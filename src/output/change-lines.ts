/** Watching in a pipe: one line for each thing that changed. */
import { type Block, line } from './blocks.ts';
import type { Words } from './cells.ts';

export interface ChangeLine {
  /** Identifies it at every reading: `USDTNGN buy`. */
  key: string;
  cells: Words;
  /** The line once it is there no more; default `gone`. */
  ending?: string;
}

export interface Changes {
  /** New or different lines since the last call, then those that are gone. */
  since(lines: readonly ChangeLine[]): readonly Block[];
}

export function watchChanges(): Changes {
  let before = new Map<string, { text: string; ending: string }>();
  return {
    since(lines) {
      const now = new Map(
        lines.map(({ key, cells, ending = 'gone' }) => [key, { text: JSON.stringify(cells), ending }]),
      );
      const changed = lines.filter(({ key }) => before.get(key)?.text !== now.get(key)?.text);
      const over = [...before].filter(([key]) => !now.has(key));
      before = now;
      return [
        ...changed.map(({ key, cells }) => line(key, cells)),
        ...over.map(([key, { ending }]) => line(key, ending)),
      ];
    },
  };
}

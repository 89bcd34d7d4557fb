/** Watching in a pipe: one line for each thing that changed. */
import { type Block, line } from './blocks.ts';
import type { Words } from './cells.ts';

export interface ChangeLine {
  /** Identifies it at every reading: `USDTNGN buy`. */
  key: string;
  cells: Words;
}

export interface Changes {
  /** New or different lines since the last call, then those that are gone. */
  since(lines: readonly ChangeLine[]): readonly Block[];
}

export function watchChanges(): Changes {
  let before = new Map<string, string>();
  return {
    since(lines) {
      const now = new Map(lines.map(({ key, cells }) => [key, JSON.stringify(cells)]));
      const changed = lines.filter(({ key }) => before.get(key) !== now.get(key));
      const gone = [...before.keys()].filter((key) => !now.has(key));
      before = now;
      return [...changed.map(({ key, cells }) => line(key, cells)), ...gone.map((key) => line(key, 'gone'))];
    },
  };
}

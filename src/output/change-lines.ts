/**
 * What a pipe is told of something that is watched: one line of each thing, when it changed. Knows neither how
 * often it is read nor where the lines go.
 */
import { type Block, type Cell, line, text } from './blocks.ts';
/** One thing that is watched, as one line of text. */
export interface ChangeLine {
  /** What it is, the same at every reading: `USDTNGN buy`. */
  key: string;
  cells: readonly Cell[];
}

/** Remembers what was said; gives only what is new. */
export interface Changes {
  /** One block a line: what is new or different since the last time, then what is gone. */
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
      return [
        ...changed.map(({ key, cells }) => line(text(key), ...cells)),
        ...gone.map((key) => line(text(key), text('gone'))),
      ];
    },
  };
}

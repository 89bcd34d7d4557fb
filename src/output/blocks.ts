/** The parts of a view: blocks of cells. */

import type { Big } from 'big.js';
import { groupsOf, isCommand, say } from '../domain/hint.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { CommandWords, HedgeError, Hint, NextStep, Sentence } from '../errors.ts';
import {
  type Cell,
  hintCell,
  inline,
  message,
  type Parts,
  partsIn,
  phrase,
  type Tone,
  text,
  type Words,
} from './cells.ts';

export interface Column {
  /** Breaks between words before a column is hidden. */
  header: string;
  /** Its name in CSV, and for --columns. */
  field?: string | undefined;
  align?: 'left' | 'right' | undefined;
  /**
   * Hidden from the right when the table is too wide, and named below it. `first`: before the other optional ones;
   * `last`: after them. Of each kind those that are the same in every row go before those that tell rows apart; dashes
   * alone go with the first. A column of empty cells goes before all of them, optional or not, and is not named.
   */
  optional?: boolean | 'first' | 'last' | undefined;
  /** Columns of one group are hidden together: the parts of a sum. */
  group?: string | undefined;
  /** Its cells name a row. With --wide, the further tables repeat it. */
  isId?: boolean | undefined;
  /** Its cells may break between words. */
  wrap?: boolean | undefined;
  /** Below the table, while the column is shown. */
  note?: string | undefined;
}

export interface TableSection {
  /** The number of rows. */
  rows: number;
  title: string;
  totals?: readonly (readonly Cell[])[];
}

export interface ChartPoint {
  /** Milliseconds, or an index. */
  x: number;
  y: Big;
}

export interface ChartBlock {
  kind: 'chart';
  /** In order of `x`. */
  points: readonly ChartPoint[];
  /** A value of the left axis. */
  label: (y: Big) => Cell;
  /** Labels below the left and the right end. */
  ends: readonly [Cell, Cell];
  /** Lines of the drawing. */
  height?: number;
  empty: string;
}

export type Block =
  /** The environment line: `LIVE · payouts`, and a note at its right. */
  | { kind: 'heading'; environment: Environment; profile: string; note?: readonly Cell[] }
  /** One paragraph; cells are joined by a space (none before `.,;:)`), long ones wrap. */
  | { kind: 'line'; cells: readonly Cell[]; indent?: number }
  /** A line to be pasted: sanitized, never wrapped. */
  | { kind: 'verbatim'; text: string }
  | { kind: 'gap' }
  /**
   * A table; too wide for the stream, each row becomes a record of `header  cell` lines. `fixed`: rounded columns,
   * with a line below; records keep every digit. `records`: the objects of the rows, for --columns. `sections`: a title
   * above some rows, and figures below them.
   */
  | {
      kind: 'table';
      columns: readonly Column[];
      rows: readonly (readonly Cell[])[];
      empty?: string | undefined;
      fixed?: boolean;
      records?: readonly unknown[];
      sections?: readonly TableSection[] | undefined;
    }
  /** Rows of a name, one figure and words; figures line up at their decimal point. */
  | { kind: 'figures'; rows: readonly (readonly Cell[])[] }
  /** Commands, never wrapped, with their descriptions. */
  | { kind: 'commands'; rows: readonly NextStep[] }
  /** Shown with -v and in a pipe; otherwise `instead`. */
  | { kind: 'details'; blocks: View; instead?: View }
  | ChartBlock
  /** Values from left to right, evenly spaced. */
  | { kind: 'spark'; values: readonly Big[] }
  /** `part`: 0 to 1; undefined: no bar. */
  | {
      kind: 'bars';
      rows: readonly { name: string; part: number | undefined; cells: readonly Cell[] }[];
    }
  | { kind: 'columns'; left: View; right: View }
  /** `field`: its name in CSV, and for --columns. */
  | { kind: 'pairs'; pairs: readonly { name: string; field?: string; value: readonly Cell[] }[] };

/** The screen of a command, from top to bottom. */
export type View = Parts<Block>;
export type BlockOf<Kind extends Block['kind']> = Extract<Block, { kind: Kind }>;
export type TableBlock = BlockOf<'table'>;
export type Pair = BlockOf<'pairs'>['pairs'][number];

export const line = (...words: readonly Words[]): Block => ({ kind: 'line', cells: inline(...words) });
/** phraseLine`Until ${time}.` */
export const phraseLine = (...words: Parameters<typeof phrase>): Block => line(phrase(...words));
export const dimLine = (words: string): Block => line(text(words, 'dim'));
export const warnLine = (words: string): Block => line(text(words, 'warn'));
export const messageLine = (words: string, tone?: Tone): Block => line(message(words, tone));
export const hintLine = (hint: Sentence | CommandWords, tone: Tone = 'dim'): Block =>
  line(hintCell(hint, tone));
export const gap: Block = { kind: 'gap' };

export const pair = (name: string, ...words: readonly Words[]): Pair => ({ name, value: inline(...words) });
export const pairs = (...given: readonly Parts<Pair>[]): Block => ({ kind: 'pairs', pairs: partsIn(given) });
/** Commands to copy; a part that is not shown is left out. */
export const commandRows = (...given: readonly Parts<NextStep>[]): Block => ({
  kind: 'commands',
  rows: partsIn(given),
});

/** A name, one figure and words; or nothing. */
export type FigureRow = readonly Cell[] | false | undefined;

export const figureRows = (...rows: readonly FigureRow[]): Block => ({
  kind: 'figures',
  rows: rows.filter((row) => row !== undefined && row !== false),
});

/** Lines to paste, unchanged. */
export const verbatimLines = (value: string): readonly Block[] =>
  value
    .trimEnd()
    .split('\n')
    .map((each) => ({ kind: 'verbatim', text: each }));

/** A table whose columns say what they show of a row. `more`: as of the block. */
export const tableOf = <Row>(
  rows: readonly Row[],
  columns: readonly ((Column & { show: (row: Row) => Cell }) | false)[],
  more: Omit<TableBlock, 'kind' | 'columns' | 'rows'> = {},
): TableBlock => {
  const shown = columns.filter((column) => column !== false);
  return {
    kind: 'table',
    columns: shown.map(({ show: _show, ...column }) => column),
    rows: rows.map((row) => shown.map(({ show }) => show(row))),
    ...more,
  };
};

/** Sentences as lines; commands and descriptions as columns. */
export const hintBlocks = (hint: Hint | undefined): readonly Block[] =>
  groupsOf(hint).map((group) =>
    typeof group === 'string' || 'parts' in group ? line(hintCell(group)) : { kind: 'commands', rows: group },
  );

/** Below a list that is cut. */
export const andMore = (count: number, command: CommandWords, what = ''): Block =>
  hintLine(say`and ${count.toString()} more${what}: ${command}`);

/** The effect on the position, and the words above the command that follows. */
export function meaningOf({ meaning, hint: [first = ''] = [] }: HedgeError): string | undefined {
  const lead = isCommand(first) ? first.lead : undefined;
  return meaning === undefined || lead === undefined ? meaning : `${meaning} ${lead}`;
}

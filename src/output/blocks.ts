/** The parts of a view: typed cells, blocks of cells, and hints. */

import type { Big } from 'big.js';
import { say } from '../domain/hint.ts';
import { cutField, spelledName } from '../domain/sanitize.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { type CommandWords, type NextStep, type Sentence } from '../errors.ts';

/** An exact decimal amount, never a computed float. */
export type Amount = Big | string | number;

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'warn';

export type Cell =
  /** Text of the service is cut at 300 characters; text of the program (`isOurs`) is not. */
  | { kind: 'text'; text: string; tone?: Tone; isOurs?: boolean }
  | { kind: 'hint'; sentence: Sentence; tone?: Tone }
  /** Money or size with at least two decimals. `word`: in front of it, `paid 1.20`. */
  | { kind: 'money'; amount: Amount; unit?: string; signed?: boolean; word?: string; tone?: Tone }
  /** A rate in quote currency per USDT with at least two decimals, or `decimals`. */
  | { kind: 'rate'; amount: Amount; decimals?: number; tone?: Tone }
  | { kind: 'percent'; amount: Amount; signed?: boolean; tone?: Tone }
  | { kind: 'number'; amount: Amount; unit?: string; tone?: Tone }
  /**
   * An instant, ISO 8601 UTC, shown in the profile's zone. `short`: without weekday and zone, and the header of its
   * column names the zone; `matures`: `(!)` marks a weekend there; `relative`: how far off it is.
   */
  | {
      kind: 'time';
      at: string;
      style?: 'date' | 'short' | 'minute' | 'second';
      matures?: boolean;
      relative?: boolean;
      tone?: Tone;
    }
  /** The time left until an instant, to the second in the last hour. */
  | { kind: 'until'; at: string; tone?: Tone }
  /** A transaction hash: shortened on a terminal, in full with -v. */
  | { kind: 'hash'; text: string; tone?: Tone }
  /** The service did not send it. */
  | { kind: 'missing' };

export interface Column {
  /** Breaks between words before a column is hidden. */
  header: string;
  /** Its name in CSV, and for --columns. */
  field?: string;
  align?: 'left' | 'right';
  /**
   * Hidden from the right when the table is too wide, and named below it. `first`: before the other optional ones;
   * `last`: after them. A column of empty cells goes before all of them, optional or not, and is not named.
   */
  optional?: boolean | 'first' | 'last';
  /** Columns of one group are hidden together: the parts of a sum. */
  group?: string;
  /** Its cells name a row. With --wide, the further tables repeat it. */
  isId?: boolean;
  /** Its cells may break between words. */
  wrap?: boolean;
  /** Below the table, while the column is shown. */
  note?: string;
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

export interface SparkBlock {
  kind: 'spark';
  /** From left to right, evenly spaced. */
  values: readonly Big[];
  indent?: number;
}

export interface BarRow {
  name: string;
  /** 0 to 1; undefined: no bar. */
  part: number | undefined;
  cells: readonly Cell[];
}

export interface BarsBlock {
  kind: 'bars';
  rows: readonly BarRow[];
}

export interface ColumnsBlock {
  kind: 'columns';
  left: readonly Block[];
  right: readonly Block[];
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
      empty?: string;
      fixed?: boolean;
      records?: readonly unknown[];
      sections?: readonly TableSection[];
    }
  /** Rows of a name, one figure and words; figures line up at their decimal point. */
  | { kind: 'figures'; rows: readonly (readonly Cell[])[] }
  /** Commands, never wrapped, with their descriptions. */
  | { kind: 'commands'; rows: readonly NextStep[] }
  /** Shown with -v and in a pipe; otherwise `instead`. */
  | { kind: 'details'; blocks: readonly Block[]; instead?: readonly Block[] }
  | ChartBlock
  | SparkBlock
  | BarsBlock
  | ColumnsBlock
  /** `field`: its name in CSV, and for --columns. */
  | { kind: 'pairs'; pairs: readonly { name: string; field?: string; value: readonly Cell[] }[] };

export const text = (value: string, tone?: Tone): Cell =>
  tone === undefined ? { kind: 'text', text: value } : { kind: 'text', text: value, tone };
/** An ID, a market, or text with one in it: non-ASCII letters are escaped. */
export const nameText = (value: string, tone?: Tone): Cell => text(spelledName(value), tone);
/** A sentence of the program; its quotes are already short. */
export const message = (value: string, tone: Tone = 'plain'): Cell => ({
  kind: 'text',
  text: cutField(value),
  tone,
  isOurs: true,
});
export const hintCell = (hint: Sentence | CommandWords, tone: Tone = 'plain'): Cell => ({
  kind: 'hint',
  sentence: say`${hint}`,
  tone,
});
export const missing: Cell = { kind: 'missing' };
export const line = (...cells: readonly Cell[]): Block => ({ kind: 'line', cells });

/** Lines to paste, unchanged. */
export const verbatimLines = (value: string): readonly Block[] =>
  value
    .trimEnd()
    .split('\n')
    .map((each) => ({ kind: 'verbatim', text: each }));

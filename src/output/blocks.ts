/**
 * What a person's view is made of, as values: cells that know their kind and blocks that hold cells.
 * Neither knows a terminal; render-human.ts lays them out, format.ts spells the cells.
 */
import type { Big } from 'big.js';
import { cutField, spelledName } from '../domain/sanitize.ts';
import type { Environment } from '../domain/vocabulary.ts';
/** Any decimal amount: exact, never a float that was computed with. */
export type Amount = Big | string | number;

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'warn';

export type Cell =
  /** Shown up to 300 characters, for it may be a text of the service; whole where the program wrote it. */
  | { kind: 'text'; text: string; tone?: Tone; isOurs?: boolean }
  /** Money or size with two decimals at least and every further digit that is there. */
  | { kind: 'money'; amount: Amount; unit?: string; signed?: boolean; tone?: Tone }
  /** A rate in quote currency per USDT: two decimals at least, or as many as `decimals` says. */
  | { kind: 'rate'; amount: Amount; decimals?: number; tone?: Tone }
  | { kind: 'percent'; amount: Amount; signed?: boolean; tone?: Tone }
  | { kind: 'number'; amount: Amount; unit?: string; tone?: Tone }
  /**
   * An instant, ISO 8601 UTC; shown in the profile's zone. `matures`: `(!)` follows it where it falls on a
   * weekend there; `relative` says how far off.
   */
  | {
      kind: 'time';
      at: string;
      style?: 'date' | 'minute' | 'second';
      matures?: boolean;
      relative?: boolean;
      tone?: Tone;
    }
  /** How long it is until an instant, ISO 8601 UTC, to the second in the last hour. */
  | { kind: 'until'; at: string; tone?: Tone }
  /** What `(!)` means, where one of these instants bears it; nothing where none does. */
  | { kind: 'weekend'; of: readonly string[] }
  /** The service did not send it. */
  | { kind: 'missing' };

export interface Column {
  header: string;
  align?: 'left' | 'right';
  /** Hidden first, from the right, when the table is too wide, and named below it. `last`: after the other optional ones. */
  optional?: boolean | 'last';
  /** Its cells may break between words. */
  wrap?: boolean;
}

export interface ChartPoint {
  /** Where it stands from left to right: milliseconds, or its place in a row. */
  x: number;
  y: Big;
}

export interface ChartBlock {
  kind: 'chart';
  /** In order of `x`. */
  points: readonly ChartPoint[];
  /** How a value at the left is spelled: with its unit and its sign. */
  label: (y: Big) => Cell;
  /** What stands under the left and the right end. */
  ends: readonly [Cell, Cell];
  /** Lines of the drawing itself. */
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

export interface BesideBlock {
  kind: 'beside';
  left: readonly Block[];
  right: readonly Block[];
}

export type Block =
  /** The environment line: `LIVE · desk`, and what stands at its right. */
  | { kind: 'heading'; environment: Environment; profile: string; note?: readonly Cell[] }
  /** One paragraph; cells are joined by a space (none before `.,;:)`), long ones wrap. */
  | { kind: 'line'; cells: readonly Cell[]; indent?: number }
  /** A line to be pasted elsewhere: made harmless, never wrapped. */
  | { kind: 'verbatim'; text: string }
  | { kind: 'gap' }
  /**
   * A table; where it does not fit the width, each row becomes a record of `header  cell` lines. `fixed`: its
   * columns have a fixed number of decimals, and what is cut off is said under it; records keep every digit.
   */
  | {
      kind: 'table';
      columns: readonly Column[];
      rows: readonly (readonly Cell[])[];
      empty?: string;
      fixed?: boolean;
    }
  /** Rows of a name, one figure, and words beside it: figures line up at their decimal point. */
  | { kind: 'figures'; rows: readonly (readonly Cell[])[] }
  /**
   * Commands to type, never wrapped, and what each does beside it; where a command is too long for that, each
   * stands on a line of its own and what it does under it.
   */
  | { kind: 'commands'; rows: readonly { command: string; does: string }[] }
  /** A line through points, with labelled axes (chart.ts). */
  | ChartBlock
  /** How something went, in one line as wide as fits; and bars of how full things are (spark.ts). */
  | SparkBlock
  | BarsBlock
  /** Two columns where there is room, else one under the other (beside.ts). */
  | BesideBlock
  /** Names and values, the values aligned. */
  | { kind: 'pairs'; pairs: readonly { name: string; value: readonly Cell[] }[] };

export const text = (value: string, tone?: Tone): Cell =>
  tone === undefined ? { kind: 'text', text: value } : { kind: 'text', text: value, tone };
/** An id, the name of a market, or words with one in them: letters of other scripts are spelled out. */
export const nameText = (value: string, tone?: Tone): Cell => text(spelledName(value), tone);
/** A sentence of the program: what others wrote is short in it already. */
export const message = (value: string, tone: Tone = 'plain'): Cell => ({
  kind: 'text',
  text: cutField(value),
  tone,
  isOurs: true,
});
export const missing: Cell = { kind: 'missing' };
export const line = (...cells: readonly Cell[]): Block => ({ kind: 'line', cells });

/** A text of several lines, to be pasted or kept as it is. */
export const verbatimLines = (value: string): readonly Block[] =>
  value
    .trimEnd()
    .split('\n')
    .map((each) => ({ kind: 'verbatim', text: each }));

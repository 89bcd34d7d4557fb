/** Charts in text: a line over time with labeled axes, a sparkline, and bars. */
import type { Big } from 'big.js';
import { textWidth } from '../domain/text-width.ts';
import type { BlockOf, ChartBlock, ChartPoint } from './blocks.ts';
import { cellText, showable } from './format.ts';
import { type Layout, paintColumns, sentence } from './layout.ts';
import { blank, lineWidth, paintLine, type Run, type WrappedLine, wrapRuns } from './styled-text.ts';

const HEIGHT = 10;
const WIDEST = 100;
const NARROWEST = 10;

/** A letter of a drawing, and what a terminal without Unicode shows in its place. */
const LETTERS = '─│╯╮╰╭┤└•▁▂▃▄▅▆▇█░';
const IN_ASCII = "-|'.'.|+*_.-:=+*#.";

const drawing = (text: string, { unicode }: Layout): string =>
  unicode ? text : text.replace(/\S/g, (letter) => IN_ASCII.charAt(LETTERS.indexOf(letter)));

export function layChart(block: ChartBlock, layout: Layout): string[] {
  const { points, label, ends } = block;
  const [first] = points;
  if (first === undefined) return painted([[{ text: showable(block.empty, layout), style: 'dim' }]], layout);
  const height = block.height ?? HEIGHT;
  const [low, high] = boundsOf(
    points.map(({ y }) => y),
    first.y,
  );
  const middle = low
    .plus(high)
    .div(2)
    .round(places(low, high) + 1);
  const labels = new Map([
    [0, high],
    ...(high.eq(low) ? [] : ([[height - 1, low]] as const)),
    ...(high.eq(low) || height < 5 ? [] : ([[Math.round((height - 1) / 2), middle]] as const)),
  ]);
  const spelled = new Map([...labels].map(([row, y]) => [row, cellText(label(y), layout)]));
  const left = Math.max(...[...spelled.values()].map(textWidth)) + 1;
  const columns = Math.max(NARROWEST, Math.min(WIDEST, layout.width - left - 1));
  const grid = draw(rowsOf(points, { columns, height, low, high }), height);
  const drawn = grid.map((cells, row): WrappedLine => {
    const text = spelled.get(row) ?? '';
    return [
      { text: `${text.padStart(left - 1)} `, style: 'dim' },
      { text: drawing('┤', layout), style: 'dim' },
      { text: drawing(cells.join('').trimEnd(), layout), style: 'strong' },
    ];
  });
  const floor = drawing(`${' '.repeat(left)}└${'─'.repeat(columns)}`, layout);
  return painted([...drawn, [{ text: floor, style: 'dim' }], endsOf(ends, left, columns, layout)], layout);
}

const painted = (lines: readonly WrappedLine[], { paint }: Layout): string[] =>
  lines.map((line) => paintLine(line, paint));

function endsOf(ends: ChartBlock['ends'], left: number, columns: number, layout: Layout): WrappedLine {
  const [from = '', to = ''] = ends.map((cell) => cellText(cell, layout));
  const room = left + 1 + columns;
  const indent = Math.max(0, Math.min(left + 1, room - textWidth(from) - textWidth(to) - 2));
  const between = room - indent - textWidth(from) - textWidth(to);
  const words: Run[] = [blank(indent), { text: from, style: 'dim' }];
  return between < 2 ? words : [...words, blank(between), { text: to, style: 'dim' }];
}

const boundsOf = (values: readonly Big[], first: Big): [low: Big, high: Big] =>
  values.reduce(([low, high], y) => [y.lt(low) ? y : low, y.gt(high) ? y : high], [first, first]);

/** The most decimals of the two. */
const places = (low: Big, high: Big): number =>
  Math.max(...[low, high].map((y) => y.toFixed().split('.')[1]?.length ?? 0));

/** For each column the row of the line, from the top. */
function rowsOf(
  points: readonly ChartPoint[],
  { columns, height, low, high }: { columns: number; height: number; low: Big; high: Big },
): readonly number[] {
  // Screen positions, not money.
  const span = high.minus(low).toNumber();
  const heights = points.map(({ y }) => (span === 0 ? 0 : high.minus(y).toNumber() / span));
  const xs = points.map(({ x }) => x);
  const start = xs[0] ?? 0;
  const width = (xs.at(-1) ?? start) - start;
  // All at one instant: in their order.
  if (width === 0) return heights.slice(-columns).map((part) => Math.round(part * (height - 1)));
  let next = 0;
  return Array.from({ length: columns }, (_, column) => {
    const x = start + (width * column) / Math.max(1, columns - 1);
    while (next < xs.length - 1 && (xs[next] ?? 0) < x) next += 1;
    // The right end is the last of several points at one instant.
    if (column === columns - 1) next = xs.length - 1;
    const before = Math.max(0, next - 1);
    const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = [xs[before], xs[next], heights[before], heights[next]];
    const share = x1 === x0 ? 1 : Math.min(1, (x - x0) / (x1 - x0));
    return Math.round((y0 + (y1 - y0) * share) * (height - 1));
  });
}

function draw(rows: readonly number[], height: number): string[][] {
  const grid = Array.from({ length: height }, () => rows.map(() => ' '));
  const put = (row: number, column: number, mark: string): void => {
    const line = grid[row];
    if (line !== undefined) line[column] = mark;
  };
  rows.forEach((row, column) => {
    const from = rows[column - 1] ?? row;
    if (rows.length === 1) put(row, column, '•');
    else if (from === row) put(row, column, '─');
    else {
      put(from, column, row < from ? '╯' : '╮');
      put(row, column, row < from ? '╭' : '╰');
      for (let between = Math.min(from, row) + 1; between < Math.max(from, row); between += 1)
        put(between, column, '│');
    }
  });
  return grid;
}

const LEVELS = '▁▂▃▄▅▆▇█';
const WIDEST_SPARK = 64;
const BAR = { narrowest: 6, widest: 24 };
const GAP = 2;

/** One line; none for fewer than two values. */
export function laySpark({ values }: BlockOf<'spark'>, layout: Layout): string[] {
  const picked = pick(values, Math.min(WIDEST_SPARK, layout.width));
  const [first] = picked;
  if (first === undefined || values.length < 2) return [];
  const [low, high] = boundsOf(picked, first);
  // Screen positions, not money.
  const span = high.minus(low).toNumber();
  const letters = picked.map((value) => {
    const share = span === 0 ? 0.5 : value.minus(low).toNumber() / span;
    return LEVELS.charAt(Math.min(LEVELS.length - 1, Math.floor(share * LEVELS.length)));
  });
  return painted([[{ text: drawing(letters.join(''), layout), style: 'strong' }]], layout);
}

/** Picks as many as fit, the last one included. */
function pick(values: readonly Big[], columns: number): readonly Big[] {
  if (values.length <= columns) return values;
  return Array.from({ length: columns }, (_, index) => {
    const at = Math.round((index * (values.length - 1)) / (columns - 1));
    return values[at];
  }).filter((value) => value !== undefined);
}

/** Names, bars of one length and figures in columns; without room for bars, none. */
export function layBars({ rows }: BlockOf<'bars'>, layout: Layout): string[] {
  const names = rows.map(({ name }) => showable(name, layout));
  const column = Math.max(0, ...names.map(textWidth));
  const words = rows.map(({ cells }) => sentence(cells, layout));
  const free = layout.width - column - 2 * GAP - Math.max(0, ...words.map(lineWidth));
  const hasBars = free >= BAR.narrowest && rows.some(({ part }) => part !== undefined);
  const length = hasBars ? Math.min(BAR.widest, free) : 0;
  const room = layout.width - column - GAP - (hasBars ? length + GAP : 0);
  const widths = hasBars ? [column, length] : [column];
  return rows.flatMap(({ part }, index) => {
    const name: Run = { text: names[index] ?? '', style: 'dim' };
    const bar: Run = { text: barOf(part, length, layout), style: 'plain' };
    const before = hasBars ? [[name], [bar]] : [[name]];
    return paintColumns(before, widths, wrapRuns(words[index] ?? [], room), layout);
  });
}

function barOf(part: number | undefined, length: number, layout: Layout): string {
  if (part === undefined) return '';
  const full = Math.round(Math.min(1, Math.max(0, part)) * length);
  return drawing('█'.repeat(full) + '░'.repeat(length - full), layout);
}

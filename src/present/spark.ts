/**
 * Small pictures within a screen: how something went, and how full something is, in letters. The figures stand
 * beside them. Knows nothing of what is drawn.
 */
import type { Big } from 'big.js';
import { textWidth } from '../domain/text-width.ts';
import type { BarsBlock, SparkBlock } from './blocks.ts';
import { showable } from './format.ts';
import { type Layout, sentence } from './lay-out.ts';
import { blank, type Line, lineWidth, wrapRuns } from './wrap.ts';

const LEVELS = { unicode: '▁▂▃▄▅▆▇█'.split(''), ascii: '_.-:=+*#'.split('') };
const WIDEST_SPARK = 64;
const BAR = { narrowest: 6, widest: 24 };
const BETWEEN = 2;

/** One line; nothing of fewer than two values. */
export function laySpark({ values, indent = 0 }: SparkBlock, { width, unicode }: Layout): Line[] {
  const columns = Math.min(WIDEST_SPARK, width - indent);
  const picked = pick(values, columns);
  const [first] = picked;
  if (first === undefined || values.length < 2) return [];
  const low = picked.reduce((least, value) => (value.lt(least) ? value : least), first);
  const high = picked.reduce((most, value) => (value.gt(most) ? value : most), first);
  const levels = unicode ? LEVELS.unicode : LEVELS.ascii;
  // Places on the screen, not money.
  const span = high.minus(low).toNumber();
  const text = picked.map((value) => {
    const share = span === 0 ? 0.5 : value.minus(low).toNumber() / span;
    return levels[Math.min(levels.length - 1, Math.floor(share * levels.length))] ?? '';
  });
  return [[blank(indent), { text: text.join(''), style: 'strong' }]];
}

/** As many as fit, the last one among them. */
function pick(values: readonly Big[], columns: number): readonly Big[] {
  if (values.length <= columns) return values;
  return Array.from({ length: columns }, (_, index) => {
    const at = Math.round((index * (values.length - 1)) / (columns - 1));
    return values[at];
  }).filter((value) => value !== undefined);
}

/** Names, bars of one length, and words beside them, under each other; without room for bars, none. */
export function layBars({ rows }: BarsBlock, layout: Layout): Line[] {
  const names = rows.map(({ name }) => showable(name, layout));
  const column = Math.max(0, ...names.map(textWidth)) + BETWEEN;
  const words = rows.map(({ cells }) => sentence(cells, layout));
  const room = layout.width - column - BETWEEN - Math.max(0, ...words.map(lineWidth));
  const columns = room < BAR.narrowest || rows.every(({ part }) => part === undefined) ? 0 : room;
  const length = Math.min(BAR.widest, columns);
  return rows.flatMap(({ part }, index): Line[] => {
    const name = names[index] ?? '';
    const start = [{ text: name, style: 'dim' } as const, blank(column - textWidth(name))];
    const bar = length === 0 ? [] : [barOf(part, length, layout), blank(BETWEEN)];
    const beside = column + (length === 0 ? 0 : length + BETWEEN);
    const [first = [], ...rest] = wrapRuns(words[index] ?? [], Math.max(1, layout.width - beside));
    return [[...start, ...bar, ...first], ...rest.map((each) => [blank(beside), ...each])];
  });
}

function barOf(part: number | undefined, length: number, { unicode }: Layout) {
  if (part === undefined) return blank(length);
  const full = Math.round(Math.min(1, Math.max(0, part)) * length);
  const [on, off] = unicode ? ['█', '░'] : ['#', '.'];
  return { text: on.repeat(full) + off.repeat(length - full), style: 'plain' } as const;
}

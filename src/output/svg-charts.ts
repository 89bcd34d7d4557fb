/** Charts as SVG: plain shapes and text, without scripts and colors that a printer loses. Labels come as text; a double has digits enough for pixels. */
import type { Big } from 'big.js';

/** Text and attributes of HTML and SVG. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const WIDTH = 720;
const HEIGHT = 230;
const [LEFT, RIGHT, TOP, BOTTOM] = [86, 12, 18, 40];

const LINES = 4;

/** `axis`: the grid and its labels. */
function scaleOf(values: readonly number[], label: (value: number) => string) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = (most - least) * 0.08 || Math.abs(most) * 0.01 || 1;
  const step = roundStep((most - least + 2 * margin) / LINES);
  const from = Math.floor((least - margin * Number(least !== 0)) / step) * step;
  // Without it, values that are all zero have no height.
  const to = Math.max(from + step, Math.ceil((most + margin * Number(most !== 0)) / step) * step);
  const y = (value: number): number => TOP + ((to - value) / (to - from)) * (HEIGHT - TOP - BOTTOM);
  const lines = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, at) => from + at * step);
  return {
    x: (part: number) => LEFT + part * (WIDTH - LEFT - RIGHT),
    y,
    axis: lines
      .map(
        (value) =>
          `<line class="${value === 0 ? 'zero' : 'grid'}" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at(y(value))}" y2="${at(y(value))}"/>${textAt(LEFT - 6, y(value) + 4, label(value), 'end')}`,
      )
      .join(''),
  };
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((times) => times * power >= least) ?? 10);
}

const at = (pixels: number): string => pixels.toFixed(1);

const textAt = (
  x: number,
  y: number,
  text: string,
  anchor: 'start' | 'middle' | 'end',
  kind = 'label',
): string =>
  `<text class="${kind}" x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${escapeMarkup(text)}</text>`;

const svg = (title: string, content: string): string =>
  `<figure><figcaption>${escapeMarkup(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeMarkup(title)}">${content}</svg></figure>`;

interface ChartWords {
  title: string;
  /** A value of the left axis. */
  label: (value: number) => string;
}

export interface WaterfallStep {
  name: string;
  /** A change; `isLevel`: the height itself. */
  amount: Big;
  isLevel?: boolean;
  shown: string;
}

/** Each change begins where the one before ended. */
export function waterfallChart(steps: readonly WaterfallStep[], { title, label }: ChartWords): string {
  let level = 0;
  const bars = steps.map(({ amount, isLevel = false, ...step }) => {
    const from = isLevel ? undefined : level;
    level = isLevel ? amount.toNumber() : level + amount.toNumber();
    return { ...step, from, to: level };
  });
  const scale = scaleOf(
    bars.flatMap(({ from, to }) => (from === undefined ? [to] : [from, to])),
    label,
  );
  const width = 1 / bars.length;
  const drawn = bars.map(({ name, shown, from, to }, index) => {
    const [x, middle] = [scale.x(index * width + width * 0.15), scale.x((index + 0.5) * width)];
    const [top, bottom] = [
      scale.y(Math.max(to, from ?? to)),
      from === undefined ? HEIGHT - BOTTOM : scale.y(Math.min(to, from)),
    ];
    const kind = from === undefined ? 'level' : to < from ? 'loss' : 'gain';
    return `<rect class="${kind}" x="${at(x)}" y="${at(top)}" width="${at(scale.x(width * 0.7) - LEFT)}" height="${at(Math.max(1, bottom - top))}"/>${textAt(middle, top - 4, shown, 'middle', 'value')}${textAt(middle, HEIGHT - BOTTOM + 16 + 12 * (index % 2), name, 'middle')}`;
  });
  return svg(title, scale.axis + drawn.join(''));
}

/** `ms`: milliseconds. `ends`: below the first and the last point. */
export function lineChart(
  points: readonly { ms: number; value: Big }[],
  { title, label, ends }: ChartWords & { ends: readonly [string, string] },
): string {
  const values = points.map(({ value }) => value.toNumber());
  const scale = scaleOf(values, label);
  const [first, last] = [points[0]?.ms ?? 0, points.at(-1)?.ms ?? 0];
  const places = points.map(({ ms }, index) => [
    scale.x((ms - first) / (last - first || 1)),
    scale.y(values[index] ?? 0),
  ]);
  const path = places.map(([x = 0, y = 0]) => `${at(x)},${at(y)}`).join(' ');
  const dots = places.map(([x = 0, y = 0]) => `<circle class="dot" cx="${at(x)}" cy="${at(y)}" r="2"/>`);
  return svg(
    title,
    `${scale.axis}<polyline class="line" points="${path}"/>${dots.join('')}${textAt(LEFT, HEIGHT - BOTTOM + 18, ends[0], 'start')}${textAt(WIDTH - RIGHT, HEIGHT - BOTTOM + 18, ends[1], 'end')}`,
  );
}

/** Bars side by side, in the order of `kinds`, which the legend has. Undefined values are not known. */
export function barChart(
  groups: readonly { name: string; values: readonly (Big | undefined)[] }[],
  { title, label, kinds }: ChartWords & { kinds: readonly string[] },
): string {
  const all = groups.flatMap(({ values }) => values.flatMap((value) => (value ? value.toNumber() : [])));
  const scale = scaleOf([0, ...all], label);
  const width = 1 / groups.length;
  const each = (width * 0.8) / kinds.length;
  const every = Math.ceil(groups.length / 12);
  const drawn = groups.map(({ name, values }, index) => {
    const bars = values.map((value, kind) => {
      if (value === undefined) return '';
      const [top, bottom] = [scale.y(Math.max(0, value.toNumber())), scale.y(Math.min(0, value.toNumber()))];
      const x = scale.x(index * width + width * 0.1 + kind * each);
      return `<rect class="kind${kind}" x="${at(x)}" y="${at(top)}" width="${at(scale.x(each) - LEFT)}" height="${at(bottom - top)}"/>`;
    });
    const named =
      index % every === 0 ? textAt(scale.x((index + 0.5) * width), HEIGHT - BOTTOM + 16, name, 'middle') : '';
    return bars.join('') + named;
  });
  const legend = kinds.map(
    (kind, index) =>
      `<rect class="kind${index}" x="${LEFT + index * 130}" y="${HEIGHT - 12}" width="10" height="10"/>${textAt(LEFT + index * 130 + 15, HEIGHT - 3, kind, 'start')}`,
  );
  return svg(title, scale.axis + drawn.join('') + legend.join(''));
}

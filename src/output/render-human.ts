/** A view for a person as text: blocks laid out to a width and painted; and errors as a person reads them. */
import { Big } from 'big.js';
import { ENVIRONMENT_GLOSS, hasLiveRules } from '../domain/vocabulary.ts';
import { type Effect, type HedgeError, isOwnCode, RefusedError } from '../errors.ts';
import { type Block, type BlockOf, gap, line, type View } from './blocks.ts';
import { message, partsIn } from './cells.ts';
import { layBars, layChart, laySpark } from './chart.ts';
import { setColumns } from './columns.ts';
import { hasDetails, isWeekend, programText, showable, WEEKEND } from './format.ts';
import { hintBlocks, meaningOf } from './hint-blocks.ts';
import { indented, type Layout, layCommands, layFigures, layPairs, sentence, wrapPainted } from './layout.ts';
import { layTable } from './render-table.ts';
import {
  blank,
  lineWidth,
  type PaintLevel,
  painterOf,
  paintLine,
  type Run,
  type WrappedLine,
} from './styled-text.ts';

/** A layout with the colours of the stream; at least 20 columns are used. */
export interface HumanView extends Omit<Layout, 'paint'> {
  colour: PaintLevel;
}

const NARROWEST = 20;
/** Continued lines are indented, so that no text of the service can pose as a line of its own. */
const HANGING = 2;

/** Lines without blanks at their end, none wider than the view except verbatim ones and commands. */
export function renderHuman(blocks: View, view: HumanView): string {
  const width = Math.max(NARROWEST, Math.floor(view.width));
  const layout: Layout = { ...view, width, paint: painterOf(view.colour) };
  const lines = layBlocks(blocks, layout);
  return [...lines, ...(view.choices === true ? [] : weekendNote(blocks, lines, layout))]
    .map((each) => `${each}\n`)
    .join('');
}

function layBlock(block: Block, layout: Layout): string[] {
  const painted = (lines: readonly WrappedLine[]): string[] =>
    lines.map((each) => paintLine(each, layout.paint));
  switch (block.kind) {
    case 'heading':
      return layHeading(block, layout);
    case 'line': {
      const indent = Math.min(block.indent ?? 0, Math.floor(layout.width / 2));
      const runs = sentence(block.cells, layout);
      const room = { width: layout.width - indent, indent: HANGING };
      return runs.length === 0 ? [] : indented(wrapPainted(runs, layout, room), indent);
    }
    case 'verbatim':
      return [programText(block.text, layout).trimEnd()];
    case 'gap':
      return [''];
    case 'table':
      return layTable(block, layout);
    case 'figures':
      return layFigures(block.rows, layout);
    case 'commands':
      return layCommands(block.rows, layout);
    case 'details':
      return layBlocks(hasDetails(layout) ? block.blocks : (block.instead ?? []), layout);
    case 'chart':
      return painted(layChart(block, layout));
    case 'spark':
      return painted(laySpark(block, layout));
    case 'bars':
      return layBars(block, layout);
    case 'columns':
      return layColumns(block, layout);
    case 'pairs':
      return layPairs(block.pairs, layout);
    default:
      return block satisfies never;
  }
}

function layHeading(heading: BlockOf<'heading'>, layout: Layout): string[] {
  const { environment, profile } = heading;
  const dot: Run = { text: ` ${showable('·', layout)} `, style: 'dim' };
  const left: Run[] = [
    { text: environment.toUpperCase(), style: hasLiveRules(heading) ? 'live' : environment },
  ];
  if (profile !== environment) left.push(dot, { text: showable(profile, layout), style: 'strong' });
  left.push(dot, { text: showable(ENVIRONMENT_GLOSS[environment], layout), style: 'plain' });
  const note = sentence(heading.note ?? [], layout);
  if (note.length === 0) return wrapPainted(left, layout);
  const between = layout.width - lineWidth(left) - lineWidth(note);
  if (between < HEADING_GAP) return [...wrapPainted(left, layout), ...wrapPainted(note, layout)];
  return [paintLine([...left, blank(between), ...note], layout.paint)];
}

const HEADING_GAP = 2;

/** Narrowest width of each of two columns. */
const COLUMN_ROOM = 56;
const BETWEEN = 3;

const layBlocks = (view: View, layout: Layout): string[] =>
  partsIn(view).flatMap((each) => layBlock(each, layout));

/** Two columns of blocks; in narrower windows the right one is below the left one. */
function layColumns({ left, right }: BlockOf<'columns'>, layout: Layout): string[] {
  const width = Math.floor((layout.width - BETWEEN) / 2);
  if (width < COLUMN_ROOM) {
    return layBlocks([left, partsIn(right).length > 0 && gap, right], layout);
  }
  const [one = [], other = []] = [left, right].map((blocks) => layBlocks(blocks, { ...layout, width }));
  const rows = Array.from({ length: Math.max(one.length, other.length) }, (_, row) => [
    one[row] ?? '',
    other[row] ?? '',
  ]);
  return setColumns(rows, [{ width }, { width }], BETWEEN);
}

/** Explains `(!)` in these lines, if a maturity has it. */
function weekendNote(blocks: View, lines: readonly string[], layout: Layout): string[] {
  if (!lines.some((each) => each.includes(WEEKEND)) || !hasWeekend(blocks, layout.zone)) return [];
  return wrapPainted([{ text: `${WEEKEND} matures on a weekend.`, style: 'warn' }], layout);
}

/** Blocks and cells are nested, so every part is looked at. */
function hasWeekend(part: unknown, zone: string): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if ('matures' in part && 'at' in part) return typeof part.at === 'string' && isWeekend(part.at, zone);
  return !(part instanceof Big) && Object.values(part).some((each) => hasWeekend(each, zone));
}

/** An error in three parts: the event, its effect on the position, the next step. A code of the service follows in brackets. */
export function renderErrorHuman(error: HedgeError, view: HumanView): string {
  const what = message(withCode(error), 'bad');
  const meaning = meaningOf(error) ?? DEFAULT_MEANING[error.effect];
  const next = hintBlocks(error.hint);
  if (meaning === undefined) return renderHuman([line(what), next], view);
  const apart = renderHuman([line(what), line(message(meaning)), next], view);
  if (linesOf(apart) <= MOST_LINES) return apart;
  const joined = renderHuman([line(what, message(meaning)), next], view);
  return linesOf(joined) < linesOf(apart) ? joined : apart;
}

const linesOf = (text: string): number => text.split('\n').length - 1;

/** A longer error has its meaning for the position in the same paragraph. */
const MOST_LINES = 3;

/** The meaning for the position, if the error itself has none. */
const DEFAULT_MEANING: Readonly<Record<Effect, string | undefined>> = {
  none: undefined,
  pending: 'Accepted; not finished yet.',
  unknown: 'Outcome unknown: it may have executed. Do not send it again before hedge check.',
  done: 'The position has changed as requested.',
};

function withCode(error: HedgeError): string {
  const { what, code } = error;
  const isOurs = isOwnCode(code) && !(error instanceof RefusedError);
  if (isOurs || what.includes(code)) return what;
  const stop = /[.!?]$/.exec(what)?.[0] ?? '';
  return `${what.slice(0, what.length - stop.length)} (${code})${stop}`;
}

/** A view for a person as text: blocks laid out to a width and painted; and errors as a person reads them. */
import { Big } from 'big.js';
import { holidayTable } from '../domain/business-days.ts';
import { spelledName } from '../domain/sanitize.ts';
import { ENVIRONMENT_GLOSS, hasLiveRules } from '../domain/vocabulary.ts';
import { formatTime, REST_DAY, restDayOf, restDaysNote } from '../domain/zone-times.ts';
import { type Effect, type HedgeError, isOwnCode, RefusedError } from '../errors.ts';
import { type Block, type BlockOf, gap, hintBlocks, line, meaningOf, type View } from './blocks.ts';
import { type Cell, message, partsIn } from './cells.ts';
import { layBars, layChart, laySpark } from './chart.ts';
import { setColumns } from './columns.ts';
import { hasDetails, programText, showable } from './format.ts';
import { indented, type Layout, layCommands, layFigures, layPairs, sentence, wrapPainted } from './layout.ts';
import { layTable } from './render-table.ts';
import { blank, lineWidth, type PaintLevel, painterOf, paintLine, type Run } from './styled-text.ts';

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
  const layout: Layout = {
    holidayOf: (date) => HOLIDAYS.nameOf(date),
    ...view,
    width,
    paint: painterOf(view.colour),
  };
  const lines = layBlocks(blocks, layout);
  return [...lines, ...(view.choices === true ? [] : restDayNote(blocks, lines, layout))]
    .map((each) => `${each}\n`)
    .join('');
}

function layBlock(block: Block, layout: Layout): string[] {
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
      return layChart(block, layout);
    case 'spark':
      return laySpark(block, layout);
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

/** Those that the program has; a cell may have one of the operator's. */
const HOLIDAYS = holidayTable();

/** Explains `(!)` in these lines, if a maturity has it. */
function restDayNote(blocks: View, lines: readonly string[], layout: Layout): string[] {
  const days = lines.some((each) => each.includes(REST_DAY)) ? restDaysIn(blocks, layout) : [];
  if (days.length === 0) return [];
  const holidays = days
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
    .flatMap(({ words }) => words ?? []);
  const note = restDaysNote(
    [...new Set(holidays)],
    days.some(({ words }) => words === undefined),
  );
  return wrapPainted([{ text: programText(note, layout), style: 'warn' }], layout);
}

/** Blocks and cells are nested, so every part is looked at. `words`: `Fri 25 Dec, Christmas Day`. */
function restDaysIn(part: unknown, layout: Layout): readonly { at: string; words: string | undefined }[] {
  if (typeof part !== 'object' || part === null || part instanceof Big) return [];
  if (!isMaturity(part)) return Object.values(part).flatMap((each) => restDaysIn(each, layout));
  const { at } = part;
  const day = restDayOf(part, layout);
  if (day === undefined) return [];
  const { holiday } = day;
  return [{ at, words: holiday && `${formatTime(at, layout, 'date') ?? at}, ${spelledName(holiday)}` }];
}

const isMaturity = (part: object): part is Extract<Cell, { kind: 'time' }> =>
  'matures' in part && 'at' in part && part.matures === true;

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

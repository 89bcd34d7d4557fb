/**
 * A person's view as text: blocks laid out to a width, then painted. Knows no terminal and no resource.
 *
 * Two columns of lines beside each other, where the window is wide enough for both. Knows nothing of what they say.
 *
 * An error as a person reads it: what happened, what it means for the book, what to do next.
 */
import { ENVIRONMENT_GLOSS } from '../domain/vocabulary.ts';
import { type Effect, type HedgeError, OWN_CODES, RefusedError } from '../errors.ts';
import { type BesideBlock, type Block, line, message } from './blocks.ts';
import { layBars, layChart, laySpark } from './chart.ts';
import { ours, showable } from './format.ts';
import { hintBlocks } from './hint.ts';
import { indented, type Layout, layCommands, layFigures, layPairs, sentence } from './layout.ts';
import { layTable } from './render-table.ts';
import { type Painter, type PaintLevel, painterOf } from './style.ts';
import { blank, lineWidth, type Run, type WrappedLine, wrapRuns } from './wrap.ts';
export interface HumanView {
  /** Columns of the stream; below 20 it is taken as 20. */
  width: number;
  colour: PaintLevel;
  unicode: boolean;
  /** IANA name of the zone for times; an unknown one is UTC. */
  zone: string;
  /** For a program: times are ISO 8601 in UTC instead. */
  iso?: boolean;
  /** Now, in milliseconds since the epoch. */
  now: number;
}

const NARROWEST = 20;
/** What goes on in the next line stands further in: no text of a service begins a line that it was not given. */
const HANGING = 2;

/** The blocks as lines that each end in a line end, none wider than the view but verbatim ones and commands, none ending in blanks. */
export function renderHuman(blocks: readonly Block[], view: HumanView): string {
  const layout: Layout = { ...view, width: Math.max(NARROWEST, Math.floor(view.width)) };
  const paint = painterOf(view.colour);
  return blocks
    .flatMap((block) => layBlock(block, layout))
    .map((laid) => `${paintLine(laid, paint)}\n`)
    .join('');
}

function layBlock(block: Block, layout: Layout): WrappedLine[] {
  switch (block.kind) {
    case 'heading':
      return layHeading(block, layout);
    case 'line': {
      const indent = Math.min(block.indent ?? 0, Math.floor(layout.width / 2));
      const runs = sentence(block.cells, layout);
      return runs.length === 0 ? [] : indented(wrapRuns(runs, layout.width - indent, HANGING), indent);
    }
    case 'verbatim':
      return [[{ text: ours(block.text, layout), style: 'plain' }]];
    case 'gap':
      return [[]];
    case 'table':
      return layTable(block, layout);
    case 'figures':
      return layFigures(block.rows, layout);
    case 'commands':
      return layCommands(block.rows, layout);
    case 'chart':
      return layChart(block, layout);
    case 'spark':
      return laySpark(block, layout);
    case 'bars':
      return layBars(block, layout);
    case 'beside':
      return layColumns(block, layout, (blocks, within) => blocks.flatMap((each) => layBlock(each, within)));
    case 'pairs':
      return layPairs(block.pairs, layout);
    default:
      return block satisfies never;
  }
}

function layHeading(heading: Extract<Block, { kind: 'heading' }>, layout: Layout): WrappedLine[] {
  const { environment, profile } = heading;
  const dot: Run = { text: ` ${showable('·', layout)} `, style: 'dim' };
  const left: Run[] = [{ text: environment.toUpperCase(), style: environment }];
  // The practice desk's profile is called practice; saying it twice says less.
  if (profile !== environment) left.push(dot, { text: showable(profile, layout), style: 'strong' });
  left.push(dot, { text: showable(ENVIRONMENT_GLOSS[environment], layout), style: 'plain' });
  const note = sentence(heading.note ?? [], layout);
  if (note.length === 0) return wrapRuns(left, layout.width);
  const free = layout.width - lineWidth(left) - lineWidth(note);
  if (free >= 2) return [[...left, blank(free), ...note]];
  return [...wrapRuns(left, layout.width), ...wrapRuns(note, layout.width)];
}

function paintLine(laid: WrappedLine, paint: Painter): string {
  const runs = [...laid];
  while (runs.at(-1)?.text.trim() === '') runs.pop();
  return runs
    .map(({ text, style }, index) => paint(index === runs.length - 1 ? text.trimEnd() : text, style))
    .join('');
}

/** Each of two columns needs as much. */
const EACH_NEEDS = 56;
const BETWEEN = 3;

/** `lay` lays out the blocks of one column; narrower windows have the right column under the left one. */
export function layColumns(
  { left, right }: BesideBlock,
  layout: Layout,
  lay: (blocks: readonly Block[], layout: Layout) => WrappedLine[],
): WrappedLine[] {
  const width = Math.floor((layout.width - BETWEEN) / 2);
  if (width < EACH_NEEDS) {
    const gap: Block = { kind: 'gap' };
    return lay([...left, ...(right.length === 0 ? [] : [gap]), ...right], layout);
  }
  const [one, other] = [left, right].map((blocks) => lay(blocks, { ...layout, width }));
  const count = Math.max(one?.length ?? 0, other?.length ?? 0);
  return Array.from({ length: count }, (_, row) => {
    const start = one?.[row] ?? [];
    return [...start, blank(width + BETWEEN - lineWidth(start)), ...(other?.[row] ?? [])];
  });
}

/** Lines for standard error. A code of the service stands in brackets behind what happened. */
export function renderErrorHuman(error: HedgeError, view: HumanView, hint = error.hint): string {
  const blocks: Block[] = [line(message(withCode(error), 'bad'))];
  const book = error.book ?? BOOK_UNSAID[error.effect];
  if (book !== undefined) blocks.push(line(message(book)));
  if (hint !== undefined) blocks.push(...hintBlocks(hint));
  return renderHuman(blocks, view);
}

/** Said when an error that did or may have done something does not say what. */
const BOOK_UNSAID: Readonly<Record<Effect, string | undefined>> = {
  none: undefined,
  pending: 'It was accepted and is not finished yet.',
  unknown: 'It may have been done or not: look before dealing it again.',
  done: 'The book has changed as asked.',
};

function withCode(error: HedgeError): string {
  const { what, code } = error;
  const isOwnCode = OWN.has(code) && !(error instanceof RefusedError);
  if (isOwnCode || what.includes(code)) return what;
  const stop = /[.!?]$/.exec(what)?.[0] ?? '';
  return `${what.slice(0, what.length - stop.length)} (${code})${stop}`;
}

const OWN: ReadonlySet<string> = new Set(OWN_CODES);

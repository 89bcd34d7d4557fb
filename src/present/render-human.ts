/** A person's view as text: blocks laid out to a width, then painted. Knows no terminal and no resource. */
import { ENVIRONMENT_GLOSS } from '../domain/vocabulary.ts';
import { layBeside } from './beside.ts';
import type { Block } from './blocks.ts';
import { layChart } from './chart.ts';
import { ours, showable } from './format.ts';
import { indented, type Layout, layCommands, layFigures, layPairs, sentence } from './lay-out.ts';
import { layTable } from './render-table.ts';
import { layBars, laySpark } from './spark.ts';
import { type ColourLevel, type Painter, painterOf } from './style.ts';
import { blank, type Line, lineWidth, type Run, wrapRuns } from './wrap.ts';

export interface HumanView {
  /** Columns of the stream; below 20 it is taken as 20. */
  width: number;
  colour: ColourLevel;
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
    .map((line) => `${paintLine(line, paint)}\n`)
    .join('');
}

function layBlock(block: Block, layout: Layout): Line[] {
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
      return layBeside(block, layout, (blocks, within) => blocks.flatMap((each) => layBlock(each, within)));
    case 'pairs':
      return layPairs(block.pairs, layout);
    default:
      return block satisfies never;
  }
}

function layHeading(heading: Extract<Block, { kind: 'heading' }>, layout: Layout): Line[] {
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

function paintLine(line: Line, paint: Painter): string {
  const runs = [...line];
  while (runs.at(-1)?.text.trim() === '') runs.pop();
  return runs
    .map(({ text, style }, index) => paint(index === runs.length - 1 ? text.trimEnd() : text, style))
    .join('');
}

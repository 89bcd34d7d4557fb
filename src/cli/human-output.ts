/** Results, errors and notes for a person, laid out for the stream they go to. */
import type { CommandResult } from '../commands/command-context.ts';
import { exactInstant } from '../domain/instants.ts';
import type { HedgeError } from '../errors.ts';
import type { Block, View } from '../output/blocks.ts';
import { renderErrorHuman, renderHuman } from '../output/render-human.ts';
import type { Surface, Terminal } from '../terminal/streams.ts';
import { placingIn, type RenderContext } from './render-context.ts';

/** The environment line on standard error, for a result on standard output. */
export function printHeading(terminal: Terminal, result: CommandResult, context: RenderContext): void {
  if (context.identity !== undefined)
    writePainted(terminal, toText([headingOf(context, result)], terminal.stderr, context));
}

/** Blocks on standard error, below the environment line unless it is shown already. */
export function printBlocks(
  terminal: Terminal,
  blocks: View,
  { zone, ...shown }: Pick<RenderContext, 'identity' | 'headed' | 'named' | 'now'> & { zone: string },
): void {
  const { identity, headed } = shown;
  const heading: View =
    identity === undefined || headed
      ? []
      : [{ kind: 'heading', environment: identity.environment, profile: identity.profile }];
  const context = { ...shown, command: '', aside: undefined, list: undefined };
  writePainted(terminal, toText([heading, blocks], terminal.stderr, context, zone));
}

/** Columns before each choice of a list. */
const MARK = 2;
const NARROWEST_CHOICE = 40;

/** Blocks as lines without color, for a list of choices on standard error. */
export function plainLines(
  terminal: Terminal,
  blocks: View,
  context: Pick<RenderContext, 'identity' | 'named' | 'now'>,
): readonly string[] {
  const { stderr } = terminal;
  const width = Math.max(NARROWEST_CHOICE, stderr.width - MARK);
  return renderHuman(blocks, {
    width,
    colour: 0,
    unicode: stderr.unicode,
    zone: context.identity?.zone ?? 'UTC',
    now: context.now,
    command: placingIn(context),
    choices: true,
  })
    .trimEnd()
    .split('\n');
}

/** The view on standard output, below the environment line; a finding on standard error. */
export async function printResult(
  terminal: Terminal,
  result: CommandResult,
  context: RenderContext,
): Promise<void> {
  const headed = context.headed && terminal.stdout.isTTY && terminal.stderr.isTTY;
  const file = result.file?.();
  if (file !== undefined) await terminal.writeResult(file);
  const isShown = file === undefined && (await printView(terminal, result, { ...context, headed }));
  if (result.finding === undefined) return;
  // A finding alone has the environment line too.
  if (!isShown && !context.headed) printHeading(terminal, result, context);
  printError(terminal, result.finding, context);
}

/** False for an empty view. */
export async function printView(
  terminal: Terminal,
  result: CommandResult,
  context: RenderContext,
): Promise<boolean> {
  const blocks = resultBlocks(result, context);
  if (blocks.length > 0)
    await terminal.writeResult(toText(blocks, terminal.stdout, seenAt(context, result), result.zone));
  return blocks.length > 0;
}

/** A view below its environment line, unless that is shown already. */
export function resultBlocks(result: CommandResult, context: RenderContext): readonly Block[] {
  const blocks = result.blocks();
  if (blocks.length === 0 || context.identity === undefined || context.headed) return blocks;
  return [headingOf(context, result), ...blocks];
}

export function printError(terminal: Terminal, error: HedgeError, context: RenderContext): void {
  writePainted(terminal, renderErrorHuman(error, viewOf(terminal.stderr, context)));
}

/** The lines are sanitized already. */
const writePainted = (terminal: Terminal, lines: string): void =>
  terminal.writeNote(lines, { painted: true });

function headingOf(context: RenderContext, result: CommandResult): Block {
  const { identity, aside } = context;
  if (identity === undefined) throw new Error('a heading needs an identity');
  const { servedAt } = result;
  // Practice has its own clock, which may be days ahead.
  const unknown = servedAt === undefined && identity.environment === 'practice';
  const at = {
    kind: 'time',
    at: exactInstant(servedAt?.getTime() ?? context.now),
    style: 'second',
  } as const;
  const note = [
    ...(aside === undefined ? [] : [{ kind: 'text', text: unknown ? aside : `${aside},` } as const]),
    ...(unknown ? [] : [at]),
  ];
  return { kind: 'heading', environment: identity.environment, profile: identity.profile, note };
}

/** Relative times follow the clock of the service: practice may be days ahead. */
const seenAt = (context: RenderContext, { servedAt }: CommandResult): RenderContext => ({
  ...context,
  now: servedAt?.getTime() ?? context.now,
});

const toText = (blocks: View, stream: Surface, context: RenderContext, zone?: string): string =>
  renderHuman(blocks, viewOf(stream, context, zone));

export const viewOf = (stream: Surface, context: RenderContext, zone = 'UTC') => ({
  width: stream.width,
  colour: stream.colour,
  unicode: stream.unicode,
  zone: stream.isTTY ? (context.identity?.zone ?? zone) : 'UTC',
  iso: !stream.isTTY,
  verbose: context.verbose === true,
  now: context.now,
  command: placingIn(context),
  list: context.list,
});

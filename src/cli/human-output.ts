/** What a person reads: results, errors and what is said before them, laid out for the stream they go to. */
import type { CommandResult } from '../commands/command-result.ts';
import { exactInstant } from '../domain/instants.ts';
import type { HedgeError } from '../errors.ts';
import type { Block } from '../output/blocks.ts';
import { renderErrorHuman, renderHuman } from '../output/render-human.ts';
import type { Surface, Terminal } from '../terminal/streams.ts';
import { hintFor, type RenderContext } from './render-context.ts';
/** Whose result it is that goes to standard output, where a person sees both. */
export function printHeading(terminal: Terminal, shown: CommandResult, context: RenderContext): void {
  if (context.identity !== undefined)
    sayPainted(terminal, toText([headingOf(context, shown)], terminal.stderr, context));
}

/** Blocks that are no result: on standard error, under the environment line unless it stands there already. */
export function printBlocks(
  terminal: Terminal,
  blocks: readonly Block[],
  { identity, headed, now }: Pick<RenderContext, 'identity' | 'headed' | 'now'>,
): void {
  const heading: readonly Block[] =
    identity === undefined || headed
      ? []
      : [{ kind: 'heading', environment: identity.environment, profile: identity.profile }];
  const context = { command: '', aside: undefined, identity, named: undefined, headed, now };
  sayPainted(terminal, toText([...heading, ...blocks], terminal.stderr, context));
}

/** Columns that a list of choices takes before each of them. */
const MARK = 2;
const NARROWEST_CHOICE = 40;

/** Blocks as lines without colour, for choices that standard error shows in a list. */
export function plainLines(
  terminal: Terminal,
  blocks: readonly Block[],
  { identity, now }: Pick<RenderContext, 'identity' | 'now'>,
): readonly string[] {
  const { stderr } = terminal;
  const width = Math.max(NARROWEST_CHOICE, stderr.width - MARK);
  return renderHuman(blocks, {
    width,
    colour: 0,
    unicode: stderr.unicode,
    zone: identity?.zone ?? 'UTC',
    now,
  })
    .trimEnd()
    .split('\n');
}

/** The view on standard output, under the environment line; what was found wrong on standard error. */
export async function printResult(
  terminal: Terminal,
  shown: CommandResult,
  context: RenderContext,
): Promise<void> {
  const headed = context.headed && terminal.stdout.isTTY && terminal.stderr.isTTY;
  const blocks = resultBlocks(shown, { ...context, headed });
  if (blocks.length > 0)
    await terminal.writeResult(toText(blocks, terminal.stdout, seenAt(context, shown), shown.zone));
  if (shown.finding === undefined) return;
  // Where it is all there is to see, it too says whose book it is of.
  if (blocks.length === 0 && !context.headed && terminal.stderr.isTTY) printHeading(terminal, shown, context);
  printError(terminal, shown.finding, context);
}

/** A result's view under its environment line, if that is not seen yet; nothing where there is nothing to see. */
export function resultBlocks(shown: CommandResult, context: RenderContext): readonly Block[] {
  const blocks = shown.blocks();
  if (blocks.length === 0 || context.identity === undefined || context.headed) return blocks;
  return [headingOf(context, shown), ...blocks];
}

export function printError(terminal: Terminal, error: HedgeError, context: RenderContext): void {
  sayPainted(
    terminal,
    renderErrorHuman(error, viewOf(terminal.stderr, context), hintFor(error, context.named)),
  );
}

/** Lines that the presentation has laid out and made harmless. */
const sayPainted = (terminal: Terminal, lines: string): void => terminal.writeNote(lines, { painted: true });

function headingOf(context: RenderContext, shown: CommandResult): Block {
  const { identity, aside } = context;
  if (identity === undefined) throw new Error('a heading needs an identity');
  const { servedAt } = shown;
  // Practice has a time of its own, which may be days ahead: this machine's is not it.
  const untold = servedAt === undefined && identity.environment === 'practice';
  const at = {
    kind: 'time',
    at: exactInstant(servedAt?.getTime() ?? context.now),
    style: 'second',
  } as const;
  const note = [
    ...(aside === undefined ? [] : [{ kind: 'text', text: untold ? aside : `${aside},` } as const]),
    ...(untold ? [] : [at]),
  ];
  return { kind: 'heading', environment: identity.environment, profile: identity.profile, note };
}

/** How far off a time is goes by the service's clock: practice may be days ahead of this machine. */
const seenAt = (context: RenderContext, { servedAt }: CommandResult): RenderContext => ({
  ...context,
  now: servedAt?.getTime() ?? context.now,
});

const toText = (blocks: readonly Block[], stream: Surface, context: RenderContext, zone?: string): string =>
  renderHuman(blocks, viewOf(stream, context, zone));

export const viewOf = (stream: Surface, context: RenderContext, zone = 'UTC') => ({
  width: stream.width,
  colour: stream.colour,
  unicode: stream.unicode,
  zone: stream.isTTY ? (context.identity?.zone ?? zone) : 'UTC',
  iso: !stream.isTTY,
  now: context.now,
});

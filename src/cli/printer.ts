/**
 * The two ways a result leaves the program: a view for a person, a document for a script. The choice is
 * made once, here; commands and the pipeline never ask which it is.
 */
import type { Shown } from '../commands/define.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { HedgeError } from '../errors.ts';
import type { Block } from '../present/blocks.ts';
import { renderErrorHuman } from '../present/render-error.ts';
import { renderHuman } from '../present/render-human.ts';
import { errorDocument, type JsonDocument, renderJson } from '../present/render-json.ts';
import type { Surface, Terminal } from '../terminal/streams.ts';

/** Whose result this is: known once a profile was selected. */
export interface Identity {
  profile: string;
  environment: Environment;
  /** IANA zone for people; documents are always UTC. */
  zone: string;
}

export interface Context {
  /** The command as typed, `profile add`; empty until it is known. */
  command: string;
  aside: string | undefined;
  identity: Identity | undefined;
  /** The profile of `--profile`: what to do next names it too. */
  named: string | undefined;
  /** The environment line stands on standard error already. */
  headed: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface Printer {
  result(shown: Shown, context: Context): Promise<void>;
  failure(error: HedgeError, context: Context): Promise<void>;
}

const DOCUMENT_SCHEMA = 1;

/** What is printed for a script, whatever it is about. */
export function documentOf(
  context: Context,
  shown: Shown | undefined,
  error: HedgeError | undefined,
): JsonDocument {
  const { identity } = context;
  return {
    data: shown?.document() ?? null,
    error: error === undefined ? null : errorDocument(error, context.named),
    meta: {
      ...shown?.meta,
      schema: DOCUMENT_SCHEMA,
      command: shown?.command ?? context.command,
      profile: identity?.profile ?? null,
      environment: identity?.environment ?? null,
      at: isoSeconds(shown?.servedAt?.getTime() ?? context.now),
    },
  };
}

const printerOf =
  (terminal: Terminal, { pretty }: { pretty: boolean }) =>
  (...of: Parameters<typeof documentOf>): Promise<void> =>
    terminal.writeResult(
      renderJson(documentOf(...of), {
        pretty,
        unicode: terminal.stdout.unicode || !terminal.stdout.isTTY,
      }),
    );

/** Documents on standard output; errors are said on standard error as well, unless quiet. */
export function documentPrinter(terminal: Terminal, options: { quiet: boolean }): Printer {
  const print = printerOf(terminal, { pretty: terminal.stdout.isTTY });
  return {
    async result(shown, context) {
      if (!options.quiet && terminal.stderr.isTTY) sayHeading(terminal, shown, context);
      try {
        await print(context, shown, shown.finding);
      } finally {
        // A document that cannot be written makes this the only word of it.
        if (shown.finding !== undefined && !options.quiet) sayError(terminal, shown.finding, context);
      }
    },
    async failure(error, context) {
      if (!options.quiet) sayError(terminal, error, context);
      await print(context, undefined, error);
    },
  };
}

/** Whose result it is that goes to standard output, where a person sees both. */
export function sayHeading(terminal: Terminal, shown: Shown, context: Context): void {
  if (context.identity !== undefined)
    sayPainted(terminal, toText([headingOf(context, shown)], terminal.stderr, context));
}

/** Many documents, one a line; what is to be said of each on standard error is said by whoever runs them. */
export function linesPrinter(terminal: Terminal, options: { quiet: boolean }): Printer {
  const print = printerOf(terminal, { pretty: false });
  return {
    result: (shown, context) => print(context, shown, shown.finding),
    async failure(error, context) {
      if (!options.quiet) sayError(terminal, error, context);
      await print(context, undefined, error);
    },
  };
}

/** Blocks that are no result: on standard error, under the environment line. */
export function sayBlocks(
  terminal: Terminal,
  blocks: readonly Block[],
  { identity, now }: Pick<Context, 'identity' | 'now'>,
): void {
  const heading: readonly Block[] =
    identity === undefined
      ? []
      : [{ kind: 'heading', environment: identity.environment, profile: identity.profile }];
  const context = { command: '', aside: undefined, identity, named: undefined, headed: false, now };
  sayPainted(terminal, toText([...heading, ...blocks], terminal.stderr, context));
}

/** Columns that a list of choices takes before each of them. */
const MARK = 2;
const NARROWEST_CHOICE = 40;

/** Blocks as lines without colour, for choices that standard error shows in a list. */
export function plainLines(
  terminal: Terminal,
  blocks: readonly Block[],
  { identity, now }: Pick<Context, 'identity' | 'now'>,
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

/** Views on standard output, under the environment line; errors on standard error. */
export function personPrinter(terminal: Terminal): Printer {
  return {
    async result(shown, context) {
      const seen = context.headed && terminal.stdout.isTTY && terminal.stderr.isTTY;
      const heading = context.identity === undefined || seen ? [] : [headingOf(context, shown)];
      const blocks = shown.blocks();
      if (blocks.length > 0)
        await terminal.writeResult(
          toText([...heading, ...blocks], terminal.stdout, seenAt(context, shown), shown.zone),
        );
      if (shown.finding !== undefined) sayError(terminal, shown.finding, context);
    },
    async failure(error, context) {
      sayError(terminal, error, context);
    },
  };
}

export function sayError(terminal: Terminal, error: HedgeError, context: Context): void {
  sayPainted(terminal, renderErrorHuman(error, lens(terminal.stderr, context), context.named));
}

/** Lines that the presentation has laid out and made harmless. */
const sayPainted = (terminal: Terminal, lines: string): void => terminal.writeNote(lines, { painted: true });

function headingOf(context: Context, shown: Shown): Block {
  const { identity, aside } = context;
  if (identity === undefined) throw new Error('a heading needs an identity');
  const at = {
    kind: 'time',
    at: new Date(shown.servedAt?.getTime() ?? context.now).toISOString(),
    style: 'second',
  } as const;
  const note = aside === undefined ? [at] : [{ kind: 'text', text: `${aside},` } as const, at];
  return { kind: 'heading', environment: identity.environment, profile: identity.profile, note };
}

/** How far off a time is goes by the service's clock: practice may be days ahead of this machine. */
const seenAt = (context: Context, { servedAt }: Shown): Context => ({
  ...context,
  now: servedAt?.getTime() ?? context.now,
});

const toText = (blocks: readonly Block[], stream: Surface, context: Context, zone?: string): string =>
  renderHuman(blocks, lens(stream, context, zone));

const lens = (stream: Surface, context: Context, zone = 'UTC') => ({
  width: stream.width,
  colour: stream.colour,
  unicode: stream.unicode,
  zone: context.identity?.zone ?? zone,
  now: context.now,
});

const isoSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

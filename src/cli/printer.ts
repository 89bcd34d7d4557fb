/**
 * The two ways a result leaves the program: a view for a person, a document for a script. The choice is
 * made once, in the pipeline; commands never ask which it is. What is said to a person is saying.ts, which a
 * document loads only when there is something to say.
 */
import type { CommandResult } from '../commands/command-result.ts';
import { isoSeconds } from '../domain/instants.ts';
import type { HedgeError } from '../errors.ts';
import { errorDocument, type JsonDocument, renderJson } from '../output/render-json.ts';
import type { Terminal } from '../terminal/streams.ts';
import { hintFor, type RenderContext } from './render-context.ts';
export interface Printer {
  result(shown: CommandResult, context: RenderContext): Promise<void>;
  failure(error: HedgeError, context: RenderContext): Promise<void>;
}

const saying = () => import('./human-output.ts');

const DOCUMENT_SCHEMA = 1;

/** What is printed for a script, whatever it is about. */
export function documentOf(
  context: RenderContext,
  shown: CommandResult | undefined,
  error: HedgeError | undefined,
): JsonDocument {
  const { identity } = context;
  return {
    data: shown?.document() ?? null,
    error: error === undefined ? null : errorDocument(error, hintFor(error, context.named)),
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
      if (!options.quiet && terminal.stderr.isTTY) (await saying()).printHeading(terminal, shown, context);
      try {
        await print(context, shown, shown.finding);
      } finally {
        // A document that cannot be written makes this the only word of it.
        if (shown.finding !== undefined && !options.quiet)
          (await saying()).printError(terminal, shown.finding, context);
      }
    },
    async failure(error, context) {
      if (!options.quiet) (await saying()).printError(terminal, error, context);
      await print(context, undefined, error);
    },
  };
}

/** Many documents, one a line; what is to be said of each on standard error is said by whoever runs them. */
export function linesPrinter(terminal: Terminal, options: { quiet: boolean }): Printer {
  const print = printerOf(terminal, { pretty: false });
  return {
    result: (shown, context) => print(context, shown, shown.finding),
    async failure(error, context) {
      if (!options.quiet) (await saying()).printError(terminal, error, context);
      await print(context, undefined, error);
    },
  };
}

/** Views on standard output, under the environment line; errors on standard error. */
export function humanPrinter(terminal: Terminal): Printer {
  return {
    result: async (shown, context) => (await saying()).printResult(terminal, shown, context),
    failure: async (error, context) => (await saying()).printError(terminal, error, context),
  };
}

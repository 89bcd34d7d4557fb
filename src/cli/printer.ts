/** How a result leaves the program: a view for a person or a document for a script. */
import type { CommandResult } from '../commands/command-context.ts';
import { isoSeconds } from '../domain/instants.ts';
import type { HedgeError } from '../errors.ts';
import { errorDocument, type JsonDocument, renderJson } from '../output/render-json.ts';
import type { Terminal } from '../terminal/streams.ts';
import { placingIn, type RenderContext } from './render-context.ts';

export interface Printer {
  result(result: CommandResult, context: RenderContext): Promise<void>;
  failure(error: HedgeError, context: RenderContext): Promise<void>;
}

// Loaded only when there is something for a person.
const humanOutput = () => import('./human-output.ts');

const DOCUMENT_SCHEMA = 1;

/** The JSON document of any result or error. */
export function documentOf(
  context: RenderContext,
  result: CommandResult | undefined,
  error: HedgeError | undefined,
): JsonDocument {
  const { identity } = context;
  return {
    data: result?.document() ?? null,
    error: error === undefined ? null : errorDocument(error, placingIn(context)),
    meta: {
      ...result?.meta,
      schema: DOCUMENT_SCHEMA,
      command: result?.command ?? context.command,
      profile: identity?.profile ?? result?.meta['profile'] ?? null,
      environment: identity?.environment ?? result?.meta['environment'] ?? null,
      at: isoSeconds(result?.servedAt?.getTime() ?? context.now),
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

/** Documents on standard output; errors also on standard error, unless quiet. */
export function documentPrinter(terminal: Terminal, options: { quiet: boolean }): Printer {
  const print = printerOf(terminal, { pretty: terminal.stdout.isTTY });
  return {
    async result(result, context) {
      if (!options.quiet && terminal.stderr.isTTY)
        (await humanOutput()).printHeading(terminal, result, context);
      try {
        await print(context, result, result.finding);
      } finally {
        // Also if the document cannot be written.
        if (result.finding !== undefined && !options.quiet)
          (await humanOutput()).printError(terminal, result.finding, context);
      }
    },
    async failure(error, context) {
      if (!options.quiet) (await humanOutput()).printError(terminal, error, context);
      await print(context, undefined, error);
    },
  };
}

/** Many documents, one per line; the batch itself reports them on standard error. */
export function linesPrinter(terminal: Terminal, options: { quiet: boolean }): Printer {
  const print = printerOf(terminal, { pretty: false });
  return {
    result: (result, context) => print(context, result, result.finding),
    async failure(error, context) {
      if (!options.quiet) (await humanOutput()).printError(terminal, error, context);
      await print(context, undefined, error);
    },
  };
}

/** A batch for a person: the view of each line on standard output, errors included. */
export function batchPrinter(terminal: Terminal): Printer {
  let isFirst = true;
  return {
    async result(shown, context) {
      const headed = !isFirst || (context.headed && terminal.stderr.isTTY);
      isFirst = false;
      await (await humanOutput()).printView(terminal, shown, { ...context, headed });
    },
    failure: async (error, context) => (await humanOutput()).printError(terminal, error, context),
  };
}

/** Views on standard output, below the environment line; errors on standard error. */
export function humanPrinter(terminal: Terminal): Printer {
  return {
    async result(result, context) {
      if (result.confirmsChange && terminal.quiet) return;
      await (await humanOutput()).printResult(terminal, result, context);
    },
    failure: async (error, context) => (await humanOutput()).printError(terminal, error, context),
  };
}

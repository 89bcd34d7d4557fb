/** One invocation: read the command line, run, print, and turn any error into one message and one exit code. */

import type { CommandContext, CommandResult } from '../commands/command-context.ts';
import type { Command } from '../commands/define.ts';
import { namesOfLists } from '../commands/registry.ts';
import { hintText } from '../domain/hint.ts';
import { type HedgeError, OutputError, UsageError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { SignalWatch } from '../terminal/signals.ts';
import type { Terminal } from '../terminal/streams.ts';
import { readCommandLine } from './command-line.ts';
import { EXIT_OK, exitCodeOf, worseExitCode } from './exit-codes.ts';
import { type GlobalOptions, type Output, type ScannedOptions, scanGlobalOptions } from './global-options.ts';
import type { Printer } from './printer.ts';
import type { ProfileIdentity, RenderContext } from './render-context.ts';
import { errorOf, withShutdownDeadline } from './shutdown.ts';

export interface Runtime {
  argv: readonly string[];
  terminal: Terminal;
  clock: Clock;
  signals: Pick<SignalWatch, 'signal'>;
  /** `pooled`: many requests follow, so connections are kept. */
  openCommandContext(globals: GlobalOptions, options: { pooled: boolean }): Promise<OpenCommandContext>;
}

export interface OpenCommandContext {
  context: CommandContext;
  /** Known once a profile was selected. */
  identity(): ProfileIdentity | undefined;
  /** Whether the environment line has been shown on standard error. */
  headed(): boolean;
  /** Whether an action was previewed: from then on a request may have been sent. */
  actionPreviewed(): boolean;
  /** Whether a child program runs, which ends in its own time. */
  runsProgram(): boolean;
  close(): Promise<void>;
}

const HELP_WIDTH = 80;

/** The exit code of one invocation. Never throws, never exits. */
export async function runInvocation(runtime: Runtime): Promise<number> {
  const { argv, terminal } = runtime;
  const scanned = scanGlobalOptions(argv);
  const stopping = { signal: runtime.signals.signal, clock: runtime.clock };
  let { output } = scanned;
  let command: Command | undefined;
  let typed = '';
  let named: string | undefined;
  let opened: OpenCommandContext | undefined;
  let code = EXIT_OK;
  const actionPreviewed = (): boolean => opened?.actionPreviewed() ?? false;
  const rendering = (): RenderContext => ({
    command: command?.name ?? typed,
    aside: command?.aside,
    identity: opened?.identity(),
    named,
    headed: opened?.headed() ?? false,
    verbose: scanned.verbose,
    list: command?.lists === true ? output : undefined,
    now: runtime.clock.now(),
  });
  try {
    const width = Math.min(terminal.stdout.width, HELP_WIDTH);
    const onNamed = (name: string): void => {
      typed = name;
    };
    const read = await readCommandLine(argv, { width, onNamed });
    if (read.kind === 'text') {
      const { helpShown, wantsDocument } = await import('./help/find-help.ts');
      if (wantsDocument(output)) {
        const printer = await printerFor(terminal, { ...scanned, output, lines: false });
        const { helpDocument } = await import('./help/structure.ts');
        await printer.result(helpShown(await helpDocument(read.text, read.about)), rendering());
      } else await terminal.writeResult(read.text);
      return EXIT_OK;
    }
    command = read.command;
    output = read.globals.output;
    await checkOutput(output, command);
    named = read.globals.profile;
    const everyMs = await command.watch(read.raw);
    const watch = everyMs === undefined ? undefined : await import('./run-watch.ts');
    watch?.checkWatched(output, terminal);
    const prepared = command.prepare(read.raw);
    const act =
      output.columns === undefined
        ? prepared
        : (await import('./list-columns.ts')).picksColumns(prepared, output.columns);
    const pooled = command.polls || command.lines || everyMs !== undefined;
    opened = await runtime.openCommandContext(read.globals, { pooled });
    const { context } = opened;
    if (watch !== undefined && everyMs !== undefined) {
      await watch.runWatch({
        ...scanned,
        ...stopping,
        output,
        terminal,
        context: rendering,
        everyMs,
        read: () => act(context, () => Promise.resolve()),
        urgent: await command.urgent(context),
        clear: () => context.progress.stop(),
      });
      return code;
    }
    const { lines } = command;
    let printer: Printer | undefined;
    const print = async (result: CommandResult): Promise<void> => {
      if (result.finding !== undefined) code = worseExitCode(code, exitCodeOf(result.finding));
      if (!lines || terminal.stdout.isTTY) context.progress.stop();
      printer ??= await printerFor(terminal, { ...scanned, output, lines });
      await printer.result(result, rendering());
    };
    // A batch ends each of its lines itself.
    const running = act(context, print);
    const deadline = { ...stopping, actionPreviewed, endsLater: () => opened?.runsProgram() ?? false };
    const result = await (lines ? running : withShutdownDeadline(running, deadline));
    if (result?.programExit !== undefined) return result.programExit;
    if (result !== undefined) await print(result);
    context.progress.stop();
    return code;
  } catch (thrown) {
    opened?.context.progress.stop();
    const failed = await fail(onThisTerminal(errorOf(thrown, stopping.signal, actionPreviewed()), terminal), {
      printer: await printerFor(terminal, { ...scanned, output, lines: command?.lines ?? false }),
      terminal,
      context: rendering(),
      actionPreviewed: actionPreviewed(),
    });
    return worseExitCode(code, failed);
  } finally {
    if (opened !== undefined) await withShutdownDeadline(opened.close(), stopping).catch(() => undefined);
  }
}

/** @throws UsageError if the command does not have that format, and for an invalid query. */
async function checkOutput(output: Output, command: Command): Promise<void> {
  const { form, query } = output;
  const { name, lists, lines } = command;
  if (output.wide || output.columns !== undefined)
    (await import('./list-columns.ts')).checkListOptions(output, command, await namesOfLists());
  if (lines && (form === 'csv' || query !== undefined))
    throw new UsageError(
      `hedge ${name} prints JSON documents, one per line.`,
      'Leave out the format, and use jq on the lines.',
    );
  if (query !== undefined) {
    const { readQuery } = await import('../output/query/query.ts');
    readQuery(query);
    return;
  }
  if (form !== 'csv' || lists) return;
  throw new UsageError(
    `${name === 'hedge' ? name : `hedge ${name}`} shows no list; CSV needs one.`,
    `For a script: --json, or --query with --csv. Lists are ${await namesOfLists()}.`,
  );
}

/** A terminal with TERM=dumb is one to its user: says why nothing is asked. */
const onThisTerminal = (error: HedgeError, { isDumb }: Terminal): HedgeError =>
  isDumb && error instanceof UsageError && /terminal/i.test(`${error.what} ${hintText(error.hint)}`)
    ? error.with({ meaning: 'TERM=dumb cannot show questions: with another TERM, hedge asks.' })
    : error;

/** When the result of an action could not be written. */
const SEE_JOURNAL = 'The action and its outcome are in the journal: hedge journal. Do not send it again.';

async function printerFor(
  terminal: Terminal,
  { output, quiet, lines }: Pick<ScannedOptions, 'output' | 'quiet'> & { lines: boolean },
): Promise<Printer> {
  const { form, isNamed, query } = output;
  if (!lines && (form === 'csv' || form === 'jsonl' || query !== undefined)) {
    const { dataPrinter } = await import('./data-printer.ts');
    return dataPrinter(terminal, { output, quiet });
  }
  const { batchPrinter, documentPrinter, linesPrinter, humanPrinter } = await import('./printer.ts');
  if (lines)
    return form === 'table' && (terminal.stdout.isTTY || isNamed)
      ? batchPrinter(terminal)
      : linesPrinter(terminal, { quiet });
  return form === 'json' ? documentPrinter(terminal, { quiet }) : humanPrinter(terminal);
}

async function fail(
  error: HedgeError,
  {
    printer,
    terminal,
    context,
    actionPreviewed,
  }: {
    printer: Printer;
    terminal: Terminal;
    context: RenderContext;
    actionPreviewed: boolean;
  },
): Promise<number> {
  if (context.verbose === true && error.code === 'internal' && error.cause instanceof Error)
    terminal.writeNote(error.cause.stack ?? error.cause.message);
  if (error instanceof OutputError) {
    terminal.writeNote(error.message);
    if (actionPreviewed) terminal.writeNote(SEE_JOURNAL);
    return exitCodeOf(error);
  }
  try {
    await printer.failure(error, context);
  } catch (second) {
    if (!(second instanceof OutputError)) throw second;
    terminal.writeNote(second.message);
    return worseExitCode(exitCodeOf(error), exitCodeOf(second));
  }
  return exitCodeOf(error);
}

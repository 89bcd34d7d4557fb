/**
 * One invocation from its words to its exit code, the same for every command: read, run, print, and turn
 * whatever went wrong into one message and one code. The only place that catches.
 */

import type { CommandContext } from '../commands/command-context.ts';
import type { CommandResult } from '../commands/command-result.ts';
import type { Command } from '../commands/define.ts';
import { namesOfLists } from '../commands/registry.ts';
import { type HedgeError, OutputError, UsageError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { SignalWatch } from '../terminal/signals.ts';
import type { Terminal } from '../terminal/streams.ts';
import { readCommandLine } from './command-line.ts';
import { EXIT_OK, exitCodeOf, worseOf } from './exit-codes.ts';
import { type GlobalOptions, type ScannedOptions, scanGlobalOptions } from './global-options.ts';
import type { Output } from './output-options.ts';
import type { Printer } from './printer.ts';
import type { ProfileIdentity, RenderContext } from './render-context.ts';
import { errorOf, withShutdownDeadline } from './shutdown.ts';
/** What one invocation runs with. */
export interface Runtime {
  argv: readonly string[];
  terminal: Terminal;
  clock: Clock;
  signals: Pick<SignalWatch, 'signal'>;
  openCommandContext(globals: GlobalOptions): Promise<OpenCommandContext>;
}

export interface OpenCommandContext {
  desk: CommandContext;
  /** Known once the desk had to select a profile. */
  identity(): ProfileIdentity | undefined;
  /** Whether the environment line has been shown on standard error. */
  headed(): boolean;
  /** Whether an action was, or was to be, shown: from then on something may have been sent. */
  dealt(): boolean;
  close(): Promise<void>;
}

/** The widest that help is set, however wide the terminal. */
const HELP_WIDTH = 80;

/** Runs one invocation and gives its exit code. Never throws; never exits. */
export async function runInvocation(runtime: Runtime): Promise<number> {
  const { argv, terminal } = runtime;
  const glance = scanGlobalOptions(argv);
  const stopping = { signal: runtime.signals.signal, clock: runtime.clock };
  let { output } = glance;
  let command: Command | undefined;
  let typed = '';
  let named: string | undefined;
  let opened: OpenCommandContext | undefined;
  let code = EXIT_OK;
  const dealt = (): boolean => opened?.dealt() ?? false;
  const context = (): RenderContext => ({
    command: command?.name ?? typed,
    aside: command?.aside,
    identity: opened?.identity(),
    named,
    headed: opened?.headed() ?? false,
    now: runtime.clock.now(),
  });
  try {
    const width = Math.min(terminal.stdout.width, HELP_WIDTH);
    const onNamed = (name: string): void => {
      typed = name;
    };
    const said = await readCommandLine(argv, { width, onNamed });
    if (said.kind === 'text') {
      const { helpShown, wantsDocument } = await import('./help/find-help.ts');
      if (wantsDocument(output)) {
        const printer = await printerFor(terminal, { ...glance, output, lines: false });
        await printer.result(helpShown(said.text), context());
      } else await terminal.writeHelp(said.text);
      return EXIT_OK;
    }
    command = said.command;
    output = said.globals.output;
    await checkOutput(output, command);
    named = said.globals.profile;
    const everyMs = await command.watch(said.raw);
    const watch = everyMs === undefined ? undefined : await import('./watch/run-watch.ts');
    watch?.checkWatched(output);
    const act = command.prepare(said.raw);
    opened = await runtime.openCommandContext(said.globals);
    const { desk } = opened;
    if (watch !== undefined && everyMs !== undefined) {
      const read = () => act(desk, () => Promise.resolve());
      const clear = () => desk.progress.stop();
      await watch.runWatch({ ...glance, ...stopping, output, terminal, context, everyMs, read, clear });
      return code;
    }
    const { lines } = command;
    let printer: Printer | undefined;
    const print = async (shown: CommandResult): Promise<void> => {
      if (shown.finding !== undefined) code = worseOf(code, exitCodeOf(shown.finding));
      if (!lines || terminal.stdout.isTTY) desk.progress.stop();
      printer ??= await printerFor(terminal, { ...glance, output, lines });
      await printer.result(shown, context());
    };
    // What runs many lines ends each of them by itself, and has to say of each how it ended.
    const running = act(desk, print);
    const shown = await (lines ? running : withShutdownDeadline(running, { ...stopping, dealt }));
    if (shown !== undefined) await print(shown);
    desk.progress.stop();
    return code;
  } catch (thrown) {
    opened?.desk.progress.stop();
    const failed = await fail(errorOf(thrown, stopping.signal, dealt()), {
      printer: await printerFor(terminal, { ...glance, output, lines: command?.lines ?? false }),
      terminal,
      context: context(),
      dealt: dealt(),
      verbose: glance.verbose,
    });
    return worseOf(code, failed);
  } finally {
    if (opened !== undefined) await withShutdownDeadline(opened.close(), stopping).catch(() => undefined);
  }
}

/** @throws UsageError if the command has nothing to show in that form, or the query is not valid. */
async function checkOutput({ form, query }: Output, { name, lists, lines }: Command): Promise<void> {
  if (lines && (form === 'csv' || query !== undefined))
    throw new UsageError(
      `hedge ${name} prints whole documents, one a line.`,
      'Leave out the form, and pick from them afterwards: jq reads them line by line.',
    );
  if (query !== undefined) {
    const { readQuery } = await import('../output/query/query.ts');
    readQuery(query);
    return;
  }
  if (form !== 'csv' || lists) return;
  throw new UsageError(
    `${name === 'hedge' ? name : `hedge ${name}`} shows no list, and CSV is for lists.`,
    `For a script: --json, or what a --query picks, as CSV too. Lists are ${await namesOfLists()}.`,
  );
}

/** Of a result that could not be written, where an action was shown. */
const IN_THE_JOURNAL = 'What was sent, and what became of it: hedge journal. Do not deal it again for this.';

async function printerFor(
  terminal: Terminal,
  { output, quiet, lines }: Pick<ScannedOptions, 'output' | 'quiet'> & { lines: boolean },
): Promise<Printer> {
  const { form, query } = output;
  if (!lines && (form === 'csv' || form === 'jsonl' || query !== undefined)) {
    const { dataPrinter } = await import('./data-printer.ts');
    return dataPrinter(terminal, { output, quiet });
  }
  const { documentPrinter, linesPrinter, humanPrinter } = await import('./printer.ts');
  if (lines) return linesPrinter(terminal, { quiet });
  return form === 'json' ? documentPrinter(terminal, { quiet }) : humanPrinter(terminal);
}

async function fail(
  error: HedgeError,
  {
    printer,
    terminal,
    context,
    dealt,
    verbose,
  }: { printer: Printer; terminal: Terminal; context: RenderContext; dealt: boolean; verbose: boolean },
): Promise<number> {
  if (verbose && error.code === 'internal' && error.cause instanceof Error)
    terminal.writeNote(error.cause.stack ?? error.cause.message);
  if (error instanceof OutputError) {
    terminal.writeNote(error.message);
    if (dealt) terminal.writeNote(IN_THE_JOURNAL);
    return exitCodeOf(error);
  }
  try {
    await printer.failure(error, context);
  } catch (second) {
    if (!(second instanceof OutputError)) throw second;
    terminal.writeNote(second.message);
    return exitCodeOf(second);
  }
  return exitCodeOf(error);
}

/**
 * One invocation from its words to its exit code, the same for every command: read, run, print, and turn
 * whatever went wrong into one message and one code. The only place that catches.
 */
import type { Command, Shown } from '../commands/define.ts';
import type { Desk } from '../commands/desk.ts';
import { HedgeError, InterruptedError, OutputError } from '../errors.ts';
import { aborted, type Clock } from '../platform/clock.ts';
import type { SignalWatch } from '../terminal/signals.ts';
import type { Terminal } from '../terminal/streams.ts';
import { EXIT_OK, exitCodeOf } from './exit-codes.ts';
import { type Glance, type GlobalOptions, glanceAt } from './global-options.ts';
import { checkOutput } from './output.ts';
import type { Context, Identity, Printer } from './printer.ts';

/** What main.ts lends to one invocation. */
export interface World {
  argv: readonly string[];
  version: string;
  terminal: Terminal;
  clock: Clock;
  signals: Pick<SignalWatch, 'signal'>;
  openDesk(globals: GlobalOptions): Promise<OpenDesk>;
}

export interface OpenDesk {
  desk: Desk;
  /** Known once the desk had to select a profile. */
  identity(): Identity | undefined;
  /** Whether the environment line has been shown on standard error. */
  headed(): boolean;
  close(): Promise<void>;
}

/** How long a command may take to end once it was told to. */
const GRACE_MS = 2_000;

/** The widest that help is set, however wide the terminal. */
const HELP_WIDTH = 100;

const NOTHING_SENT = 'Nothing was sent that changes the book.';

/** Of a fault after an action was shown: the journal knows more than we do. */
const MAY_BE_SENT = {
  book: 'What was sent until then, and what became of it, is in the journal.',
  hint: 'Look there before dealing it again: hedge journal. And report the fault.',
  effect: 'unknown',
  retry: 'after_check',
} as const;

/** Runs one invocation and gives its exit code. Never throws; never exits. */
export async function runInvocation(world: World): Promise<number> {
  const { argv, terminal } = world;
  const glance = glanceAt(argv);
  let { output } = glance;
  let command: Command | undefined;
  let named: string | undefined;
  let opened: OpenDesk | undefined;
  const context = (): Context => ({
    command: command?.name ?? '',
    aside: command?.aside,
    identity: opened?.identity(),
    named,
    headed: opened?.headed() ?? false,
    now: world.clock.now(),
  });
  try {
    if (isVersionAlone(argv)) {
      await terminal.writeResult(`${world.version}\n`);
      return EXIT_OK;
    }
    const width = Math.min(terminal.stdout.width, HELP_WIDTH);
    const { readCommandLine } = await import('./command-line.ts');
    const said = await readCommandLine(argv, { version: world.version, width });
    if (said.kind === 'text') {
      await terminal.writeResult(said.text);
      return EXIT_OK;
    }
    command = said.command;
    output = said.globals.output;
    await checkOutput(output, command);
    named = said.globals.profile;
    const act = command.prepare(said.raw);
    opened = await world.openDesk(said.globals);
    const { desk } = opened;
    let finding: HedgeError | undefined;
    const print = async (shown: Shown): Promise<void> => {
      finding = shown.finding ?? finding;
      desk.progress.stop();
      const printer = await printerFor(terminal, { ...glance, output });
      await printer.result(shown, context());
    };
    const shown = await notLongAfterSignal(act(desk, print), world);
    if (shown !== undefined) await print(shown);
    return finding === undefined ? EXIT_OK : exitCodeOf(finding);
  } catch (thrown) {
    opened?.desk.progress.stop();
    return await fail(errorOf(thrown, world, opened?.headed() ?? false), {
      printer: await printerFor(terminal, { ...glance, output }),
      terminal,
      context: context(),
      verbose: glance.verbose,
    });
  } finally {
    if (opened !== undefined) await notLongAfterSignal(opened.close(), world).catch(() => undefined);
  }
}

/** Scripts ask it at every start: nothing is loaded to answer it. */
const isVersionAlone = (argv: readonly string[]): boolean => argv.length === 1 && argv[0] === '--version';

async function printerFor(terminal: Terminal, glance: Glance): Promise<Printer> {
  const { form, query } = glance.output;
  if (form === 'csv' || form === 'jsonl' || query !== undefined) {
    const { dataPrinter } = await import('./data-printer.ts');
    return dataPrinter(terminal, { output: { form, query }, quiet: glance.quiet });
  }
  const { documentPrinter, personPrinter } = await import('./printer.ts');
  return form === 'json' ? documentPrinter(terminal, glance) : personPrinter(terminal);
}

/**
 * What `running` comes to. After a signal it may take a moment to end by itself; what then still hangs is
 * left behind, and the signal's own reason is thrown.
 */
async function notLongAfterSignal<T>(running: Promise<T>, { signals, clock }: World): Promise<T> {
  const { signal } = signals;
  const ended = new AbortController();
  const late = async (): Promise<never> => {
    await aborted(AbortSignal.any([signal, ended.signal]));
    await clock.sleep(GRACE_MS, ended.signal);
    throw signal.reason;
  };
  try {
    return await Promise.race([running, late()]);
  } finally {
    ended.abort();
  }
}

async function fail(
  error: HedgeError,
  {
    printer,
    terminal,
    context,
    verbose,
  }: { printer: Printer; terminal: Terminal; context: Context; verbose: boolean },
): Promise<number> {
  if (verbose && error.code === 'internal' && error.cause instanceof Error)
    terminal.writeNote(error.cause.stack ?? error.cause.message);
  if (error instanceof OutputError) {
    terminal.writeNote(error.message);
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

/** Whatever was thrown, as an error of ours: what an interruption cut short, or a bug. `dealt`: an action was shown. */
function errorOf(thrown: unknown, { signals }: World, dealt: boolean): HedgeError {
  const { reason } = signals.signal;
  const stopped = thrown instanceof InterruptedError ? thrown : reason;
  if (stopped instanceof InterruptedError && stopped.book === undefined)
    return new InterruptedError(stopped.signal, { what: stopped.what, book: NOTHING_SENT, cause: thrown });
  if (thrown instanceof HedgeError) return thrown;
  return new HedgeError({
    code: 'internal',
    what: `A fault in hedge itself: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
    ...(dealt
      ? MAY_BE_SENT
      : { book: NOTHING_SENT, hint: 'Run it again with -v for the trace, and report it.' }),
    cause: thrown,
  });
}

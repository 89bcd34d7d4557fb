/**
 * Parses a command line with commander: the command with its arguments, or a text to show. Loads only the command
 * that the line names.
 */
import { Command as Commander, CommanderError, type HelpConfiguration, Option } from 'commander';
import type { RawInput } from '../args/option.ts';
import {
  type Command,
  type CommandGroup,
  isGroup,
  type OptionSpec,
  separateWatchOption,
} from '../commands/define.ts';
import { loadEntry, loadHome, loadVersion, REGISTRY } from '../commands/registry.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { bareWords, GLOBAL_OPTIONS, type GlobalOptions, readOutput } from './global-options.ts';

export type CommandLine =
  | { kind: 'run'; command: Command; raw: RawInput; globals: GlobalOptions }
  /** A page of help. `about`: the words of the command or topic; none is hedge itself. */
  | { kind: 'text'; text: string; about: readonly string[] };

export interface CommandLineContext {
  /** Columns that help may fill. */
  width: number;
  /** Called with the command that the words begin with, also if the rest is wrong: `profile add`. */
  onNamed?: (name: string) => void;
}

interface CommandMatch {
  command: Command;
  parsed: Commander;
  operands: readonly string[];
}

/** @throws UsageError for everything that commander rejects. */
export async function readCommandLine(
  argv: readonly string[],
  { width, onNamed }: CommandLineContext,
): Promise<CommandLine> {
  const found: Found = { match: undefined, help: undefined, text: undefined };
  const program = await buildProgram(argv, width, found);
  const path = namedIn(program, bareWords(argv));
  onNamed?.(
    path
      .slice(1)
      .map((each) => each.name())
      .join(' '),
  );
  const { own, rest } = withoutRest(path.at(-1), argv);
  let rejected = program;
  throwRejections(program, (command) => (rejected = command));
  try {
    await program.parseAsync([...wordsFor(program, own)], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) {
      const { usageError } = await import('./usage-errors.ts');
      const place = { name: nameOf(rejected), path: pathTo(rejected) };
      throw usageError(error.code, { ...place, command: rejected, argv: own });
    }
    const { help } = found;
    const text = help === undefined ? '' : await pageOf(help.entry, width);
    return { kind: 'text', text, about: help?.entry?.name.split(' ') ?? [] };
  }
  if (program.opts()['version'] === true) {
    const raw = { operands: [], options: {} };
    return { kind: 'run', command: await loadVersion(), raw, globals: globalsOf(program.opts()) };
  }
  const { match, text } = found;
  if (match === undefined) {
    if (text === undefined) throw namedBehindDashes(program);
    return { kind: 'text', ...text };
  }
  refuseOtherCommand(match, own);
  refuseSwallowedOptions(match.parsed, own);
  return {
    kind: 'run',
    command: match.command,
    raw: { operands: match.operands, options: match.parsed.opts(), rest },
    globals: globalsOf(program.opts()),
  };
}

/** Commander takes a word behind `--` for a command, such as an action ID of a script or an assistant. */
function refuseOtherCommand({ command, parsed }: CommandMatch, argv: readonly string[]): void {
  const end = argv.indexOf('--');
  if (end !== -1 && command.name.split(' ').some((word) => !argv.slice(0, end).includes(word)))
    throw namedBehindDashes(parsed);
}

const namedBehindDashes = (command: Commander): UsageError =>
  new UsageError('A command is named before --, not behind it.', `See ${nameOf(command)} --help.`);

/**
 * `--note --dry-run`: commander gives an option the next word, whatever it is. A variable of a script that is empty would
 * make a note of the option that keeps an action from being sent. `--note=--dry-run` says that it is meant.
 */
function refuseSwallowedOptions(parsed: Commander, argv: readonly string[]): void {
  for (const command of pathTo(parsed))
    for (const option of command.options.filter(({ required }) => required)) {
      const flag = option.long ?? option.flags;
      const given: readonly unknown[] = [command.getOptionValue(option.attributeName())].flat();
      const swallowed = given
        .filter((value) => typeof value === 'string')
        .find((value) => OPTION.test(value) && !argv.includes(`${flag}=${value}`));
      if (swallowed !== undefined)
        throw new UsageError(
          `${flag} needs a value: ${quoted(swallowed)} is an option.`,
          'Write the value behind it. In a script, a variable may be empty.',
        );
    }
}

/** No number below zero. */
const OPTION = /^-(?:[a-z]$|-[a-z])/i;

/** Filled in while commander parses. */
interface Found {
  match: CommandMatch | undefined;
  /** The entry whose help was asked for; undefined is the root. Pages are rendered later: few starts need them. */
  help: { entry: Command | CommandGroup | undefined } | undefined;
  text: Pick<Extract<CommandLine, { kind: 'text' }>, 'text' | 'about'> | undefined;
}

async function pageOf(entry: Command | CommandGroup | undefined, width: number): Promise<string> {
  const { commandHelp, rootHelp } = await import('./help/command-help.ts');
  return entry === undefined ? rootHelp(width) : commandHelp(entry, width);
}

async function buildProgram(argv: readonly string[], width: number, found: Found): Promise<Commander> {
  const [named] = bareWords(argv);
  // Every command inherits the output.
  const program = new Commander('hedge')
    .configureOutput({
      writeOut: () => undefined,
      writeErr: () => undefined,
      // The default would create the streams of the process.
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .option('--version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp(helpOf(undefined, found));
  addOptions(program, GLOBAL_OPTIONS);
  const entry = await loadEntry(named);
  if (entry !== undefined) addEntry(program, entry, found);
  // An unknown name is compared with all of them.
  else for (const { name } of REGISTRY) program.command(name);
  program
    .command('help')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { findHelp } = await import('./help/find-help.ts');
      found.text = { text: await findHelp(words, width), about: words };
    });
  if (named === undefined) {
    program.action(async (_options: unknown, parsed: Commander) => {
      found.match = { command: await loadHome(), parsed, operands: [] };
    });
  }
  return program;
}

/** The words as typed; in a command with `--watch`, a market after it stays an operand. */
const wordsFor = (program: Commander, argv: readonly string[]): readonly string[] =>
  program.commands.some(({ options }) => options.some(({ long }) => long === '--watch'))
    ? separateWatchOption(argv)
    : argv;

function addEntry(parent: Commander, entry: Command | CommandGroup, found: Found): void {
  if (!isGroup(entry)) {
    addCommand(parent, entry, found);
    return;
  }
  const group = entry.main === undefined ? parent.command(entry.name) : addCommand(parent, entry.main, found);
  group.configureHelp(helpOf(entry, found));
  // Positional: an option after the second word is that command's, never silently the group's own.
  group.helpCommand(false).enablePositionalOptions();
  for (const command of entry.commands) {
    const takeOptions = (parsed: Commander): void => {
      for (const [name, value] of Object.entries(group.opts())) {
        // Commander gives an option that both have to the group.
        if (!command.options.some(({ flags }) => new Option(flags).attributeName() === name))
          throw strayOption(group, name, command);
        parsed.setOptionValue(name, value);
      }
    };
    addCommand(group, command, found, takeOptions);
  }
}

const helpOf = (entry: Command | CommandGroup | undefined, found: Found): HelpConfiguration => ({
  formatHelp() {
    found.help = { entry };
    return '';
  },
});

/** An option of `hedge journal` before `resolve` would have no effect. */
function strayOption(group: Commander, name: string, command: Command): UsageError {
  const flag = group.options.find((option) => option.attributeName() === name)?.long ?? name;
  return new UsageError(
    `${flag} is no option of hedge ${command.name}.`,
    say`See ${shell`hedge ${command.name.split(' ')} --help`}.`,
  );
}

/** `before`: called when the line names the command. */
function addCommand(
  parent: Commander,
  command: Command,
  found: Found,
  before?: (parsed: Commander) => void,
): Commander {
  const word = command.name.split(' ').at(-1) ?? command.name;
  const made = parent.command(word).configureHelp(helpOf(command, found));
  for (const operand of command.operands) {
    const name = `${operand.name}${operand.variadic === true ? '...' : ''}`;
    const required = operand.optional !== true && !command.checksOperands;
    made.argument(required ? `<${name}>` : `[${name}]`, operand.summary);
  }
  if (command.checksOperands) made.allowExcessArguments();
  if (command.rest !== undefined) passingOn.add(made);
  addOptions(made, command.options);
  for (const { flags } of command.refuses) made.addOption(new Option(flags).hideHelp());
  made.action(() => {
    before?.(made);
    found.match = { command, parsed: made, operands: made.args };
  });
  return made;
}

/**
 * Each may be given once, as itself or as its opposite (`--read-only`, `--no-read-only`): the last of two
 * silently winning costs money.
 */
function addOptions(command: Commander, specs: readonly OptionSpec[]): void {
  const given = new Map<string, string>();
  for (const { flags, summary, repeats } of specs) {
    const option = new Option(flags, summary);
    if (repeats === true) {
      command.addOption(option.argParser(listed));
      continue;
    }
    const name = option.attributeName();
    const flag = option.long ?? flags;
    command.addOption(option);
    command.on(`option:${option.name()}`, () => {
      const before = given.get(name);
      if (before === flag) throw new UsageError(`${flag} is given twice.`, 'Give it once.');
      if (before !== undefined)
        throw new UsageError(`${before} and ${flag} contradict each other.`, 'Give one of them.');
      given.set(name, flag);
    });
  }
}

const listed = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function globalsOf(options: Record<string, unknown>): GlobalOptions {
  const { profile, expectEnv, output, query, columns } = options;
  return {
    ...(typeof profile === 'string' ? { profile } : {}),
    ...(typeof expectEnv === 'string' ? { expectEnv } : {}),
    output: readOutput({
      json: options['json'] === true,
      csv: options['csv'] === true,
      output: typeof output === 'string' ? output : undefined,
      query: typeof query === 'string' ? query : undefined,
      wide: options['wide'] === true,
      columns: typeof columns === 'string' ? columns : undefined,
    }),
    quiet: options['quiet'] === true,
    verbose: options['verbose'] === true,
  };
}

/** From `hedge` down. */
const pathTo = (command: Commander): readonly Commander[] =>
  command.parent === null ? [command] : [...pathTo(command.parent), command];

const nameOf = (command: Commander): string =>
  pathTo(command)
    .map((each) => each.name())
    .join(' ');

/** The command that the words begin with: `hedge`, `practice`, `faults`. */
function namedIn(within: Commander, [word, ...words]: readonly string[]): readonly Commander[] {
  const named = within.commands.find((command) => command.name() === word);
  return [within, ...(named === undefined ? [] : namedIn(named, words))];
}

/** Commands that pass the words after `--` on. */
const passingOn = new WeakSet<Commander>();

function withoutRest(
  command: Commander | undefined,
  argv: readonly string[],
): { own: readonly string[]; rest: readonly string[] | undefined } {
  const end = argv.indexOf('--');
  if (command === undefined || !passingOn.has(command) || end === -1) return { own: argv, rest: undefined };
  return { own: argv.slice(0, end), rest: argv.slice(end + 1) };
}

/** Commander's default ends the process. `onRejected`: the command whose part of the line is wrong. */
function throwRejections(command: Commander, onRejected: (command: Commander) => void): void {
  command.exitOverride((error) => {
    onRejected(command);
    throw error;
  });
  for (const child of command.commands) throwRejections(child, onRejected);
}

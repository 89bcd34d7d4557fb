/**
 * Commander's owner: turns the words of a command line into the command that was meant and what was typed
 * for it, or into a text to show (help, version). It runs nothing. Only the command that was named is
 * loaded; the others are a name and a summary.
 */
import { Command as Commander, CommanderError, Option } from 'commander';
import type { RawInput } from '../args/operands.ts';
import {
  type Command,
  type CommandGroup,
  isGroup,
  type OptionSpec,
  separateWatchOption,
} from '../commands/define.ts';
import { loadHome, loadVersion, REGISTRY } from '../commands/registry.ts';
import { redactKeys } from '../domain/redact.ts';
import { sanitize } from '../domain/sanitize.ts';
import { UsageError } from '../errors.ts';
import { bareWords, GLOBAL_OPTIONS, type GlobalOptions } from './global-options.ts';
import { entryHelp, rootHelp } from './help/command-help.ts';
import { readOutput } from './output-options.ts';
export type CommandLine =
  | { kind: 'run'; command: Command; raw: RawInput; globals: GlobalOptions }
  | { kind: 'text'; text: string };

export interface CommandLineContext {
  /** Columns that help may fill. */
  width: number;
  /** Told which command the words begin with, whatever is wrong with the rest: `profile add`. */
  onNamed?: (name: string) => void;
}

interface Meant {
  command: Command;
  parsed: Commander;
  operands: readonly string[];
}

/** Reads a command line. Throws UsageError for whatever Commander turns down. */
export async function readCommandLine(
  argv: readonly string[],
  context: CommandLineContext,
): Promise<CommandLine> {
  const said: string[] = [];
  let meant: Meant | undefined;
  const onMeant = (found: Meant): void => {
    meant = found;
  };
  const program = await buildProgram(argv, { ...context, onMeant, onText: (text) => said.push(text) });
  context.onNamed?.(namedIn(program, bareWords(argv)).slice(1).join(' '));
  forEach(program, (command) => {
    command.exitOverride().configureOutput({
      writeOut: (text) => said.push(text),
      // What is wrong is said once, as a usage error.
      writeErr: () => undefined,
      // Its own answer makes the streams of the process.
      getOutHelpWidth: () => context.width,
      getErrHelpWidth: () => context.width,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  });
  try {
    await program.parseAsync([...wordsFor(program, argv)], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'text', text: said.join('') };
    if (error.code === 'commander.help') throw missingCommand(program, argv);
    throw usageErrorOf(error, program, argv);
  }
  if (program.opts()['version'] === true) {
    const raw = { operands: [], options: {} };
    return { kind: 'run', command: await loadVersion(), raw, globals: globalsOf(program.opts()) };
  }
  if (meant === undefined) return { kind: 'text', text: said.join('') };
  return {
    kind: 'run',
    command: meant.command,
    raw: { operands: meant.operands, options: meant.parsed.opts() },
    globals: globalsOf(program.opts()),
  };
}

interface Building extends CommandLineContext {
  onMeant: (meant: Meant) => void;
  onText: (text: string) => void;
}

async function buildProgram(argv: readonly string[], building: Building): Promise<Commander> {
  const { width, onMeant, onText } = building;
  const [named] = bareWords(argv);
  const program = new Commander('hedge')
    .option('--version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp({ formatHelp: () => rootHelp(width) })
    .showSuggestionAfterError();
  addOptions(program, GLOBAL_OPTIONS);
  for (const line of REGISTRY) {
    if (line.name === named) addEntry(program, await line.load(), building);
    else program.command(line.name);
  }
  program
    .command('help')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { helpWith } = await import('./help/find-help.ts');
      onText(await helpWith(words, width));
    });
  if (named === undefined) {
    program.action(async (_options: unknown, parsed: Commander) => {
      onMeant({ command: await loadHome(), parsed, operands: [] });
    });
  }
  return program;
}

/** The words as typed; where `--watch` means something, it takes none that is not its own. */
const wordsFor = (program: Commander, argv: readonly string[]): readonly string[] =>
  program.commands.some(({ options }) => options.some(({ long }) => long === '--watch'))
    ? separateWatchOption(argv)
    : argv;

function addEntry(parent: Commander, entry: Command | CommandGroup, building: Building): void {
  if (!isGroup(entry)) {
    addCommand(parent, entry, building);
    return;
  }
  const group =
    entry.main === undefined ? parent.command(entry.name) : addCommand(parent, entry.main, building);
  group.configureHelp({ formatHelp: () => entryHelp(entry, building.width) });
  // Positional: an option after the second word is that command's, never silently the group's own.
  group.helpCommand(false).enablePositionalOptions();
  for (const command of entry.commands) {
    const onMeant = (meant: Meant): void => {
      const [stray] = Object.keys(group.opts());
      if (stray !== undefined) throw strayOption(group, stray, command);
      building.onMeant(meant);
    };
    addCommand(group, command, { ...building, onMeant });
  }
}

/** An option of `hedge journal` before `settle` would be taken and do nothing. */
function strayOption(group: Commander, name: string, command: Command): UsageError {
  const flag = group.options.find((option) => option.attributeName() === name)?.long ?? name;
  return new UsageError(
    `${flag} is no option of hedge ${command.name}.`,
    `See hedge ${command.name} --help.`,
  );
}

function addCommand(parent: Commander, command: Command, { width, onMeant }: Building): Commander {
  const word = command.name.split(' ').at(-1) ?? command.name;
  const made = parent.command(word).configureHelp({ formatHelp: () => entryHelp(command, width) });
  for (const operand of command.operands) {
    const name = `${operand.name}${operand.variadic === true ? '...' : ''}`;
    const required = operand.optional !== true && !command.judgesOperands;
    made.argument(required ? `<${name}>` : `[${name}]`, operand.summary);
  }
  if (command.judgesOperands) made.allowExcessArguments();
  addOptions(made, command.options);
  made.action(() => onMeant({ command, parsed: made, operands: made.args }));
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
  const { profile, expectEnv, output, query } = options;
  return {
    ...(typeof profile === 'string' ? { profile } : {}),
    ...(typeof expectEnv === 'string' ? { expectEnv } : {}),
    output: readOutput({
      json: options['json'] === true,
      csv: options['csv'] === true,
      output: typeof output === 'string' ? output : undefined,
      query: typeof query === 'string' ? query : undefined,
    }),
    quiet: options['quiet'] === true,
    verbose: options['verbose'] === true,
  };
}

/** A group was named without a command. */
function missingCommand(program: Commander, argv: readonly string[]): UsageError {
  const [first = ''] = bareWords(argv);
  const group = program.commands.find((command) => command.name() === first);
  const names = group?.commands.map((command) => command.name()).join(', ') ?? '';
  return new UsageError(`hedge ${first} needs a command: ${names}.`, `See hedge ${first} --help.`);
}

/** Commander repeats a word whole, however long. */
const LONGEST_SENTENCE = 300;

function usageErrorOf(error: CommanderError, program: Commander, argv: readonly string[]): UsageError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const sentence = redactKeys(sanitize(first.charAt(0).toUpperCase() + first.slice(1, LONGEST_SENTENCE)));
  const suggestion = sanitize(rest.join(' ').replace(/^\(|\)$/g, ''));
  const help = `See ${namedIn(program, bareWords(argv)).join(' ')} --help.`;
  return new UsageError(
    /[.?]$/.test(sentence) ? sentence : `${sentence}.`,
    suggestion === '' ? help : `${suggestion} ${help}`,
  );
}

/** The command that the words begin with, as it is called: `hedge`, `practice`, `faults`. */
function namedIn(within: Commander, [word, ...words]: readonly string[]): readonly string[] {
  const named = within.commands.find((command) => command.name() === word);
  return [within.name(), ...(named === undefined ? [] : namedIn(named, words))];
}

function forEach(command: Commander, visit: (command: Commander) => void): void {
  visit(command);
  for (const child of command.commands) forEach(child, visit);
}

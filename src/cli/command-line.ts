/**
 * Commander's owner: turns the words of a command line into the command that was meant and what was typed
 * for it, or into a text to show (help, version). It runs nothing. Only the command that was named is
 * loaded; the others are a name and a summary.
 */
import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command, CommandGroup, OptionSpec } from '../commands/define.ts';
import { isGroup } from '../commands/define.ts';
import { loadHome, REGISTRY } from '../commands/registry.ts';
import { withoutSwallowing } from '../commands/watch-option.ts';
import { clean } from '../domain/clean.ts';
import { UsageError } from '../errors.ts';
import type { RawInput } from '../intent/raw-input.ts';
import { bareWords, GLOBAL_OPTIONS, type GlobalOptions } from './global-options.ts';
import { examplesOf, styleHelp } from './help.ts';
import { readOutput } from './output.ts';

export type CommandLine =
  | { kind: 'run'; command: Command; raw: RawInput; globals: GlobalOptions }
  | { kind: 'text'; text: string };

export interface CommandLineContext {
  version: string;
  /** Columns that help may fill. */
  width: number;
}

/** Where `help` itself stands in help. */
const LAST_GROUP = 'Settings and practice';

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
  const program = await buildProgram(argv, context, onMeant);
  forEach(program, (command) => {
    command.exitOverride().configureOutput({
      writeOut: (text) => said.push(text),
      // What is wrong is said once, as a usage error.
      writeErr: () => undefined,
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
    throw usageErrorOf(error, argv);
  }
  if (meant === undefined) return { kind: 'text', text: said.join('') };
  return {
    kind: 'run',
    command: meant.command,
    raw: { operands: meant.operands, options: meant.parsed.opts() },
    globals: globalsOf(program.opts()),
  };
}

async function buildProgram(
  argv: readonly string[],
  context: CommandLineContext,
  onMeant: (meant: Meant) => void,
): Promise<Commander> {
  const words = bareWords(argv);
  const named = words[0] === 'help' ? words[1] : words[0];
  const program = new Commander('hedge')
    .description('The terminal of an FX desk: prices, opens, grows, cuts and closes naira hedges.')
    .version(context.version, '--version', 'the version of this program')
    .helpOption('-h, --help', 'help for a command')
    .addHelpCommand(
      new Commander('help').argument('[command]').description('help for a command').helpGroup(LAST_GROUP),
    )
    .configureHelp(styleHelp)
    .showSuggestionAfterError();
  addOptions(program, GLOBAL_OPTIONS);
  for (const line of REGISTRY) {
    program.commandsGroup(line.group);
    if (line.name === named) addEntry(program, await line.load(), line.summary, onMeant);
    else program.command(line.name).summary(line.summary).description(line.summary);
  }
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
    ? withoutSwallowing(argv)
    : argv;

function addEntry(
  parent: Commander,
  entry: Command | CommandGroup,
  summary: string,
  onMeant: (meant: Meant) => void,
): void {
  if (!isGroup(entry)) {
    addCommand(parent, entry, onMeant);
    return;
  }
  const group =
    entry.main === undefined
      ? parent.command(entry.name).description(entry.summary).configureHelp(styleHelp)
      : addCommand(parent, entry.main, onMeant);
  // Positional: an option after the second word is that command's, never silently the group's own.
  group.summary(summary).helpCommand(false).enablePositionalOptions();
  for (const command of entry.commands) {
    addCommand(group, command, (meant) => {
      const [stray] = Object.keys(group.opts());
      if (stray !== undefined) throw strayOption(group, stray, command);
      onMeant(meant);
    });
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

function addCommand(parent: Commander, command: Command, onMeant: (meant: Meant) => void): Commander {
  const word = command.name.split(' ').at(-1) ?? command.name;
  const made = parent
    .command(word)
    .summary(command.summary)
    .description([command.summary, command.description].filter((part) => part !== undefined).join('\n\n'))
    .configureHelp(styleHelp)
    .addHelpText('after', `\n${examplesOf(command)}`);
  for (const operand of command.operands) {
    const name = `${operand.name}${operand.variadic === true ? '...' : ''}`;
    const required = operand.optional !== true && !command.judgesOperands;
    made.argument(required ? `<${name}>` : `[${name}]`, operand.summary);
  }
  if (command.judgesOperands) made.allowExcessArguments().usage(usageOf(command));
  addOptions(made, command.options);
  made.action(() => onMeant({ command, parsed: made, operands: made.args }));
  return made;
}

/** As Commander would have it of words that it judges itself. */
const usageOf = ({ operands }: Command): string =>
  [
    '[options]',
    ...operands.map(({ name, optional }) => (optional === true ? `[${name}]` : `<${name}>`)),
  ].join(' ');

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

/** A group was named without a command, or help asked of a word that is none. */
function missingCommand(program: Commander, argv: readonly string[]): UsageError {
  const [first = '', second = ''] = bareWords(argv);
  if (first === 'help') return new UsageError(`Unknown command '${clean(second)}'.`, 'See hedge --help.');
  const group = program.commands.find((command) => command.name() === first);
  const names = group?.commands.map((command) => command.name()).join(', ') ?? '';
  return new UsageError(`hedge ${first} needs a command: ${names}.`, `See hedge ${first} --help.`);
}

function usageErrorOf(error: CommanderError, argv: readonly string[]): UsageError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const sentence = clean(first.charAt(0).toUpperCase() + first.slice(1));
  const suggestion = clean(rest.join(' ').replace(/^\(|\)$/g, ''));
  const words = bareWords(argv);
  const known = REGISTRY.some((line) => line.name === words[0]) ? `${words[0]} ` : '';
  const help = `See hedge ${known}--help.`;
  return new UsageError(
    /[.?]$/.test(sentence) ? sentence : `${sentence}.`,
    suggestion === '' ? help : `${suggestion} ${help}`,
  );
}

function forEach(command: Commander, visit: (command: Commander) => void): void {
  visit(command);
  for (const child of command.commands) forEach(child, visit);
}

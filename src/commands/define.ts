/**
 * The declaration of a command: arguments and options, how they are read, the work, and the views of the result.
 * The pipeline (cli/) runs every command from its declaration.
 */
import type { RawInput } from '../args/option.ts';
import type { NameKind } from '../cache/names.ts';
import type { View } from '../output/blocks.ts';
import { type ChangeLine, partsIn, type Words } from '../output/cells.ts';
import type { Listing } from '../output/list.ts';
import type { RecordTable } from '../output/record-table.ts';
import type { BatchLine } from '../runs/batch.ts';
import type { CommandContext, CommandOutcome, CommandResult } from './command-context.ts';

export interface Declaration<Input, Value> {
  /** The words after `hedge`: `quote`, `profile add`. */
  name: string;
  summary: string;
  /** Paragraphs under the summary in `--help`. */
  description?: string;
  operands?: readonly OperandSpec[];
  /** Words after `--` are not its own: `read` gets them as `raw.rest`. The name of what they are: `COMMAND`. */
  rest?: OperandSpec;
  /** `read` reports missing and extra operands, with the line to type; otherwise the command line does. */
  checksOperands?: boolean;
  options?: readonly OptionSpec[];
  /** Options of another command, without a help line: `read` throws the UsageError that names it. */
  refuses?: readonly { flags: string }[];
  /** Text before the time in the environment line: `indicative`. */
  aside?: string;
  /** In a pipe and with `--json` it prints one document per line: for commands that run many others. */
  lines?: boolean;
  /** Reads repeatedly until something happens, so its connections are kept open. */
  polls?: boolean;
  /** Allows it in a batch; absent: it does not run there. Readings run in parallel; a step or an action runs alone. */
  inBatch?: BatchLine['kind'];
  /** Whole lines that can be pasted, each with what it shows. */
  examples: readonly { line: string; shows: string }[];
  /** Text to intent. Pure; throws UsageError. */
  read(raw: RawInput): Input;
  /** Does the work. `emit` shows a value at once, for a command that continues afterwards. */
  run(
    context: CommandContext,
    input: Input,
    emit: (outcome: CommandOutcome<Value>) => Promise<void>,
  ): Promise<CommandOutcome<Value> | undefined>;
  /** The document's `data`. Without it, the value itself. */
  document?(value: Value): unknown;
  /**
   * For a list, or one resource: its document, its columns for --csv, --output jsonl and --columns, the screen and the
   * lines of a watch. `document`, `table`, `view` and `changes` take precedence.
   */
  list?: Listing<Value>;
  /** For a list without a declaration: the names that completion offers for --columns. */
  columns?: readonly string[];
  /** For a list: its columns for --csv and --output jsonl, over the document's records. */
  table?(value: Value): RecordTable;
  /** Its rows have an outcome each, and are printed with an error too. */
  tableWithError?: boolean;
  /** One line for a batch on a terminal, the outcome first. Pure. Undefined: the view. */
  brief?(value: Value): Words;
  /** The screen. Pure. Default: that of the list. */
  view?(value: Value): View;
  /** A file for standard output, in place of the screen: written as it is. Pure. Undefined: the screen. */
  file?(value: Value): string | undefined;
  /** Makes the command watchable (`--watch`): the lines that a pipe prints when they change. Pure. */
  changes?(value: Value): readonly ChangeLine[];
  /** For a command that always watches: milliseconds between readings. */
  always?(raw: RawInput): number;
  /** Its blocks are shown above a watched screen and called each second, also while the service does not respond. */
  urgent?(context: CommandContext): Promise<() => View>;
}

type Declared = Declaration<unknown, unknown>;

/** A declaration without its type parameters, so that the pipeline can hold any command. */
export interface Command
  extends Pick<Declared, 'name' | 'summary' | 'description' | 'rest' | 'aside' | 'inBatch' | 'examples'>,
    Required<
      Pick<Declared, 'lines' | 'polls' | 'operands' | 'checksOperands' | 'options' | 'refuses' | 'columns'>
    > {
  /** Whether the result is a list. */
  lists: boolean;
  /** Milliseconds between readings; undefined without a watch. Throws UsageError. */
  watch(raw: RawInput): Promise<number | undefined>;
  urgent(context: CommandContext): Promise<() => View>;
  /** Reads the arguments at once (UsageError), and returns the rest to run. */
  prepare(
    raw: RawInput,
  ): (
    context: CommandContext,
    emit: (result: CommandResult) => Promise<void>,
  ) => Promise<CommandResult | undefined>;
}

/** Several commands under one word: `hedge profile add`. */
export interface CommandGroup {
  name: string;
  summary: string;
  commands: readonly Command[];
  /** The command of the word alone: `hedge journal`. A subcommand's name takes precedence over its operands. */
  main?: Command;
}

export const isGroup = (entry: Command | CommandGroup): entry is CommandGroup => 'commands' in entry;

/** The command itself, or all of a group. */
export const commandsIn = (entry: Command | CommandGroup): readonly Command[] =>
  isGroup(entry) ? [entry.main ?? [], entry.commands].flat() : [entry];

export function defineCommand<Input, Value>(declaration: Declaration<Input, Value>): Command {
  // The command's own parts take precedence over those of its list.
  const { document, table, view, changes, columns = [] } = { ...declaration.list, ...declaration };
  const show = ({ value, ...outcome }: CommandOutcome<Value>): CommandResult => ({
    meta: {},
    ...outcome,
    document: () => (document === undefined ? value : document(value)),
    table: () => table?.(value),
    tableWithError: declaration.tableWithError === true,
    brief: () => declaration.brief?.(value),
    blocks: () => partsIn(view?.(value) ?? []),
    file: () => declaration.file?.(value),
    changes: () => changes?.(value) ?? [],
  });
  const watchable = changes !== undefined && declaration.always === undefined;
  return {
    lines: false,
    polls: false,
    operands: [],
    checksOperands: false,
    refuses: [],
    ...declaration,
    columns,
    options: [...(declaration.options ?? []), ...(watchable ? [WATCH_OPTION] : [])],
    lists: table !== undefined,
    async urgent(context) {
      if (declaration.urgent !== undefined) return declaration.urgent(context);
      const desk = await context.watchedDesk();
      if (desk === undefined) return () => [];
      const { viewDeskAlerts } = await import('../output/views/desk.ts');
      const { implied } = await context.profileContext();
      return () => viewDeskAlerts(desk(), implied);
    },
    async watch(raw) {
      if (declaration.always !== undefined) return declaration.always(raw);
      if (raw.options['watch'] === undefined) return undefined;
      return (await import('../args/watch-options.ts')).readWatch(raw);
    },
    prepare(raw) {
      const input = declaration.read(raw);
      return async (context, emit) => {
        const outcome = await declaration.run(context, input, (value) => emit(show(value)));
        return outcome === undefined ? undefined : show(outcome);
      };
    },
  };
}

/** Names that this machine knows. `unresolved`: pending actions, by action ID and deal ID. `operators`: of recent actions. */
export type NameSource = NameKind | 'actions' | 'unresolved' | 'profiles' | 'operators';

/** The completion of a value. `list`: several values separated by commas. */
export type Completes =
  | 'nothing'
  | 'files'
  | { words: readonly string[]; list?: true }
  | { names: readonly NameSource[]; list?: true };

export interface OperandSpec {
  /** The name in help: `MARKET`. */
  name: string;
  summary: string;
  optional?: boolean;
  variadic?: boolean;
  /** Default: the completion of this name in every command (cli/completion/model.ts), or none. */
  completes?: Completes;
  /** For each word: the completion of the next operand, and the options that apply. */
  decides?: Readonly<Record<string, { next: Completes; allows: (flags: string) => boolean }>>;
}

export interface OptionSpec {
  /** Commander's spelling: `--tenor <days>`, `--no-check`. */
  flags: string;
  summary: string;
  /** May be given more than once: its values are a list. */
  repeats?: boolean;
  /** Completion of the value; the default follows from the placeholder in `flags`, like that of an operand. */
  completes?: Completes;
}

/** `-t, --tenor <days>` → `--tenor` */
export const longFlag = (flags: string): string => /--[a-z-]+/.exec(flags)?.[0] ?? flags;

export const WATCH_OPTION: OptionSpec = {
  flags: '--watch [seconds]',
  summary: 'refresh every 5 s, or every SECONDS (at least 1), until q or Ctrl-C',
};

/** The seconds of `--watch`; any other word after it is an operand. */
const NUMBER = /^\d+(?:\.\d+)?s?$/i;

/** Rewrites `--watch USDTNGN`, so that the parser reads the market as an operand and not as seconds. */
export function separateWatchOption(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const next = argv[index + 1];
    const isLast = next === undefined || (end !== -1 && index >= end);
    return word !== '--watch' || isLast || NUMBER.test(next) || next.startsWith('-') ? word : '--watch=';
  });
}

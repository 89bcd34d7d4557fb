/**
 * The declaration of a command: its arguments and options, how they are read, what it does, and how its result looks
 * to a person and in a document. The pipeline (cli/) runs all commands from it.
 */
import type { RawInput } from '../args/operands.ts';
import type { NameKind } from '../cache/names.ts';
import type { Block } from '../output/blocks.ts';
import type { ChangeLine } from '../output/change-lines.ts';
import type { RecordTable } from '../output/record-table.ts';
import type { BatchLine } from '../trading/batch.ts';
import type { CommandContext } from './command-context.ts';
import type { CommandOutcome, CommandResult } from './command-result.ts';
export interface Declaration<Input, Value> {
  /** The words after `hedge`: `quote`, `profile add`. */
  name: string;
  summary: string;
  /** Paragraphs under the summary in `--help`. */
  description?: string;
  operands?: readonly OperandSpec[];
  /** `read` says which words are missing or too many, with the line to type; else the command line does. */
  judgesOperands?: boolean;
  options?: readonly OptionSpec[];
  /** What stands before the time in the environment line: `indicative`. */
  aside?: string;
  /** Prints documents, one a line, whether or not `--json` is given: for commands that run many others. */
  lines?: boolean;
  /** Reads again and again until something happens: its connections are kept. */
  polls?: boolean;
  /** Makes it a command of a batch. Readings run at the same time as other readings; a step or an action runs alone. */
  inBatch?: BatchLine['kind'];
  /** Whole lines that can be pasted, each with what it shows. */
  examples: readonly { line: string; shows: string }[];
  /** Text to intent. Pure; throws UsageError. */
  read(raw: RawInput): Input;
  /** Asks the desk. `emit` shows a value at once, for commands that go on afterwards. */
  run(
    desk: CommandContext,
    input: Input,
    emit: (outcome: CommandOutcome<Value>) => Promise<void>,
  ): Promise<CommandOutcome<Value> | undefined>;
  /** The document's `data`. Without it, the value itself. */
  document?(value: Value): unknown;
  /** What makes a command a list: its columns for --csv and --output jsonl, over the document's records. */
  table?(value: Value): RecordTable;
  /** What a person sees. Pure. */
  view(value: Value): readonly Block[];
  /** What makes a command watchable (`--watch`): what a pipe is told of each thing it shows. Pure. */
  changes?(value: Value): readonly ChangeLine[];
  /** Of what is watched whenever it runs: milliseconds from one reading to the next. */
  always?(raw: RawInput): number;
}

/** A declaration whose types are sealed, so that the pipeline can hold any of them. */
export interface Command {
  name: string;
  summary: string;
  description: string | undefined;
  aside: string | undefined;
  lines: boolean;
  polls: boolean;
  operands: readonly OperandSpec[];
  judgesOperands: boolean;
  options: readonly OptionSpec[];
  examples: readonly { line: string; shows: string }[];
  /** Whether what it shows is a list. */
  lists: boolean;
  /** Undefined: it does not run in a batch. */
  inBatch: BatchLine['kind'] | undefined;
  /** Milliseconds between readings of what is to be watched; undefined: it is read once. Throws UsageError. */
  watch(raw: RawInput): Promise<number | undefined>;
  /** Reads what was typed at once (UsageError), and gives the rest to be run. */
  prepare(
    raw: RawInput,
  ): (
    desk: CommandContext,
    emit: (shown: CommandResult) => Promise<void>,
  ) => Promise<CommandResult | undefined>;
}

/** Several commands under one word: `hedge profile add`. */
export interface CommandGroup {
  name: string;
  summary: string;
  commands: readonly Command[];
  /** What the word alone does: `hedge journal` beside `hedge journal resolve`. Its operands give way to the words. */
  main?: Command;
}

export const isGroup = (entry: Command | CommandGroup): entry is CommandGroup => 'commands' in entry;

export function defineCommand<Input, Value>(declaration: Declaration<Input, Value>): Command {
  const show = (outcome: CommandOutcome<Value>): CommandResult => ({
    document: () =>
      declaration.document === undefined ? outcome.value : declaration.document(outcome.value),
    table: () => declaration.table?.(outcome.value),
    blocks: () => declaration.view(outcome.value),
    changes: () => declaration.changes?.(outcome.value) ?? [],
    meta: outcome.meta ?? {},
    servedAt: outcome.servedAt,
    finding: outcome.finding,
    zone: outcome.zone,
    command: outcome.command,
  });
  const isAlways = declaration.always !== undefined;
  const watchable = declaration.changes !== undefined && !isAlways;
  return {
    name: declaration.name,
    summary: declaration.summary,
    description: declaration.description,
    aside: declaration.aside,
    lines: declaration.lines ?? false,
    polls: declaration.polls ?? false,
    operands: declaration.operands ?? [],
    judgesOperands: declaration.judgesOperands ?? false,
    options: [...(declaration.options ?? []), ...(watchable ? [WATCH_OPTION] : [])],
    examples: declaration.examples,
    lists: declaration.table !== undefined,
    inBatch: declaration.inBatch,
    async watch(raw) {
      if (declaration.always !== undefined) return declaration.always(raw);
      if (raw.options['watch'] === undefined) return undefined;
      return (await import('../args/watch-options.ts')).readWatch(raw);
    },
    prepare(raw) {
      const input = declaration.read(raw);
      return async (desk, emit) => {
        const outcome = await declaration.run(desk, input, (value) => emit(show(value)));
        return outcome === undefined ? undefined : show(outcome);
      };
    },
  };
}

/** Names that this machine knows. `unresolved`: actions that have not ended, by their own ID and by their deal ID. */
export type NameSource = NameKind | 'actions' | 'unresolved' | 'profiles';

/** What completion offers for a value. `list`: several of them with commas between. */
export type Completes =
  | 'nothing'
  | 'files'
  | { words: readonly string[]; list?: true }
  | { names: readonly NameSource[]; list?: true };

export interface OperandSpec {
  /** As help shows it: `MARKET`. */
  name: string;
  summary: string;
  optional?: boolean;
  variadic?: boolean;
  /** Without it, what the name stands for everywhere (cli/completion/model.ts), or nothing. */
  completes?: Completes;
  /** By its word: what completes the next operand, and which options remain. */
  decides?: Readonly<Record<string, { next: Completes; allows: (flags: string) => boolean }>>;
}

export interface OptionSpec {
  /** Commander's spelling: `--tenor <days>`, `--no-check`. */
  flags: string;
  summary: string;
  /** May be given more than once: its values are a list. */
  repeats?: boolean;
  /** As for an operand, by the placeholder in `flags`. */
  completes?: Completes;
}

export const WATCH_OPTION: OptionSpec = {
  flags: '--watch [seconds]',
  summary: 'refresh every 5 s, or every SECONDS (at least 1), until q or Ctrl-C',
};

/** What is taken for the seconds of `--watch`; any other word after it is a word of the command. */
const NUMBER = /^\d+(?:\.\d+)?s?$/i;

/** `--watch USDTNGN`: the word after it is no number, so it is not its seconds. The words as a parser should take them. */
export function separateWatchOption(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const next = argv[index + 1];
    const isLast = next === undefined || (end !== -1 && index >= end);
    return word !== '--watch' || isLast || NUMBER.test(next) || next.startsWith('-') ? word : '--watch=';
  });
}

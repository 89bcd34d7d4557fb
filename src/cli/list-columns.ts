/** `--wide` and `--columns`: which commands and formats take them, and whether every name is a column. */
import type { CommandResult } from '../commands/command-context.ts';
import type { Command } from '../commands/define.ts';
import { UsageError } from '../errors.ts';
import { checkColumns, pickedBlocks } from '../output/pick-columns.ts';
import type { Output } from './global-options.ts';

/** @throws UsageError if the command is no list, or the format has no columns. */
export function checkListOptions(
  { form, query, columns }: Output,
  { name, lists }: Command,
  namesOfLists: string,
): void {
  const option = columns === undefined ? '--wide' : '--columns';
  if (!lists)
    throw new UsageError(
      `${name === 'hedge' ? name : `hedge ${name}`} shows no list; ${option} needs one.`,
      `Lists are ${namesOfLists}.`,
    );
  if (columns === undefined) return;
  if (form === 'json' || query !== undefined)
    throw new UsageError(
      `--columns does not work with ${query === undefined ? '--json' : '--query'}.`,
      'Use it on the screen, with --csv or with --output jsonl.',
    );
  if (columns.every((each) => each.trim() === ''))
    throw new UsageError('--columns needs a name.', 'Example: --columns id,side,notional_usd');
}

type Emit = (result: CommandResult) => Promise<void>;

/** Checks the names as soon as a result has its columns; its screen has only these. */
export function picksColumns<Context>(
  act: (context: Context, emit: Emit) => Promise<CommandResult | undefined>,
  columns: readonly string[],
): typeof act {
  const checked = (result: CommandResult): CommandResult => {
    checkColumns(result, columns);
    return { ...result, blocks: () => pickedBlocks(result, columns) };
  };
  return async (context, emit) => {
    const result = await act(context, async (each) => emit(checked(each)));
    return result === undefined ? undefined : checked(result);
  };
}

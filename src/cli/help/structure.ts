/** `hedge help --json`: commands, topics, exit codes and error codes as structure, next to the text of the page. */
import type { Command } from '../../commands/define.ts';
import { commandsNamed, loadCommands } from '../../commands/registry.ts';
import { OWN_CODES } from '../../errors.ts';
import { CODE_MEANINGS } from '../../schema/error-codes.ts';
import type { HelpDocument } from '../../schema/machine-document.ts';
import { GLOBAL_OPTIONS } from '../global-options.ts';
import { usageOf } from './command-help.ts';
import { EXIT_CODE_ROWS } from './markdown.ts';
import { HELP_TOPICS } from './topics.ts';

/** `words`: what help was asked for; none is the whole program. */
export async function helpDocument(text: string, words: readonly string[]): Promise<HelpDocument> {
  const [first] = words;
  if (first === undefined || first === 'help')
    return {
      text,
      commands: (await loadCommands()).map(commandRecord),
      topics: HELP_TOPICS,
      options: GLOBAL_OPTIONS.map(optionRecord),
      exit_codes: EXIT_CODE_ROWS.map(([code, meaning]) => ({ code, meaning })),
      error_codes: OWN_CODES.map((code) => ({ code, ...CODE_MEANINGS[code] })),
    };
  const found = await commandsNamed(words);
  return found.length === 0 ? { text } : { text, commands: found.map(commandRecord) };
}

type CommandRecord = NonNullable<HelpDocument['commands']>[number];

const commandRecord = (command: Command): CommandRecord => ({
  name: command.name,
  summary: command.summary,
  description: command.description ?? null,
  usage: usageOf(command),
  arguments: command.operands.map(({ name, summary, optional, variadic }) => ({
    name,
    summary,
    required: optional !== true,
    repeats: variadic === true,
  })),
  options: command.options.map(optionRecord),
  examples: command.examples,
  lists: command.lists,
  columns: command.columns,
  in_batch: command.inBatch ?? null,
});

const optionRecord = ({ flags, summary, repeats }: Command['options'][number]) => ({
  flags,
  summary,
  repeats: repeats === true,
});

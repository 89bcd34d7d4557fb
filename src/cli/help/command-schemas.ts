/** `hedge schema`: the JSON Schema of what a command takes and of the document that it prints. */
import type { Command } from '../../commands/define.ts';
import { commandsNamed, loadCommands, loadHome } from '../../commands/registry.ts';
import { didYouMean } from '../../domain/did-you-mean.ts';
import { quoted } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { documentSchemaOf } from '../../schema/catalogue.ts';
import type { SchemaDocument } from '../../schema/machine-document.ts';
import { objectSchemaOf } from '../command-object.ts';

/**
 * The schemas of one command, or of every command of a group; without words those of all, those without a name of their own included.
 * @throws UsageError for unknown words.
 */
export async function schemasOf(words: readonly string[]): Promise<SchemaDocument> {
  if (words.length === 0)
    return [...(await loadCommands()), await loadHome()].map(schemasOfCommand).concat(HELP_SCHEMAS());
  const name = words.join(' ');
  if (name === 'help') return HELP_SCHEMAS();
  if (name === 'hedge') return [schemasOfCommand(await loadHome())];
  const found = await commandsNamed(words);
  if (found.length > 0) return found.map(schemasOfCommand);
  const known = (await loadCommands()).map((command) => command.name);
  throw new UsageError(
    `Unknown command: ${quoted(name)}.`,
    `${didYouMean(name, known)}Commands: see hedge --help.`,
  );
}

const HELP_SCHEMAS = (): SchemaDocument => [
  { command: 'help', input: null, document: documentSchemaOf('help') ?? null },
];

const schemasOfCommand = (command: Command): SchemaDocument[number] => ({
  command: command.name,
  input: { $schema: DIALECT, ...objectSchemaOf(command, ['string', 'number']) },
  document: documentSchemaOf(command.name) ?? null,
});

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

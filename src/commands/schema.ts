/** `hedge schema`: input and document of a command, as JSON Schema 2020-12. */
import { oneMeant } from '../args/operands.ts';
import { readOptions } from '../args/option.ts';
import { UsageError } from '../errors.ts';
import type { SchemaDocument } from '../schema/machine-document.ts';
import { defineCommand } from './define.ts';

/** Each can be printed alone. */
const PARTS = ['input', 'document'] as const;
type Part = (typeof PARTS)[number];

const OPTIONS = {
  only: {
    flags: '--only <part>',
    summary: 'the schema of the input or of the document alone',
    completes: { words: PARTS },
    read: (text: string) => oneMeant(PARTS, text, 'a part of a schema (--only)'),
  },
};

export const schema = defineCommand({
  name: 'schema',
  summary: 'Print the JSON Schema of a command and its document',
  description:
    'JSON Schema 2020-12, from the declarations that read the input and make the document. The input is the object of a line of hedge batch: a field for each argument, in lower case, and for each option, by its long name; values are text as it is typed, or numbers. The document is that of --json: data, error and meta. Without COMMAND: every command. A command of a group has two words: hedge schema profile add. A group alone is every command of it; with --only, the one that is called by its word, such as journal. Reads no profile and sends no request. Exit codes and error codes: hedge help --json.',
  operands: [
    { name: 'COMMAND', summary: 'a command, or a group of commands', optional: true, variadic: true },
  ],
  options: Object.values(OPTIONS),
  examples: [
    { line: 'hedge schema quote', shows: 'input and document of quote' },
    { line: 'hedge schema open --only document > open.schema.json', shows: 'a file for a validator' },
    { line: 'hedge schema --json | jq -r ".data[].command"', shows: 'every command' },
  ],
  read(raw) {
    const { only } = readOptions(OPTIONS, raw);
    if (only !== undefined && raw.operands.length === 0)
      throw new UsageError('--only needs a command.', `hedge schema quote --only ${only}`);
    // Also quoted, as one word.
    return { words: raw.operands.flatMap((word) => word.split(' ')), only };
  },
  async run(context, { words, only }) {
    return { value: { schemas: await context.schemas(words), only, name: words.join(' ') } };
  },
  document: ({ schemas }) => schemas,
  view: () => [],
  file: ({ schemas, only, name }) => `${JSON.stringify(printed(schemas, { only, name }), null, 2)}\n`,
});

/** One command alone is no list; of a group, --only means the command of its word, else each part has its name. */
function printed(schemas: SchemaDocument, { only, name }: { only: Part | undefined; name: string }): unknown {
  if (only === undefined) return schemas.length === 1 ? schemas[0] : schemas;
  const own = schemas.length === 1 ? schemas[0] : schemas.find(({ command }) => command === name);
  return own === undefined
    ? schemas.map(({ command, [only]: part }) => ({ command, [only]: part }))
    : own[only];
}

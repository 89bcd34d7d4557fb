/** The tools with their schemas, from the declarations of the commands that they run. */
import { objectSchemaOf, operandField, optionField } from '../cli/command-object.ts';
import type { Command } from '../commands/define.ts';
import { loadCommands } from '../commands/registry.ts';
import { ACTION_NAMES, isActionName } from '../domain/action-table.ts';
import { isFields, ownField } from '../domain/fields.ts';
import { ENVIRONMENTS } from '../domain/vocabulary.ts';
import { documentSchemaOf, type JsonSchema } from '../schema/catalogue.ts';
import { describeTool, HELP, isPrepared, PREPARE, TOOLS } from './tools.ts';

/** The part of a command that a tool takes. */
export type TakenCommand = Pick<Command, 'name' | 'operands' | 'options'>;

export interface OfferedTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: Annotations;
  command: TakenCommand;
  /** The actions that `prepare` takes. */
  actions?: readonly TakenCommand[];
  fields: readonly string[];
  always: readonly string[];
  contents: readonly string[];
}

/** Hints for the client. None of them opens anything. */
interface Annotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export async function offeredTools(): Promise<readonly OfferedTool[]> {
  const commands = await loadCommands();
  const commandNamed = (name: string): Command => {
    const found = commands.find((each) => each.name === name);
    if (found === undefined) throw new Error(`hedge ${name} is no command`);
    return found;
  };
  return [
    ...TOOLS.map((tool): OfferedTool => {
      const { contents = [], always = [], takes, records = false } = tool;
      const command = partOf(commandNamed(tool.command), (field) => takes.includes(field));
      return {
        name: tool.name,
        description: describeTool(tool),
        inputSchema: withContents(objectSchemaOf(command, ['string']), contents),
        outputSchema: resultSchema(documentSchemaOf(tool.command)),
        annotations: annotationsOf(`hedge ${tool.command}`, { readsOnly: !records }),
        command,
        fields: fieldsOf(command),
        always,
        contents,
      };
    }),
    prepareTool(commands),
    helpTool(),
  ];
}

const partOf = ({ name, operands, options }: Command, takes: (field: string) => boolean): TakenCommand => ({
  name,
  operands: operands.filter((spec) => takes(operandField(spec))),
  options: options.filter((spec) => takes(optionField(spec))),
});

const fieldsOf = ({ operands, options }: TakenCommand): readonly string[] => [
  ...operands.map(operandField),
  ...options.map(optionField),
];

function prepareTool(commands: readonly Command[]): OfferedTool {
  const actions = commands
    .filter(({ name }) => isActionName(name))
    .map((command) => partOf(command, isPrepared));
  const [first] = actions;
  if (first === undefined) throw new Error('there are no actions');
  const properties = {
    action: { enum: ACTION_NAMES, description: 'what a person would do' },
    ...fieldsOfActions(actions),
  };
  const { name, description } = PREPARE;
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required: ['action'], additionalProperties: false },
    outputSchema: resultSchema(documentSchemaOf('open'), {
      command_line: {
        type: ['string', 'null'],
        description: 'for a person to read and run; null where a pre-trade check stops it',
      },
    }),
    annotations: annotationsOf('preview of an action', { readsOnly: true }),
    command: first,
    actions,
    fields: Object.keys(properties),
    always: [],
    contents: [],
  };
}

/** A field that means something else in another action says what it means in each. */
function fieldsOfActions(actions: readonly TakenCommand[]): Record<string, object> {
  const fields = actions.flatMap((command) =>
    Object.entries(propertiesOf(objectSchemaOf(command, ['string']))).map(([name, schema]) => ({
      name,
      action: command.name,
      schema,
      says: String(ownField(schema, 'description')),
    })),
  );
  return Object.fromEntries(
    fields.map(({ name, schema }) => {
      const own = fields.filter((each) => each.name === name);
      const [first, ...others] = new Set(own.map(({ says }) => says));
      const inEach = (text: string | undefined): string =>
        `${own.flatMap(({ says, action }) => (says === text ? action : [])).join(', ')}: ${text ?? ''}`;
      const description = others.length === 0 ? first : [first, ...others].map(inEach).join('; ');
      return [name, { ...schema, description }];
    }),
  );
}

function propertiesOf(schema: JsonSchema): object {
  const properties = ownField(schema, 'properties');
  return isFields(properties) ? properties : {};
}

function helpTool(): OfferedTool {
  const { name, description } = HELP;
  const about = { type: 'string', description: 'a command or a topic: quote, profile add, trading, topics' };
  return {
    name,
    description,
    inputSchema: { type: 'object', properties: { about }, required: [], additionalProperties: false },
    outputSchema: resultSchema(documentSchemaOf('help')),
    annotations: annotationsOf('hedge help', { readsOnly: true }),
    command: { name, operands: [], options: [] },
    fields: ['about'],
    always: [],
    contents: [],
  };
}

const annotationsOf = (title: string, { readsOnly }: { readsOnly: boolean }): Annotations => ({
  title,
  readOnlyHint: readsOnly,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
});

/** A tool takes the content of a file, where a command takes its name. */
function withContents(schema: JsonSchema, contents: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([name, field]) => [
      name,
      contents.includes(name)
        ? { ...field, description: `the content, not a file name: ${String(ownField(field, 'description'))}` }
        : field,
    ]),
  );
  return { ...schema, properties };
}

/** A result says first which account it is of, and that no action was sent. */
function resultSchema(
  document: JsonSchema | undefined,
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const { $schema: _dialect, $defs, ...rest } = document ?? {};
  const properties = {
    environment: { enum: ENVIRONMENTS },
    profile: { type: 'string' },
    account: { type: ['string', 'null'], description: 'the label of the account' },
    base_url: { type: ['string', 'null'] },
    action_sent: { const: false },
    exit_code: { type: 'integer' },
    ...more,
    document: rest,
  };
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
  };
}

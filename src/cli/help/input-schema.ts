/**
 * The input of a command as JSON Schema 2020-12, from its declaration: one property an argument, in lower case, or option, by
 * its long name. A value is text as it is typed: `10k` is a notional, and what a command does not accept it rejects itself.
 */
import type { Command, OperandSpec, OptionSpec } from '../../commands/define.ts';
import type { JsonSchema } from '../../schema/catalogue.ts';

/** An argument or option as input. */
export interface InputField {
  /** `notional`, `max-cost-bps`. */
  name: string;
  /** `switch`: true, or absent. `words`: a list. */
  kind: 'text' | 'switch' | 'words';
  required: boolean;
  summary: string;
  /** Undefined for an argument; `--max-cost-bps`. */
  flag: string | undefined;
  /** Words that it takes, among others. */
  examples: readonly string[];
}

export const inputFieldsOf = ({ operands, options }: Command): readonly InputField[] => [
  ...operands.map(operandField),
  ...options.map(optionField),
];

function operandField({ name, summary, optional, variadic, completes }: OperandSpec): InputField {
  return {
    name: name.toLowerCase().replaceAll(/[^a-z]+/g, '_'),
    kind: variadic === true ? 'words' : 'text',
    required: optional !== true,
    summary,
    flag: undefined,
    examples: wordsOf(completes),
  };
}

function optionField({ flags, summary, repeats, completes }: OptionSpec): InputField {
  const [flag = '', value] = /--[a-z-]+(?:[ =]*[<[])?/.exec(flags)?.[0].split(/[ =]+/) ?? [];
  return {
    name: flag.slice(2),
    kind: value === undefined ? 'switch' : repeats === true ? 'words' : 'text',
    required: false,
    summary,
    flag,
    examples: wordsOf(completes),
  };
}

const wordsOf = (completes: OptionSpec['completes']): readonly string[] =>
  typeof completes === 'object' && 'words' in completes ? completes.words : [];

/** `fields`: all of a command, or those that a caller may give. */
export const inputSchemaOf = (fields: readonly InputField[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
  required: fields.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
});

function fieldSchema({ kind, summary: description, examples }: InputField): JsonSchema {
  switch (kind) {
    case 'switch':
      return { const: true, description };
    case 'words':
      return { type: 'array', items: { type: 'string' }, description };
    case 'text':
      return { type: 'string', description, ...(examples.length === 0 ? {} : { examples }) };
    default:
      return kind satisfies never;
  }
}

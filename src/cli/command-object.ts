/**
 * A command's arguments and options as one object: of a line of a batch, of a tool, and in `hedge schema`. An argument has its
 * name in lower case, an option its long name: `notional_usd`, `max_cost_bps`.
 */
import { Big } from 'big.js';
import { type Command, longFlag, type OperandSpec, type OptionSpec } from '../commands/define.ts';
import { type Fields, ownField } from '../domain/fields.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import type { JsonSchema } from '../schema/catalogue.ts';

/** Arguments and options whose field is not their name. */
const OPERAND_FIELDS: Readonly<Record<string, string>> = { NOTIONAL: 'notional_usd', ACTION: 'action_id' };
const OPTION_FIELDS: Readonly<Record<string, string>> = { tenor: 'tenor_days' };

export const operandField = ({ name }: Pick<OperandSpec, 'name'>): string =>
  ownField(OPERAND_FIELDS, name) ?? name.toLowerCase().replaceAll(/[^a-z]+/g, '_');

export function optionField({ flags }: Pick<OptionSpec, 'flags'>): string {
  const name = longFlag(flags).replace(/^--(?:no-)?/, '');
  return ownField(OPTION_FIELDS, name) ?? name.replaceAll('-', '_');
}

type Declared = Pick<Command, 'name' | 'operands' | 'options'>;

/**
 * The words after the command's name, options first and `--` before its arguments, so that no value is taken for an option.
 * A number keeps its digits. @throws UsageError that names the wrong field.
 */
export function wordsOfObject({ name, operands, options }: Declared, fields: Fields): readonly string[] {
  const named = options.map((spec) => ({ spec, field: optionField(spec) }));
  const words = operandWords(operands, fields);
  const known = [...operands.map(operandField), ...named.map(({ field }) => field)];
  const unknown = Object.keys(fields).find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw new UsageError(
      `hedge ${name} has no field ${quoted(unknown)}.`,
      `Its fields are ${known.join(', ')}.`,
    );
  const typed = named.flatMap(({ spec, field }) => optionWords(spec, field, ownField(fields, field)));
  return [...typed, '--', ...words];
}

function operandWords(specs: readonly OperandSpec[], fields: Fields): readonly string[] {
  const words: string[] = [];
  let missing: string | undefined;
  for (const spec of specs) {
    const field = operandField(spec);
    const value = ownField(fields, field);
    if (value === undefined) missing ??= field;
    // Operands go by position: none may be missing before another.
    else if (missing !== undefined) throw new UsageError(`The field "${missing}" is missing.`);
    else if (spec.variadic === true && Array.isArray(value))
      words.push(...value.map((each) => textOf(field, each)));
    else words.push(textOf(field, value));
  }
  return words;
}

const takesValue = ({ flags }: OptionSpec): boolean => /[<[]/.test(flags);

function optionWords(spec: OptionSpec, field: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  const flag = longFlag(spec.flags);
  if (takesValue(spec))
    return [`${flag}=${textOf(field, Array.isArray(value) ? joined(field, value) : value)}`];
  if (typeof value !== 'boolean')
    throw new UsageError(`The field ${quoted(field)} is true or false.`, 'Leave it out for the default.');
  return value === !flag.startsWith('--no-') ? [flag] : [];
}

const joined = (field: string, values: readonly unknown[]): string =>
  values.map((value) => textOf(field, value)).join(',');

function textOf(field: string, value: unknown): string {
  if (value instanceof Big) return value.toFixed();
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(
    `The field ${quoted(field)} is neither text nor a number.`,
    'Leave it out, or give a value.',
  );
}

/** `value`: the types of a value; JSON that is read as floats has text alone, for its numbers would not be exact. */
export function objectSchemaOf({ operands, options }: Declared, value: readonly string[]): JsonSchema {
  const type = value.length === 1 ? value[0] : value;
  const text = (summary: string, completes: OptionSpec['completes']): JsonSchema => ({
    type,
    description: summary,
    ...(typeof completes === 'object' && 'words' in completes ? { examples: completes.words } : {}),
  });
  const operandSchema = ({ summary, variadic, completes }: OperandSpec): JsonSchema =>
    variadic === true ? { type: 'array', items: { type }, description: summary } : text(summary, completes);
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...operands.map((spec) => [operandField(spec), operandSchema(spec)]),
      ...options.map((spec) => [
        optionField(spec),
        takesValue(spec)
          ? text(spec.summary, spec.completes)
          : { type: 'boolean', description: spec.summary },
      ]),
    ]),
    required: operands.filter(({ optional }) => optional !== true).map(operandField),
    additionalProperties: false,
  };
}

/**
 * A line of a batch that is a JSON object, as the words of the command line that says the same: from there on
 * both kinds are one. Fields are named as the service names them; one that the command does not have is refused.
 */
import { Big } from 'big.js';
import { readGivenObject } from '../../client/given-json.ts';
import { type Command, isGroup } from '../../commands/define.ts';
import { REGISTRY } from '../../commands/registry.ts';
import type { OperandSpec, OptionSpec } from '../../commands/words.ts';
import type { Fields } from '../../domain/fields.ts';
import { ownField } from '../../domain/fields.ts';
import { quoted } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { COMMANDS_IN_BATCH, kindInBatch } from './allowed.ts';

/** Operands whose field is not their name in small letters. */
const OPERAND_FIELDS: Readonly<Record<string, string>> = { NOTIONAL: 'notional_usd', ACTION: 'action_id' };
const OPTION_FIELDS: Readonly<Record<string, string>> = { tenor: 'tenor_days' };

/** @throws UsageError naming the field that is wrong, or that there is no such command here. */
export async function wordsOfJson(text: string): Promise<readonly string[]> {
  const { command: name, ...fields } = readGivenObject(text, 'Write each object on one line.');
  if (typeof name !== 'string' || kindInBatch(name) === undefined)
    throw new UsageError(
      name === undefined ? 'The field "command" is missing.' : `The field "command" is none of a batch.`,
      `It is one of ${COMMANDS_IN_BATCH.join(', ')}.`,
    );
  const command = await load(name);
  const operands = operandWords(command.operands, fields);
  const options = command.options.map((spec) => ({ spec, field: optionField(spec) }));
  const known = [...command.operands.map(operandField), ...options.map(({ field }) => field)];
  const unknown = Object.keys(fields).find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw new UsageError(
      `hedge ${name} has no field ${quoted(unknown)}.`,
      `Its fields are ${known.join(', ')}.`,
    );
  const said = options.flatMap(({ spec, field }) => optionWords(spec, field, ownField(fields, field)));
  return [name, ...said, '--', ...operands];
}

async function load(name: string): Promise<Command> {
  const line = REGISTRY.find((each) => each.name === name);
  const entry = await line?.load();
  const command = entry !== undefined && isGroup(entry) ? entry.main : entry;
  if (command === undefined)
    throw new UsageError(`There is no command ${quoted(name)}.`, 'See hedge --help.');
  return command;
}

const operandField = ({ name }: OperandSpec): string => ownField(OPERAND_FIELDS, name) ?? name.toLowerCase();

function operandWords(specs: readonly OperandSpec[], fields: Fields): readonly string[] {
  const words: string[] = [];
  let missing: string | undefined;
  for (const spec of specs) {
    const field = operandField(spec);
    const value = ownField(fields, field);
    if (value === undefined) missing ??= field;
    // Operands are told apart by their place: none may be left out before one that is said.
    else if (missing !== undefined) throw new UsageError(`The field "${missing}" is missing.`);
    else if (spec.variadic === true && Array.isArray(value))
      words.push(...value.map((each) => textOf(field, each)));
    else words.push(textOf(field, value));
  }
  return words;
}

function optionField({ flags }: OptionSpec): string {
  const name = longOf(flags).replace(/^--(?:no-)?/, '');
  return ownField(OPTION_FIELDS, name) ?? name.replaceAll('-', '_');
}

const longOf = (flags: string): string => /--[a-z-]+/.exec(flags)?.[0] ?? flags;

function optionWords({ flags }: OptionSpec, field: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  const flag = longOf(flags);
  if (/[<[]/.test(flags))
    return [`${flag}=${textOf(field, Array.isArray(value) ? joined(field, value) : value)}`];
  if (typeof value !== 'boolean')
    throw new UsageError(
      `The field ${quoted(field)} is true or false.`,
      'Leave it out for what it is without.',
    );
  return value === !flag.startsWith('--no-') ? [flag] : [];
}

const joined = (field: string, values: readonly unknown[]): string =>
  values.map((value) => textOf(field, value)).join(',');

/** Text as it is; a number with the digits it was written with. */
function textOf(field: string, value: unknown): string {
  if (value instanceof Big) return value.toFixed();
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(
    `The field ${quoted(field)} is neither text nor a number.`,
    'Leave it out, or say it.',
  );
}

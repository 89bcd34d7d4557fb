/** JSON that an operator wrote: one object, read with the same care as an answer, or refused in a sentence. */
import { Big } from 'big.js';
import { clean } from '../domain/clean.ts';
import { UsageError } from '../errors.ts';
import { readJson } from './json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The object, its numbers as big.js decimals. @throws UsageError with `hint` for anything else. */
export function readGivenObject(text: string, hint: string): Fields {
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const why = clean(error.message).replace(/\.$/, '');
    throw new UsageError(`This is not one JSON object: ${why}.`, hint);
  }
  if (!isFields(value)) throw new UsageError('This is not one JSON object.', hint);
  return value;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Big);

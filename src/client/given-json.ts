/** JSON that an operator wrote: one object, read with the same care as an answer, or refused in a sentence. */
import { clean } from '../domain/clean.ts';
import type { Fields } from '../domain/fields.ts';
import { UsageError } from '../errors.ts';
import { isObject, readJson } from './json.ts';

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
  if (!isObject(value)) throw new UsageError('This is not one JSON object.', hint);
  return value;
}

/** Reads fields of untrusted values. Never throws. */

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The value of that name in a table. A word that comes from outside may be `constructor` or `__proto__`, which every
 * object has without its being in the table.
 */
export const ownField = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** The fields of a JSON object; none for any other text. */
export function fieldsIn(text: string | Buffer | undefined): Fields {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text.toString());
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

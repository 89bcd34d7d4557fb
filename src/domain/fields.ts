/** What was read and is promised by nobody, as fields by their names. Throws nothing. */

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of the JSON object that the text is; none where it is no such object. */
export function fieldsIn(text: string | Buffer | undefined): Fields {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text.toString());
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

/** What was typed for a command, before it means anything. */

export interface RawInput {
  operands: readonly string[];
  /** By the option's long name in camelCase; a switch is a boolean, what may be repeated a list. */
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** The value of an option that takes one, or undefined when it was not given. */
export function optionText(raw: RawInput, name: string): string | undefined {
  const value = raw.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of an option that may be repeated, in the order they were given. */
export function optionTexts(raw: RawInput, name: string): readonly string[] {
  const value = raw.options[name];
  return Array.isArray(value) ? value : [];
}

/** Whether a switch was given. */
export const optionGiven = (raw: RawInput, name: string): boolean => raw.options[name] === true;

/** For commands that take neither operands nor options of their own. */
export const readNothing = (_raw: RawInput): undefined => undefined;

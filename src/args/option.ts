/** The words after a command; and an option, declared once: its flags, help and completion, and how it is read. */
import { optionWords, shell } from '../domain/hint.ts';
import { redactKeys } from '../domain/sanitize.ts';
import type { CommandWords } from '../errors.ts';
import { isNot } from './operands.ts';

export interface RawInput {
  operands: readonly string[];
  /** By the long name in camelCase: a boolean for a switch, a list for a repeatable option. */
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  /** The words after `--`, for a command that passes them on; undefined without `--`. */
  rest?: readonly string[] | undefined;
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

export const optionGiven = (raw: RawInput, name: string): boolean => raw.options[name] === true;

/** For commands without operands and options. */
export const readNothing = (_raw: RawInput): undefined => undefined;

/** The type of an intent follows from those of its options. */
export interface Option {
  /** Commander's spelling: `--tenor <days>`, `--no-wait`. */
  flags: string;
  summary: string;
  /**
   * Text to value; `option` names it in messages: `--tenor`. Without it, an option with a value is its text, and any other
   * is a switch. @throws UsageError
   */
  read?: (text: string, option: string) => unknown;
}

type Options = Readonly<Record<string, Option>>;

type ValueOf<One> = One extends { read: (text: string, option: string) => infer Value }
  ? Value | undefined
  : One extends { flags: `${string}<${string}` }
    ? string | undefined
    : boolean;

/** The given values by name; undefined where none was given. A switch that begins with `--no-` is true without it. */
export type Given<Declared> = { -readonly [Name in keyof Declared]: ValueOf<Declared[Name]> };

/** In their order, so that the first wrong one is named. The names are those of the flags, in camelCase. @throws UsageError */
export function readOptions<Declared extends Options>(options: Declared, raw: RawInput): Given<Declared>;
export function readOptions(options: Options, raw: RawInput): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { flags, read }]) => {
      if (flags.startsWith('--no-')) return [name, raw.options[name] !== false];
      if (!flags.includes('<')) return [name, optionGiven(raw, name)];
      return [name, read === undefined ? optionText(raw, name) : readOption(raw, name, read)];
    }),
  );
}

/** The value of one option; undefined where it was not given. `read` gets the option too, for messages: `--worst-price`. */
export function readOption<Value>(
  raw: RawInput,
  name: string,
  read: (text: string, option: string) => Value,
): Value | undefined {
  const text = optionText(raw, name);
  return text === undefined ? undefined : read(text, longOption(name));
}

/** `worstPrice` → `--worst-price` */
export const longOption = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** `50`, or Infinity for `all`. */
export const countOrAll =
  (what: string) =>
  (text: string): number => {
    if (text.toLowerCase() === 'all') return Infinity;
    if (!/^[1-9]\d{0,5}$/.test(text))
      throw isNot(text, `a number of ${what}`, 'Write --limit 50, or --limit all.');
    return Number(text);
  };

export const limitOption = (what: string, summary: string) =>
  ({ flags: '--limit <count>', summary, read: countOrAll(what) }) as const;

/** `hedge open USDTNGN buy 10k --tenor 3 --yes` */
export const typedCommand = (
  name: string,
  operands: readonly string[],
  options: RawInput['options'],
): CommandWords => shell`hedge ${name} ${[...operands, ...optionsAsTyped(options)].map(redactKeys)}`;

function optionsAsTyped(options: RawInput['options']): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = longOption(name);
    if (typeof value === 'string') return optionWords(option, value);
    if (typeof value === 'object') return value.flatMap((each) => optionWords(option, each));
    if (name === 'wait') return value === false ? ['--no-wait'] : [];
    return value === true ? [option] : [];
  });
}

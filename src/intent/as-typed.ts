/** A line to type that keeps what was typed besides: the operands put right, every option as it was given. Pure. */
import { unquoted } from '../domain/quoted.ts';
import { shellWord } from '../domain/shell-word.ts';
import type { RawInput } from './raw-input.ts';

/** `hedge open USDTNGN buy 10k --tenor 3 --yes`. What a terminal would obey is spelled out. */
export const lineAsTyped = (
  command: string,
  operands: readonly string[],
  options: RawInput['options'],
): string =>
  ['hedge', command, ...[...operands, ...optionsAsTyped(options)].map(unquoted).map(shellWord)].join(' ');

function optionsAsTyped(options: RawInput['options']): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (typeof value === 'string')
      return value.startsWith('-') ? [`--${flag}=${value}`] : [`--${flag}`, value];
    if (typeof value === 'object') return value.flatMap((each) => [`--${flag}`, each]);
    if (value === undefined || (name === 'wait' && value)) return [];
    return [value ? `--${flag}` : `--no-${flag}`];
  });
}

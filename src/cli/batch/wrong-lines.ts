/** Lines that are wrong, as the one error that names each of them. It does not know what may be wrong. */
import { clean } from '../../domain/clean.ts';
import { UsageError } from '../../errors.ts';

export interface WrongLine {
  number: number;
  error: UsageError;
}

/** Listed; of the others only the number is told. */
const MOST_LISTED = 50;

/** @throws UsageError that names the first of them; nothing has run. */
export function refuseWrong(wrong: readonly WrongLine[]): void {
  if (wrong.length === 0) return;
  const [lines, are] = wrong.length === 1 ? ['A line', 'is'] : [`${wrong.length.toString()} lines`, 'are'];
  const { words, details } = listed(wrong);
  throw new UsageError(
    `${lines} of the batch ${are} wrong, so none has run and nothing was sent.`,
    words.join('\n'),
    details,
  );
}

/** The first of them in words, a line each, and for programs. */
export function listed(wrong: readonly WrongLine[]) {
  const shown = wrong.toSorted((one, other) => one.number - other.number).slice(0, MOST_LISTED);
  const others = wrong.length - shown.length;
  return {
    words: [
      ...shown.map(wrongInWords),
      ...(others === 0 ? [] : [`and ${others.toString()} more wrong ${others === 1 ? 'line' : 'lines'}.`]),
    ],
    details: { lines: shown.map(wrongDetails), ...(others === 0 ? {} : { others }) },
  };
}

/** `line 3: "up" is not a side. The side is buy or sell.` */
const wrongInWords = ({ number, error: { what, hint } }: WrongLine): string =>
  clean(`line ${number.toString()}: ${what}${hint === undefined ? '' : ` ${hint.replaceAll('\n', ' ')}`}`);

const wrongDetails = ({ number, error: { what, hint } }: WrongLine) => ({
  line: number,
  message: what,
  ...(hint === undefined ? {} : { hint }),
});

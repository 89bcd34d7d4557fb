/** Lines that are wrong, as the one error that names each of them. It does not know what may be wrong. */
import { clean } from '../../domain/clean.ts';
import { UsageError } from '../../errors.ts';

export interface WrongLine {
  number: number;
  error: UsageError;
}

/** @throws UsageError that names each of them; nothing has run. */
export function refuseWrong(wrong: readonly WrongLine[]): void {
  if (wrong.length === 0) return;
  const sorted = wrong.toSorted((one, other) => one.number - other.number);
  const [lines, are] = sorted.length === 1 ? ['A line', 'is'] : [`${sorted.length.toString()} lines`, 'are'];
  throw new UsageError(
    `${lines} of the batch ${are} wrong, so none has run and nothing was sent.`,
    sorted.map(wrongInWords).join('\n'),
    { lines: sorted.map(wrongDetails) },
  );
}

/** `line 3: "up" is not a side. The side is buy or sell.` */
export const wrongInWords = ({ number, error: { what, hint } }: WrongLine): string =>
  clean(`line ${number.toString()}: ${what}${hint === undefined ? '' : ` ${hint.replaceAll('\n', ' ')}`}`);

export const wrongDetails = ({ number, error: { what, hint } }: WrongLine) => ({
  line: number,
  message: what,
  ...(hint === undefined ? {} : { hint }),
});

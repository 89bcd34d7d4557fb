/**
 * What to do next, as it can be pasted: under a profile that was named on the line, its commands name it too,
 * or they would look at another book.
 */
import type { HedgeError } from '../errors.ts';

/** Commands that ask a service, as hints spell them. */
const ASKING =
  /\bhedge (?=(?:markets|price|quote|open|add|reduce|close|check|resume|wait|hedges|history|positions|account|batch)\b)/g;

/** `named`: the profile of `--profile`, undefined when the line named none. */
export const hintFor = ({ hint }: Pick<HedgeError, 'hint'>, named: string | undefined): string | undefined =>
  named === undefined ? hint : hint?.replace(ASKING, `hedge --profile ${named} `);

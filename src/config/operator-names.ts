/** Valid names of operators. A reading does without them. */
import { quoted } from '../domain/quoted.ts';
import { containsKey, sanitize } from '../domain/sanitize.ts';
import { UsageError } from '../errors.ts';

const LONGEST_OPERATOR = 64;

/** `Ada O. (ada@desk-1)`, or the user and host alone. */
export const whoOf = ({ name }: { name?: string | undefined }, host: { who(): string }): string =>
  name === undefined ? host.who() : `${name} (${host.who()})`;

export const isOperatorName = (name: string): boolean =>
  name !== '' && name.length <= LONGEST_OPERATOR && sanitize(name) === name && !containsKey(name);

/** `from`: the option or variable. @throws UsageError */
export function readOperatorName(text: string, from: string): string {
  const name = text.trim();
  if (isOperatorName(name)) return name;
  if (containsKey(name)) throw new UsageError(`The operator name looks like an API key (${from}).`);
  throw new UsageError(
    `${quoted(text)} is not an operator name (${from}).`,
    `A name has 1 to ${LONGEST_OPERATOR.toString()} printable characters: "Ada O."`,
  );
}

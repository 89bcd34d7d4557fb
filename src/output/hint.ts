/**
 * What to do next, as it can be pasted: under a profile that was named on the line, its commands name it too,
 * or they would look at another book.
 */
import type { HedgeError } from '../errors.ts';
import { type Block, line, message } from './blocks.ts';

/** Commands that ask a service, as hints spell them. */
const ASKING =
  /\bhedge (?=(?:markets|price|quote|watch|open|add|reduce|close|check|resume|wait|hedges|history|positions|account|batch)\b)/g;

/** `named`: the profile of `--profile`, undefined when the line named none. */
export const hintFor = ({ hint }: Pick<HedgeError, 'hint'>, named: string | undefined): string | undefined =>
  named === undefined ? hint : hint?.replace(ASKING, `hedge --profile ${named} `);

/** A hint laid out: its messages as they are, and commands in a row with what each does as columns. */
export function hintBlocks(hint: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const said of hint.split('\n')) {
    const [, command, does] = WITH_WHAT_IT_DOES.exec(said) ?? [];
    const last = blocks.at(-1);
    if (command === undefined || does === undefined) blocks.push(line(message(said)));
    else if (last?.kind === 'commands')
      blocks[blocks.length - 1] = { kind: 'commands', rows: [...last.rows, { command, does }] };
    else blocks.push({ kind: 'commands', rows: [{ command, does }] });
  }
  return blocks;
}

/** As hints write them: four blanks at least between the two. */
const WITH_WHAT_IT_DOES = /^(\S.*\S) {4,}(\S.*)$/;

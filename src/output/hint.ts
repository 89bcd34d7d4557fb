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

/** Sentences as lines; commands and what they do as columns. */
export function hintBlocks(hint: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const each of hint.split('\n')) {
    const [, command, does] = COMMAND_AND_DOES.exec(each) ?? [];
    const last = blocks.at(-1);
    if (command === undefined || does === undefined) blocks.push(line(message(each)));
    else if (last?.kind === 'commands')
      blocks[blocks.length - 1] = { kind: 'commands', rows: [...last.rows, { command, does }] };
    else blocks.push({ kind: 'commands', rows: [{ command, does }] });
  }
  return blocks;
}

/** Hints write at least four blanks between the two. */
const COMMAND_AND_DOES = /^(\S.*\S) {4,}(\S.*)$/;

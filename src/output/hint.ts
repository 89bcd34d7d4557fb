/** The layout of a hint: sentences, and commands with what each does. */
import { type Block, line, message } from './blocks.ts';

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

/** The layout of a hint: sentences, and commands with what each does. */
import { type Block, line, message } from './blocks.ts';

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

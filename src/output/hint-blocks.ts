/** A hint as blocks of a screen. */
import { readHint } from '../domain/hint-lines.ts';
import { type Block, hintText, line } from './blocks.ts';

/** Sentences as lines; commands and descriptions as columns. */
export function hintBlocks(hint: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const each of readHint(hint)) {
    const last = blocks.at(-1);
    if ('sentence' in each) blocks.push(line(hintText(each.sentence)));
    else if (last?.kind === 'commands')
      blocks[blocks.length - 1] = { kind: 'commands', rows: [...last.rows, each] };
    else blocks.push({ kind: 'commands', rows: [each] });
  }
  return blocks;
}

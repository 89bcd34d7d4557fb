/** Two columns of lines beside each other, where the window is wide enough for both. Knows nothing of what they say. */
import type { BesideBlock, Block } from './blocks.ts';
import type { Layout } from './lay-out.ts';
import { blank, type Line, lineWidth } from './wrap.ts';

/** Each of two columns needs as much. */
const EACH_NEEDS = 56;
const BETWEEN = 3;

/** `lay` lays out the blocks of one column; narrower windows have the right column under the left one. */
export function layBeside(
  { left, right }: BesideBlock,
  layout: Layout,
  lay: (blocks: readonly Block[], layout: Layout) => Line[],
): Line[] {
  const width = Math.floor((layout.width - BETWEEN) / 2);
  if (width < EACH_NEEDS) {
    const gap: Block = { kind: 'gap' };
    return lay([...left, ...(right.length === 0 ? [] : [gap]), ...right], layout);
  }
  const [one, other] = [left, right].map((blocks) => lay(blocks, { ...layout, width }));
  const count = Math.max(one?.length ?? 0, other?.length ?? 0);
  return Array.from({ length: count }, (_, row) => {
    const start = one?.[row] ?? [];
    return [...start, blank(width + BETWEEN - lineWidth(start)), ...(other?.[row] ?? [])];
  });
}

/** `hedge halt`: nothing that makes the book larger leaves this machine until it is lifted. */
import { haltDocument, viewHaltChange } from '../output/views/halt.ts';
import { defineCommand } from './define.ts';
export const halt = defineCommand({
  name: 'halt',
  summary: 'stops opens and adds from this machine, under every profile; reduce and close go on',
  description:
    'It holds for every terminal and script of this user until hedge unhalt. What was sent already is not taken back: see hedge check and hedge hedges.',
  operands: [{ name: 'REASON', summary: 'why, for whoever meets it: words, quoted or not', variadic: true }],
  examples: [
    { line: 'hedge halt "venue down"', shows: 'every open and add stops, and says who, when and why' },
  ],
  read: ({ operands }) => ({ why: operands.join(' ') }),
  async run(desk, { why }) {
    const before = desk.brake.halt(why);
    return { value: { now: desk.brake.read(), before } };
  },
  document: haltDocument,
  view: viewHaltChange,
});

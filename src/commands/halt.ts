/** `hedge halt`: blocks opens and adds on this machine. */
import { haltDocument, viewHaltChange } from '../output/views/halt.ts';
import { defineCommand } from './define.ts';
export const halt = defineCommand({
  name: 'halt',
  summary: 'Stop opens and adds from this machine, for every profile',
  description:
    'Applies to every terminal and script of this user until hedge unhalt. Reduce and close are still allowed. In-flight orders continue: see hedge check and hedge hedges.',
  operands: [{ name: 'REASON', summary: 'reason, shown when an action is stopped', variadic: true }],
  examples: [{ line: 'hedge halt "venue down"', shows: 'every open and add stops, with who, when and why' }],
  read: ({ operands }) => ({ why: operands.join(' ') }),
  async run(context, { why }) {
    const before = context.brake.halt(why);
    return { value: { now: context.brake.read(), before } };
  },
  document: haltDocument,
  view: viewHaltChange,
});

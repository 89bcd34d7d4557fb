/** `hedge --version` */
import { readNothing } from '../args/operands.ts';
import { line, text } from '../output/blocks.ts';
import { defineCommand } from './define.ts';

export const version = defineCommand({
  name: '--version',
  summary: 'Print the version',
  examples: [],
  read: readNothing,
  run: async (context) => ({ value: context.program }),
  view: (program) => [line(text(program.version))],
});

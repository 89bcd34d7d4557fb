/** `hedge --version`: what this program is; in a document also what it runs on. */
import { readNothing } from '../intent/raw-input.ts';
import { line, text } from '../present/blocks.ts';
import { defineCommand } from './define.ts';

export const version = defineCommand({
  name: '--version',
  summary: 'the version of this program',
  examples: [],
  read: readNothing,
  run: async (desk) => ({ value: desk.program }),
  view: (program) => [line(text(program.version))],
});

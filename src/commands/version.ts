/** `hedge version` and `hedge --version` */
import { readNothing } from '../args/option.ts';
import { line } from '../output/blocks.ts';
import { text } from '../output/cells.ts';
import { type Command, defineCommand } from './define.ts';

const named = (name: string): Command =>
  defineCommand({
    name,
    summary: 'Print the version',
    examples: [{ line: 'hedge version --json', shows: 'the version, Node and the platform' }],
    read: readNothing,
    run: async (context) => ({ value: context.program }),
    view: (program) => [line(text(program.version))],
  });

export const version = named('version');
/** Without a word of its own: documents name it as it is typed. */
export const versionOption = named('--version');

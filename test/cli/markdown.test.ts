/** The Markdown of help topics, as a terminal shows it. */
import { describe, expect, it } from 'vitest';
import { topicPage } from '../../src/cli/help/markdown.ts';
import { renderPage } from '../../src/cli/help/page.ts';

const shown = async (...lines: readonly string[]): Promise<readonly string[]> =>
  renderPage(await topicPage(lines.join('\n')), 30).split('\n');

describe('a help topic', () => {
  it('shows no title, wraps its paragraphs and leaves out marks', async () => {
    expect(await shown('# Recovery', '', 'Run `hedge check` **first**,', 'then wait.')).toEqual([
      'Run hedge check first, then',
      'wait.',
      '',
    ]);
  });

  it('indents what a heading is over, and hangs the lines of a list item', async () => {
    expect(
      await shown('## Rules', '', '- one line', '- another one that is too long', '  for a line'),
    ).toEqual(['Rules', '  - one line', '  - another one that is too', '    long for a line', '']);
  });

  it('shows a table without its titles, and a bar that is escaped', async () => {
    expect(await shown('| sign | meaning |', '|---|---|', '| \\| | a pipe |', '| `>` | a file |')).toEqual([
      '|  a pipe',
      '>  a file',
      '',
    ]);
  });

  it('continues long commands with a backslash, and leaves other code as it is', async () => {
    expect(
      await shown('```sh', 'hedge quote USDTNGN buy 10k --tenor 3', '```', '', '```', 'a', '', '## b', '```'),
    ).toEqual(['hedge quote USDTNGN buy 10k \\', '    --tenor 3', '', 'a', '', '## b', '']);
  });

  it('fills in lists from the code, and refuses one that is not there', async () => {
    expect((await shown('{{worst-first}}'))[0]).toMatch(/^7, 78, /);
    await expect(shown('{{no-such}}')).rejects.toThrow('no-such');
    expect((await shown('{{list-commands}}')).join(' ')).toContain('profile list');
  });
});

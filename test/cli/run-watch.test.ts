/** A watch in a pipe: a line for what is new or different, and one for what is over. */
import { expect, it } from 'vitest';
import { watchChanges } from '../../src/cli/run-watch.ts';
import { line } from '../../src/output/blocks.ts';
import type { ChangeLine } from '../../src/output/cells.ts';

const SIDE: ChangeLine = { key: 'USDTNGN buy', cells: ['10,000.00'] };
const TROUBLE: ChangeLine = { key: 'journal', cells: ['is damaged'], ending: 'is in order again' };

it('a watch in a pipe says each change once, and what is over in its own words', () => {
  const changes = watchChanges();
  expect(changes.since([SIDE, TROUBLE])).toEqual([
    line('USDTNGN buy', SIDE.cells),
    line('journal', TROUBLE.cells),
  ]);
  expect(changes.since([SIDE, TROUBLE])).toEqual([]);
  expect(changes.since([{ ...SIDE, cells: ['9,000.00'] }])).toEqual([
    line('USDTNGN buy', ['9,000.00']),
    line('journal', 'is in order again'),
  ]);
  expect(changes.since([])).toEqual([line('USDTNGN buy', 'gone')]);
  expect(changes.since([])).toEqual([]);
});

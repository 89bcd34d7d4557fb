import { describe, expect, it } from 'vitest';
import { readMarket } from '../../src/args/operands.ts';
import { countOrAll, readOptions } from '../../src/args/option.ts';
import { UsageError } from '../../src/errors.ts';

const OPTIONS = {
  market: { flags: '--market <market>', summary: 'only this market', read: readMarket },
  name: { flags: '--name <text>', summary: 'a name' },
  limit: { flags: '--limit <count>', summary: 'so many', read: countOrAll('fees') },
  dryRun: { flags: '--dry-run', summary: 'send nothing' },
  wait: { flags: '--no-wait', summary: 'return at once' },
} as const;

const read = (options: Readonly<Record<string, string | boolean>>) =>
  readOptions(OPTIONS, { operands: [], options });

describe('options that are declared once', () => {
  it('are read by their names: a value, a text, a switch, and one that is on without its --no', () => {
    expect(read({ market: 'usdtngn', name: 'May', limit: '50', dryRun: true, wait: false })).toEqual({
      market: 'USDTNGN',
      name: 'May',
      limit: 50,
      dryRun: true,
      wait: false,
    });
  });

  it('are undefined or off where they were not given', () => {
    expect(read({})).toEqual({
      market: undefined,
      name: undefined,
      limit: undefined,
      dryRun: false,
      wait: true,
    });
  });

  it('name the first wrong one in their order', () => {
    expect(() => read({ limit: '0', market: '!' })).toThrow('"!" is not a market name.');
    expect(() => read({ limit: '0' })).toThrow(UsageError);
    expect(() => read({ limit: '0' })).toThrow('"0" is not a number of fees.');
  });

  it('take all of a list for no limit', () => {
    expect(read({ limit: 'All' }).limit).toBe(Infinity);
  });
});

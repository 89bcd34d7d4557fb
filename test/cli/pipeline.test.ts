import { describe, expect, it } from 'vitest';
import { runInvocation } from '../../src/cli/pipeline.ts';
import {
  DamagedFileError,
  type HedgeError,
  OutputError,
  UnavailableError,
  UsageError,
} from '../../src/errors.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';

/** Whether connections are kept, for each context that the line opens. */
async function pooledFor(line: string): Promise<readonly boolean[]> {
  const opened: boolean[] = [];
  await runInvocation({
    argv: line.split(' ').filter((word) => word !== ''),
    terminal: recordingTerminal().terminal,
    clock: systemClock,
    signals: { signal: new AbortController().signal },
    openCommandContext(_globals, { pooled }) {
      opened.push(pooled);
      return Promise.reject(new UsageError('Only the context was asked for.'));
    },
  });
  return opened;
}

describe('connections', () => {
  it.each([
    'watch',
    '--profile desk watch USDTNGN',
    'batch payouts.txt',
    'wait 7c1e',
    '-q --json wait 7c1e',
    'positions --watch',
    'price USDTNGN --watch=5',
  ])('are kept where many requests follow: hedge %s', async (line) => {
    expect(await pooledFor(line)).toEqual([true]);
  });

  it.each([
    'quote USDTNGN buy 10k --tenor 3',
    'open USDTNGN buy 10k --tenor 3 --yes',
    'open USDTNGN buy 10k --tenor 3 --yes --timeout 60',
    '--profile watch positions',
    'hedges -- --watch',
    '',
  ])('are not kept for a single command: hedge %s', async (line) => {
    expect(await pooledFor(line)).toEqual([false]);
  });
});

describe('an error whose document cannot be written', () => {
  const codeOf = (thrown: HedgeError): Promise<number> =>
    runInvocation({
      argv: ['account', '--json'],
      terminal: {
        ...recordingTerminal().terminal,
        writeResult: () => Promise.reject(new OutputError({ code: 'output_failed', what: 'Disk full.' })),
      },
      clock: systemClock,
      signals: { signal: new AbortController().signal },
      openCommandContext: () => Promise.reject(thrown),
    });
  const full = new DamagedFileError('/journal', { what: 'No space is left.' });

  it.each([
    ['an action whose outcome the full disk did not record', full.with({ effect: 'unknown' }), 7],
    ['a journal that cannot be written', full, 78],
    ['no service', new UnavailableError({ code: 'unavailable', what: 'No service.' }), 74],
  ])('ends with the worse exit code of both: %s', async (_, error, code) => {
    expect(await codeOf(error)).toBe(code);
  });
});

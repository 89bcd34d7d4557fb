/** The built program over several commands: an open that nobody waits for is told of by the next one. */
import { describe, expect, it } from 'vitest';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';

describe('an open sent with --no-wait', () => {
  it.each([
    ['fills', [], /FILLED \d\d:\d\d UTC PAY-1: hdg_\w+, struck 1,[\d.]+\n/],
    [
      'is filled in part',
      ['--partial-fills', '100%'],
      /PARTIAL FILL \d\d:\d\d UTC PAY-1: 6,000\.00 USD of 10,000\.00 USD, hdg_\w+, struck 1,[\d.]+\n/,
    ],
    ['fails', ['--failing-orders', '100%'], /FAILED \d\d:\d\d UTC PAY-1: nothing opened\n/],
  ])('and %s leads the errors of the next reading of the hedges, once', async (_, faults, line) => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const hedge = (words: string) => runHedge([...words.split(' '), '--profile', 'practice'], { env });
    if (faults.length > 0) await hedge(['practice faults', ...faults].join(' '));
    const sent = await hedge('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes --no-wait');
    expect([sent.code, sent.err]).toEqual([0, expect.stringContaining('accepted')]);
    await hedge('practice advance 10s');
    const next = await hedge('hedges --json');
    expect([next.code, next.err]).toEqual([0, expect.stringMatching(line)]);
    expect(JSON.parse(next.out)).toMatchObject({ data: [{ client_reference: 'PAY-1' }] });
    expect((await hedge('hedges --json')).err).toBe('');
    expect((await hedge('journal')).out).toMatch(/open USDTNGN buy[^]*(filled|failed|partial)/);
  });
});

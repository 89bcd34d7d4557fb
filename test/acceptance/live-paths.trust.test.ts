/** Real money: whatever can move it shows the LIVE line and wants to be typed, or has everything on its line. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bookFor, EACH_ACTION, type EachAction } from '../support/each-action.ts';
import { openBuilt, openHedge, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';

let served: ServedBook;
beforeAll(async () => {
  const markets = { USDTNGN: { base_rate: 1530, swing: 0, drift_yearly_pct: 0 } };
  served = await servedBook({ markets });
});
afterAll(() => served.close());

const isLarger = ({ name }: EachAction): boolean => name === 'open' || name === 'add';
const LIVE = /^LIVE · env · real money/im;

/** What a line needs when nobody is there: each alone is not enough. */
const needsOf = (action: EachAction): readonly string[] => [
  '--yes',
  '--expect-env live',
  ...(isLarger(action)
    ? [action.name === 'open' ? '--deal-id PAY-1' : '--idempotency-key k-1', '--worst-price 1540']
    : []),
];

describe.each(EACH_ACTION)('$name with a live key, no terminal', (action) => {
  const needs = needsOf(action);
  const run = async (options: readonly string[]) => {
    await bookFor(served, action, 'live');
    const words = [action.line, ...options, '--json'].join(' ').split(' ');
    return runHedge(words, { env: served.way(temporaryFolder(), 'live') });
  };

  it.each(needs)('is refused without %s, and names it', async (left) => {
    const ran = await run(needs.filter((each) => each !== left));
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.out)).toMatchObject({
      error: { code: 'usage', effect: 'none' },
      meta: { environment: 'live' },
    });
    expect(JSON.stringify(JSON.parse(ran.out).error)).toContain(left.split(' ')[0]);
    expect(served.changes()).toEqual([]);
  });

  it('is done with all of it, and says LIVE', async () => {
    const ran = await run(needs);
    expect(ran).toMatchObject({ code: 0, err: expect.stringMatching(LIVE) });
    expect([served.acted(action.path), await served.openOn('buy', 'live')]).toEqual([1, action.after]);
  });
});

describe.each(EACH_ACTION)('$name with a live key, at a terminal', (action) => {
  const screenOf = async (options = '', open = openHedge) => {
    await bookFor(served, action, 'live');
    return open(`${action.line} ${options}`.trim().split(' '), {
      env: served.way(temporaryFolder(), 'live'),
      columns: 120,
    });
  };
  const [, , side = '', notional = ''] = action.line.split(' ');
  /** The hedge on the side was opened elsewhere, so that a reduction or a close has its market typed. */
  const wanted = isLarger(action) ? `${side} ${notional}` : 'USDTNGN';

  it('shows LIVE, and is done once the right words are typed', async () => {
    const screen = await screenOf('', openBuilt);
    expect(await screen.until(wanted)).toMatch(LIVE);
    expect(served.changes()).toEqual([]);
    screen.send(`${wanted}\r`);
    expect(await screen.exit).toEqual({ code: 0, signal: null });
    expect([served.acted(action.path), await served.openOn('buy', 'live')]).toEqual([1, action.after]);
  });

  it.each(['y', 'yes', 'sell 10000', 'buy 100000', 'usdtkes'])(
    'is not sent on %j, and asks on',
    async (answer) => {
      const screen = await screenOf();
      await screen.until(wanted);
      screen.send(`${answer}\r`);
      await screen.until(/or press Enter to cancel/);
      screen.send('\u0003');
      expect(await screen.exit).toEqual({ code: null, signal: 'SIGINT' });
      expect(served.changes()).toEqual([]);
    },
  );

  it('is not sent on Enter alone', async () => {
    const screen = await screenOf();
    await screen.until(wanted);
    screen.send('\r');
    expect(await screen.exit).toEqual({ code: 10, signal: null });
    expect(served.changes()).toEqual([]);
  });

  it('shows LIVE with --yes too', async () => {
    const screen = await screenOf('--yes');
    expect(await screen.exit).toEqual({ code: 0, signal: null });
    expect(screen.screen().join('\n')).toMatch(LIVE);
    expect(served.acted(action.path)).toBe(1);
  });
});

describe.each(EACH_ACTION)('$name in the sandbox, at a terminal', (action) => {
  it.each(['n', ''])('is not sent on %j', async (answer) => {
    await bookFor(served, action);
    const screen = openHedge(action.line.split(' '), { env: served.way(temporaryFolder()), columns: 120 });
    await screen.until(/\(y\/N\)/i);
    screen.send(`${answer}\r`);
    expect(await screen.exit).toEqual({ code: 10, signal: null });
    expect(served.changes()).toEqual([]);
  });
});

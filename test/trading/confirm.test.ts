import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confirmationFor } from '../../src/trading/confirm.ts';
import { hedge, planOf, position, sideBook } from './facts.ts';

type Where = Parameters<typeof confirmationFor>[1];
const LIVE: Where = { environment: 'live', profile: 'desk' };
const PRACTICE_LIVE: Where = { environment: 'practice', profile: 'practice-live' };

const about = (line: string, { elsewhere = [] as string[], cut = false, where = LIVE } = {}) => {
  const hedges = [hedge('hdg_B', 30_000), hedge('hdg_A', 10_000)];
  const sidePosition = sideBook({ hedges, mayBeCut: cut, positions: [position()] });
  const plan = planOf(line, { facts: { sidePosition } });
  return confirmationFor({ plan, openedElsewhere: elsewhere, changed: undefined }, where);
};

describe('the confirmation before an action is sent', () => {
  it.each([
    ['open USDTNGN buy 50k', {}, 'buy 50000'],
    ['open USDTNGN SELL 1,234.50', {}, 'sell 1234.5'],
    ['add USDTNGN buy 10k', {}, 'buy 10000'],
    ['reduce USDTNGN buy 10k', {}, 'y/N'],
    ['close USDTNGN buy', {}, 'y/N'],
    ['reduce USDTNGN buy 10k', { elsewhere: ['hdg_A'] }, 'USDTNGN'],
    ['close USDTNGN buy', { elsewhere: ['hdg_A'] }, 'USDTNGN'],
    // What cannot be told is not ours.
    ['reduce USDTNGN buy 10k', { cut: true }, 'USDTNGN'],
    ['close USDTNGN buy', { cut: true }, 'USDTNGN'],
  ])('live and practice-live, %s %j: %s', (line, facts, wanted) => {
    for (const where of [LIVE, PRACTICE_LIVE]) {
      const asked = about(line, { ...facts, where });
      expect(asked.kind === 'typed' ? asked.wanted : 'y/N').toBe(wanted);
    }
  });

  it.each(
    ['open USDTNGN buy 50k', 'add USDTNGN buy 1k', 'reduce USDTNGN buy 1k', 'close USDTNGN buy'].flatMap(
      (line) => (['sandbox', 'practice'] as const).map((environment) => [environment, line] as const),
    ),
  )('%s, %s: y/N', (environment, line) => {
    const plan = planOf(line);
    const where = { environment, profile: environment };
    expect(confirmationFor({ plan, openedElsewhere: ['hdg_A'], changed: undefined }, where).kind).toBe(
      'y_or_n',
    );
  });

  it.each([
    ['reduce USDTNGN buy 10k', 'Reduce this position?'],
    ['reduce USDTNGN buy 39,800', 'Close the whole side?'],
    ['close USDTNGN buy', 'Close the whole side?'],
  ])('%s is asked about as what it does: %s', (line, asks) => {
    expect(about(line).asks).toBe(asks);
  });

  it.each([
    ['sent', 'Send it again? With the same key it executes only once.'],
    ['never_sent', 'Send it now? The service has not accepted it so far.'],
  ] as const)('an action of the journal that was %s goes on: %s', (again, asks) => {
    const plan = planOf('open USDTNGN buy 50k');
    const asked = confirmationFor({ plan, openedElsewhere: [], changed: undefined, again }, LIVE);
    expect([asked.asks, asked.kind]).toEqual([asks, 'typed']);
  });

  it('says that it changed when it is asked again', () => {
    const plan = planOf('open USDTNGN buy 50k');
    const { asks } = confirmationFor({ plan, openedElsewhere: [], changed: 'the price is worse' }, LIVE);
    expect(asks).toBe('Open this hedge? It has changed; see above.');
  });
});

describe('the typed yes', () => {
  it.each([
    ['buy 50000', true],
    ['BUY 50k', true],
    ['Buy  50,000', true],
    ['buy 50_000.00', true],
    ['buy 0.05m', true],
    ['buy', false],
    ['50000', false],
    ['y', false],
    ['yes', false],
    ['', false],
    ['sell 50000', false],
    ['buy 5000', false],
    ['buy 500000', false],
    ['buy 50000.01', false],
    ['buy 50.000', false],
    ['buy 50000 USD', false],
    ['buy 50000\nbuy 50000', false],
    ['open USDTNGN buy 50000', false],
  ])('of an open of 50,000: %j is %s', (answer, yes) => {
    const asked = about('open USDTNGN buy 50k');
    expect(asked.kind === 'typed' && asked.fits(answer)).toBe(yes);
  });

  it.each([
    ['USDTNGN', true],
    ['usdtngn', true],
    ['USDT', false],
    ['y', false],
    ['', false],
    ['USDTNGN buy', false],
  ])('of a close of hedges that others opened: %j is %s', (answer, yes) => {
    const asked = about('close USDTNGN buy', { elsewhere: ['hdg_A'] });
    expect(asked.kind === 'typed' && asked.fits(answer)).toBe(yes);
  });

  it('always takes what it says to type, and nothing random', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 11 }), fc.string(), (cents, other) => {
        const asked = about(`open USDTNGN buy ${(cents / 100).toFixed(2)}`);
        if (asked.kind !== 'typed') throw new Error('live is typed');
        expect(asked.fits(asked.wanted)).toBe(true);
        expect(asked.fits(other) && !other.toLowerCase().includes('buy')).toBe(false);
      }),
    );
  });
});

import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawInput } from '../../../src/args/option.ts';
import { usdInWords } from '../../../src/domain/exposure.ts';
import { hintText } from '../../../src/domain/hint.ts';
import { guardPlan } from '../../../src/trading/guards/guard-plan.ts';
import { stopFrom } from '../../../src/trading/guards/stops.ts';
import type { PlanFacts } from '../../../src/trading/plan.ts';
import type { Finding, TradingLimits } from '../../../src/trading/trading-context.ts';
import { hinting } from '../../support/hints.ts';
import { account, big, hedge, market, NO_LIMITS, planOf, quote, sideBook } from '../facts.ts';

interface Case {
  options?: RawInput['options'];
  facts?: Partial<PlanFacts>;
  limits?: Partial<TradingLimits>;
}

const guard = (line: string, { limits = {}, ...rest }: Case = {}): readonly Finding[] =>
  guardPlan(planOf(line, rest), { limits: { ...NO_LIMITS, ...limits } });

const found = (line: string, about?: Case): readonly string[] =>
  guard(line, about).map(({ level, code }) => `${level} ${code}`);

const saysOf = (line: string, about?: Case): string =>
  guard(line, about)
    .map(({ message, hint }) => `${message} ${hintText(hint)}`)
    .join(' ');

const capacity = (buy: number, sell = buy) => market({ available_capacity_usd: { buy, sell } });
const EVERY_ACTION = [
  'open USDTNGN buy 10k',
  'add USDTNGN buy 10k',
  'reduce USDTNGN buy 10k',
  'close USDTNGN buy',
];
const ENLARGING = EVERY_ACTION.slice(0, 2);
const SHRINKING = EVERY_ACTION.slice(2);

describe('the guards over a plan', () => {
  it.each(EVERY_ACTION)('find nothing in %s while there is room', (line) => {
    expect(guard(line)).toEqual([]);
  });

  it.each<[string, Case, string, string]>([
    [
      'the headroom',
      { facts: { account: account({ available_exposure_usd: 2500.555 }) } },
      'exposure_exceeded',
      "10,000.00 USD exceeds the account's headroom of 2,500.555 USD. Largest size that fits: 2,500.55 USD.",
    ],
    [
      'a headroom that is used up',
      { facts: { account: account({ available_exposure_usd: -12 }) } },
      'exposure_exceeded',
      'headroom of -12.00 USD. Close, reduce or deposit first',
    ],
    [
      'a headroom of less than a cent',
      { facts: { account: account({ available_exposure_usd: 0.009 }) } },
      'exposure_exceeded',
      'headroom of 0.009 USD. Close, reduce or deposit first',
    ],
    [
      'the capacity of its side',
      { facts: { market: capacity(9999.99, 500_000) } },
      'capacity_exceeded',
      '10,000.00 USD exceeds the capacity of USDTNGN buy, 9,999.99 USD. Largest size that fits: 9,999.99 USD.',
    ],
    [
      'the free balance',
      { facts: { account: account({ balance_usdc: 505 }) } },
      'insufficient_balance',
      'Upfront cost 1,010.00 USDC exceeds the free balance of 505.00 USDC. Largest size that fits: 5,000.00 USD.',
    ],
    [
      'what the profile allows for one deal',
      { limits: { maxNotional: big('9999.99') } },
      'limit_exceeded',
      "10,000.00 USD exceeds this profile's per-trade limit of 9,999.99 USD. Largest size that fits: 9,999.99 USD.",
    ],
  ])('stop what is more than %s, say both figures and what would fit', (_what, about, code, message) => {
    for (const line of ENLARGING) {
      expect(found(line, about)).toEqual([`stop ${code}`]);
      expect(saysOf(line, about)).toContain(message);
    }
    for (const line of SHRINKING) expect(found(line, about)).toEqual([]);
  });

  it('say how naira are given where a size is far above what fits, and would fit in naira', () => {
    const facts = { account: account({ available_exposure_usd: 50_000 }) };
    expect(saysOf('open USDTNGN buy 65m', { facts })).toContain('for naira: --ngn 65000000.');
    const small = { ...facts, account: account({ available_exposure_usd: 10 }) };
    expect(saysOf('open USDTNGN buy 489.08', { facts: small })).not.toContain('for naira');
    for (const size of ['60k', '1000m'])
      expect(saysOf(`open USDTNGN buy ${size}`, { facts })).not.toContain('naira');
  });

  it('let pass what is exactly as much as there is', () => {
    const facts = {
      account: account({ available_exposure_usd: 10_000, balance_usdc: 1010 }),
      market: capacity(10_000),
    };
    expect(found('open USDTNGN buy 10k', { facts, limits: { maxNotional: big('10000') } })).toEqual([]);
  });

  it('say of several limits what would fit under all of them, with figures in the service’s own names', () => {
    const findings = guard('open USDTNGN buy 10k', {
      facts: {
        account: account({ available_exposure_usd: 8000, balance_usdc: 101 }),
        market: capacity(3000),
      },
    });
    expect(findings.map(({ code }) => code)).toEqual([
      'exposure_exceeded',
      'capacity_exceeded',
      'insufficient_balance',
    ]);
    const stop = stopFrom(findings);
    expect(hintText(stop?.hint)).toBe('Largest size that fits: 1,000.00 USD.');
    expect(stop?.what.match(/or less|would fit/g)).toBeNull();
    expect(findings.map(({ details }) => details)).toMatchObject([
      { notional_usd: big('10000'), available_exposure_usd: big('8000'), fits_notional_usd: big('8000') },
      { available_capacity_usd: big('3000'), side: 'buy', fits_notional_usd: big('3000') },
      { total_upfront_usdc: big('1010'), balance_usdc: big('101'), fits_notional_usd: big('1000') },
    ]);
  });

  it('name the headroom alone where the capacity is what the headroom leaves', () => {
    const facts = { account: account({ available_exposure_usd: 8000 }), market: capacity(8000) };
    expect(found('open USDTNGN buy 10k', { facts })).toEqual(['stop exposure_exceeded']);
    expect(found('open USDTNGN buy 10k', { facts: { ...facts, market: capacity(7999.99) } })).toEqual([
      'stop exposure_exceeded',
      'stop capacity_exceeded',
    ]);
  });

  it('never say that a size would fit that they stop, nor stop short of it', () => {
    const cents = fc.integer({ min: 1, max: 50_000_000 }).map((value) => value / 100);
    fc.assert(
      fc.property(cents, cents, cents, cents, cents, (notional, headroom, side, balance, limit) => {
        const about: Case = {
          facts: {
            account: account({ available_exposure_usd: headroom, balance_usdc: balance }),
            market: capacity(side),
          },
          limits: { maxNotional: new Big(limit) },
        };
        const sized = (size: Big) => {
          const line = `open USDTNGN buy ${size.toFixed()}`;
          return guard(line, { ...about, facts: { ...about.facts, quote: exactQuote(size) } });
        };
        const stops = sized(new Big(notional));
        if (stops.length === 0) return;
        const fits = stops
          .map(({ details }) => new Big(String(details?.['fits_notional_usd'])))
          .reduce((one, other) => (one.lt(other) ? one : other));
        expect(fits.eq(0) || fits.gte('0.01')).toBe(true);
        if (fits.gt(0)) {
          expect(sized(fits)).toEqual([]);
          expect(hintText(stopFrom(stops)?.hint)).toContain(usdInWords(fits));
        }
        expect(sized(fits.plus('0.01'))).not.toEqual([]);
      }),
    );
  });
});

/** Margin and fee of the samples in exact digits. */
const exactQuote = (notional: Big) => {
  const sample = quote('buy', '10000');
  return {
    ...sample,
    notional_usd: notional,
    upfront: { ...sample.upfront, total_upfront_usdc: notional.times('0.101') },
  };
};

describe('a market', () => {
  const about = (status: string | undefined): Case => ({
    facts: { market: status === undefined ? undefined : market({ status }) },
  });

  it.each([
    ['disabled', 'stop market_disabled', 'warn market_disabled'],
    ['paused', 'warn market_disabled', 'warn market_disabled'],
    [undefined, 'stop market_not_found', 'warn market_not_found'],
  ])('that is %s: %s for open and add, %s for reduce and close', (status, larger, smaller) => {
    for (const line of ENLARGING) expect(found(line, about(status))).toEqual([larger]);
    for (const line of SHRINKING) expect(found(line, about(status))).toEqual([smaller]);
  });

  it('of a list that could not be read is said to be unknown, not missing, to reduce and close', () => {
    const unread = { facts: { market: undefined, marketNames: undefined } };
    for (const line of SHRINKING) expect(found(line, unread)).toEqual(['warn unavailable']);
  });

  it('whose status is not known is named by it, harmlessly', () => {
    expect(saysOf('open USDTNGN buy 10k', about('\u001b[2Jpaused'))).toContain('"\\u{1b}[2Jpaused"');
  });
});

describe('a profile', () => {
  it.each(EVERY_ACTION)('that is read-only stops %s', (line) => {
    expect(found(line, { limits: { readOnly: true } })).toEqual(['stop read_only']);
  });

  it('opens and adds in its own markets only, and lets go of any', () => {
    const limits = { markets: ['USDTKES', 'USDTGHS'] };
    for (const line of ENLARGING) expect(found(line, { limits })).toEqual(['stop limit_exceeded']);
    for (const line of SHRINKING) expect(found(line, { limits })).toEqual([]);
    expect(saysOf('open USDTNGN buy 10k', { limits })).toContain('only in USDTKES, USDTGHS');
    expect(found('open USDTNGN buy 10k', { limits: { markets: ['USDTNGN'] } })).toEqual([]);
  });
});

// The samples: mid 1530; a buy executes at 1530.918 for 31 bps all in, a sell at 1529.082 for 10 bps.
describe('a price', () => {
  it.each<[string, RawInput['options'], readonly string[]]>([
    ['open USDTNGN buy 10k', { worstPrice: '1530.918' }, []],
    ['open USDTNGN buy 10k', { worstPrice: '1530.917' }, ['stop worse_price']],
    ['open USDTNGN buy 10k', { worstPrice: '1606.5' }, []],
    ['open USDTNGN buy 10k', { worstPrice: '1606.51' }, ['stop implausible_price']],
    ['open USDTNGN buy 10k', { worstPrice: '15350' }, ['stop implausible_price']],
    ['open USDTNGN buy 10k', { worstPrice: '1453.5' }, ['stop worse_price']],
    ['open USDTNGN buy 10k', { worstPrice: '153' }, ['stop implausible_price']],
    ['open USDTNGN sell 10k', { worstPrice: '1529.082' }, []],
    ['open USDTNGN sell 10k', { worstPrice: '1529.083' }, ['stop worse_price']],
    ['open USDTNGN sell 10k', { worstPrice: '1453.49' }, ['stop implausible_price']],
    ['open USDTNGN buy 10k', { maxCostBps: '31' }, []],
    ['open USDTNGN buy 10k', { maxCostBps: '30.9999' }, ['stop cost_too_high']],
    [
      'add USDTNGN buy 10k',
      { maxCostBps: '30', worstPrice: '1530' },
      ['stop worse_price', 'stop cost_too_high'],
    ],
    [
      'add USDTNGN buy 10k',
      { maxCostBps: '30', worstPrice: '15' },
      ['stop implausible_price', 'stop cost_too_high'],
    ],
    ['open USDTNGN buy 10k', { anyPrice: true }, []],
  ])('%s %j: %j', (line, options, expected) => {
    expect(found(line, { options })).toEqual(expected);
  });

  it('that is missed is said with both figures, and that the service has no limit price', () => {
    const message = saysOf('open USDTNGN buy 10k', { options: { worstPrice: '1530.9' } });
    expect(message).toContain('1530.918 is 0.018 NGN above your worst price 1530.9.');
    expect(message).toContain('This is a pre-trade check, not a limit order.');
  });

  it('that is a slip of the finger names the mid', () => {
    const message = saysOf('open USDTNGN buy 10k', { options: { worstPrice: '15350' } });
    expect(message).toContain('--worst-price 15350 is 903.27 % above the mid of 1530');
  });

  it.each<[string, Partial<PlanFacts>]>([
    ['there is no quote', { quote: undefined }],
    ['the quote is for another size', { quote: quote('buy', '9999.99') }],
    ['the quote is for the other side', { quote: quote('sell', '10000') }],
    ['the quote is for another tenor', { quote: quote('buy', '10000', { tenor_days: 7 }) }],
    ['the quote is for another market', { quote: quote('buy', '10000', { market: 'USDTKES' }) }],
  ])('that is unknown stops, unless any price will do: %s', (_what, facts) => {
    const line = 'open USDTNGN buy 10k';
    expect(found(line, { facts })).toEqual(['stop no_reference']);
    expect(found(line, { facts, options: { worstPrice: '1535' } })).toEqual(['stop no_reference']);
    expect(found(line, { facts, options: { anyPrice: true } })).toEqual(['warn no_reference']);
  });

  it.each([
    ['2026-11-21T12:00:00Z', '21', []],
    ['2026-11-21T12:00:00Z', '20.9999', ['stop cost_too_high']],
    ['2026-11-23T12:00:00Z', '21', ['stop cost_too_high']],
  ])('of an add is the cost to the maturity it keeps: %s, at most %s bps', (to, maxCostBps, expected) => {
    // 6 of impact, 10 of fee, and a third of the 15 that three days cost.
    const facts = { sidePosition: sideBook({ hedges: [hedge('hdg_A', 10_000, { maturity_at: to })] }) };
    expect(found('add USDTNGN buy 10k', { facts, options: { maxCostBps } })).toEqual(expected);
  });

  it('that cannot be quoted is held against the mid of the market all the same', () => {
    const options = { worstPrice: '15350' };
    expect(found('open USDTNGN buy 10k', { options, facts: { quote: undefined } })).toEqual([
      'stop implausible_price',
      'stop no_reference',
    ]);
  });

  it('of a reduction or a close is not checked here', () => {
    const sidePosition = sideBook({ hedges: [hedge('hdg_A', 10_000)] });
    expect(found('close USDTNGN buy', { facts: { sidePosition, market: market({ price: 0.01 }) } })).toEqual(
      [],
    );
  });
});

describe('what stops', () => {
  const findings = guard('open USDTNGN buy 10k', {
    facts: { account: account({ available_exposure_usd: 4000 }), market: market({ status: 'paused' }) },
    options: { worstPrice: '1530' },
  });

  it('comes before what is only pointed out', () => {
    expect(findings.map(({ level }) => level)).toEqual(['stop', 'stop', 'warn']);
  });

  it('is one error: the first one’s code and hint, every one in the text and the details', () => {
    const error = stopFrom(findings);
    expect(error).toMatchObject({
      code: 'exposure_exceeded',
      hint: hinting(/^Each reason needs its own step:\nLargest size that fits: 4,000\.00 USD\.\nTry again /),
      effect: 'none',
      retry: 'later',
      details: {
        findings: [
          { code: 'exposure_exceeded', details: { fits_notional_usd: big('4000') } },
          { code: 'worse_price', message: expect.stringContaining('not a limit order') },
        ],
      },
    });
    expect(error?.message).toMatch(/headroom.*worst price.*Nothing was sent\.$/);
    expect(error?.message).not.toContain('paused');
  });

  it('is nothing when there are warnings alone', () => {
    expect(stopFrom(findings.filter(({ level }) => level === 'warn'))).toBeUndefined();
    expect(stopFrom([])).toBeUndefined();
  });

  it.each<[readonly Finding['code'][], string]>([
    [['worse_price', 'read_only'], 'never'],
    [['worse_price', 'unresolved'], 'after_check'],
    [['worse_price', 'halted'], 'later'],
  ])('%j may be tried again: %s', (codes, retry) => {
    const stops = codes.map((code): Finding => ({ level: 'stop', code, message: 'No.' }));
    expect(stopFrom(stops)?.retry).toBe(retry);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readBps,
  readDealId,
  readLimit,
  readMarket,
  readNotional,
  readPercentage,
  readPrice,
  readSeconds,
  readSide,
  readStatus,
  readTenor,
  readTenors,
} from '../../src/args/operands.ts';
import { hintText } from '../../src/domain/hint.ts';
import { UsageError } from '../../src/errors.ts';
import { aQuarter } from '../support/goal.ts';
import { usageErrorOf } from '../support/usage-error.ts';

describe('a notional', () => {
  it.each([
    ['10000', '10000'],
    ['10_000', '10000'],
    ['10,000', '10000'],
    ['10,000.50', '10000.5'],
    ['10k', '10000'],
    ['10K', '10000'],
    ['1.5m', '1500000'],
    ['1.2345k', '1234.5'],
    ['0.01', '0.01'],
    ['999999999999.99', '999999999999.99'],
  ])('%s is %s USD', (text, usd) => {
    expect(readNotional(text).toFixed()).toBe(usd);
  });

  it.each([
    '-5',
    '0',
    '0.00',
    '1e3',
    'NaN',
    'Infinity',
    '0x10',
    '10.005',
    '1.000001k',
    '1,00,0',
    '1,0000',
    '1_0,000',
    '10 000',
    ' 10',
    '10 ',
    '+10',
    '.5',
    '5.',
    '1000000000000',
    '１００００',
    '١٠٠',
    'k',
    '',
    '10kk',
    '1e400',
    '00010',
    '10.000',
    '10mmm',
    '10,00 USDT',
  ])('%j is refused with the forms that are allowed', (text) => {
    expect(hintText(usageErrorOf(() => readNotional(text)).hint)).toContain('10k or 1.5m');
  });

  it.each([
    ['10mm', 'Write 10m'],
    ['1.5MM', 'Write 1.5m'],
    ['10mio', 'Write 10m'],
    ['10,000 USDT', 'Leave out the unit: 10,000'],
    ['10000usd', 'Leave out the unit: 10000'],
    ['10k USDC', 'Leave out the unit: 10k'],
    ['1.5mUSD', 'Leave out the unit: 1.5m'],
  ])('%j is refused with the form that was meant', (text, hint) => {
    expect(hintText(usageErrorOf(() => readNotional(text)).hint)).toBe(hint);
  });

  it('is named in the refusal without what could act on a terminal', () => {
    const { message } = usageErrorOf(() => readNotional('1\u001b[2J\u202e\u009b0m'));
    expect([...message].every((character) => character >= ' ' && character < '\u007f')).toBe(true);
  });
});

describe('a side and a market', () => {
  it('are taken in any case, and never guessed', () => {
    expect([readSide('buy'), readSide('SELL'), readSide('Buy')]).toEqual(['buy', 'sell', 'buy']);
    expect([readMarket('usdtngn'), readMarket('USDT/NGN'), readMarket('usdt-kes')]).toEqual([
      'USDTNGN',
      'USDT/NGN',
      'USDT-KES',
    ]);
    for (const side of ['long', 'b', '', 'buy ']) usageErrorOf(() => readSide(side));
    for (const market of [
      '',
      'U',
      '-USD',
      'USD NGN',
      'USDTNGN\n',
      'A'.repeat(33),
      'hk_test_forTestsAlone0001',
    ])
      usageErrorOf(() => readMarket(market));
  });
});

describe('a tenor', () => {
  it.each([
    ['3', [3]],
    ['3d', [3]],
    ['7,1', [1, 7]],
    ['1,1,3D', [1, 3]],
    ['all', [1, 3, 7]],
  ])('%s is %j days', (text, days) => {
    expect(readTenors(text)).toEqual(days);
  });

  it.each(['2', '0', '', '1;3', '1,', 'a', '3days', '03'])('%j is refused', (text) => {
    expect(hintText(usageErrorOf(() => readTenors(text)).hint)).toMatch(/1, 3 or 7/);
  });

  it('is one where one is wanted', () => {
    expect(readTenor('7d')).toBe(7);
    for (const text of ['all', '1,3', '2']) usageErrorOf(() => readTenor(text));
  });
});

describe('bounds and limits', () => {
  it('takes a price with eight decimals at most', () => {
    expect(readPrice('1,535.12345678', '--worst-price').toFixed()).toBe('1535.12345678');
    for (const text of ['0', '-1', '1.123456789', '1535 NGN', ''])
      usageErrorOf(() => readPrice(text, '--worst-price'));
  });

  it('takes basis points of either sign', () => {
    expect(readBps('27.5', '--max-cost-bps').toFixed()).toBe('27.5');
    expect(readBps('-5', '--max-cost-bps').toFixed()).toBe('-5');
    expect(['5bps', '27.5 bps', '-5bp'].map((text) => readBps(text, '--max-cost-bps').toFixed())).toEqual([
      '5',
      '27.5',
      '-5',
    ]);
    for (const text of ['--5', '5%', 'bps', '1.00001', ''])
      usageErrorOf(() => readBps(text, '--max-cost-bps'));
  });

  it('takes a part only with its sign: a bare 50 may mean USD', () => {
    expect(readPercentage('50%', '--by').toFixed()).toBe('50');
    for (const text of ['50', '0%', '101%', '-1%', '%']) usageErrorOf(() => readPercentage(text, '--by'));
  });

  it('takes seconds, a page and a status', () => {
    expect([readSeconds('60', '--timeout'), readLimit('500'), readStatus('FILLED')]).toEqual([
      60_000,
      500,
      'filled',
    ]);
    for (const text of ['0', '-1', 'x', '86401']) usageErrorOf(() => readSeconds(text, '--timeout'));
    for (const text of ['0', '501', '1.5', 'all']) usageErrorOf(() => readLimit(text));
    expect(readStatus('Open')).toBe('open');
    expect(hintText(usageErrorOf(() => readStatus('opened')).hint)).toContain(
      'open, submitting, submitted, filled, failed, closed',
    );
  });
});

describe('a deal ID', () => {
  it('is what the desk writes, as long as it can be seen', () => {
    for (const id of ['PAY-8841', 'Zahlung 12/3', 'naïve', 'x'.repeat(128)]) expect(readDealId(id)).toBe(id);
    for (const id of ['', ' a', 'a ', 'a\nb', '\u202ea', 'a\u200b', 'x'.repeat(129)])
      usageErrorOf(() => readDealId(id));
  });
});

describe('whatever is typed', () => {
  /** Words near to what is meant, and words that are nothing like it. */
  const word = fc.oneof(
    fc.stringMatching(/^[-+]?[0-9]{0,14}[.,_]?[0-9]{0,14}[.,_]?[0-9]{0,9}[kKmMdD%]?$/),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('９９', '1e400', '-0', '__proto__', 'ſell', 'İ', '9'.repeat(100_000)),
  );
  const readers: readonly [string, (text: string) => unknown][] = [
    ['a notional', readNotional],
    ['a side', readSide],
    ['a market', readMarket],
    ['a tenor', readTenor],
    ['tenors', readTenors],
    ['a price', (text) => readPrice(text, '--worst-price')],
    ['basis points', (text) => readBps(text, '--max-cost-bps')],
    ['a percentage', (text) => readPercentage(text, '--by')],
    ['seconds', (text) => readSeconds(text, '--timeout')],
    ['a limit', readLimit],
    ['a deal id', readDealId],
    ['a status', readStatus],
  ];

  it.each(readers)('%s is read, or refused as a wrong word and in no other way', (_what, read) => {
    fc.assert(
      fc.property(word, (text) => {
        let hint: unknown = '';
        try {
          expect(read(text)).toBeDefined();
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          expect(error.message).toMatch(/^\P{C}{1,1000}$/u);
          hint = error.hint;
        }
        expect(hint).toBeDefined();
      }),
      { numRuns: aQuarter(1_000) },
    );
  });

  it('an exact amount is read back from each of its forms', () => {
    const cents = fc.bigInt({ min: 1n, max: 99_999_999_999_999n });
    fc.assert(
      fc.property(cents, (amount) => {
        const whole = (amount / 100n).toString();
        const plain = `${whole}.${(amount % 100n).toString().padStart(2, '0')}`;
        const grouped = (mark: string): string => plain.replace(/\d(?=(?:\d{3})+\.)/g, `$&${mark}`);
        const read = [plain, grouped(','), grouped('_')].map((text) => readNotional(text).toFixed(2));
        expect(read).toEqual([plain, plain, plain]);
      }),
    );
  });
});

import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTION_OPTIONS } from '../../src/args/action-options.ts';
import type { RawInput } from '../../src/args/option.ts';
import { readQuoteIntent } from '../../src/args/quote-options.ts';
import {
  completeOpen,
  missingParts,
  readAddIntent,
  readCloseIntent,
  readOpenDraft,
  readReduceIntent,
} from '../../src/args/read-action.ts';
import { ACTION_NAMES, type ActionName } from '../../src/domain/action-table.ts';
import { hintText } from '../../src/domain/hint.ts';
import { hintLines, UsageError } from '../../src/errors.ts';
import { aQuarter } from '../support/goal.ts';
import { usageErrorOf } from '../support/usage-error.ts';

/** As Commander hands it over: a switch that can be refused with --no- is there and true. */
const typed = (operands: string, options: RawInput['options'] = {}): RawInput => ({
  operands: operands.split(' ').filter((word) => word !== ''),
  options: { wait: true, ...options },
});

const readOpen = (raw: RawInput) => completeOpen(readOpenDraft(raw));
const READERS = {
  open: readOpen,
  add: readAddIntent,
  reduce: readReduceIntent,
  close: readCloseIntent,
} as const satisfies Readonly<Record<ActionName, (raw: RawInput) => unknown>>;
type Action = ActionName;

/** What each action needs besides market and side. */
const WHOLE: Readonly<Record<Action, RawInput>> = {
  open: typed('usdtngn BUY 50k', { tenor: '3d' }),
  add: typed('usdtngn BUY 50k'),
  reduce: typed('usdtngn BUY 50k'),
  close: typed('usdtngn BUY'),
};
const ACTIONS = ACTION_NAMES;
const SIZED = ['open', 'add', 'reduce'] as const;

describe('every action', () => {
  it.each(ACTIONS)('%s is for a market and side, waits a minute and asks', (action) => {
    expect(READERS[action](WHOLE[action])).toMatchObject({
      action,
      market: 'USDTNGN',
      side: 'buy',
      options: {
        yes: false,
        dryRun: false,
        wait: true,
        timeoutMs: 60_000,
        idempotencyKey: undefined,
        despite: [],
      },
    });
  });

  it.each(ACTIONS)('%s takes the options of all', (action) => {
    const { operands, options } = WHOLE[action];
    const given = { yes: true, dryRun: true, timeout: '2.5', idempotencyKey: 'k-1', despite: '7C1E,90ab12' };
    expect(READERS[action]({ operands, options: { ...options, ...given } }).options).toEqual({
      yes: true,
      dryRun: true,
      wait: true,
      timeoutMs: 2_500,
      idempotencyKey: 'k-1',
      despite: ['7c1e', '90ab12'],
    });
  });

  it.each([
    [{ wait: false, timeout: '5' }, '--timeout has no effect with --no-wait.'],
    [{ idempotencyKey: 'a b' }, '"a b" is not a valid idempotency key.'],
    [{ idempotencyKey: '' }, '"" is not a valid idempotency key.'],
    [{ despite: '7c1' }, '"7c1" is not an action ID (--despite).'],
    [{ despite: '7c1e,' }, '"7c1e," is not an action ID (--despite).'],
    [{ timeout: '0' }, '"0" is not a number of seconds (--timeout).'],
  ])('with %j is refused', (options, message) => {
    for (const action of ACTIONS) {
      const raw = WHOLE[action];
      const line = { ...raw, options: { ...raw.options, ...options } };
      expect(usageErrorOf(() => READERS[action](line)).message).toBe(message);
    }
  });

  it.each(ACTIONS)('%s refuses an operand too many: it is not what was meant', (action) => {
    const { operands, options } = WHOLE[action];
    expect(usageErrorOf(() => READERS[action]({ operands: [...operands, '6'], options })).message).not.toBe(
      '',
    );
  });

  it.each(ACTIONS)('%s says that hedges have no say, and where market and side are found', (action) => {
    const { message, hint } = usageErrorOf(() => READERS[action](typed('hdg_01JD8K')));
    expect(message).toMatch(/not a hedge ID|not to one hedge|close one hedge/);
    expect(hintText(hint)).toContain('hedge hedges hdg_01JD8K shows its market and side');
    expect(hintText(hint)).toContain(`hedge ${action} MARKET SIDE`);
  });

  it.each(SIZED)('%s names the line when market and side are swapped', (action) => {
    expect(hintText(usageErrorOf(() => READERS[action](typed('buy usdtngn 10k', { tenor: '3' }))).hint)).toBe(
      `Did you mean: hedge ${action} USDTNGN buy 10k --tenor 3`,
    );
  });

  it.each(SIZED)('%s does not take a size for a market', (action) => {
    const error = usageErrorOf(() => READERS[action](typed('sell 10k', { tenor: '3' })));
    expect([error.message, hintText(error.hint)]).toEqual([
      'Missing: the market.',
      expect.stringMatching(`^hedge ${action} MARKET sell 10k --tenor 3`),
    ]);
  });

  it.each(ACTIONS)('%s never reads what the table of its options does not offer', (action) => {
    const offered = ACTION_OPTIONS[action].map(({ flags }) => /--(?:no-)?([a-z-]+)/.exec(flags)?.[1] ?? '');
    const names = offered.map((name) =>
      name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    );
    const asked: string[] = [];
    const options = new Proxy<Record<string, RawInput['options'][string]>>(
      { ...WHOLE[action].options },
      { get: (target, name) => (asked.push(String(name)), target[String(name)]) },
    );
    READERS[action]({ operands: WHOLE[action].operands, options });
    expect(new Set(asked)).toEqual(new Set(names));
  });
});

describe('open', () => {
  it('is read whole', () => {
    const raw = typed('USDTNGN sell 1.5m', {
      tenor: '7',
      dealId: 'PAY-8841',
      ensure: true,
      retryFailed: true,
      allowDuplicate: true,
      worstPrice: '1535',
      maxCostBps: '40',
    });
    const { notional, bounds, ...rest } = readOpen(raw);
    expect([notional, bounds.worstPrice, bounds.maxCostBps].map((figure) => figure?.toFixed())).toEqual([
      '1500000',
      '1535',
      '40',
    ]);
    expect(rest).toMatchObject({
      side: 'sell',
      tenor: 7,
      dealId: 'PAY-8841',
      ensure: true,
      retryFailed: true,
      allowDuplicate: true,
      anyPrice: false,
    });
  });

  it.each([
    ['', {}, ['market', 'side', 'notional', 'tenor'], 'MARKET SIDE NOTIONAL --tenor DAYS'],
    ['usdtngn', { tenor: '3' }, ['side', 'notional'], 'USDTNGN SIDE NOTIONAL --tenor 3'],
    ['usdtngn sell 10k', {}, ['tenor'], 'USDTNGN sell 10000 --tenor DAYS'],
  ])('%j with parts missing is a draft, and named without a terminal', (line, options, parts, whole) => {
    const draft = readOpenDraft(typed(line, options));
    expect(missingParts(draft)).toEqual(parts);
    const error = usageErrorOf(() => completeOpen(draft));
    expect(error.message).toMatch(/^Missing: /);
    expect(hintText(error.hint)).toContain(`hedge open ${whole}.`);
  });

  it.each([
    [{ ensure: true }, '--ensure needs a deal ID.'],
    [{ dealId: 'a', retryFailed: true }, '--retry-failed needs --ensure.'],
    [
      { dealId: 'a', ensure: true, idempotencyKey: 'k' },
      '--ensure derives the idempotency key from the deal ID.',
    ],
    [{ anyPrice: true, worstPrice: '1535' }, '--any-price and a price limit exclude each other.'],
    [{ anyPrice: true, maxCostBps: '10' }, '--any-price and a price limit exclude each other.'],
    [{ tenor: '2' }, '"2" is not a tenor.'],
    [{ tenor: '1,3' }, '"1,3" is not a tenor.'],
  ])('with %j is refused before anything is asked', (options, message) => {
    expect(usageErrorOf(() => readOpenDraft(typed('USDTNGN buy', options))).message).toBe(message);
  });
});

describe('reduce', () => {
  it.each([
    ['USDTNGN buy 5k', {}, { by: 'notional', notional: new Big(5000) }],
    ['USDTNGN buy', { by: '50%' }, { by: 'percent', percent: new Big(50) }],
    ['USDTNGN buy', { ngn: '45m' }, { by: 'ngn', amount: new Big(45_000_000) }],
    ['USDTNGN buy', { to: '5000' }, { by: 'target', target: new Big(5000) }],
  ])('%s %j is one kind of reduction', (line, options, reduction) => {
    expect(readReduceIntent(typed(line, options)).reduction).toEqual(reduction);
  });

  it.each([
    ['USDTNGN buy', {}, 'Missing: the size of the reduction.', 'hedge reduce USDTNGN buy --by PERCENT'],
    [
      'USDTNGN buy 5k',
      { by: '50%' },
      'The size is given more than once.',
      'Use one of:\nhedge reduce USDTNGN buy 5k\nhedge reduce USDTNGN buy --by 50%',
    ],
    [
      'USDTNGN buy',
      { by: '50%', ngn: '45m' },
      'The size is given more than once.',
      'hedge reduce USDTNGN buy --by 50%\nhedge reduce USDTNGN buy --ngn 45m',
    ],
    ['USDTKES buy', { ngn: '45m' }, 'USDTKES is not quoted in naira (--ngn).', 'hedge reduce USDTKES buy'],
    ['USDTNGN buy 50%', {}, '"50%" is a percentage, not a notional.', 'hedge reduce USDTNGN buy --by 50%'],
    [
      'USDTNGN buy',
      { by: '0.5' },
      '"0.5" is not a percentage (--by).',
      'hedge reduce USDTNGN buy --by 50%, or --by 0.5%',
    ],
    ['USDTNGN buy', { to: '0' }, 'Reducing to zero is a close.', 'hedge close USDTNGN buy'],
    ['USDTNGN buy', { by: '2k' }, '"2k" is not a percentage (--by).', 'hedge reduce USDTNGN buy 2k'],
    ['USDTNGN buy', { by: '50' }, '"50" is not a percentage (--by).', '--by 50%'],
  ])('%s %j is answered with the right line', (line, options, message, hint) => {
    const error = usageErrorOf(() => readReduceIntent(typed(line, options)));
    expect(error.message).toBe(message);
    expect(hintText(error.hint)).toContain(hint);
  });
});

describe('close', () => {
  it.each([
    ['USDTNGN buy 5000', 'Did you mean: hedge reduce USDTNGN buy 5000'],
    ['usdtngn SELL 5k', 'Did you mean: hedge reduce USDTNGN sell 5k'],
    ['USDTNGN buy 50%', 'Did you mean: hedge reduce USDTNGN buy --by 50%'],
    ['USDTNGN buy now', 'To close all of it: hedge close USDTNGN buy'],
  ])('%s is answered with the line that does it', (line, hint) => {
    const error = usageErrorOf(() => readCloseIntent(typed(line)));
    expect([error.message, hintText(error.hint)]).toEqual([
      'A close has no size: it closes the whole side.',
      hint,
    ]);
  });

  it('without a side closes nothing', () => {
    expect(hintText(usageErrorOf(() => readCloseIntent(typed('USDTNGN'))).hint)).toBe(
      'hedge close USDTNGN SIDE',
    );
  });

  it.each([true, undefined])('with --if-open %s', (ifOpen) => {
    expect(readCloseIntent(typed('USDTNGN buy', { ifOpen })).ifOpen).toBe(ifOpen === true);
  });
});

describe('words that are not where they belong', () => {
  const asked = { ...READERS, quote: readQuoteIntent } as const;

  it.each([
    ['open', 'buy usdtngn 10k', { tenor: '3', yes: true }, 'open USDTNGN buy 10k --tenor 3 --yes'],
    ['open', 'usdtngn 10k BUY', { tenor: '3' }, 'open USDTNGN buy 10k --tenor 3'],
    ['open', '10k usdtngn buy', { dealId: 'PAY 1' }, "open USDTNGN buy 10k --deal-id 'PAY 1'"],
    ['open', 'usdtngn buy ₦45m', { tenor: '3' }, 'open usdtngn buy --ngn 45m --tenor 3'],
    ['add', 'USDTNGN buy NGN 45m', {}, 'add USDTNGN buy --ngn 45m'],
    ['add', 'USDTNGN buy N45m', {}, 'add USDTNGN buy --ngn 45m'],
    ['open', 'USDTNGN buy 65m NGN', { tenor: '3' }, 'open USDTNGN buy --ngn 65m --tenor 3'],
    ['reduce', 'USDTNGN buy 65m naira', {}, 'reduce USDTNGN buy --ngn 65m'],
    ['open', 'USDTNGN buy max', { tenor: '3' }, 'open USDTNGN buy --max --tenor 3'],
    ['quote', 'USDTNGN sell MAX', {}, 'quote USDTNGN sell --max'],
    ['quote', 'usdtngn 10k buy', { maxCostBps: '-5' }, 'quote USDTNGN buy 10k --max-cost-bps=-5'],
    ['add', '5k buy USDTNGN', { wait: false }, 'add USDTNGN buy 5k --no-wait'],
    ['close', 'buy USDTNGN', { ifOpen: true }, 'close USDTNGN buy --if-open'],
    ['open', 'USDTNGN buy 10k 3', { yes: true }, 'open USDTNGN buy 10k --tenor 3 --yes'],
    ['quote', 'USDTNGN sell 10k 7d', {}, 'quote USDTNGN sell 10k --tenor 7d'],
    ['open', 'USDTNGN buy 10 000', { tenor: '3' }, 'open USDTNGN buy 10_000 --tenor 3'],
    ['reduce', 'USDTNGN buy 1 500 000', {}, 'reduce USDTNGN buy 1_500_000'],
  ] as const)('%s %s %j: the line that was meant, options and all', (action, line, options, meant) => {
    const error = usageErrorOf(() => asked[action](typed(line, options)));
    expect(hintText(error.hint)).toBe(`Did you mean: hedge ${meant}`);
  });

  it.each([
    ['quote', 'usdt/ngn', 'Missing: the side, buy or sell.', 'hedge quote USDTNGN SIDE NOTIONAL'],
    ['open', 'USDTNGN 10k', 'Missing: the side, buy or sell.', 'hedge open USDTNGN SIDE 10k'],
    [
      'add',
      '5k',
      'Missing: market and side.',
      expect.stringMatching(/^hedge add MARKET SIDE 5k\nhedge positions +which sides are open$/),
    ],
    ['quote', '', 'Missing: market and side.', 'hedge quote MARKET SIDE NOTIONAL'],
    ['add', 'usdtngn buy', 'Missing: the notional.', 'hedge add USDTNGN buy NOTIONAL'],
    ['quote', 'usdtngn buy', 'Missing: the notional.', 'hedge quote USDTNGN buy NOTIONAL'],
    [
      'close',
      '',
      'Missing: market and side.',
      expect.stringMatching(/^hedge close MARKET SIDE\nhedge positions +which/),
    ],
    [
      'close',
      'sell',
      'Missing: the market.',
      expect.stringMatching(/^hedge close MARKET sell\nhedge positions /),
    ],
    [
      'reduce',
      'PAY-1 50%',
      'Missing: the side, buy or sell.',
      'hedge hedges PAY-1             market and side, if that is a deal ID\nhedge reduce PAY-1 SIDE 50%',
    ],
    [
      'open',
      'USDTNGN buy 10k now',
      '"now" is one operand too many: open takes market, side, notional.',
      'See hedge open --help.',
    ],
  ] as const)('%s %j: what is missing or too many, and the line', (action, line, message, hint) => {
    const error = usageErrorOf(() => asked[action](typed(line)));
    expect([error.message, hintText(error.hint)]).toEqual([message, hint]);
  });

  it('say how to find the market and side of a deal ID, where an open lacks its side', () => {
    const error = usageErrorOf(() => readOpen(typed('PAY-8841')));
    expect(hintText(error.hint)).toMatch(/\nhedge hedges PAY-8841 +market and side, if that is a deal ID$/);
  });

  it('say how a notional is one word', () => {
    expect(usageErrorOf(() => readOpen(typed('USDTNGN buy 10 000'))).message).toBe(
      'Write the notional without spaces: 10000 or 10_000.',
    );
  });
});

describe('whatever is typed', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'USDTNGN',
      'buy',
      'sell',
      'hdg_1',
      '10k',
      '50%',
      '0',
      '-5',
      '',
      '\u001b[2J',
      'hdg_\u202e',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );

  it('is read or refused, and what is refused cannot act on a terminal', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 3 }), fc.constantFrom(...ACTIONS), (operands, action) => {
        try {
          READERS[action]({ operands, options: { wait: true } });
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          if (!(error instanceof UsageError)) throw error;
          for (const text of [error.message, ...hintLines(error.hint).map((each) => hintText([each]))])
            expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
      }),
      { numRuns: aQuarter(1_000) },
    );
  });
});

import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sum } from '../../src/domain/amounts.ts';
import { hintText } from '../../src/domain/hint.ts';
import { estimatedPnl } from '../../src/domain/returned-amounts.ts';
import { StoppedError } from '../../src/errors.ts';
import { heldLate, tenorOfSide } from '../../src/readings/side-position.ts';
import type { HedgeChange } from '../../src/trading/plan.ts';
import { big, hedge, market, NOON, planOf, position, sideBook } from './facts.ts';

const stopped = (plan: () => unknown): StoppedError => {
  try {
    plan();
  } catch (error) {
    if (error instanceof StoppedError) return error;
    throw error;
  }
  throw new Error('nothing was stopped');
};

const spelled = (changes: readonly HedgeChange[] | undefined) =>
  changes?.map(({ id, before, after }) => `${id} ${before.toFixed()} -> ${after.toFixed()}`);

/** It matured an hour ago. */
const LATE = hedge('hdg_L', 30_000, { maturity_at: '2026-11-20T11:00:00Z' });
const BOTH = [hedge('hdg_B', 30_000), hedge('hdg_A', 10_000)];

describe('a side', () => {
  it('is the sum of its filled hedges', () => {
    const sidePosition = sideBook({ hedges: [...BOTH, hedge('hdg_S', 5_000, { side: 'sell' })] });
    expect([sidePosition.total?.toFixed(), sidePosition.inPositions, sidePosition.unclear]).toEqual([
      '40000',
      true,
      undefined,
    ]);
    expect(sidePosition.open.map(({ id }) => id)).toEqual(['hdg_B', 'hdg_A']);
    expect(tenorOfSide(sidePosition)).toBe(3);
  });

  it.each([
    ['still to come', { status: 'submitted' }],
    ['failed', { status: 'failed' }],
    ['closed', { status: 'closed' }],
    ['past its maturity', { maturity_at: '2026-11-20T12:00:00Z' }],
    ['of another market', { market: 'USDTKES' }],
  ])('does not count a hedge that is %s', (_, changes) => {
    const sidePosition = sideBook({ hedges: [...BOTH, hedge('hdg_X', 7, changes)] });
    expect(sidePosition.total?.toFixed()).toBe('40000');
  });

  it('counts a hedge to the instant before it matures', () => {
    const sidePosition = sideBook({
      hedges: [hedge('hdg_X', 7, { maturity_at: '2026-11-20T12:00:00.001Z' })],
    });
    expect(sidePosition.total?.toFixed()).toBe('7');
  });

  it('that is absent from positions is flat, whatever the list of hedges says', () => {
    const sidePosition = sideBook({ hedges: BOTH, positions: [position({ side: 'sell' })] });
    expect([sidePosition.inPositions, sidePosition.total?.toFixed(), sidePosition.open.length]).toEqual([
      false,
      '0',
      0,
    ]);
  });

  it.each([
    ['names neither market nor side', { market: undefined, side: undefined }, undefined],
    ['names the side alone', { market: undefined }, true],
    ['is of another market', { market: 'USDTKES' }, false],
    ['has another word for its side', { side: 'LONG' }, undefined],
    ['of another market has another word for its side', { market: 'USDTKES', side: 'LONG' }, false],
    ['has no text for its side', { side: 1 }, undefined],
    ['spells its market otherwise', { market: 'USDT-NGN' }, true],
    ['spells its market and side otherwise', { market: 'usdt/ngn', side: 'BUY' }, true],
    ['of the other side spells its market otherwise', { market: 'usdtngn', side: 'sell' }, false],
    ['spells another market otherwise', { market: 'USDT/KES' }, false],
    ['has a name for its market that is not known', { market: 'NGN Perpetual' }, undefined],
    ['of the other side has a name that is not known', { market: 'NGN Perpetual', side: 'sell' }, false],
  ])('is where a position line %s', (_, changes, inPositions) => {
    const markets = ['USDTNGN', 'USDTKES'];
    expect(sideBook({ positions: [position(changes)], markets }).inPositions).toBe(inPositions);
  });

  it.each<[string, Parameters<typeof sideBook>[0], readonly string[]]>([
    [
      'of the size of both holds both',
      { positions: [position({ notional_usd: 40_000 })] },
      ['hdg_L', 'hdg_O'],
    ],
    ['of its size holds it', { positions: [position({ notional_usd: 30_000 })], hedges: [LATE] }, ['hdg_L']],
    ['of the open one holds no other', { positions: [position({ notional_usd: 10_000 })] }, ['hdg_O']],
    ['without a size may hold either', { positions: [position()] }, ['hdg_O']],
    [
      'without a size, and with no other hedge, holds it',
      { positions: [position()], hedges: [LATE] },
      ['hdg_L'],
    ],
    [
      'without a size, and with another such hedge, may hold either',
      { positions: [position()], hedges: [LATE, { ...LATE, id: 'hdg_M' }] },
      ['maybe hdg_L', 'maybe hdg_M'],
    ],
    [
      'of a list that is cut may hold others',
      { mayBeCut: true, positions: [position({ notional_usd: 40_000 })] },
      ['hdg_O'],
    ],
    ['that is not there holds none', { positions: [] }, []],
  ])('whose hedge is past its maturity and still filled: a position %s', (_, changes, held) => {
    const facts = { hedges: [LATE, hedge('hdg_O', 10_000)], mayBeCut: false, servedAt: NOON, ...changes };
    const { open } = sideBook(facts);
    const late = heldLate({ positions: [], ...facts });
    const shown = [...late].map(([id, holds]) => (holds === 'held' ? id : `${holds} ${id}`));
    expect([...shown, ...open.map(({ id }) => id)]).toEqual(held);
  });

  it('knows another market by its hedges alone', () => {
    const positions = [position({ market: 'USDT-KES' })];
    const kenya = hedge('hdg_K', 5_000, { market: 'USDTKES' });
    expect(sideBook({ positions, hedges: [kenya] }).inPositions).toBe(false);
    expect(sideBook({ positions }).inPositions).toBe(undefined);
  });

  it('whose hedges and position spell its market otherwise has both', () => {
    const hedges = [hedge('hdg_A', 10_000, { market: 'USDT-NGN' })];
    const sidePosition = sideBook({
      hedges,
      positions: [position({ market: 'usdtngn', notional_usd: 10_000 })],
    });
    expect([sidePosition.total?.toFixed(), sidePosition.position?.market]).toEqual(['10000', 'usdtngn']);
  });

  it('is not flat, and without hedges unclear, where a position has a market that is not known', () => {
    const positions = [position({ market: 'NGN Perpetual', notional_usd: 45_000 })];
    const counted = sideBook({ hedges: BOTH, positions });
    expect([counted.total?.toFixed(), counted.unclear, counted.position]).toEqual([
      '40000',
      undefined,
      undefined,
    ]);
    const empty = sideBook({ hedges: [], positions });
    expect([empty.total, empty.unclear]).toEqual([
      undefined,
      'a position has an unknown market: NGN Perpetual',
    ]);
    const elsewhere = sideBook({ hedges: [hedge('hdg_K', 5_000, { market: 'USDTKES' })], positions });
    expect([elsewhere.total?.toFixed(), elsewhere.unclear]).toEqual(['0', undefined]);
  });

  it('of another word is explained by the hedges of the other side', () => {
    const sell = hedge('hdg_S', 5_000, { side: 'sell' });
    const one = sideBook({ hedges: [sell], positions: [position({ side: 'SHORT' })] });
    expect([one.inPositions, one.total?.toFixed(), one.unclear]).toEqual([undefined, '0', undefined]);
    const two = [position({ side: 'SHORT' }), position({ side: 'LONG' })];
    expect(sideBook({ hedges: [sell], positions: two }).unclear).toMatch(/has an unknown side/);
    const named = [position({ side: 'sell' }), position({ side: 'LONG' })];
    expect(sideBook({ hedges: [sell], positions: named }).unclear).toMatch(/has an unknown side: LONG/);
  });

  it('of another word is never flat: it counts its hedges, and without any it is unclear', () => {
    const positions = [position({ side: 'LONG' })];
    const counted = sideBook({ hedges: BOTH, positions });
    expect([counted.total?.toFixed(), counted.unclear]).toEqual(['40000', undefined]);
    const empty = sideBook({ hedges: [], positions });
    expect([empty.inPositions, empty.total, empty.unclear]).toEqual([
      undefined,
      undefined,
      'a position has an unknown side: LONG',
    ]);
  });

  it.each([
    ['the list may be cut', { mayBeCut: true }, 'the list of hedges may be incomplete'],
    [
      'a status is not known',
      { hedges: [...BOTH, hedge('hdg_N', 5, { status: 'rolling' })] },
      'hedge hdg_N has an unknown status: rolling',
    ],
    [
      'the position says otherwise',
      { positions: [position({ notional_usd: 45_000 })] },
      'the hedges total 40,000.00 USD but the position is 45,000.00 USD',
    ],
    [
      'no hedge is listed under a position',
      { hedges: [], positions: [position()] },
      'the side has a position but no filled hedge',
    ],
  ])('has no sum when %s', (_, facts, unclear) => {
    const sidePosition = sideBook({ hedges: BOTH, ...facts });
    expect([sidePosition.total, sidePosition.unclear]).toEqual([undefined, unclear]);
  });
});

describe('an open', () => {
  it('asks for exactly what was meant, and says what the side becomes', () => {
    const plan = planOf('open USDTNGN buy 10,000.50', { options: { tenor: '7', dealId: 'PAY-1' } });
    expect(plan.request).toEqual({
      market: 'USDTNGN',
      side: 'buy',
      notional_usd: new Big('10000.5'),
      tenor_days: 7,
      client_reference: 'PAY-1',
    });
    expect(plan.after.total?.toFixed()).toBe('50000.5');
    expect(spelled(plan.after.hedges)).toEqual(['hdg_B 30000 -> 30000', 'hdg_A 10000 -> 10000']);
  });

  it('carries the figures of its quote', () => {
    const plan = planOf('open USDTNGN buy 10k');
    expect('figures' in plan && plan.figures?.cost_bps.toFixed()).toBe('31');
  });

  it('on a side that cannot be summed says no sum', () => {
    const sidePosition = sideBook({ hedges: BOTH, mayBeCut: true });
    expect(planOf('open USDTNGN buy 10k', { facts: { sidePosition } }).after).toEqual({
      total: undefined,
      hedges: undefined,
    });
  });
});

describe('an add', () => {
  it('increases the one open hedge', () => {
    const sidePosition = sideBook({ hedges: [hedge('hdg_A', 10_000)] });
    const plan = planOf('add USDTNGN buy 5k', { facts: { sidePosition } });
    expect(plan).toMatchObject({ action: 'add', grows: 'hdg_A' });
    expect(plan.request).toEqual({ market: 'USDTNGN', side: 'buy', notional_usd: new Big(5000) });
    expect(spelled(plan.after.hedges)).toEqual(['hdg_A 10000 -> 15000']);
  });

  it('among several leaves the choice to the service', () => {
    const plan = planOf('add USDTNGN buy 5k');
    expect(plan).toMatchObject({ grows: undefined, after: { hedges: undefined } });
    expect(plan.after.total?.toFixed()).toBe('45000');
  });

  it('to nothing is stopped', () => {
    expect(stopped(() => planOf('add USDTNGN buy 5k', { facts: { sidePosition: sideBook() } })).code).toBe(
      'no_open_hedge',
    );
  });
});

describe('a reduction', () => {
  it.each([
    ['reduce USDTNGN buy 10k', {}, '10000', ['hdg_B 30000 -> 22500', 'hdg_A 10000 -> 7500'], '30000'],
    ['reduce USDTNGN buy', { by: '50%' }, '20000', ['hdg_B 30000 -> 15000', 'hdg_A 10000 -> 5000'], '20000'],
    ['reduce USDTNGN buy', { to: '5000' }, '35000', ['hdg_B 30000 -> 3750', 'hdg_A 10000 -> 1250'], '5000'],
  ])('%s %j takes %s in proportion', (line, options, notional, hedges, left) => {
    const plan = planOf(line, { options });
    expect(plan.request).toEqual({ market: 'USDTNGN', side: 'buy', notional_usd: new Big(notional) });
    expect(spelled(plan.after.hedges)).toEqual(hedges);
    expect(plan).toMatchObject({ closesSide: false });
    expect(plan.after.total?.toFixed()).toBe(left);
  });

  it.each([
    ['reduce USDTNGN buy 39599.99', {}, false],
    ['reduce USDTNGN buy 39600', {}, true],
    ['reduce USDTNGN buy 40000', {}, true],
    ['reduce USDTNGN buy', { by: '99%' }, true],
    ['reduce USDTNGN buy', { by: '100%' }, true],
    ['reduce USDTNGN buy', { to: '400' }, true],
  ])('%s %j closes the side: %s', (line, options, closesSide) => {
    const plan = planOf(line, { options });
    expect(plan).toMatchObject({ action: 'reduce', closesSide });
    expect(plan.after.total?.eq(0)).toBe(closesSide);
  });

  it('to a target hits it, to the last digit', () => {
    const sidePosition = sideBook({ hedges: [hedge('hdg_A', 8333.333333)] });
    const plan = planOf('reduce USDTNGN buy', { options: { to: '5000' }, facts: { sidePosition } });
    expect(plan).toMatchObject({ notional: new Big('3333.333333') });
    expect(plan.after.total?.toFixed()).toBe('5000');
  });

  it('of a side that is flat says what is open on the other side', () => {
    const sidePosition = sideBook({ positions: [position({ side: 'buy', notional_usd: 25_000 })] }, 'sell');
    expect(stopped(() => planOf('reduce USDTNGN sell 5', { facts: { sidePosition } })).what).toBe(
      'Nothing is open on USDTNGN sell; buy 25,000.00 USD is open.',
    );
  });

  it.each([
    ['reduce USDTNGN buy 40000.01', {}, 'more_than_open', 'exceeds the 40,000.00 USD open'],
    ['reduce USDTNGN buy', { to: '40000' }, 'nothing_to_reduce', 'not above 40,000.00 USD'],
    ['reduce USDTNGN buy', { to: '50k' }, 'nothing_to_reduce', 'not above 50,000.00 USD'],
    ['reduce USDTNGN sell 5', {}, 'no_open_hedge', 'Nothing is open on USDTNGN sell.'],
  ])('%s %j is stopped: %s', (line, options, code, what) => {
    const error = stopped(() =>
      planOf(line, { options, facts: line.includes('sell') ? { sidePosition: sideBook({}, 'sell') } : {} }),
    );
    expect([error.code, error.effect]).toEqual([code, 'none']);
    expect(error.what).toContain(what);
    expect(error.meaning).toBe('Nothing was sent.');
  });

  it('of less than a cent is stopped', () => {
    const sidePosition = sideBook({ hedges: [hedge('hdg_A', 0.05)] });
    const plan = () => planOf('reduce USDTNGN buy', { options: { by: '1%' }, facts: { sidePosition } });
    expect(stopped(plan).code).toBe('nothing_to_reduce');
  });

  it.each([{ by: '50%' }, { to: '5000' }])('%j of a side that cannot be summed is stopped', (options) => {
    const sidePosition = sideBook({ hedges: BOTH, mayBeCut: true });
    const error = stopped(() => planOf('reduce USDTNGN buy', { options, facts: { sidePosition } }));
    expect(error.code).toBe('book_unclear');
    expect(error.what).toContain('the list of hedges may be incomplete');
  });

  it('by a notional goes on where the side cannot be summed', () => {
    const sidePosition = sideBook({ hedges: BOTH, mayBeCut: true });
    const plan = planOf('reduce USDTNGN buy 99k', { facts: { sidePosition } });
    expect(plan).toMatchObject({ closesSide: false, comesBack: undefined, after: { total: undefined } });
  });

  it('says what comes back in the part that it takes', () => {
    const sidePosition = sideBook({
      hedges: BOTH,
      positions: [position({ net_margin_usd: 4000, close_fee_usdc: 20, net_pnl_usd: -8 })],
    });
    const plan = planOf('reduce USDTNGN buy 10k', { facts: { sidePosition } });
    expect(plan).toMatchObject({
      comesBack: { net_margin_usd: big('1000'), close_fee_usdc: big('5'), net_pnl_usd: big('-2') },
    });
  });

  it('would realize P&L before fees less the fee to close, and nothing is claimed without both', () => {
    const back = (figures: object) => {
      const sidePosition = sideBook({
        hedges: BOTH,
        positions: [position({ net_margin_usd: 4000, ...figures })],
      });
      const plan = planOf('close USDTNGN buy', { facts: { sidePosition } });
      if (plan.action !== 'close' || plan.comesBack === undefined) throw new Error('a close returns money');
      return estimatedPnl(plan.comesBack)?.toFixed();
    };
    expect(back({ close_fee_usdc: 20.000001, net_pnl_usd: -8.1 })).toBe('-28.100001');
    expect(back({ close_fee_usdc: 0, net_pnl_usd: 3.5 })).toBe('3.5');
    expect(back({ close_fee_usdc: 20 })).toBeUndefined();
    expect(back({ net_pnl_usd: -8 })).toBeUndefined();
    // A service that signs its fees may mean the opposite.
    expect(back({ close_fee_usdc: -20, net_pnl_usd: -8 })).toBeUndefined();
  });

  it('never takes more than is open, and what it leaves is what was not taken', () => {
    const cents = fc.integer({ min: 100, max: 50_000_000 }).map((value) => value / 100);
    const percent = fc.integer({ min: 1, max: 10_000 }).map((value) => new Big(value).div(100).toFixed());
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1, maxLength: 5 }), percent, (sizes, by) => {
        const sidePosition = sideBook({
          hedges: sizes.map((size, at) => hedge(`hdg_${at.toString()}`, size)),
        });
        const total = sidePosition.total ?? big('0');
        fc.pre(total.times(by).div(100).gt('0.01'));
        const plan = planOf('reduce USDTNGN buy', { options: { by: `${by}%` }, facts: { sidePosition } });
        if (plan.action !== 'reduce') throw new Error('not a reduction');
        expect(plan.notional.gt(0) && plan.notional.lte(total)).toBe(true);
        const left = sum((plan.after.hedges ?? []).map(({ after }) => after));
        const expected = plan.closesSide ? big('0') : total.minus(plan.notional);
        expect(left.minus(expected).abs().lte('0.00001')).toBe(true);
      }),
    );
  });
});

describe('a close', () => {
  it.each([
    ['paid', 0.05, '30000', '22.5'],
    ['earned', -0.02, '30000', '-9'],
    ['none', 0, '30000', '0'],
    ['rounded once', 0.05, '10000.01', '7.500008'],
  ])('has the carry from now to maturity of what is open: %s', (_, daily, size, carry) => {
    const hedges = [hedge('hdg_B', Number(size), { maturity_at: '2026-11-22T00:00:00Z' })];
    const plan = planOf('close USDTNGN buy', {
      facts: {
        sidePosition: sideBook({ hedges }),
        market: market({ net_rate_daily_pct: { buy: daily, sell: 9 } }),
      },
    });
    expect(plan.action === 'close' && plan.carryToMaturity?.toFixed()).toBe(carry);
  });

  it('has no carry to maturity where the side or the rate is not known', () => {
    const without = [
      { sidePosition: sideBook({ hedges: BOTH, mayBeCut: true }) },
      { sidePosition: sideBook({ hedges: BOTH }), market: undefined },
    ];
    for (const facts of without)
      expect(planOf('close USDTNGN buy', { facts })).toMatchObject({ carryToMaturity: undefined });
  });

  it('takes the whole side and says what comes back', () => {
    const plan = planOf('close USDTNGN buy');
    expect(plan.request).toEqual({ market: 'USDTNGN', side: 'buy' });
    expect(plan).toMatchObject({
      nothingToDo: false,
      closesSide: true,
      comesBack: { net_margin_usd: big('1012.5') },
    });
    expect(spelled(plan.after.hedges)).toEqual(['hdg_B 30000 -> 0', 'hdg_A 10000 -> 0']);
  });

  it('goes on where the side cannot be summed', () => {
    const sidePosition = sideBook({ hedges: BOTH, mayBeCut: true });
    const plan = planOf('close USDTNGN buy', { facts: { sidePosition } });
    expect(plan).toMatchObject({ nothingToDo: false, comesBack: { net_margin_usd: big('1012.5') } });
  });

  it('of a flat side is stopped, or is nothing to do with --if-open', () => {
    const facts = { sidePosition: sideBook() };
    expect(stopped(() => planOf('close USDTNGN buy', { facts })).code).toBe('no_open_hedge');
    expect(planOf('close USDTNGN buy', { options: { ifOpen: true }, facts })).toMatchObject({
      nothingToDo: true,
    });
  });

  it('with --if-open is not satisfied while a hedge may still fill', () => {
    const sidePosition = sideBook({ hedges: [hedge('hdg_C', 5, { status: 'submitted' })] });
    const error = stopped(() =>
      planOf('close USDTNGN buy', { options: { ifOpen: true }, facts: { sidePosition } }),
    );
    expect([error.code, hintText(error.hint)]).toEqual(['in_flight', 'To wait for it: hedge wait hdg_C']);
    // What the service sent stands in a line to be pasted: a shell must not read more into it.
    const odd = sideBook({ hedges: [hedge('hdg_C; rm x', 5, { status: 'submitted' })] });
    const { hint } = stopped(() => planOf('close USDTNGN buy', { facts: { sidePosition: odd } }));
    expect(hintText(hint)).toBe("To wait for it: hedge wait 'hdg_C; rm x'");
  });

  it('of a side on which several may still fill names them, or their number, and waits for the last', () => {
    const three = ['hdg_E', 'hdg_D', 'hdg_C'].map((id) => hedge(id, 5_000, { status: 'submitted' }));
    const many = stopped(() =>
      planOf('close USDTNGN buy', { facts: { sidePosition: sideBook({ hedges: three }) } }),
    );
    expect(many.what).toMatch(
      / yet: hedge "hdg_E" .*"hdg_D" .*"hdg_C" .*, 15,000\.00 USD in total, may fill\.$/,
    );
    expect(hintText(many.hint)).toBe('To wait for the last one: hedge wait hdg_E');
    const dozen = Array.from({ length: 12 }, (_, at) =>
      hedge(`hdg_${at.toString()}`, 100, { status: 'submitted' }),
    );
    const crowd = stopped(() =>
      planOf('close USDTNGN buy', { facts: { sidePosition: sideBook({ hedges: dozen }) } }),
    );
    expect(crowd.what).toContain(' yet: 12 hedges, 1,200.00 USD in total, may fill.');
  });

  it('of a side that matured in the meantime has nothing to take', () => {
    const matured = hedge('hdg_A', 5, { maturity_at: NOON.toISOString() });
    const sidePosition = sideBook({ hedges: [matured], positions: [] });
    expect(stopped(() => planOf('close USDTNGN buy', { facts: { sidePosition } })).code).toBe(
      'no_open_hedge',
    );
  });
});

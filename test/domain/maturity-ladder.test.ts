/** The ladder: notional by day and hour of a zone, against sums made by hand. */
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holidayTable } from '../../src/domain/business-days.ts';
import { type MaturingHedge, type MaturingSum, maturityLadder } from '../../src/domain/maturity-ladder.ts';

const maturing = (at: string, side: 'buy' | 'sell', notional: number): MaturingHedge => ({
  side,
  notional: new Big(notional),
  maturesMs: Date.parse(at),
});
const HOLIDAYS = holidayTable();
const at = (now: string, zone: string) => ({ zone, nowMs: Date.parse(now) });

describe('a ladder', () => {
  const hedges = [
    maturing('2026-12-25T09:59:59Z', 'buy', 10_000.5),
    maturing('2026-12-25T09:00:00Z', 'buy', 20_000),
    maturing('2026-12-25T10:00:00Z', 'sell', 5_000),
    // Saturday 00:30 in Lagos.
    maturing('2026-12-25T23:30:00Z', 'sell', 7_000.25),
  ];

  it('sums notional per side by day and hour of the zone, and marks weekends and holidays', () => {
    const { days, total } = maturityLadder(hedges, at('2026-12-23T09:00:00Z', 'Africa/Lagos'), HOLIDAYS);
    const plain = days.map(({ hours, buy_usd: buy, sell_usd: sell, ...day }) => ({
      ...day,
      buy: buy.toFixed(),
      sell: sell.toFixed(),
      hours: hours.map((each) => [each.hour, each.buy_usd.toFixed(), each.sell_usd.toFixed(), each.hedges]),
    }));
    expect(plain).toEqual([
      {
        day: '2026-12-25',
        weekend: false,
        holiday: 'Christmas Day',
        buy: '30000.5',
        sell: '5000',
        hedges: 3,
        hours: [
          // 20,000 + 10,000.50
          [10, '30000.5', '0', 2],
          [11, '0', '5000', 1],
        ],
      },
      {
        day: '2026-12-26',
        weekend: true,
        holiday: 'Boxing Day',
        buy: '0',
        sell: '7000.25',
        hedges: 1,
        hours: [[0, '0', '7000.25', 1]],
      },
    ]);
    expect([total.buy_usd.toFixed(), total.sell_usd.toFixed(), total.hedges]).toEqual([
      '30000.5',
      '12000.25',
      4,
    ]);
  });

  it('tells the two hours apart that a clock which goes back shows alike', () => {
    const twice = [maturing('2026-10-25T00:30:00Z', 'buy', 1), maturing('2026-10-25T01:30:00Z', 'buy', 2)];
    const { days } = maturityLadder(twice, at('2026-10-24T09:00:00Z', 'Europe/London'), HOLIDAYS);
    expect(days.flatMap(({ hours }) => hours).map(({ hour, from }) => [hour, from])).toEqual([
      [1, '2026-10-25T00:00:00Z'],
      [1, '2026-10-25T01:00:00Z'],
    ]);
  });

  it('of no hedges has no days', () => {
    const { days, total } = maturityLadder([], at('2026-12-23T09:00:00Z', 'UTC'), HOLIDAYS);
    expect([days, total.buy_usd.toFixed(), total.hedges]).toEqual([[], '0', 0]);
  });

  it('loses and counts nothing twice, in any zone', () => {
    const hedge = fc
      .tuple(fc.integer({ min: 0, max: 8 * 86_400 }), fc.boolean(), fc.integer({ min: 1, max: 10 ** 9 }))
      .map(
        ([after, isBuy, cents]): MaturingHedge => ({
          side: isBuy ? 'buy' : 'sell',
          notional: new Big(cents).div(100),
          maturesMs: Date.parse('2026-10-22T00:00:00Z') + after * 1_000,
        }),
      );
    const zone = fc.constantFrom('UTC', 'Africa/Lagos', 'Europe/London', 'Asia/Kolkata', 'America/St_Johns');
    fc.assert(
      fc.property(fc.array(hedge, { maxLength: 20 }), zone, (all, where) => {
        const { days, total } = maturityLadder(all, at('2026-10-21T00:00:00Z', where), HOLIDAYS);
        const hours = days.flatMap((day) => day.hours);
        const summed = (part: 'buy_usd' | 'sell_usd', of: readonly MaturingSum[]): string =>
          of.reduce((sum, each) => sum.plus(each[part]), new Big(0)).toFixed();
        for (const side of ['buy_usd', 'sell_usd'] as const)
          expect([summed(side, hours), summed(side, days)]).toEqual([
            total[side].toFixed(),
            total[side].toFixed(),
          ]);
        expect(hours.reduce((count, each) => count + each.hedges, 0)).toBe(all.length);
        expect(hours.map(({ from }) => from)).toEqual(hours.map(({ from }) => from).toSorted());
      }),
    );
  });
});

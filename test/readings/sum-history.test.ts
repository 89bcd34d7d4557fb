import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClosedHedge } from '../../src/client/schemas.ts';
import { sumHistory } from '../../src/readings/sum-history.ts';

const closed = (at: string | undefined, net: string, more: Partial<ClosedHedge> = {}): ClosedHedge => ({
  net_pnl_usd: new Big(net),
  ...(at === undefined ? {} : { closed_at: at }),
  ...more,
});

describe('sums of closed hedges', () => {
  it('are exact, newest period first, those without a time last', async () => {
    const records = [
      closed('2026-11-20T23:30:00Z', '0.1', { fees_usdc: new Big('0.2') }),
      closed('2026-11-20T22:59:59Z', '0.2', { fees_usdc: '0.10' }),
      closed('2026-11-20T10:00:00Z', '-0.000001'),
      closed(undefined, '7'),
    ];
    const { groups, total, zone } = await sumHistory(records, { by: 'day', zone: 'Africa/Lagos' });
    expect(zone).toBe('Africa/Lagos');
    expect(groups.map(({ name, count, sums }) => [name, count, sums.net_pnl_usd?.toFixed()])).toEqual([
      ['2026-11-21', 1, '0.1'],
      ['2026-11-20', 2, '0.199999'],
      [null, 1, '7'],
    ]);
    expect(groups[0]).toMatchObject({ from: '2026-11-20T23:00:00Z', until: '2026-11-21T23:00:00Z' });
    expect(total.sums.net_pnl_usd?.toFixed()).toBe('7.299999');
    expect(total.sums.fees_usdc?.toFixed()).toBe('0.3');
  });

  it('say of each figure how many records lack it, and are null where none has it', async () => {
    const records = [
      closed('2026-11-20T10:00:00Z', '1', { carry_usdc: new Big(2), fees_usdc: 'free' }),
      closed('2026-11-20T11:00:00Z', '1'),
    ];
    const { total } = await sumHistory(records, { by: 'month', zone: 'UTC' });
    expect(total.lacking).toEqual({
      notional_usd: 2,
      gross_pnl_usd: 2,
      carry_usdc: 1,
      fees_usdc: 2,
      net_pnl_usd: 0,
    });
    expect(total.sums.fees_usdc).toBeNull();
    expect(total.sums.carry_usdc?.toFixed()).toBe('2');
  });

  it('by market or side are in the order of their names, and know no zone', async () => {
    const records = [
      closed('2026-11-20T10:00:00Z', '1', { side: 'sell' }),
      closed('2026-11-20T10:00:00Z', '2', { side: 'buy' }),
      closed('2026-11-20T10:00:00Z', '3', { side: 7 }),
    ];
    const { groups, zone } = await sumHistory(records, { by: 'side', zone: 'UTC' });
    expect(zone).toBeNull();
    expect(groups.map(({ name }) => name)).toEqual(['buy', 'sell', null]);
  });

  it('of the groups add up to the total, whatever was closed', async () => {
    const cents = fc.integer({ min: -1_000_000_00, max: 1_000_000_00 }).map((n) => new Big(n).div(100));
    const moment = fc.date({ min: new Date('2025-01-01'), max: new Date('2027-01-01'), noInvalidDate: true });
    const record = fc.record({ net_pnl_usd: cents, closed_at: moment.map((at) => at.toISOString()) });
    const by = fc.constantFrom('day', 'week', 'month');
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 40 }), by, async (records, period) => {
        const { groups, total } = await sumHistory(records, { by: period, zone: 'Europe/London' });
        const nets = groups.map(({ sums }) => sums.net_pnl_usd ?? new Big(0));
        const whole = nets.reduce((one, other) => one.plus(other), new Big(0));
        expect(whole.eq(total.sums.net_pnl_usd ?? 0)).toBe(true);
        expect(groups.reduce((count, group) => count + group.count, 0)).toBe(records.length);
        for (const { closed_at: at } of records)
          expect(
            groups.some(
              ({ from = '', until = '' }) =>
                Date.parse(from) <= Date.parse(at) && Date.parse(at) < Date.parse(until),
            ),
          ).toBe(true);
      }),
    );
  });
});

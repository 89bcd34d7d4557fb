import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holidayTable } from '../../src/domain/business-days.ts';
import {
  formatRelative,
  formatTime,
  isKnownZone,
  restDayOf,
  restDaysNote,
} from '../../src/domain/zone-times.ts';
import { type Cell } from '../../src/output/cells.ts';
import { cellOf, labelOf } from '../../src/output/field-labels.ts';
import { type CellFormat, cellText } from '../../src/output/format.ts';

const NOW = Date.parse('2026-11-20T09:02:11Z');
const spelling: CellFormat = { zone: 'Africa/Lagos', now: NOW, unicode: true };
const spelled = (cell: Cell, how: Partial<CellFormat> = {}): string =>
  cellText(cell, { ...spelling, ...how });

describe('a hash', () => {
  const hash = '0x262044ad67b18501a270536ee0ca38184e8cf60c1d08d8fb817be148762d6a84';

  it('is shortened on a terminal, and in full with -v and in a pipe', () => {
    expect(spelled({ kind: 'hash', text: hash })).toBe('0x2620...6a84');
    expect(spelled({ kind: 'hash', text: '0x9f31c2' })).toBe('0x9f31c2');
    expect(spelled({ kind: 'hash', text: hash }, { verbose: true })).toBe(hash);
    expect(spelled({ kind: 'hash', text: hash }, { iso: true })).toBe(hash);
  });
});

describe('money', () => {
  it.each([
    ['50000', '50,000.00'],
    ['0', '0.00'],
    ['-0', '0.00'],
    ['999', '999.00'],
    ['1000', '1,000.00'],
    ['76628129.4', '76,628,129.40'],
    ['-1234.5', '-1,234.50'],
    ['0.000001', '0.000001'],
    ['172.505', '172.505'],
    ['12345678901234567.89', '12,345,678,901,234,567.89'],
    ['-0.004', '-0.004'],
    ['1e3', '1,000.00'],
    ['1e400', '1e+400'],
  ])('%s is %s, with every digit and none made up', (amount, text) => {
    expect(spelled({ kind: 'money', amount })).toBe(text);
    expect(spelled({ kind: 'money', amount: new Big(amount) })).toBe(text);
  });

  it.each([
    ['12.5', '+12.50'],
    ['-12.5', '-12.50'],
    ['0', '0.00'],
    ['-0', '0.00'],
  ])('signed, %s is %s: nothing has no sign', (amount, text) => {
    expect(spelled({ kind: 'money', amount, signed: true })).toBe(text);
  });

  it('names its unit behind it', () => {
    expect(spelled({ kind: 'money', amount: '5050', unit: 'USDC' })).toBe('5,050.00 USDC');
  });

  it('is never another amount than the one that came', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(9), (integer, decimals) => {
        const amount = new Big(integer.toString()).times(new Big(10).pow(-decimals));
        const back = new Big(spelled({ kind: 'money', amount, signed: true }).replace(/[,+]/g, ''));
        expect(back.eq(amount)).toBe(true);
      }),
    );
  });

  it('that is no number is shown as it came, harmless', () => {
    expect(spelled({ kind: 'money', amount: 'NaN\u001b[2J' })).toBe('NaN\ufffd');
    expect(spelled({ kind: 'money', amount: Number.NaN })).toBe('NaN');
  });
});

describe('other cells', () => {
  it.each([
    [{ kind: 'rate', amount: '1532.5' }, '1,532.50'],
    [{ kind: 'rate', amount: '1532.56789' }, '1,532.56789'],
    [{ kind: 'percent', amount: '0.05' }, '0.05 %'],
    [{ kind: 'percent', amount: '0.28', signed: true }, '+0.28 %'],
    [{ kind: 'percent', amount: '-0.02', signed: true }, '-0.02 %'],
    [{ kind: 'number', amount: '34.5', unit: 'bps' }, '34.5 bps'],
    [{ kind: 'number', amount: '12000' }, '12,000'],
    [{ kind: 'missing' }, '—'],
    [{ kind: 'text', text: 'a\nb\u202ec' }, 'a b\ufffdc'],
    [{ kind: 'time', at: '2026-11-21T09:02:11Z', style: 'date', matures: true }, 'Sat 21 Nov (!)'],
    [{ kind: 'time', at: '2026-11-20T22:30:00Z', style: 'date', matures: true }, 'Fri 20 Nov'],
    [{ kind: 'time', at: '2026-11-20T23:30:00Z', style: 'date', matures: true }, 'Sat 21 Nov (!)'],
    [{ kind: 'time', at: '2026-11-22T23:30:00Z', style: 'date', matures: true }, 'Mon 23 Nov'],
    [{ kind: 'time', at: '2026-11-20T22:30:00Z', style: 'short' }, '20 Nov 23:30'],
    [{ kind: 'time', at: '2025-11-20T22:30:00Z', style: 'short' }, '20 Nov 2025 23:30'],
    [{ kind: 'money', amount: '1.2', word: 'paid', unit: 'USDC' }, 'paid 1.20 USDC'],
    [{ kind: 'time', at: 'soon\u0007' }, 'soon\ufffd'],
  ] as [Cell, string][])('%o is %s', (cell, text) => {
    expect(spelled(cell)).toBe(text);
  });

  it.each([
    [{ kind: 'missing' }, '-'],
    [{ kind: 'text', text: 'a · b — c… “d” → é Ọ̀yọ́' }, 'a | b - c... "d" -> e Oyo'],
    [{ kind: 'text', text: 'ナイラ ₦ \u009b' }, '??? ? ?'],
  ] as [Cell, string][])('without letters beyond ASCII %o is %s', (cell, text) => {
    expect(spelled(cell, { unicode: false })).toBe(text);
  });

  it('leaves no byte beyond ASCII on a terminal that shows none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(spelled({ kind: 'text', text }, { unicode: false })).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });
});

describe('time', () => {
  it.each([
    ['2026-11-20T09:02:11Z', 'Africa/Lagos', 'second', 'Fri 20 Nov 10:02:11 WAT'],
    ['2026-11-20T09:02:11.789Z', 'UTC', 'second', 'Fri 20 Nov 09:02:11 UTC'],
    ['2026-11-20T09:02:11Z', 'UTC', 'minute', 'Fri 20 Nov 09:02 UTC'],
    ['2026-11-20T23:30:00Z', 'Africa/Lagos', 'date', 'Sat 21 Nov'],
    ['2026-09-01T00:00:00Z', 'UTC', 'date', 'Tue 1 Sep'],
    ['2027-01-04T08:00:00Z', 'UTC', 'minute', 'Mon 4 Jan 2027 08:00 UTC'],
    ['2026-11-20T10:02:11+01:00', 'UTC', 'second', 'Fri 20 Nov 09:02:11 UTC'],
    ['2026-11-20T09:02:11', 'UTC', 'second', 'Fri 20 Nov 09:02:11 UTC'],
    ['2026-11-20', 'UTC', 'date', 'Fri 20 Nov'],
    ['2026-07-01T09:00:00Z', 'Europe/London', 'minute', 'Wed 1 Jul 10:00 BST'],
    ['2026-11-20T00:00:00Z', 'America/New_York', 'minute', 'Thu 19 Nov 19:00 EST'],
    ['2026-11-20T09:02:11Z', 'Nowhere/Land', 'minute', 'Fri 20 Nov 09:02 UTC'],
  ] as const)('%s in %s by the %s is %s', (at, zone, style, text) => {
    expect(formatTime(at, { zone, now: NOW }, style)).toBe(text);
  });

  it.each(['', 'tomorrow', '2026-13-45T00:00:00Z', '20', '1700000000'])('%j is no instant', (at) => {
    expect(formatTime(at, { zone: 'UTC', now: NOW })).toBeUndefined();
    expect(formatRelative(at, NOW)).toBeUndefined();
  });

  it('knows the weekend of the zone, not of UTC', () => {
    const isRestDay = (at: string, zone: string): boolean => restDayOf({ at }, { zone }) !== undefined;
    expect(isRestDay('2026-11-20T23:30:00Z', 'UTC')).toBe(false);
    expect(isRestDay('2026-11-20T23:30:00Z', 'Africa/Lagos')).toBe(true);
    expect(isRestDay('2026-11-22T12:00:00Z', 'UTC')).toBe(true);
    expect(isRestDay('2026-11-22T23:30:00Z', 'Africa/Lagos')).toBe(false);
  });

  it('knows a public holiday of the zone, and takes that of a file before its own', () => {
    const inLagos = { zone: 'Africa/Lagos', holidayOf: holidayTable().nameOf };
    const friday = '2026-12-24T23:30:00Z';
    expect(restDayOf({ at: friday }, inLagos)).toEqual({ holiday: 'Christmas Day' });
    expect(restDayOf({ at: friday }, { ...inLagos, zone: 'UTC' })).toBeUndefined();
    expect(restDayOf({ at: friday, holiday: null }, inLagos)).toBeUndefined();
    expect(restDayOf({ at: '2026-12-08T09:00:00Z', holiday: 'Own day' }, inLagos)).toEqual({
      holiday: 'Own day',
    });
  });

  it('explains the mark of a date', () => {
    expect(restDaysNote([], true)).toBe('(!) Weekend.');
    expect(restDaysNote(['Fri 25 Dec, Christmas Day'], false)).toBe(
      '(!) Public holiday: Fri 25 Dec, Christmas Day.',
    );
    expect(restDaysNote(['Fri 25 Dec, Christmas Day', 'Sat 26 Dec, Boxing Day'], true)).toBe(
      '(!) Weekend, or public holiday: Fri 25 Dec, Christmas Day; Sat 26 Dec, Boxing Day.',
    );
  });

  it('knows which zones there are', () => {
    expect([isKnownZone('Africa/Lagos'), isKnownZone('Lagos'), isKnownZone('')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['2026-11-22T12:59:00Z', 'in 2 d 3 h'],
    ['2026-11-20T09:02:11Z', 'now'],
    ['2026-11-20T08:57:30Z', '4 min ago'],
    ['2026-11-20T09:02:23Z', 'in 12 s'],
    ['2026-11-20T11:02:11Z', 'in 2 h'],
    ['2026-11-19T08:02:11Z', '1 d 1 h ago'],
    ['2026-11-23T09:02:10Z', 'in 2 d 23 h'],
  ])('%s is %s', (at, text) => {
    expect(formatRelative(at, NOW)).toBe(text);
  });
});

describe('an unspecified field', () => {
  it.each([
    ['swap_fee_usd', new Big('12.5'), '12.50', 'Swap fee (USD)'],
    ['rebate_usdc', new Big('-3'), '-3.00', 'Rebate (USDC)'],
    ['rebate_usdc', '3.10', '3.10', 'Rebate (USDC)'],
    ['gross_pnl_usd', new Big('1'), '1.00', 'Gross P&L (USD)'],
    ['haircut_pct', new Big('0.5'), '0.50 %', 'Haircut (%)'],
    ['slippage_bps', new Big('1.5'), '1.5', 'Slippage (bps)'],
    ['fixing_rate', new Big('1530'), '1,530.00', 'Fixing rate'],
    ['markPrice', new Big('1530.123'), '1,530.123', 'Mark price'],
    ['legs', new Big('2'), '2', 'Legs'],
    ['count', 12_000, '12,000', 'Count'],
    ['settled_at', '2026-11-23T09:02:11Z', 'Mon 23 Nov 10:02 WAT', 'Settled'],
    ['maturity', '2026-11-23T09:02:11Z', 'Mon 23 Nov 10:02 WAT', 'Maturity'],
    ['settled_at', 'pending', 'pending', 'Settled'],
    ['hedged', true, 'yes', 'Hedged'],
    ['hedged', false, 'no', 'Hedged'],
    ['note', 'a\u001b[2Jb', 'a\ufffdb', 'Note'],
    ['deal_ref', '12345', '12345', 'Deal ref'],
    ['parts', [new Big('1.5'), 'x'], '[1.5,"x"]', 'Parts'],
    ['sides', { buy: new Big('0.10') }, '{"buy":0.1}', 'Sides'],
    ['note', null, '—', 'Note'],
    ['note', undefined, '—', 'Note'],
    ['_usd', new Big('1'), '1', 'USD'],
    ['__proto__', 'x', 'x', 'Proto'],
  ] as [string, unknown, string, string][])('%s: %s is shown as %s under %s', (field, value, text, label) => {
    expect(spelled(cellOf(field, value))).toBe(text);
    expect(labelOf(field)).toBe(label);
  });
});

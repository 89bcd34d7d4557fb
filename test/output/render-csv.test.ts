import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { renderCsv } from '../../src/output/render-csv.ts';
import { csvLines, readCsv } from '../support/csv.ts';

const csvOf = (columns: readonly string[], ...records: readonly unknown[]): string =>
  renderCsv({ columns, records }, { harmless: false });

/** One text, written and read back. */
const through = (text: string): string | undefined => readCsv(csvOf(['note'], { note: text }))[0]?.['note'];

describe('a list as CSV', () => {
  it('has its declared columns in their order, sent or not, and the others behind them', () => {
    const csv = csvOf(['id', 'side', 'notional_usd'], { desk: 'Lagos', id: 'h1' }, { id: 'h2', fee: true });
    expect(csv).toBe('id,side,notional_usd,desk,fee\r\nh1,,,Lagos,\r\nh2,,,,true\r\n');
  });

  it('is the line of names alone where nothing fits', () => {
    expect(csvOf(['id', 'side'])).toBe('id,side\r\n');
  });

  it('names what lies in a group of declared figures by the way to it', () => {
    const record = { refusal: { code: 'x', details: { cap: new Big(5) } } };
    expect(csvLines(csvOf(['refusal.code', 'refusal.details.cap'], record))).toEqual([
      ['refusal.code', 'refusal.details.cap'],
      ['x', '5'],
    ]);
    expect(csvLines(csvOf(['refusal.code'], record))).toEqual([
      ['refusal.code', 'refusal.details'],
      ['x', '{"cap":5}'],
    ]);
  });

  it('keeps lists and every other object whole, so that ids in it make no columns', () => {
    const record = { ended_as: { hdg_1: new Big(5), hdg_2: null }, next: ['a', 'b'], none: {} };
    expect(csvLines(csvOf([], record))).toEqual([
      ['ended_as', 'next', 'none'],
      ['{"hdg_1":5,"hdg_2":null}', '["a","b"]', '{}'],
    ]);
  });

  it('opens of what a query picked the groups that the list itself has', () => {
    const csv = renderCsv(
      { columns: [], records: [{ id: 'h1', pricing: { mid: 1 }, other: { a: 1 } }], like: ['pricing.mid'] },
      { harmless: false },
    );
    expect(csv).toBe('id,pricing.mid,other\r\nh1,1,"{""a"":1}"\r\n');
  });

  it('has no column of its own for a group that is null or empty in some records', () => {
    const csv = csvOf(['id', 'refusal.code'], { id: 'h1', refusal: null }, { id: 'h2', refusal: {} });
    expect(csv).toBe('id,refusal.code\r\nh1,\r\nh2,\r\n');
  });

  it('tells a name with a dot in it from a way to a field', () => {
    const csv = csvOf([String.raw`a\.b`, 'a.b'], { 'a.b': 1, a: { b: 2 } });
    expect(csvLines(csv)).toEqual([
      [String.raw`a\.b`, 'a.b'],
      ['1', '2'],
    ]);
  });

  it.each([
    ['1530.1234567890123456789', '1530.1234567890123456789'],
    ['-0.000000000000000001', '-0.000000000000000001'],
    ['1e3', '1000'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ])('writes the figure %s with every digit', (sent, written) => {
    expect(csvOf(['price'], { price: new Big(sent) })).toBe(`price\r\n${written}\r\n`);
  });

  it.each([
    ['2026-11-20T10:02:59+01:00', '2026-11-20T09:02:59.000Z'],
    ['2026-11-20T09:02:59Z', '2026-11-20T09:02:59Z'],
    ['2026-11-20T09:02:59.123456Z', '2026-11-20T09:02:59.123456Z'],
    ['soon', 'soon'],
  ])('writes the time %s in UTC', (sent, written) => {
    expect(csvOf(['opened_at'], { opened_at: sent })).toBe(`opened_at\r\n${written}\r\n`);
  });
});

describe('a cell', () => {
  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '=cmd|"/C calc"!A0', '-'])(
    'with the text %j cannot be a formula',
    (text) => {
      expect(through(text)).toBe(`'${text}`);
    },
  );

  it.each(["'=1", "''+1", "'-"])(
    'with the guarded text %j can be distinguished from one that was guarded',
    (text) => {
      expect(through(text)).toBe(`'${text}`);
    },
  );

  it.each([
    'PAY-8841',
    'a=b',
    "'PAY",
    "''",
    '',
    ' =1',
    'a,b',
    'say "hi"',
    'two\nlines',
    'two\r\nlines',
    'a\rb',
  ])('with the text %j is read back as it was', (text) => {
    expect(through(text)).toBe(text);
  });

  it.each([
    [new Big('-12.25'), '-12.25'],
    [-3, '-3'],
    ['-12.25', '-12.25'],
  ])('with the figure %j keeps its minus', (sent, written) => {
    expect(csvOf(['net_pnl_usd'], { net_pnl_usd: sent })).toBe(`net_pnl_usd\r\n${written}\r\n`);
  });

  it('that names a column cannot be a formula either', () => {
    expect(csvLines(csvOf([], { '=HYPERLINK("x")': 1 }))[0]).toEqual(['\'=HYPERLINK("x")']);
  });

  it.each([
    ['a\u001b[2Jb', 'a\ufffd[2Jb'],
    ['a\u0000b', 'a\ufffdb'],
    ['\u009b31mfailed\u007f', '\ufffd31mfailed\ufffd'],
    ['order \u202e00.001', 'order \ufffd00.001'],
    ['a\u0000=1', 'a\ufffd=1'],
    ['\u0000=1', '\ufffd=1'],
    ['two\nlines\tof Ọlá 💶', 'two\nlines\tof Ọlá 💶'],
  ])('with %j has in a pipe, too, nothing that a terminal acts on', (sent, written) => {
    expect(through(sent)).toBe(written);
    const table = { columns: [sent], records: [{ [sent]: [sent] }] };
    for (const harmless of [true, false])
      expect(renderCsv(table, { harmless })).not.toMatch(/(?![\t\n\r])[\p{Cc}\u202e]/u);
  });
});

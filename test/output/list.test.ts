import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { text } from '../../src/output/cells.ts';
import { firstIfSame, listOf, resource } from '../../src/output/list.ts';
import { renderCsv } from '../../src/output/render-csv.ts';

interface Fee {
  id: string;
  paid: Big;
  note?: string;
  by?: { name: string; host: string };
}

const FEES: readonly Fee[] = [
  { id: 'fee_1', paid: new Big('1.50'), note: 'close', by: { name: 'Ada', host: 'desk' } },
  { id: 'fee_2', paid: new Big('2.25') },
];

const fees = listOf<Fee>()(
  [
    { name: 'id', header: 'Fee', isId: true },
    { name: 'cost.paid_usdc', header: 'Paid', of: ({ paid }) => paid, isSum: true },
    { name: 'note', header: 'Note', show: ({ note = 'none' }) => text(note) },
    { name: 'by', parts: ['name', 'host'] },
  ],
  { key: ['id'], screen: 'note id cost.paid_usdc' },
);

const shown = (rows: readonly Fee[], total?: Fee): readonly (readonly unknown[])[] => {
  const { columns, rows: cells } = fees.block(rows, total === undefined ? {} : { total });
  return [columns.map(({ header }) => header), ...cells];
};

describe('a list that is declared once', () => {
  it('gives the records of a document, with its groups, and null where a row lacks a field', () => {
    expect(fees.document(FEES)).toEqual([
      { id: 'fee_1', cost: { paid_usdc: new Big('1.50') }, note: 'close', by: { name: 'Ada', host: 'desk' } },
      { id: 'fee_2', cost: { paid_usdc: new Big('2.25') }, note: null, by: null },
    ]);
  });

  it('gives CSV in the order of its fields, the parts of a group as columns', () => {
    expect(renderCsv(fees.table(FEES), { harmless: true })).toBe(
      'id,cost.paid_usdc,note,by.name,by.host\r\nfee_1,1.5,close,Ada,desk\r\nfee_2,2.25,,,\r\n',
    );
  });

  it('shows the fields with a header, in the order of the screen', () => {
    expect(shown(FEES)).toEqual([
      ['NOTE', 'FEE', 'PAID'],
      [text('close'), text('fee_1'), { kind: 'money', amount: new Big('1.5') }],
      [text('none'), text('fee_2'), { kind: 'money', amount: new Big('2.25') }],
    ]);
  });

  it('has the sums of a total in its last row, and nothing else of it', () => {
    const total = { id: 'all', paid: new Big('3.75') };
    expect(shown(FEES, total).at(-1)).toEqual([
      text('Total', 'strong'),
      text(''),
      { kind: 'money', amount: new Big('3.75') },
    ]);
  });

  it('names a row of a watch by its key', () => {
    expect(fees.lines(FEES).map(({ key }) => key)).toEqual(['fee_1', 'fee_2']);
    expect(listOf<Fee>()(['id']).changes).toBeUndefined();
  });

  it('is found in the result of a command', () => {
    const within = fees.within((value: { fees: readonly Fee[] }) => value.fees);
    expect(within.document({ fees: FEES })).toEqual(fees.document(FEES));
    expect(within.columns).toBe(fees.columns);
  });

  it('refuses an order of the screen with a field that it does not have', () => {
    expect(() => listOf<Fee>()(['id'], { screen: 'paid' })).toThrow('no field paid');
  });
});

describe('a list of records as the service sent them', () => {
  const sent = listOf<Readonly<Record<string, unknown>>>()(
    [
      { name: 'market', header: 'Market', optional: firstIfSame(({ market }) => market) },
      { name: 'units', header: 'Units' },
    ],
    { isSent: true },
  );

  it('leaves out what no record has, and shows what is not known after the others', () => {
    const { columns } = sent.block([{ market: 'A', lately_added: 1 }]);
    expect(columns.map(({ header }) => header)).toEqual(['MARKET', 'LATELY ADDED']);
  });

  it('hides a field early where all have the same', () => {
    const hidden = (...markets: readonly string[]): unknown =>
      sent.block(markets.map((market) => ({ market }))).columns[0]?.optional;
    expect(hidden('A', 'A')).toBe('first');
    expect(hidden('A', 'B')).toBe('last');
  });
});

describe('a reading of one resource', () => {
  const account = resource<{ balance_usdc: Big; open?: number }>('account')([
    { name: 'balance_usdc', header: 'Balance' },
    { name: 'open', header: 'Open' },
  ]);
  const read = { balance_usdc: new Big(5) };

  it('is its document as it was sent, one record of CSV, and each field with a dash where it is missing', () => {
    expect(account.document(read)).toBe(read);
    expect(account.table(read)).toEqual({ columns: ['balance_usdc', 'open'], records: [read] });
    expect(account.view(read)).toEqual([
      {
        kind: 'pairs',
        pairs: [
          { name: 'Balance', field: 'balance_usdc', value: [{ kind: 'money', amount: new Big(5) }] },
          { name: 'Open', field: 'open', value: [{ kind: 'missing' }] },
        ],
      },
    ]);
  });

  it('is one line of a watch', () => {
    expect(account.lines(read).map(({ key }) => key)).toEqual(['account']);
  });
});

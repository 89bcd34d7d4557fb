/** A deals file as `hedge cover` writes it, and as people save it from a spreadsheet. */
import { describe, expect, it } from 'vitest';
import { type DealRow, readDeals } from '../../src/args/deals-file.ts';
import { hintText } from '../../src/domain/hint.ts';
import { UsageError } from '../../src/errors.ts';
import { renderCsv } from '../../src/output/render-csv.ts';

const HEADER = 'deal_id,market,side,notional_usd,tenor_days,worst_price,max_cost_bps,note';
const read = (...lines: readonly string[]) => readDeals([HEADER, ...lines].join('\n'), 'deals.csv');

function wrong(content: string): UsageError {
  try {
    readDeals(content, 'deals.csv');
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('it was read');
}
function wrongRows(...lines: readonly string[]): string {
  const { what, hint } = wrong([HEADER, ...lines].join('\n'));
  return `${what}\n${hintText(hint)}`;
}

/** `10000` in USD, `NGN 800000000` in naira. */
const sizeOf = ({ size }: DealRow): string =>
  'ngn' in size ? `NGN ${size.ngn.toFixed()}` : size.notional.toFixed();

describe('a deals file', () => {
  it('has one open for each row, with its line', () => {
    const { deals, ignored } = read(
      'PAY-1,usdtngn,BUY,"10,000.00",3,"1,535.50",,invoice 1',
      '',
      'PAY-2,,sell,25k,1d,,42.5,',
    );
    expect(deals).toMatchObject([
      { line: 2, dealId: 'PAY-1', market: 'USDTNGN', side: 'buy', tenor: 3, note: 'invoice 1' },
      { line: 4, dealId: 'PAY-2', market: undefined, side: 'sell', tenor: 1, note: undefined },
    ]);
    expect(deals.map(sizeOf)).toEqual(['10000', '25000']);
    expect(deals[0]?.bounds.worstPrice?.toFixed()).toBe('1535.5');
    expect(deals[1]?.bounds.maxCostBps?.toFixed()).toBe('42.5');
    expect(ignored).toEqual([]);
  });

  it.each(['@9102', '=9102', '+A-1', '-A-1', "'@9102", 'PAY-1', "'PAY-1"])(
    'has the deal ID %s as it was before CSV guarded it from spreadsheets',
    (dealId) => {
      const record = { deal_id: dealId, side: 'buy', notional_usd: '10', tenor_days: '3', note: dealId };
      const csv = renderCsv({ columns: Object.keys(record), records: [record] }, { harmless: false });
      expect(readDeals(csv, 'deals.csv').deals).toMatchObject([{ dealId, note: dealId }]);
    },
  );

  it.each([
    ['deal_id,market,side,tenor_days,notional_usd,note', 'PAY-1,USDTNGN,buy,3,10,000'],
    ['deal_id,side,tenor_days,notional_usd,max_cost_bps', 'PAY-1,buy,3,10,250'],
    ['deal_id,side,tenor_days,ngn,note', 'PAY-1,buy,3,45,000'],
    ['deal_id,side,tenor_days,notional_usd,worst_price', 'PAY-1,sell,3,10,500.00'],
  ])('with %s takes no thousands for a cell of their own', (header, row) => {
    expect(wrong(`${header}\n${row}\n`).what).toContain('quotation marks');
  });

  it('with decimal commas has its sizes and limits', () => {
    const { deals } = readDeals(
      'deal_id;side;tenor_days;notional_usd;worst_price;max_cost_bps\nA;buy;3;39.432,03;1.535,5;27,5\n',
      'x',
    );
    expect(deals.map(sizeOf)).toEqual(['39432.03']);
    expect(deals[0]?.bounds.worstPrice?.toFixed()).toBe('1535.5');
    expect(deals[0]?.bounds.maxCostBps?.toFixed()).toBe('27.5');
  });

  it('has a size below a thousand with a limit behind it, where the size has its decimals', () => {
    const { deals } = readDeals(
      'deal_id,side,tenor_days,notional_usd,max_cost_bps\nA,buy,3,500.00,100\n',
      'x',
    );
    expect(deals.map(sizeOf)).toEqual(['500']);
    expect(deals[0]?.bounds.maxCostBps?.toFixed()).toBe('100');
  });

  it.each([
    [
      'semicolons and a byte order mark',
      '\ufeffdeal_id;side;notional_usd;tenor_days\r\nA;buy;"10,000.00";3\r\n',
    ],
    ['tabs', 'deal_id\tside\tnotional_usd\ttenor_days\nA\tbuy\t10,000.00\t3\n'],
    ['the first line of Excel', 'sep=;\r\ndeal_id;side;notional_usd;tenor_days\r\nA;buy;10000;3\r\n'],
    [
      'columns in another order, and names as people write them',
      'Tenor days,Notional USD,Side,Deal ID\n3,10_000,buy,A\n',
    ],
    ['further columns', 'deal_id,side,notional_usd,tenor_days,customer\nA,buy,10000,3,ACME\n'],
    ['rows that were emptied', 'deal_id,side,notional_usd,tenor_days\n,,,\nA,buy,10000,3\n,,,\n'],
  ])('is read with %s', (_, content) => {
    const { deals } = readDeals(content, 'deals.csv');
    expect(deals.map((deal) => [deal.dealId, deal.side, deal.tenor, sizeOf(deal)])).toEqual([
      ['A', 'buy', 3, '10000'],
    ]);
  });

  it.each([
    ['deal_id,side,notional,tenor_days\nA,buy,1,3\n', /has no notional_usd/],
    ['', /is empty/],
    ['deal_id,deal_id,side,notional_usd,tenor_days\n', /has deal_id twice/],
  ])('with a wrong header is answered with the right one: %j', (content, says) => {
    const error = wrong(content);
    expect(error.what).toMatch(says);
    expect(hintText(error.hint).split('\n')).toContain(`The header is: ${HEADER}`);
  });

  it('may have no rows: hedge cover writes it so if no deal is missing', () => {
    expect(readDeals(`${HEADER}\n`, 'deals.csv').deals).toEqual([]);
  });

  it('names every wrong row and cell', () => {
    const what = wrongRows(
      'A,,up,1,3,,,',
      'B,,buy,1e5,3,,,',
      'C,,buy,5,2,,,',
      'D,,buy,5,1,x,,',
      ',,buy,5,1,,,',
    );
    expect(what).toMatch(/5 wrong rows/);
    expect(what).toMatch(
      /^Line 2: side: "up" .*\nLine 3: notional_usd: .*\nLine 4: tenor_days: .*\nLine 5: worst_price: /m,
    );
    expect(what).toMatch(/^Line 6: deal_id is empty\.$/m);
  });

  it('counts rows, not cells, and says that no other row was sent', () => {
    const one = wrongRows('A,,buy,5,1,,,', 'B,,up,1e5,2,x,,');
    expect(one).toMatch(/^"deals.csv" has a wrong row, with 4 errors\. No row was sent\.\nLine 3: /);
    expect(wrongRows('A,,up,5,1,,,', 'B,,up,5,1,,,')).toMatch(
      /has 2 wrong rows\. No row was sent\.\nLine 2: .*\nLine 3: /,
    );
    expect(wrongRows('A,,up,5,1,,,')).toMatch(/has a wrong row\. Line 2: .* No row was sent\.\n/);
    expect(wrong('').what).toMatch(/is empty\. No row was sent\.$/);
  });

  it.each([
    ['an amount with a comma that is not quoted', 'A,USDTNGN,buy,10,000.00,3,1535,,x'],
    ['the same, with the last cells left out', 'A,USDTNGN,buy,10,000.00,3'],
    ['ten thousand that may be ten in a file with decimal commas', 'A,USDTNGN,buy,10.000,3,"1.535,5",,'],
    ['ten with three decimals, which may be ten thousand', 'A,USDTNGN,buy,10.000,3,,,'],
    ['a date that Excel made of the tenor', 'A,USDTNGN,buy,100,03/01/2026,,,'],
    ['the number of such a date', 'A,USDTNGN,buy,100,46356,,,'],
    ['a long deal ID that Excel has shortened', '1.23457E+11,USDTNGN,buy,100,3,,,'],
    ['a note that looks like an API key', 'A,USDTNGN,buy,100,3,,,hk_live_forTestsAlone0002'],
  ])('rejects %s', (_, row) => {
    expect(wrongRows(row)).toMatch(/has (a wrong row|\d wrong rows)/);
  });

  it('has each deal ID once, and says where it was before', () => {
    expect(wrongRows('A,,buy,5,1,,,', 'B,,buy,5,1,,,', 'A,,sell,6,3,,,')).toContain(
      'Line 4: the deal ID "A" is on line 2 too.',
    );
  });

  it('names deal IDs that Excel may have made dates of', () => {
    const { dates } = read(
      '12-Mar,,buy,5,1,,,',
      'Mar-26,,buy,5,1,,,',
      'MAR12,,buy,5,1,,,',
      'PAY-12-3,,buy,5,1,,,',
    );
    expect(dates).toEqual(['12-Mar', 'Mar-26']);
  });

  it('has sizes in naira as people write them, in one column or next to those in USD', () => {
    const rows = [
      'deal_id,market,side,NGN,Notional USD,tenor_days',
      'A,,buy,800m,,3',
      'B,USDTNGN,sell,"800,000,000.00",,1',
      'C,,buy,,25k,3',
      'D,,buy,1.2bn,,7',
    ];
    expect(readDeals(rows.join('\n'), 'deals.csv').deals.map(sizeOf)).toEqual([
      'NGN 800000000',
      'NGN 800000000',
      '25000',
      'NGN 1200000000',
    ]);
    const alone = readDeals('deal_id,side,ngn,tenor_days\nA,buy,900000,3\n', 'deals.csv');
    expect(alone.deals.map(sizeOf)).toEqual(['NGN 900000']);
  });

  it.each([
    ['both sizes', 'A,,buy,5k,800m,3', 'Line 2: it has notional_usd and ngn: give one of them.'],
    ['no size', 'A,,buy,,,3', 'Line 2: it has no size: give notional_usd or ngn.'],
    ['three decimals', 'A,,buy,,800.000,3', 'ngn: "800.000" is not an amount in naira.'],
    ['a unit of another desk', 'A,,buy,,800mm,3', 'ngn: "800mm" is not an amount in naira.'],
    ['nothing', 'A,,buy,,0,3', 'ngn: "0" is not an amount in naira.'],
    ['another currency', 'A,USDTKES,buy,,800m,3', 'ngn: USDTKES is not quoted in naira.'],
    ['a comma that is not quoted', 'A,,buy,,800,000,000,3', 'more cells than the header'],
  ])('names a row with %s', (_, row, says) => {
    expect(wrong(`deal_id,market,side,notional_usd,ngn,tenor_days\n${row}\n`).what).toContain(says);
  });

  it('has at most 2,000 deals', () => {
    const rows = Array.from({ length: 2_001 }, (_, at) => `P${String(at)},,buy,5,1,,,`);
    expect(wrongRows(...rows)).toMatch(/2001 deals; at most 2000/);
  });
});

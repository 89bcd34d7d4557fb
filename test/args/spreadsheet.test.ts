/** What people save from a spreadsheet: delimiters, headers, amounts and dates; and what is rejected. */
import { describe, expect, it } from 'vitest';
import { readExposures, readPolicy } from '../../src/args/cover-options.ts';
import { type DateOrder, dateOrderOf, readDate } from '../../src/args/sheet-dates.ts';
import { readAmount } from '../../src/args/spreadsheet.ts';
import { hintText } from '../../src/domain/hint.ts';
import { HedgeError, UsageError } from '../../src/errors.ts';

const read = (content: string, dates?: DateOrder) => readExposures(content, 'x.csv', dates);
const rowsOf = (content: string) =>
  read(content).exposures.map(({ id, due, ngn, direction, certainty }) => [
    id,
    due,
    ngn.toFixed(),
    direction,
    certainty,
  ]);
const PLAIN =
  'id,due,ngn,direction,certainty\nA,2026-12-14,10000.5,receive,firm\nB,2026-12-15,200,pay,forecast\n';
const ROWS = [
  ['A', '2026-12-14', '10000.5', 'receive', 'firm'],
  ['B', '2026-12-15', '200', 'pay', 'forecast'],
];

function errorOf(act: () => unknown): HedgeError {
  try {
    act();
  } catch (error) {
    if (error instanceof HedgeError) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('exposures', () => {
  it.each<[string, string]>([
    ['as they are', PLAIN],
    ['with a byte order mark and the line ends of Windows', `\ufeff${PLAIN.replaceAll('\n', '\r\n')}`],
    ['with the line ends of an old Mac', PLAIN.replaceAll('\n', '\r')],
    ['with semicolons', PLAIN.replaceAll(',', ';')],
    ['with tabs', PLAIN.replaceAll(',', '\t')],
    ['with the line that names the delimiter', `sep=;\r\n${PLAIN.replaceAll(',', ';')}`],
    ['with quoted amounts', PLAIN.replace('10000.5', '"10,000.50"')],
    ['with semicolons and commas in amounts', PLAIN.replaceAll(',', ';').replace('10000.5', '10,000.50')],
    ['with the sign of the naira', PLAIN.replace('10000.5', '₦10000.5').replace(',200,', ',NGN 200,')],
    ['with receivable and payable', PLAIN.replace('receive', 'Receivable').replace('pay', 'Payable')],
    ['with everything in quotation marks', PLAIN.replaceAll(/[^,\n]+/g, (cell) => `"${cell}"`)],
    ['with capitals and blanks', PLAIN.replace('id,due', ' ID , Due ').replace(',receive', ', Receive ')],
    ['with empty rows at the end', `${PLAIN},,,,\n\n,,,,\n`],
    ['with Excel dates', PLAIN.replace('2026-12-14', '14/12/2026').replace('2026-12-15', '15/12/2026')],
    ["with Excel's numbers of days", PLAIN.replace('2026-12-14', '46370').replace('2026-12-15', '46371')],
    ['with times of midnight', PLAIN.replace('2026-12-14', '2026-12-14 00:00:00')],
    ['with months by name', PLAIN.replace('2026-12-14', '14-Dec-26')],
    [
      'in another order, with a column more',
      'ngn,note,certainty,direction,due,id\n10000.5,hello,firm,receive,2026-12-14,A\n200,,forecast,pay,2026-12-15,B\n',
    ],
  ])('are read %s', (_how, content) => {
    expect(rowsOf(content)).toEqual(ROWS);
  });

  it('name the columns that are not read, and how dates were read', () => {
    expect(read(PLAIN)).toMatchObject({ ignored: [], dateOrder: undefined });
    const file = read('id,due,ngn,direction,certainty,Bank Note\nA,12/14/2026,5,pay,firm,x\n');
    expect(file).toMatchObject({ ignored: ['bank_note'], dateOrder: 'month_first' });
    expect(file.exposures[0]?.due).toBe('2026-12-14');
  });

  it.each<[string, string, readonly string[]]>([
    [
      'a wrong header',
      PLAIN.replace('certainty', 'sure'),
      ['has no certainty', 'id,due,ngn,direction,certainty'],
    ],
    [
      'no header',
      PLAIN.split('\n').slice(1).join('\n'),
      ['has no id, due, ngn', 'id,due,ngn,direction,certainty'],
    ],
    ['a header with a column twice', PLAIN.replace('id,', 'id,id,'), ['has id twice']],
    ['nothing', '', ['is empty', 'id,due,ngn,direction,certainty']],
    ['a header alone', PLAIN.split('\n')[0] ?? '', ['has no exposures']],
    ['a workbook', 'PK\u0003\u0004\u0014\0\0', ['"x.csv" is an Excel workbook, not CSV.', 'CSV UTF-8']],
    ['UTF-16', Buffer.from(PLAIN, 'utf16le').toString('utf8'), ['is not UTF-8', 'CSV UTF-8']],
    ['a quotation mark that stays open', `${PLAIN}"C`, ['quotation mark']],
    ['an id twice', PLAIN.replace('B,', 'A,'), ['Line 3', 'that of line 2']],
    ['no id', PLAIN.replace('A,', ','), ['Line 2: the id is empty']],
    ['a wrong direction', PLAIN.replace('receive', 'in'), ['Line 2: direction "in" is not receive or pay']],
    [
      'a wrong certainty',
      PLAIN.replace('firm', 'sure'),
      ['Line 2: certainty "sure" is not firm or forecast'],
    ],
    ['a date that there is not', PLAIN.replace('2026-12-14', '2026-02-30'), ['Line 2', 'is not a date']],
    ['an amount of zero', PLAIN.replace('10000.5', '0.00'), ['Line 2: the amount is zero']],
    ['a negative amount', PLAIN.replace('10000.5', '-5'), ['Line 2', 'is not an amount']],
    [
      'an amount that is split at its comma',
      PLAIN.replace('10000.5', '10,000.50'),
      ['Line 2', 'quotation marks'],
    ],
    [
      'an amount that is split into a column that is not read',
      'id,due,direction,certainty,ngn,note\nA,2026-12-14,pay,firm,10,000.50\n',
      ['Line 2', 'quotation marks'],
    ],
    ['a formula error', PLAIN.replace('10000.5', '#REF!'), ['Line 2', '"#REF!" is not an amount']],
    [
      'dates that may be either',
      PLAIN.replace('2026-12-14', '03/04/2026'),
      ['Line 2', 'day or month first', 'write 2026-04-03 or 2026-03-04', '--dates'],
    ],
  ])('with %s are answered with what is right', (_what, content, words) => {
    const { what, hint } = errorOf(() => read(content));
    for (const word of words) expect(`${what} ${hintText(hint)}`).toContain(word);
    expect(hintText(hint)).toContain('id,due,ngn,direction,certainty');
  });

  it.each(['$20,000.00', 'USD 20000', '20000 USD'])('say of %s that it is in dollars', (amount) => {
    const { what } = errorOf(() =>
      read(`id,due,ngn,direction,certainty\nR1,2026-12-14,"${amount}",pay,firm`),
    );
    expect(what).toContain(`"${amount}" is in dollars: amounts of this file are naira.`);
  });

  it('name every wrong row in the details', () => {
    const rows = Array.from({ length: 8 }, (_, index) => `R${index.toString()},soon,5,pay,firm`);
    const { what, hint, details } = errorOf(() => read(`id,due,ngn,direction,certainty\n${rows.join('\n')}`));
    expect(what).toContain('8 wrong rows');
    expect(hintText(hint)).toContain('\nAnd 3 more: --json has all of them.\n');
    expect(details).toMatchObject(rows.map((_, index) => ({ line: index + 2 })));
  });
});

describe('a file with decimal commas', () => {
  const amounts = (...texts: readonly string[]) =>
    read(
      [
        'id;due;ngn;direction;certainty',
        ...texts.map((text, at) => `R${at.toString()};2026-12-14;${text};pay;firm`),
      ].join('\n'),
    ).exposures.map(({ ngn }) => ngn.toFixed());

  it.each([
    ['45.000.000,00', '45000000'],
    ['39432,03', '39432.03'],
    ['1.522,68', '1522.68'],
    ['12,5', '12.5'],
    ['0,125m', '125000'],
    ['₦1,5bn', '1500000000'],
    ['NGN 12.000.000', '12000000'],
    ['1,234', '1234'],
    ['1,234.50', '1234.5'],
  ])('reads %s as %s', (text, digits) => {
    expect(amounts(text)).toEqual([digits]);
  });

  it('reads each clear form beside another', () => {
    expect(amounts('45.000,5', '1000', '1234.5', '10,000,000')).toEqual([
      '45000.5',
      '1000',
      '1234.5',
      '10000000',
    ]);
  });

  it.each([
    ['10.000', 'write 10000 or 10,0.'],
    ['1,234', 'write 1234 or 1,2340.'],
    ['1.250bn', 'write 1250bn or 1,25bn.'],
  ])('refuses %s, which may be a thousand there', (text, words) => {
    expect(() => amounts('12,5', text)).toThrow(
      `Line 3: ngn: "${text}" may be a thousand or a decimal, since other amounts of the file have a decimal comma: ${words}`,
    );
  });

  it.each([
    ['12,34,567', 'its comma separates neither thousands nor decimals'],
    ['1,234m', 'Write 1234m or 1.234m'],
    ['1.000,125', '"1.000,125" has a decimal comma. "1000.125" is not an amount'],
  ])('says what is wrong with the comma of %s', (text, words) => {
    expect(() => amounts(text)).toThrow(words);
  });

  it.each(['A,2026-12-14,45.000.000,00,pay,firm', 'A,2026-12-14,39432,03,pay,firm'])(
    'and commas between its cells needs quotation marks: %s',
    (row) => {
      expect(() => read(`id,due,ngn,direction,certainty\n${row}\n`)).toThrow('in quotation marks');
    },
  );

  it('whose decimals are in a column that is not read needs quotation marks', () => {
    expect(() => read('id,due,direction,certainty,ngn,note\nA,2026-12-14,pay,firm,45.000,50\n')).toThrow(
      'in quotation marks',
    );
  });
});

describe('an amount', () => {
  it.each([
    ['800m', '800000000'],
    ['1.5bn', '1500000000'],
    ['250k', '250000'],
    ['10_000', '10000'],
    ['10,000.00', '10000'],
    ['0.01', '0.01'],
  ])('%s is %s naira', (text, digits) => {
    expect(String(readAmount(text))).toBe(digits);
  });

  // The comma is a decimal point in many countries, and 10.000 is ten thousand there.
  it.each([
    '10.000',
    '10000,50',
    '1.000.000,00',
    '10,00',
    '1e6',
    '€500',
    '10 000',
    '0x10',
    '',
    '5.123',
    '9'.repeat(16),
  ])('%j is none', (text) => {
    expect(() => readAmount(text)).toThrow(UsageError);
  });
});

describe('a date', () => {
  it.each<[string, DateOrder | undefined, string]>([
    ['2026-12-14', undefined, '2026-12-14'],
    ['2026/12/14', undefined, '2026-12-14'],
    ['03/04/2026', 'day_first', '2026-04-03'],
    ['03/04/2026', 'month_first', '2026-03-04'],
    ['05/05/2026', undefined, '2026-05-05'],
    // Dots are written with the day first alone.
    ['03.04.2026', undefined, '2026-04-03'],
    ['14 Dec 2026', undefined, '2026-12-14'],
    // Excel counts 1 January 1900 as 1, and 29 February 1900, which there was not: 1 March 1900 is 61.
    ['36526', undefined, '2000-01-01'],
  ])('%s (%s) is %s', (text, order, date) => {
    expect(readDate(text, order)).toBe(date);
  });

  it.each(['14/12/26', '2026-13-01', '31/02/2026', 'tomorrow', '2026-12-14T09:00:00Z', '1234567', ''])(
    '%j is none',
    (text) => {
      expect(() => readDate(text, 'day_first')).toThrow(UsageError);
    },
  );

  it('of a column has one order, if one of them tells', () => {
    expect(dateOrderOf(['03/04/2026', '27/04/2026'])).toBe('day_first');
    expect(dateOrderOf(['03/04/2026', '04/27/2026'])).toBe('month_first');
    expect(dateOrderOf(['03/04/2026'])).toBeUndefined();
    expect(dateOrderOf(['27/04/2026', '04/27/2026'])).toBe('mixed');
  });

  it('names both orders where a file has both', () => {
    const { hint } = errorOf(() =>
      read('id,due,ngn,direction,certainty\nA,27/04/2026,5m,receive,firm\nB,04/27/2026,5m,receive,firm\n'),
    );
    expect(hintText(hint)).toContain(
      '"27/04/2026": some dates of the file have the day first, others the month: write 2026-04-27.',
    );
  });

  it.each<[string, DateOrder, string]>([
    ['27/04/2026', 'month_first', 'the month first (--dates mdy). Write 2026-04-27, or pass --dates dmy.'],
    ['04/27/2026', 'day_first', 'the day first (--dates dmy). Write 2026-04-27, or pass --dates mdy.'],
  ])('%s read with the %s names the option that refuses it', (text, order, words) => {
    expect(() => readDate(text, order)).toThrow(`"${text}" is no date with ${words}`);
  });

  it('whose IDs differ only in letters or zeros is rejected: one exposure would be covered twice', () => {
    expect(() =>
      read(
        'id,due,ngn,direction,certainty\nINV-1,2026-12-20,5m,receive,firm\ninv-1,2026-12-20,5m,receive,firm\n',
      ),
    ).toThrow('the id "inv-1" looks like "INV-1" of line 2');
  });
});

describe('a policy', () => {
  const BUCKET = { from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 };
  const GOOD = { buckets: [BUCKET], before_days: 1, after_days: 1, forecast_weight_pct: 50 };
  const readIt = (policy: unknown) => readPolicy(JSON.stringify(policy), 'p.json');

  it('is read with exact numbers, its buckets in order', () => {
    const later = { ...BUCKET, from_days: 8, to_days: 30, min_pct: 33.3333 };
    const policy = readIt({ ...GOOD, buckets: [later, BUCKET] });
    expect(policy.buckets.map(({ fromDays, minPct }) => [fromDays, minPct.toFixed()])).toEqual([
      [0, '60'],
      [8, '33.3333'],
    ]);
    expect(policy.minNotional.toFixed()).toBe('10');
    expect(readIt({ ...GOOD, min_notional_usd: 1000 }).minNotional.toFixed()).toBe('1000');
  });

  it.each<[unknown, string]>([
    [[], 'must be an object'],
    [{ ...GOOD, before_days: undefined }, 'before_days is missing'],
    [{ ...GOOD, before_day: 1 }, '"before_day" is not one of'],
    [{ ...GOOD, buckets: [] }, 'buckets must be a list'],
    [
      { ...GOOD, buckets: [{ ...BUCKET, target_pct: 50 }] },
      'buckets[0].min_pct, target_pct and max_pct must rise',
    ],
    [{ ...GOOD, buckets: [{ ...BUCKET, from_days: 8 }] }, 'buckets[0].from_days is after to_days'],
    [{ ...GOOD, buckets: [BUCKET, { ...BUCKET, from_days: 7, to_days: 9 }] }, 'overlap at day 7'],
    [{ ...GOOD, buckets: [{ ...BUCKET, min_pct: '60' }] }, 'buckets[0].min_pct must be a number'],
    [{ ...GOOD, buckets: [{ ...BUCKET, min_pct: -1 }] }, 'buckets[0].min_pct must be a number'],
    [
      { ...GOOD, buckets: [{ ...BUCKET, min_pct: 0.6, target_pct: 0.8, max_pct: 1 }] },
      'are in percent: 60, not 0.6',
    ],
    [{ ...GOOD, after_days: 1.5 }, 'after_days must be a whole number'],
    [{ ...GOOD, forecast_weight_pct: 101 }, 'from 0 to 100'],
    [{ ...GOOD, min_notional_usd: 0 }, 'min_notional_usd must be'],
  ])('%j is rejected, with the right form', (policy, words) => {
    const { what, hint } = errorOf(() => readIt(policy));
    expect(what).toContain(words);
    expect(hintText(hint)).toContain('"buckets"');
  });

  it('that is no JSON is rejected', () => {
    expect(errorOf(() => readPolicy('buckets: 1', 'p.json')).what).toContain('is not JSON');
    expect(errorOf(() => readPolicy('['.repeat(100_000), 'p.json')).what).toContain('is not JSON');
  });
});

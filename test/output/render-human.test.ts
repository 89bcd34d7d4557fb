import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/domain/text-width.ts';
import { type Block, line } from '../../src/output/blocks.ts';
import { type Cell, message, missing, text } from '../../src/output/cells.ts';
import { type HumanView, renderHuman } from '../../src/output/render-human.ts';
import { aQuarter } from '../support/goal.ts';

const NOW = Date.parse('2026-11-20T09:02:11Z');
const plain: HumanView = { width: 80, colour: 0, unicode: true, zone: 'Africa/Lagos', now: NOW };
const shown = (blocks: readonly Block[], view: Partial<HumanView> = {}): string[] =>
  renderHuman(blocks, { ...plain, ...view })
    .replace(/\n$/, '')
    .split('\n');
const withoutColour = (painted: string): string => painted.replace(/\p{Cc}\[[\d;]*m/gu, '');
const usd = (amount: string, unit?: string): Cell => ({ kind: 'money', amount, ...(unit ? { unit } : {}) });

const QUOTES: Block = {
  kind: 'table',
  columns: [
    { header: 'TENOR' },
    { header: 'PRICE' },
    { header: 'YOU PAY' },
    { header: 'UNITS', optional: true },
  ],
  rows: [
    [text('1 d'), { kind: 'rate', amount: '1532.5612' }, usd('137.5'), { kind: 'number', amount: '50000' }],
    [text('3 d'), { kind: 'rate', amount: '532.5' }, { kind: 'missing' }, { kind: 'number', amount: '7' }],
  ],
};

const heading = (
  environment: 'live' | 'sandbox' | 'practice',
  profile: string,
  note?: readonly Cell[],
): Block => ({
  kind: 'heading',
  environment,
  profile,
  ...(note === undefined ? {} : { note }),
});

describe('a long table', () => {
  it('takes time in proportion to its rows', () => {
    const headers = [...'ABCDEFGH'];
    const columns = headers.map((header) => ({ header }));
    const table = (count: number): Block => ({
      kind: 'table',
      columns,
      rows: Array.from({ length: count }, (_, row) => headers.map((): Cell => usd(row.toString()))),
    });
    const cpuOf = (count: number): number => {
      const before = process.cpuUsage();
      const lines = shown([table(count)], { width: 120 });
      const { user } = process.cpuUsage(before);
      expect(lines).toHaveLength(count + 1);
      return user;
    };
    const few = Math.min(...[1, 2, 3].map(() => cpuOf(250)));
    // Sixteen times the rows: 256 times the work where it grew with their square.
    expect(cpuOf(4_000) / few).toBeLessThan(80);
  });
});

describe('the environment line', () => {
  const note = [text('indicative,'), { kind: 'time', at: '2026-11-20T09:02:11Z' } as const];

  it('names the environment in capitals, the profile and what it means, the note at the right edge', () => {
    expect(shown([heading('live', 'desk', note)])).toEqual([
      'LIVE · desk · real money                     indicative, Fri 20 Nov 10:02:11 WAT',
    ]);
  });

  it('puts the note on its own line where it does not fit', () => {
    expect(shown([heading('sandbox', 'desk', note)], { width: 60 })).toEqual([
      "SANDBOX · desk · the partner's test funds",
      'indicative, Fri 20 Nov 10:02:11 WAT',
    ]);
  });

  it('says practice once, and in ASCII where there is no more', () => {
    expect(shown([heading('practice', 'practice')])).toEqual(['PRACTICE · this machine, no money']);
    expect(shown([heading('live', 'desk')], { unicode: false })).toEqual(['LIVE | desk | real money']);
  });

  it('keeps the word where there is no colour, and is coloured by environment where there is', () => {
    const [live, sandbox, practice] = (['live', 'sandbox', 'practice'] as const).map((environment) =>
      shown([heading(environment, 'desk')], { colour: 1 }).join(''),
    );
    expect(live).toContain('\u001b[7mLIVE');
    expect(sandbox).toContain('\u001b[33m\u001b[1mSANDBOX');
    expect(practice).toContain('\u001b[36m\u001b[1mPRACTICE');
    expect(shown([heading('practice', 'practice-live')], { colour: 1 }).join('')).toContain(
      '\u001b[7mPRACTICE',
    );
  });

  it('cannot be forged by a profile or a note', () => {
    const forged = [heading('live', 'x\nPRACTICE', [text('\r\u001b[2KPRACTICE · practice')])];
    expect(shown(forged)[0]).toMatch(/^LIVE · x PRACTICE · real money/);
  });
});

describe('a line', () => {
  it('joins its cells by a blank, none before a mark that ends', () => {
    expect(
      shown([line(text('Upfront'), usd('5050', 'USDC'), text('(margin'), usd('5000'), text(').'))]),
    ).toEqual(['Upfront 5,050.00 USDC (margin 5,000.00).']);
  });

  it('wraps between words at its indent, and never inside an amount', () => {
    const long: Block = {
      kind: 'line',
      indent: 2,
      cells: [text('No hedge of this size: headroom is'), usd('180000', 'USD'), text('now.')],
    };
    expect(shown([long], { width: 44 })).toEqual([
      '  No hedge of this size: headroom is',
      '    180,000.00 USD now.',
    ]);
  });

  it('keeps the columns of a text that has been aligned by hand', () => {
    expect(shown([line(message('  hedge check 7c1e    look; sends nothing'))])).toEqual([
      '  hedge check 7c1e    look; sends nothing',
    ]);
  });

  it("is one blank where a text that may be anybody else's has many", () => {
    expect(shown([line(text(`cap${' '.repeat(70)}FILLED buy`))])).toEqual(['cap FILLED buy']);
  });

  it('is indented from the second line on, so that no text looks like a new line', () => {
    const refusal = `${'x'.repeat(75)} FILLED buy USDTNGN 10,000.00 USD`;
    expect(shown([line(message(refusal))], { width: 80 })).toEqual([
      'x'.repeat(75),
      '  FILLED buy USDTNGN 10,000.00 USD',
    ]);
  });

  it("has 300 characters of a text that may be anybody else's, and all of one of the program", () => {
    const width = 2_000;
    expect(shown([line(text('y'.repeat(1_000)))], { width })).toEqual([`${'y'.repeat(299)}…`]);
    expect(shown([line(message('y'.repeat(1_000)))], { width })).toEqual(['y'.repeat(1_000)]);
  });

  it('cuts a word that is longer than a line', () => {
    expect(shown([line(text('x'.repeat(50)))], { width: 20 })).toEqual([
      'x'.repeat(20),
      `  ${'x'.repeat(18)}`,
      `  ${'x'.repeat(12)}`,
    ]);
  });
});

describe('a table', () => {
  it('lines numbers up at their points, headers over them', () => {
    expect(shown([QUOTES])).toEqual([
      'TENOR       PRICE  YOU PAY   UNITS',
      '1 d    1,532.5612   137.50  50,000',
      '3 d      532.50          —       7',
    ]);
  });

  it('gives up its optional columns first, and says which', () => {
    expect(shown([QUOTES], { width: 30 })).toEqual([
      'TENOR       PRICE  YOU PAY',
      '1 d    1,532.5612   137.50',
      '3 d      532.50          —',
      'Hidden columns: UNITS. Show',
      '  them: widen the window',
    ]);
    const list = { wide: false, columns: undefined };
    expect(shown([QUOTES], { width: 30, list }).at(-1)).toBe('  them: --wide');
    const pipe = { width: 30, iso: true, list: { ...list, wide: true } };
    expect(shown([QUOTES], pipe)).toEqual(shown([QUOTES]));
    // A pipe has no window to widen.
    expect(shown([QUOTES], { width: 30, iso: true }).at(-1)).toBe('  them: --json');
  });

  it('gives up columns that tell no rows apart before those that do', () => {
    const table: Block = {
      kind: 'table',
      columns: [
        { header: 'SIZE' },
        { header: 'STRUCK', optional: 'last' },
        { header: 'ORIGIN', optional: 'last' },
        { header: 'DEAL', optional: 'last' },
        { header: 'GROSS', optional: 'last', group: 'sum' },
        { header: 'FEES', optional: 'last', group: 'sum' },
      ],
      rows: [
        [text('1,000.00'), missing, text('here'), text('PAY-1'), text('+1.00'), text('0.00')],
        [text('2,000.00'), missing, text('here'), text('PAY-2'), text('+2.00'), text('0.00')],
      ],
    };
    const headers = (width: number, rows = table.rows): string =>
      shown([{ ...table, rows }], { width })[0]?.trimEnd() ?? '';
    expect(headers(43)).toBe('SIZE      ORIGIN  DEAL   GROSS  FEES');
    expect(headers(35)).toBe('SIZE      DEAL   GROSS  FEES');
    // The fees alone are the same; the sum that they are part of is not.
    expect(headers(22)).toBe('SIZE      DEAL');
    // One row tells none apart: its columns go from the right.
    expect(headers(28, table.rows.slice(0, 1))).toBe('SIZE      ORIGIN  DEAL');
  });

  it('gives up a column of empty cells before any other, and explains no column that is hidden', () => {
    const table: Block = {
      kind: 'table',
      columns: [
        { header: 'SIZE' },
        { header: 'PRICE', optional: 'last', note: 'Price: as quoted.' },
        { header: 'ABOVE' },
      ],
      rows: [[text('1,000,000,000.00'), text('1,532.56'), text('')]],
    };
    expect(shown([table], { width: 30 })).toEqual([
      'SIZE              PRICE',
      '1,000,000,000.00  1,532.56',
      'Price: as quoted.',
    ]);
    expect(shown([table], { width: 24 })).toEqual([
      'SIZE              ABOVE',
      '1,000,000,000.00',
      'Hidden columns: PRICE.',
      '  Show them: widen the',
      '  window',
    ]);
  });

  it('continues below what fits when every column was asked for, so that no number is broken', () => {
    const list = { wide: true, columns: undefined };
    expect(shown([QUOTES], { width: 30, list })).toEqual([
      'TENOR       PRICE  YOU PAY',
      '1 d    1,532.5612   137.50',
      '3 d      532.50          —',
      '',
      'TENOR   UNITS',
      '1 d    50,000',
      '3 d         7',
    ]);
  });

  it('hides the columns of a group together, and shows a narrower one that then fits', () => {
    const cell = (digits: number) => text('x'.repeat(digits));
    const table: Block = {
      kind: 'table',
      columns: [
        { header: 'ID' },
        { header: 'WIDE', optional: true },
        { header: 'NARROW', optional: 'first' },
        { header: 'ONE', optional: 'last', group: 'sum' },
        { header: 'TWO', optional: 'last', group: 'sum' },
      ],
      rows: [[cell(4), cell(20), cell(6), cell(9), cell(9)]],
    };
    expect(shown([table], { width: 40 })[0]).toBe('ID    NARROW  ONE        TWO');
    expect(shown([table], { width: 24 })[0]).toBe('ID    NARROW');
  });

  it('names the zone of short times in the header, both names where the clocks changed', () => {
    const at = (instant: string) => [{ kind: 'time', at: instant, style: 'short' } as const];
    const times = (...instants: readonly string[]): Block => ({
      kind: 'table',
      columns: [{ header: 'TIME' }],
      rows: instants.map(at),
    });
    expect(shown([times('2026-11-20T09:00:00Z')], { zone: 'Africa/Lagos' })[0]).toBe('TIME WAT');
    const both = times('2026-10-24T09:00:00Z', '2026-10-26T09:00:00Z');
    expect(shown([both], { zone: 'Europe/London' })[0]).toBe('TIME BST/GMT');
    expect(shown([both], { iso: true })[0]).toBe('TIME');
  });

  it('breaks a header between words before it hides a column', () => {
    expect(shown([QUOTES], { width: 33 })).toEqual([
      '                      YOU',
      'TENOR       PRICE     PAY   UNITS',
      '1 d    1,532.5612  137.50  50,000',
      '3 d      532.50         —       7',
    ]);
  });

  it('becomes records with every field, where even the required columns do not fit', () => {
    expect(shown([QUOTES], { width: 24 })).toEqual([
      'TENOR    1 d',
      'PRICE    1,532.5612',
      'YOU PAY  137.50',
      'UNITS    50,000',
      '',
      'TENOR    3 d',
      'PRICE    532.50',
      'YOU PAY  —',
      'UNITS    7',
    ]);
  });

  it('is one record with every column where it has one row', () => {
    const first = { ...QUOTES, rows: QUOTES.rows.slice(0, 1) };
    expect(shown([first], { width: 24 })).toEqual([
      'TENOR    1 d',
      'PRICE    1,532.5612',
      'YOU PAY  137.50',
      'UNITS    50,000',
    ]);
  });

  it('says what it means that nothing is there', () => {
    expect(shown([{ ...QUOTES, rows: [], empty: 'No open positions' }])).toEqual(['No open positions']);
  });

  it('stays straight with wide letters, marks and emoji', () => {
    const table: Block = {
      kind: 'table',
      columns: [{ header: 'DEAL' }, { header: 'SIDE' }],
      rows: ['人民币', 'ナイラ-1', 'Ọ̀yọ́', '👍🏽', 'plain', 'नमस्ते'].map((name) => [text(name), text('buy')]),
    };
    const [header = '', ...rows] = shown([table]);
    const at = textWidth(header.slice(0, header.indexOf('SIDE')));
    expect(rows.map((row) => textWidth(row.slice(0, row.indexOf('buy'))))).toEqual(rows.map(() => at));
  });

  it('colours a cell and not the blanks around it', () => {
    const table: Block = {
      kind: 'table',
      columns: [{ header: 'P&L' }],
      rows: [
        [{ kind: 'money', amount: '1', tone: 'good' }],
        [{ kind: 'money', amount: '-1000', tone: 'bad' }],
      ],
    };
    expect(shown([table], { colour: 1 })).toEqual([
      '      \u001b[2mP&L\u001b[22m',
      '     \u001b[32m1.00\u001b[39m',
      '\u001b[31m-1,000.00\u001b[39m',
    ]);
  });
});

describe('names and values', () => {
  it('aligns values, and numbers at their points where most are numbers', () => {
    const pairs: Block = {
      kind: 'pairs',
      pairs: [
        { name: 'Free balance', value: [usd('41320', 'USDC')] },
        { name: 'Positions', value: [{ kind: 'number', amount: '2' }] },
      ],
    };
    expect(shown([pairs])).toEqual(['Free balance  41,320.00 USDC', 'Positions          2']);
  });

  it('wraps a long value under itself, and puts a long name on its own line', () => {
    const pairs: Block = {
      kind: 'pairs',
      pairs: [
        { name: 'Status', value: [text('filled and then closed early by the desk')] },
        { name: 'A name that nobody expected to be this long', value: [text('x')] },
      ],
    };
    expect(shown([pairs], { width: 40 })).toEqual([
      'Status  filled and then closed early by',
      '        the desk',
      'A name that nobody expected to be this',
      '  long',
      '  x',
    ]);
  });
});

describe('figures', () => {
  const figures: Block = {
    kind: 'figures',
    rows: [
      [text('Price'), { kind: 'rate', amount: '1532.56' }, text('mid'), { kind: 'rate', amount: '1531.2' }],
      [text('You pay'), usd('172.5', 'USDC'), { kind: 'number', amount: '34.5', unit: 'bps' }],
      [text('Free'), { kind: 'missing' }, text('the account could not be read')],
      [text('Desk'), text('Lagos')],
    ],
  };

  it('are aligned at the decimal point, with text next to them', () => {
    expect(shown([figures])).toEqual([
      'Price    1,532.56       mid 1,531.20',
      'You pay    172.50 USDC  34.5 bps',
      'Free         —          the account could not be read',
      'Desk     Lagos',
    ]);
  });

  it('become names and values where the words would have no room', () => {
    expect(shown([figures], { width: 30 })).toEqual([
      'Price    1,532.56 mid 1,531.20',
      'You pay  172.50 USDC 34.5 bps',
      'Free     — the account could',
      '         not be read',
      'Desk     Lagos',
    ]);
  });
});

const anyText = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.lorem({ maxCount: 12 }),
  fc.constantFrom('人民币'.repeat(9), 'hdg_01JD8K'.repeat(6), '👍🏽 🇳🇬', '\u001b[2J', ' ', ''),
);
const anyAmount = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.nat(99_999))
  .map(([whole, fraction]) => `${whole}.${fraction}`);
const tone = fc.constantFrom('plain', 'strong', 'dim', 'good', 'bad', 'warn' as const);
const anyCell: fc.Arbitrary<Cell> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: anyText, tone }),
  fc.record({
    kind: fc.constant('money' as const),
    amount: anyAmount,
    unit: fc.constantFrom('USD', 'USDC'),
    tone,
  }),
  fc.record({ kind: fc.constant('rate' as const), amount: anyAmount }),
  fc.record({ kind: fc.constant('percent' as const), amount: anyAmount, signed: fc.boolean() }),
  fc.constant<Cell>({ kind: 'time', at: '2027-01-02T08:00:00Z', matures: true }),
  fc.constant<Cell>({ kind: 'missing' }),
);
const cells = fc.array(anyCell, { maxLength: 6 });
const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  fc.record({
    kind: fc.constant('heading' as const),
    environment: fc.constantFrom('live', 'sandbox', 'practice' as const),
    profile: anyText,
    note: cells,
  }),
  fc.record({ kind: fc.constant('line' as const), cells, indent: fc.nat(8) }),
  fc.constant<Block>({ kind: 'gap' }),
  fc.record({ kind: fc.constant('figures' as const), rows: fc.array(cells, { maxLength: 5 }) }),
  fc.record({
    kind: fc.constant('pairs' as const),
    pairs: fc.array(fc.record({ name: anyText, value: cells }), { maxLength: 5 }),
  }),
  fc.record({
    kind: fc.constant('table' as const),
    columns: fc.array(fc.record({ header: anyText, optional: fc.boolean() }), { minLength: 1, maxLength: 7 }),
    rows: fc.array(fc.array(anyCell, { maxLength: 7 }), { maxLength: 5 }),
  }),
);

describe('any view at any width', () => {
  it('is never wider than the terminal, ends no line in blanks, and colour changes no letter', () => {
    fc.assert(
      fc.property(
        fc.array(anyBlock, { maxLength: 4 }),
        fc.integer({ min: 40, max: 160 }),
        fc.boolean(),
        (blocks, width, unicode) => {
          const lines = shown(blocks, { width, unicode });
          for (const each of lines) {
            expect(textWidth(each)).toBeLessThanOrEqual(width);
            expect(each).not.toMatch(/\s$/);
            expect(each).not.toMatch(/\p{Cc}|\p{Cf}/u);
          }
          expect(withoutColour(renderHuman(blocks, { ...plain, width, unicode, colour: 3 }))).toBe(
            renderHuman(blocks, { ...plain, width, unicode }),
          );
        },
      ),
      { numRuns: aQuarter(400) },
    );
  });

  it('loses no amount, whatever the width', () => {
    fc.assert(
      fc.property(
        fc.array(anyAmount, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 40, max: 160 }),
        (amounts, width) => {
          const columns = amounts.map((_, index) => ({ header: `C${index}` }));
          const rows = [amounts.map((amount): Cell => ({ kind: 'money', amount }))];
          const found = shown([{ kind: 'table', columns, rows }], { width })
            .join('\n')
            .replaceAll(',', '');
          for (const amount of amounts)
            expect(found).toContain(amount.replace(/^-?0*(?=\d)/, '').replace(/0+$/, ''));
        },
      ),
    );
  });
});

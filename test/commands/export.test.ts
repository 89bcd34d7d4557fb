/** `hedge export` over a practice service, with hledger and beancount as referees. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { beancountBalances, hledgerBalances } from '../support/accounting-tools.ts';
import { aBooksDesk, aWeek, bigOf, flat, sumOf } from '../support/books-desk.ts';
import { readCsv } from '../support/csv.ts';
import { needs } from '../support/tools.ts';

/** The rows of the first sheet of a workbook: shared texts resolved. */
function sheetOf(workbook: Buffer): readonly (readonly string[])[] {
  const files = new Map<string, string>();
  for (
    let at = workbook.indexOf('PK\u0001\u0002');
    at !== -1;
    at = workbook.indexOf('PK\u0001\u0002', at + 4)
  ) {
    const [size, name, local] = [
      workbook.readUInt32LE(at + 20),
      workbook.readUInt16LE(at + 28),
      workbook.readUInt32LE(at + 42),
    ];
    const from = local + 30 + workbook.readUInt16LE(local + 26) + workbook.readUInt16LE(local + 28);
    const bytes = workbook.subarray(from, from + size);
    files.set(
      workbook.toString('utf8', at + 46, at + 46 + name),
      (workbook.readUInt16LE(at + 10) === 8 ? inflateRawSync(bytes) : bytes).toString('utf8'),
    );
  }
  const texts = [
    ...(files.get('xl/sharedStrings.xml') ?? '').matchAll(/<si><t[^>]*>([^<]*)<\/t><\/si>/g),
  ].map(([, text = '']) => text);
  return [...(files.get('xl/worksheets/sheet1.xml') ?? '').matchAll(/<row .*?<\/row>/g)].map(([row]) =>
    [...row.matchAll(/<c [^>]*?"(| [^>]*)>(?:<v>([^<]*)<\/v>)?<\/c>/g)].map(([cell, , value = '']) =>
      cell.includes('t="s"') ? (texts[Number(value)] ?? '') : value,
    ),
  );
}

describe('hedge export', () => {
  it(
    'has the balances of the service in hledger and in beancount',
    needs('hledger', 'bean-check', 'bean-query'),
    async () => {
      const desk = await aWeek();
      await desk.served.opened('sell', 12_345.67);
      for (const [format, balancesOf] of [
        ['hledger', hledgerBalances],
        ['beancount', beancountBalances],
      ] as const) {
        const { out } = await desk.hedge(`export --format ${format}`);
        const { balance, margin } = await desk.account();
        expect([format, balancesOf(out)]).toEqual([
          format,
          expect.objectContaining({ 'Assets:Hedge:Balance': balance, 'Assets:Hedge:Margin': margin }),
        ]);
        expect(out).toMatch(/deal: "?PAY-1/);
        expect(out).not.toContain('@');
      }
    },
  );

  it('of a period that is over is the same again, and asks the service for nothing', async () => {
    const desk = await aWeek();
    await desk.hedge('snapshot');
    const until = new Date(desk.clock.now() - 3_600_000).toISOString().replace(/\.\d+Z/, 'Z');
    const first = await desk.hedge(`export --format hledger --until ${until}`);
    await desk.hedge('close USDTNGN buy --yes');
    desk.hours(50);
    await desk.hedge('snapshot');
    const requests = desk.lines.length;
    const second = await desk.hedge(`export --format hledger --until ${until}`);
    expect([second.out, desk.lines.length]).toEqual([first.out, requests]);
    expect((await desk.hedge('export --format hledger')).out.startsWith(first.out.trimEnd())).toBe(true);
  });

  it('of yesterday is of the day before now, not of the day before the last snapshot', async () => {
    const desk = await aBooksDesk(Date.parse('2026-11-23T12:00:00Z'));
    await desk.hedge('snapshot');
    await desk.hedge('open USDTNGN buy 20k --tenor 7 --deal-id PAY-1 --yes');
    desk.hours(30);
    await desk.hedge('snapshot');
    desk.hours(1);
    await desk.hedge('open USDTNGN buy 5k --tenor 7 --deal-id PAY-2 --yes');
    desk.hours(12);
    const rows = readCsv((await desk.hedge('export --format csv --since yesterday --until yesterday')).out);
    expect(new Set(rows.map((row) => row['date']))).toEqual(new Set(['2026-11-24']));
    expect(rows.map((row) => row['deal_id'])).toContain('PAY-2');
    expect(rows.map((row) => row['deal_id'])).not.toContain('PAY-1');
    desk.hours(48);
    const late = await desk.hedge('export --format csv --since 1d --no-save', 11);
    expect(flat(late.err)).toContain('no snapshot since 2026-11-26 07:00:');
  });

  it('as CSV and as a workbook has one row a posting, whose amounts add up to zero', async () => {
    const desk = await aWeek();
    const csv = readCsv((await desk.hedge('export --format csv')).out);
    const amounts = csv.map((row) => row['amount_usdc'] ?? '');
    expect([sumOf(amounts), amounts.every((each) => /^-?\d+\.\d{6}$/.test(each))]).toEqual(['0', true]);
    expect(csv.map((row) => row['record_hash']).every((hash) => /^[0-9a-f]{64}$/.test(hash ?? ''))).toBe(
      true,
    );
    const [one, other] = [join(desk.home, 'one.xlsx'), join(desk.home, 'other.xlsx')];
    for (const path of [one, other])
      expect((await desk.run(['export', path, '--format', 'xlsx', '--no-save'])).code).toBe(0);
    expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
    const [head = [], ...rows] = sheetOf(readFileSync(one));
    expect(head.slice(0, 5)).toEqual(['Entry', 'Date', 'Transaction', 'Account', 'Amount USDC']);
    expect(rows.map((row) => bigOf(row[4]).toFixed())).toEqual(amounts.map((each) => bigOf(each).toFixed()));
  });

  it('opens with the first snapshot and all before it, or with the balances where the period begins', async () => {
    const desk = await aWeek();
    const opened = async (since: string) =>
      readCsv((await desk.hedge(`export --format csv${since}`)).out)[0]?.['title'];
    expect([await opened(''), await opened(' --since 12h')]).toEqual([
      'Opening balances at the first snapshot, with all before it',
      'Opening balances',
    ]);
  });

  it('says how many hedges are in the opening balance alone, since they were opened before the first snapshot', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --yes');
    await desk.served.desk.service.admin.setFaults({ failing_orders: 1 });
    await desk.hedge('open USDTNGN buy 2k --tenor 3 --yes', 9);
    await desk.served.desk.service.admin.clearFaults();
    desk.hours(1);
    await desk.hedge('snapshot');
    desk.hours(1);
    await desk.hedge('open USDTNGN sell 5k --tenor 3 --yes');
    // The failed order is no hedge.
    expect(flat((await desk.hedge('reconcile')).out)).toContain('Compared 2 hedges,');
    const said = flat((await desk.hedge('export --format hledger')).err);
    expect(said).toContain('1 hedge opened before the first snapshot on this machine: no opening balance');
    expect((await (await aWeek()).hedge('export --format hledger')).err).not.toContain('opening balance');
  });

  it('books nothing that was before the first snapshot, however soon that was taken after it', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --deal-id A-1 --yes');
    await desk.hedge('close USDTNGN buy --yes');
    await desk.hedge('snapshot -q');
    desk.clock.pass(2_000);
    await desk.hedge('snapshot -q');
    const { out } = await desk.hedge('export --format hledger --no-save');
    expect(out).not.toMatch(/ Close buy| unexplained part/);
  });

  it('takes names of accounts, and refuses wrong ones', async () => {
    const desk = await aWeek();
    const path = join(desk.home, 'accounts.json');
    const named = (names: unknown, format = 'beancount') => {
      writeFileSync(path, typeof names === 'string' ? names : JSON.stringify(names));
      return desk.run(['export', '--format', format, '--accounts', path, '--no-save']);
    };
    const good = await named({ balance: 'Assets:Bank:Partner', fees: 'Expenses:Fees' });
    expect([good.code, good.out]).toEqual([0, expect.stringContaining('open Assets:Bank:Partner USDC')]);
    expect((await named({ fees: 'expenses:fees' }, 'hledger')).out).toContain(
      '    expenses:fees  20.000000 USDC',
    );
    for (const wrong of [
      '[]',
      '{',
      { cash: 'Assets:X' },
      { fees: 'fees paid' },
      { fees: 7 },
      { balance: 'Assets:Hedge:Margin' },
      { fees: 'Assets:Hedge:Balance' },
      { margin: 'Expenses:Hedge:Fees' },
      { fees: 'Expenses:A\n2026-01-01 close' },
    ])
      expect([wrong, (await named(wrong)).code]).toEqual([wrong, 2]);
  });

  it('says which balances its file ends with, and the unrealized P&L that is not in them', async () => {
    const desk = await aBooksDesk(Date.parse('2026-11-23T12:00:00Z'));
    await desk.hedge('open USDTNGN buy 20k --tenor 7 --deal-id PAY-1 --yes');
    await desk.hedge('snapshot');
    desk.hours(1);
    await desk.hedge('snapshot');
    const { balance, margin, value } = await desk.account();
    desk.hours(30);
    await desk.hedge('open USDTNGN buy 5k --tenor 7 --deal-id PAY-2 --yes');
    desk.hours(20);
    await desk.hedge('snapshot');
    const ended = async (until: string): Promise<string> =>
      flat((await desk.run(['export', join(desk.home, until), '--format', 'csv', '--until', until])).out);
    const first = await ended('2026-11-23');
    expect(first).toContain('The last balances are those of the snapshot of 2026-11-23T13:00:');
    const [, unrealized = '', worth = ''] =
      /Unrealized P&L less fees to close is not booked: (-[\d.,]+) USDC\. With it the net asset value is ([\d.,]+) USDC\./.exec(
        first,
      ) ?? [];
    expect(worth.replaceAll(',', '')).toBe(value);
    expect(sumOf([balance, margin, unrealized.replaceAll(',', '')])).toBe(value);
    expect(await ended('2026-11-24')).toMatch(
      /The file ends without balances: the next snapshot is of 2026-11-25T15:0\S+Z\. Unrealized P&L is not booked\./,
    );
  });

  it('without a snapshot exits 11, and never writes over a file', async () => {
    const desk = await aBooksDesk();
    const ran = await desk.hedge('export --format csv --no-save', 11);
    expect(flat(ran.err)).toContain('Take one now, and one a day from now on: hedge snapshot');
    const early = await desk.hedge('export --format csv --until 2020-01-01', 11);
    expect(flat(early.err)).toContain('no snapshot before the end of 2020-01-01, where the period ends');
    const ahead = await desk.hedge('export --format csv --since 2126-01-01', 11);
    expect([ahead.out, flat(ahead.err)]).toEqual([
      '',
      expect.stringContaining('no snapshot since 2126-01-01 00:00:00 UTC, where the period begins'),
    ]);
    const path = join(desk.home, 'books.csv');
    writeFileSync(path, 'mine');
    expect([(await desk.run(['export', path, '--format', 'csv'])).code, readFileSync(path, 'utf8')]).toEqual([
      2,
      'mine',
    ]);
    for (const line of ['export', 'export --format pdf', 'export --format xlsx']) await desk.hedge(line, 2);
  });
});

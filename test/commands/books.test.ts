/** `hedge snapshot`, `report`, `reconcile` and `export` over a practice service, and over services that send little. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { beancountBalances, hledgerBalances } from '../support/accounting-tools.ts';
import { aBooksDesk, dataOf, noonOf } from '../support/books-desk.ts';
import { readCsv } from '../support/csv.ts';
import { SPARSE_SERVICES } from '../support/sparse-services.ts';
import { ON_A_TERMINAL, type Ran } from '../support/test-cli.ts';
import { needs } from '../support/tools.ts';

const big = (amount: unknown): Big => new Big(String(amount));
const sum = (amounts: readonly unknown[]): string =>
  amounts.reduce((all: Big, each) => all.plus(big(each)), new Big(0)).toFixed();
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Two hedges opened, one of them rolled on by hand; a reduce; a maturity; a colleague's hedge; and one that is open. */
async function aWeek() {
  const desk = await aBooksDesk();
  const { hedge, hours } = desk;
  await hedge('snapshot');
  await hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
  hours(1);
  await hedge('open USDTNGN sell 8k --tenor 1 --deal-id SAL-1 --yes');
  hours(20);
  await hedge('reduce USDTNGN buy --by 25% --yes');
  await hedge('snapshot --note evening');
  hours(60);
  await hedge('open USDTNGN buy 5k --tenor 7 --deal-id PAY-2 --yes');
  hours(1);
  return desk;
}

const bridgeOf = (ran: Ran) => dataOf(ran).derived.bridge;

describe('hedge snapshot', () => {
  it('records the account in the chain of the journal, with each part of its value', async () => {
    const { hedge, account, hours } = await aBooksDesk();
    await hedge('open USDTNGN buy 10k --tenor 3 --yes');
    hours(1);
    const ran = await hedge('snapshot --note close --json');
    const { value, balance } = await account();
    const { derived, hedges, note } = dataOf(ran);
    expect([big(derived.net_asset_value_usdc).toFixed(), big(derived.balance_usdc).toFixed()]).toEqual([
      value,
      balance,
    ]);
    expect([hedges, note]).toMatchObject([
      [{ side: 'buy', notional_usd: 10_000, status: 'filled' }],
      'close',
    ]);
    const { out } = await hedge('snapshot');
    for (const field of ['balance_usdc', 'net_margin_usd', 'reserved_usdc']) expect(out).toContain(field);
    const records = (await hedge('journal export')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(JSON.parse(line).record).kind);
    expect(records.filter((kind) => kind === 'snapshot')).toHaveLength(2);
    expect(dataOf(await hedge('journal --json'))).toHaveLength(1);
    await hedge('audit verify');
  });

  it('says which amount is reserved for an order in flight', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 10k --tenor 3 --yes --no-wait');
    const { derived } = dataOf(await desk.hedge('snapshot --json'));
    expect(derived).toMatchObject({
      net_asset_value_usdc: 100_000,
      balance_usdc: 98_990,
      reserved_usdc: 1_010,
    });
  });
});

describe('hedge report', () => {
  it('leads from the opening to the closing value of the service, to the last digit', async () => {
    const { hedge, account, day } = await aWeek();
    const ran = await hedge(`report --since ${day} --json`);
    const bridge = bridgeOf(ran);
    expect(big(bridge.opening.net_asset_value_usdc).toFixed()).toBe('100000');
    expect(big(bridge.closing.net_asset_value_usdc).toFixed()).toBe((await account()).value);
    const { net_asset_value_usdc: opening } = bridge.opening;
    expect(sum([opening, bridge.realized_usd, bridge.unrealized_usd, bridge.unexplained_usd])).toBe(
      (await account()).value,
    );
    const { groups, total } = dataOf(ran).derived;
    expect(groups.map((each: { deal_id: string }) => each.deal_id)).toEqual(['PAY-1', 'SAL-1', 'PAY-2']);
    expect(sum(groups.map((each: { net_usd: number }) => each.net_usd))).toBe(big(total.net_usd).toFixed());
    // All hedges are this machine's, and the reduced one has settled.
    expect(bridge.unexplained_usd).toBe(0);
  });

  it('has the net P&L of the record for a hedge that opened and closed in the period', async () => {
    const { hedge } = await aWeek();
    const { groups } = dataOf(await hedge('report --since 7d --json')).derived;
    const records: readonly { client_reference: string; net_pnl_usd: number }[] = dataOf(
      await hedge('history --json'),
    );
    for (const { client_reference: dealId, net_pnl_usd: net } of records) {
      const group = groups.find((each: { deal_id: string }) => each.deal_id === dealId);
      expect([dealId, big(group.net_usd).toFixed()]).toEqual([dealId, big(net).toFixed()]);
    }
    expect(records).toHaveLength(2);
  });

  it("has a colleague's deal and a deposit of another kind in the unexplained part, and names the hedge", async () => {
    const desk = await aBooksDesk();
    await desk.hedge('snapshot');
    const id = await desk.served.opened('sell', 30_000);
    desk.hours(5);
    const ran = await desk.hedge('report --json');
    const { value } = await desk.account();
    expect([bridgeOf(ran).realized_usd, big(bridgeOf(ran).unexplained_usd).toFixed()]).toEqual([
      0,
      big(value).minus(100_000).toFixed(),
    ]);
    expect(dataOf(ran).derived.not_opened_here).toEqual([id]);
    expect(flat((await desk.hedge('report')).out)).toContain(
      `Not opened from this machine, and in the unexplained part: ${id}`,
    );
  });

  it('by day, prefix and side adds up to the same', async () => {
    const { hedge } = await aWeek();
    const { total } = dataOf(await hedge('report --since 7d --json')).derived;
    for (const by of ['day', 'prefix', 'side', 'operator', 'market']) {
      const rows = readCsv((await hedge(`report --since 7d --by ${by} --csv`)).out);
      expect([by, sum(rows.map((row) => row['net_usd'] ?? ''))]).toEqual([by, big(total.net_usd).toFixed()]);
    }
    const prefixes = readCsv((await hedge('report --since 7d --by prefix --csv')).out);
    expect(prefixes.map((row) => [row['name'], row['hedges']])).toEqual([
      ['PAY', '2'],
      ['SAL', '1'],
    ]);
  });

  it('has the days of the period and no others where a snapshot is taken each night before or after midnight', async () => {
    const midnight = noonOf(Date.now()) + 12 * 3_600_000;
    for (const minutes of [-5, 5]) {
      const desk = await aBooksDesk(midnight + minutes * 60_000);
      await desk.hedge('snapshot');
      await desk.hedge('open USDTNGN buy 20k --tenor 7 --deal-id PAY-1 --yes');
      const days: string[] = [];
      for (let night = 0; night < 3; night += 1) {
        days.push(new Date(midnight + night * 24 * 3_600_000).toISOString().slice(0, 10));
        desk.hours(24);
        await desk.hedge('snapshot');
      }
      desk.hours(20);
      const words = `--since ${days[0] ?? ''} --until ${days[2] ?? ''} --by day`;
      const rows = readCsv((await desk.hedge(`report ${words} --csv`)).out);
      expect([minutes, rows.map((row) => row['name'])]).toEqual([minutes, days]);
      expect(rows.every((row) => row['unrealized_usd'] !== '')).toBe(true);
      expect((await desk.hedge(`report ${words}`)).out).not.toContain('No snapshot near');
    }
  });

  it('says that the P&L of a reduce is an estimate where that is in the unexplained part', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('snapshot');
    await desk.hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
    desk.hours(20);
    const ESTIMATE = 'The P&L of a reduce is an estimate until its hedge closes';
    const report = async (): Promise<string> => flat((await desk.hedge(`report --since ${desk.day}`)).out);
    await desk.hedge('reduce USDTNGN buy --by 25% --yes');
    expect(await report()).toContain(ESTIMATE);
    desk.hours(60);
    expect(await report()).not.toContain(ESTIMATE);
  });

  it('shows the bridge in parts', async () => {
    const desk = await aWeek();
    const { out } = await desk.run(`report --since ${desk.day}`, {
      terminal: { isTTY: true, width: 120, env: { NO_COLOR: '1' } },
    });
    expect(out).toMatch(/^Opening net asset value +100,000\.00$/m);
    for (const part of ['Market move', 'Impact', 'Slippage', 'Carry', 'Fees'])
      expect(out).toMatch(new RegExp(`^${part} +[+-]?\\d`, 'm'));
    expect(out).toMatch(/^Unexplained +0\.00$/m);
    expect(out).toMatch(
      /^DEAL ID +HEDGE +SIDE +MARKET MOVE +IMPACT +SLIPPAGE +CARRY +FEES +REALIZED +UNREALIZED +NET$/m,
    );
    expect(out.match(/USDC counts as USD/g)).toHaveLength(1);
  });

  it('without a snapshot near its beginning says so, and has what was realized', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('open USDTNGN buy 20k --tenor 1 --deal-id PAY-1 --yes');
    desk.hours(30);
    const ran = await desk.hedge('report --since 7d --no-save --json');
    const [record] = dataOf(await desk.hedge('history --json'));
    expect([bridgeOf(ran), big(dataOf(ran).derived.total.net_usd).toFixed()]).toEqual([
      null,
      big(record.net_pnl_usd).toFixed(),
    ]);
    const { out } = await desk.hedge('report --since 7d --no-save');
    expect(flat(out)).toContain('no opening net asset value, so no bridge. Take one a day: hedge snapshot');
    await desk.hedge('snapshot');
    desk.hours(100);
    expect((await desk.hedge('report --month')).out).toMatch(/hedge report --since 20|From the snapshot/);
    await desk.hedge('export --format hledger --no-save');
  });

  it('records its own reading, unless --no-save', async () => {
    const desk = await aBooksDesk();
    const count = async (): Promise<number> =>
      (await desk.hedge('journal export')).out.split('"snapshot').length - 1;
    await desk.hedge('report --no-save');
    expect(existsSync(join(desk.home, 'state', 'journal.sqlite'))).toBe(false);
    await desk.hedge('report');
    await desk.hedge('reconcile');
    expect(await count()).toBe(2);
    await desk.hedge('reconcile --no-save');
    expect(await count()).toBe(2);
  });

  it.each([
    ['report --day --month', 'exclude each other'],
    ['report --month --since 7d', 'exclude each other'],
    ['report --until 2026-11-01', 'Missing --since'],
    ['report --day 7d', 'is not a day (--day)'],
    ['report --month november', 'is not a month (--month)'],
    ['report --by weather', 'is not a grouping (--by)'],
    ['report --since 2126-01-01', 'has not begun'],
    ['report --html', 'html'],
  ])('%s: exits 2 and says why', async (line, why) => {
    const desk = await aBooksDesk();
    const ran = await desk.run(line);
    expect([ran.code, flat(ran.err)]).toEqual([2, expect.stringContaining(why)]);
  });
});

describe('the page of a report', () => {
  it('is one file that asks for nothing, with the figures and charts of the report', async () => {
    const desk = await aWeek();
    const path = join(desk.home, 'week.html');
    await desk.run(['report', '--since', desk.day, '--html', path]);
    const page = readFileSync(path, 'utf8');
    expect(page.match(/<svg /g)).toHaveLength(3);
    for (const text of ['Opening net asset value', '100,000.00', 'PAY-1', 'SAL-1', 'Unexplained'])
      expect(page).toContain(text);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|src=|href=|url\(|@import|https?:|<link|<img|<iframe/i);
    // Written again, and never over another file.
    expect((await desk.run(['report', '--html', path])).code).toBe(0);
    writeFileSync(path, 'mine');
    expect([(await desk.run(['report', '--html', path])).code, readFileSync(path, 'utf8')]).toEqual([
      2,
      'mine',
    ]);
  });

  it('has no markup of a deal ID', async () => {
    const desk = await aBooksDesk();
    await desk.hedge('snapshot');
    await desk.run([
      'open',
      'USDTNGN',
      'buy',
      '1k',
      '--tenor',
      '1',
      '--deal-id',
      '<script>alert(1)</script>',
      '--yes',
    ]);
    const path = join(desk.home, 'day.html');
    await desk.run(['report', '--html', path]);
    const page = readFileSync(path, 'utf8');
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toMatch(/<script/i);
  });
});

describe('hedge reconcile', () => {
  it('agrees with the service after a week of one machine', async () => {
    const desk = await aWeek();
    const ran = await desk.hedge('reconcile');
    expect(ran.out).toContain('All agree.');
    expect(dataOf(await desk.hedge('reconcile --json')).derived).toMatchObject({
      breaks: [],
      compared: { hedges: 3, actions: 4, closed: 2, positions: 1, finance: null },
    });
  });

  it('exits 11 with a break, and 0 once a person has recorded why it is right', async () => {
    const desk = await aBooksDesk();
    const id = await desk.served.opened('sell', 30_000);
    const ran = await desk.hedge('reconcile', 11);
    expect(ran.out).toMatch(new RegExp(`^not_ours +journal .*${id}`, 'm'));
    expect(flat(ran.err)).toContain('1 break between the journal and the service.');
    await desk.run(['reconcile', id, '--note', 'dealt by phone']);
    const noted = await desk.hedge('reconcile');
    expect(flat(noted.out)).toContain('explained by');
    expect(dataOf(await desk.hedge('reconcile --json')).derived.breaks).toMatchObject([
      { class: 'not_ours', hedge_id: id, note: 'dealt by phone' },
    ]);
  });

  it('exits 7 with an unknown outcome, and names the command that looks it up', async () => {
    const desk = await aBooksDesk();
    await desk.served.desk.service.admin.setFaults({ share_lost_after: 1, only: 'open' });
    await desk.hedge('open USDTNGN buy 4k --tenor 3 --deal-id PAY-9 --yes', 7);
    desk.clock.pass(10_000);
    const ran = await desk.hedge('reconcile', 7);
    expect(ran.out).toMatch(/^status +journal +PAY-9 .*unknown +filled/m);
    expect(flat(ran.out)).toMatch(/action [0-9a-f]{4}/);
    expect(ran.err).toContain('hedge check');
  });

  it('exits 5 where the service does not respond', async () => {
    const desk = await aBooksDesk();
    desk.front.meddle(async () => ({ status: 503, headers: {}, body: '' }));
    for (const command of ['snapshot', 'report', 'reconcile']) {
      const { out, err } = await desk.hedge(command, 5);
      expect([command, out]).toEqual([command, '']);
      expect(flat(err)).toContain('The service returned 503, 4 attempts. Nothing was changed.');
    }
  });

  it('compares with a list of finance that a spreadsheet saved, within tolerances', async () => {
    const desk = await aWeek();
    const path = join(desk.home, 'finance.csv');
    const hedges: readonly { client_reference: string; notional_usd: number; struck_rate: number }[] = dataOf(
      await desk.hedge('hedges --json'),
    );
    const rows = hedges.map(
      (each) =>
        `${each.client_reference};"${each.notional_usd.toLocaleString('en')}";${each.struck_rate.toFixed(2)};x`,
    );
    writeFileSync(path, `\ufeffDeal ID;Notional USD;Rate;Comment\r\n${rows.join('\r\n')}\r\n`);
    expect((await desk.run(['reconcile', '--against', path])).code).toBe(0);
    expect((await desk.run(['reconcile', '--against', path, '--tolerance-rate', '0'])).code).toBe(11);
    writeFileSync(path, 'deal_id,notional_usd,rate\nPAY-1,ten,1500\nPAY-1,5,x\n');
    const wrong = await desk.run(['reconcile', '--against', path]);
    expect([wrong.code, flat(wrong.err)]).toEqual([
      2,
      expect.stringContaining('Line 2: "ten" is not a notional'),
    ]);
    expect((await desk.run(['reconcile', '--against', join(desk.home, 'none.csv')])).code).toBe(2);
    expect((await desk.run('reconcile --note x --no-save')).code).toBe(2);
    expect(flat((await desk.hedge('reconcile PAY-1 PAY-NONE', 2)).err)).toContain(
      'There is no hedge, deal or action "PAY-NONE" since',
    );
    expect((await desk.run('reconcile --tolerance-usd much')).code).toBe(2);
  });
});

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

  it('as CSV and as a workbook has one row a posting, whose amounts add up to zero', async () => {
    const desk = await aWeek();
    const csv = readCsv((await desk.hedge('export --format csv')).out);
    const amounts = csv.map((row) => row['amount_usdc'] ?? '');
    expect([sum(amounts), amounts.every((each) => /^-?\d+\.\d{6}$/.test(each))]).toEqual(['0', true]);
    expect(csv.map((row) => row['record_hash']).every((hash) => /^[0-9a-f]{64}$/.test(hash ?? ''))).toBe(
      true,
    );
    const [one, other] = [join(desk.home, 'one.xlsx'), join(desk.home, 'other.xlsx')];
    for (const path of [one, other])
      expect((await desk.run(['export', path, '--format', 'xlsx', '--no-save'])).code).toBe(0);
    expect(readFileSync(one).equals(readFileSync(other))).toBe(true);
    const [head = [], ...rows] = sheetOf(readFileSync(one));
    expect(head.slice(0, 5)).toEqual(['Entry', 'Date', 'Transaction', 'Account', 'Amount USDC']);
    expect(rows.map((row) => big(row[4]).toFixed())).toEqual(amounts.map((each) => big(each).toFixed()));
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
      { fees: 'Expenses:A\n2026-01-01 close' },
    ])
      expect([wrong, (await named(wrong)).code]).toEqual([wrong, 2]);
  });

  it('without a snapshot exits 11, and never writes over a file', async () => {
    const desk = await aBooksDesk();
    const ran = await desk.hedge('export --format csv --no-save', 11);
    expect(flat(ran.err)).toContain('Take one now, and one a day from now on: hedge snapshot');
    await desk.hedge('export --format csv --until 2020-01-01', 11);
    const ahead = await desk.hedge('export --format csv --since 2126-01-01', 11);
    expect([ahead.out, flat(ahead.err)]).toEqual([
      '',
      expect.stringContaining('no snapshot since 2126-01-01T00:00:00Z, where the period begins'),
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

describe.each(SPARSE_SERVICES)('a service %s', (_, rewrite) => {
  it('has books with the figures that it sends, which say what they cannot tell', async () => {
    const desk = await aBooksDesk();
    desk.front.meddle(async (line, pass) => rewrite(line, await pass()));
    const { hedge, hours } = desk;
    await hedge('snapshot');
    await hedge('open USDTNGN buy 20k --tenor 3 --deal-id PAY-1 --yes');
    hours(1);
    await hedge('open USDTNGN sell 8k --tenor 1 --deal-id SAL-1 --yes');
    hours(5);
    await hedge('reduce USDTNGN buy 5k --yes');
    await hedge('snapshot');
    hours(30);
    const ran = await hedge(`report --since ${desk.day} --json`);
    const bridge = bridgeOf(ran);
    const { value, balance } = await desk.account();
    expect(big(bridge.closing.net_asset_value_usdc).toFixed()).toBe(value);
    expect(
      sum([
        bridge.opening.net_asset_value_usdc,
        bridge.realized_usd,
        bridge.unrealized_usd,
        bridge.unexplained_usd,
      ]),
    ).toBe(value);
    const { out } = await desk.run(`report --since ${desk.day}`, ON_A_TERMINAL);
    expect(flat(out)).toContain('Not all P&L is known');
    expect(out).not.toMatch(/undefined|NaN/);
    expect((await hedge('reconcile')).out).toContain('All agree.');
    const csv = readCsv((await hedge('export --format csv')).out);
    const booked = csv
      .filter((row) => row['account'] === 'Assets:Hedge:Balance')
      .map((row) => row['amount_usdc']);
    expect(sum(booked)).toBe(balance);
  });
});

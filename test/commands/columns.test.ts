/** `--wide` and `--columns` on lists, and the size, the carry and the marks that their screens explain. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { pickedRecords } from '../../src/output/pick-columns.ts';
import { aClosedHedge, aHedge, anAccount, aPosition, unspecified } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { csvLines } from '../support/csv.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';

const SCREEN = { terminal: { isTTY: { stdout: true }, width: 80 } };
const HEDGES = 'GET /hedges?limit=100';

const cliWith = async (...exchanges: Parameters<typeof scriptedService>[0][number][]) =>
  cliFor(await scriptedService(exchanges));

const lineWith = (out: string, word: string): string =>
  stripVTControlCharacters(out)
    .split('\n')
    .find((each) => each.includes(word))
    ?.replace(/\s+/g, ' ')
    .trim() ?? '';

const cellsOf = (out: string): string =>
  csvLines(out)
    .map((cells) => cells.join(','))
    .join('\n');

describe('--wide', () => {
  it('shows every column of a list whatever the width, and hides none', async () => {
    const cli = await cliWith(on(HEDGES, ok([aHedge()])), on(HEDGES, ok([aHedge()])));
    const narrow = await cli.run('hedges', SCREEN);
    expect(stripVTControlCharacters(narrow.out)).toMatch(
      /Hidden columns: [^]*FILL TX\.\s+Show\s+them:\s+--wide/,
    );
    const wide = await cli.run('hedges --wide', SCREEN);
    expect(wide.out).not.toContain('Hidden columns');
    const lines = stripVTControlCharacters(wide.out).split('\n');
    expect(lines.find((each) => each.includes('FILL TX'))).toMatch(/^HEDGE .*FILL TX$/);
    expect(Math.max(...lines.map((each) => each.length))).toBeLessThanOrEqual(80);
  });

  it.each([60, 80])('names the hedge in each of the tables below each other at %d columns', async (width) => {
    const closed = ['hdg_01M83DQTF9D9ED81', 'hdg_01M83DQQC9GP9824'].map((id, at) =>
      aClosedHedge({
        ...unspecified['closed hedge'],
        id,
        client_reference: at === 0 ? 'PAYOUT-2026-11-23-A' : undefined,
        closed_at: '2026-11-26T05:23:22Z',
      }),
    );
    const cli = await cliWith(on('GET /hedges/history', ok(closed)));
    const { out } = await cli.run('history --wide', { terminal: { isTTY: { stdout: true }, width } });
    const tables = stripVTControlCharacters(out).split('\n\n');
    expect(tables.length).toBeGreaterThan(2);
    for (const table of tables) for (const { id } of closed) expect(table).toContain(`${String(id)}  `);
    for (const line of tables.join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });

  it('shortens hashes on a terminal; with -v they are whole', async () => {
    const hash = `0x${'ab'.repeat(32)}`;
    const sent = [aHedge({ order_tx_hash: hash })];
    const cli = await cliWith(on(HEDGES, ok(sent)), on(HEDGES, ok(sent)), on(HEDGES, ok(sent)));
    expect((await cli.run('hedges --wide', SCREEN)).out).toContain('0xabab...abab');
    expect((await cli.run('hedges --wide -v', SCREEN)).out).toContain(hash);
    expect((await cli.run('hedges --csv')).out).toContain(hash);
  });

  it('is a usage error for a command that shows no list, before any request', async () => {
    const ran = await (await cliWith()).run('profile show --wide');
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('shows no list; --wide needs one');
    expect(ran.err.replaceAll(/\s+/g, ' ')).toMatch(/Lists are .*hedges.*account/);
  });

  it('has no effect on CSV, which always has every field', async () => {
    const cli = await cliWith(on('GET /account', ok(anAccount())), on('GET /account', ok(anAccount())));
    expect((await cli.run('account --csv --wide')).out).toBe((await cli.run('account --csv')).out);
  });
});

describe('--columns', () => {
  it('picks columns by field name or heading, in the order given, on the screen', async () => {
    const cli = await cliWith(on('GET /positions', ok([aPosition(unspecified.position)])));
    const { out, code } = await cli.run(
      ['positions', '--columns', 'P&L before fees,side,CLOSING RETURNS'],
      SCREEN,
    );
    expect(code).toBe(0);
    expect(lineWith(out, 'SIDE')).toBe('P&L BEFORE FEES SIDE CLOSING RETURNS');
    expect(out).not.toContain('MARKET');
  });

  it('picks the same columns in CSV and JSON Lines, nested fields as in the whole record', async () => {
    const sent = [aPosition({ side: 'buy', net_margin_usd: 1012.5 })];
    const cli = await cliWith(on('GET /positions', ok(sent)), on('GET /positions', ok(sent)));
    const csv = await cli.run('positions --csv --columns net_margin_usd,side');
    expect(cellsOf(csv.out)).toBe('net_margin_usd,side\n1012.5,buy');
    const lines = await cli.run('positions --output jsonl --columns net_margin_usd,side');
    expect(lines.out).toBe('{"net_margin_usd":1012.5,"side":"buy"}\n');
  });

  it('shows a field that the screen has no column for', async () => {
    const cli = await cliWith(on('GET /hedges/hdg_7', ok(aHedge({ id: 'hdg_7', desk_note: 'roll' }))));
    const { out } = await cli.run('hedges hdg_7 --columns id,desk_note', SCREEN);
    expect(lineWith(out, 'hdg_7')).toBe('hdg_7 roll');
  });

  it('names the columns and suggests one for an unknown name, with exit code 2', async () => {
    const cli = await cliWith(on(HEDGES, ok([aHedge()])));
    const ran = await cli.run('hedges --columns id,notional_us', SCREEN);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('Unknown column: "notional_us"');
    expect(ran.err).toContain('Did you mean notional_usd?');
    expect(ran.err.replace(/\s+/g, ' ')).toContain('Columns: id, client_reference, market');
  });

  it.each([
    ['history', 'price', 'Did you mean entry_price or exit_price? '],
    ['history', 'p&l', 'Did you mean gross_pnl_usd or net_pnl_usd? '],
    ['history', 'entri_price', 'Did you mean entry_price? '],
    ['history', 'colour', ''],
  ])(
    'names the closest columns in at most three lines, and where all of them are: %s %s',
    async (list, word, meant) => {
      const sent = { ...unspecified['closed hedge'], settled_by: 'reference', desk_note: 'none' };
      const cli = await cliWith(on('GET /hedges/history', ok([aClosedHedge(sent)])));
      const ran = await cli.run([list, '--columns', word], SCREEN);
      expect(ran.code).toBe(2);
      const lines = ran.err.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(3);
      expect(lines.join(' ').replace(/\s+/g, ' ')).toMatch(
        new RegExp(
          `: "${word}". ${meant.replace('?', '[?]')}Columns: closed_at, .*, and \\d+ more; --csv begins with all of them.`,
        ),
      );
    },
  );

  it('lists every column where they fit in two lines', async () => {
    const cli = await cliWith(on('GET /prices?symbols=USDTNGN', ok({ market: 'USDTNGN', price: 1530.1 })));
    const ran = await cli.run('price USDTNGN --columns colour', SCREEN);
    expect(ran.err.replace(/\s+/g, ' ')).toMatch(/Columns: derived.market [(]MARKET[)], [^;]*[.] $/);
  });

  it('matches a heading without its unit, in any case, and a field without its group', async () => {
    const sent = [aPosition({ side: 'buy', notional_usd: 10_000, net_pnl_usd: -3.5 })];
    const cli = await cliWith(on('GET /positions', ok(sent)), on('GET /positions', ok(sent)));
    expect(cellsOf((await cli.run('positions --csv --columns Notional,SIDE,net-pnl')).out)).toBe(
      'notional_usd,side,net_pnl_usd\n10000,buy,-3.5',
    );
    const { out } = await cli.run(['positions', '--columns', 'notional'], SCREEN);
    expect(out).toContain('NOTIONAL USD');
    const journal = await cli.run('journal --csv --columns hedge_id');
    expect(cellsOf(journal.out)).toBe('receipt.hedge_id');
  });

  it('matches the names of one record, as its screen has them', async () => {
    const cli = await cliWith(on('GET /account', ok(anAccount())), on('GET /account', ok(anAccount())));
    const { out } = await cli.run('account --columns headroom', SCREEN);
    expect(out).toContain('HEADROOM USD');
    expect(out).toContain('425,000.00');
    const csv = await cli.run('account --csv --columns headroom');
    expect(cellsOf(csv.out)).toBe('available_exposure_usd\n425000');
  });

  it('takes a deal ID by both of its names', async () => {
    const sent = [aHedge({ client_reference: 'PAY-1' })];
    const cli = await cliWith(on(HEDGES, ok(sent)), on(HEDGES, ok(sent)));
    for (const name of ['deal_id', 'client_reference'])
      expect(cellsOf((await cli.run(`hedges --csv --columns ${name}`)).out)).toBe('client_reference\nPAY-1');
    expect((await cli.run('journal --csv --columns deal_id')).code).toBe(0);
    expect((await cli.run('journal --csv --columns client_reference')).code).toBe(0);
  });

  it('is rejected for a watch in a pipe that prints what changed', async () => {
    const ran = await (await cliWith()).run('positions --watch --columns side');
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('Add --output jsonl');
  });

  it('accepts any name on an empty list, so that a script does not fail on a quiet day', async () => {
    const cli = await cliWith(on(HEDGES, ok([])));
    const ran = await cli.run('hedges --csv --columns id,field_of_this_service');
    expect(ran.code).toBe(0);
    expect(cellsOf(ran.out)).toBe('id,field_of_this_service');
  });

  it.each(['--json', '--query data'])('does not work with %s, which has whole documents', async (with_) => {
    const ran = await (await cliWith()).run(`positions --columns side ${with_}`);
    expect(ran.code).toBe(2);
    expect(`${ran.out}${ran.err}`).toContain('--columns does not work with');
  });

  it('keeps a field called __proto__ as a field', () => {
    const record = Object.fromEntries([
      ['id', 'hdg_1'],
      ['__proto__', 'theirs'],
    ]);
    const table = { columns: ['id'], records: [record] };
    const list = { blocks: () => [], table: () => table };
    const { records } = pickedRecords(list, table, ['__proto__', 'id']);
    expect(records.map((each) => Object.entries(Object(each)))).toEqual([
      [
        ['__proto__', 'theirs'],
        ['id', 'hdg_1'],
      ],
    ]);
  });

  it('keeps the groups of a record in JSON Lines', () => {
    const table = {
      columns: ['carry.daily', 'id'],
      records: [{ id: 1, carry: { daily: 2, total: 3 }, other: 4 }],
    };
    const list = { blocks: () => [], table: () => table };
    expect(pickedRecords(list, table, ['carry.daily', 'id']).records).toEqual([
      { carry: { daily: 2 }, id: 1 },
    ]);
  });
});

describe('hedges on a screen', () => {
  const running = (id: string, fields: object) =>
    aHedge({ id, status: 'filled', maturity_at: '2126-11-24T09:00:00Z', ...fields });

  it('shows open hedges first, with a total per side, then the ended ones', async () => {
    const sent = [
      aHedge({ id: 'hdg_ended', status: 'closed', notional_usd: 900 }),
      running('hdg_1', { side: 'buy', notional_usd: 100.5 }),
      running('hdg_2', { side: 'sell', notional_usd: 50 }),
      running('hdg_3', { side: 'buy', notional_usd: 200 }),
      running('hdg_4', { side: 'buy', notional_usd: 7, status: 'submitted' }),
    ];
    const cli = await cliWith(on(HEDGES, ok(sent)), on(HEDGES, ok(sent)));
    const { out } = await cli.run('hedges', SCREEN);
    const order = [
      'Open: notional is what remains',
      'hdg_1',
      'hdg_2',
      'hdg_3',
      'Total buy',
      'Ended:',
      'hdg_ended',
    ];
    const places = order.map((word) => out.indexOf(word));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(lineWith(out, 'Total buy')).toMatch(
      /^Total buy USDTNGN 300\.50 USD in 2 hedges; 1 more, [\d,.]+ USD, not filled$/,
    );
    expect(lineWith(out, 'Total sell')).toBe('Total sell USDTNGN 50.00 USD in 1 hedge');
    const csv = cellsOf((await cli.run('hedges --csv --columns id')).out);
    expect(csv).toBe('id\nhdg_ended\nhdg_1\nhdg_2\nhdg_3\nhdg_4');
  });

  it('--status open is filled, not matured and in the positions; the service is asked for filled', async () => {
    const sent = [
      running('hdg_held', { side: 'buy' }),
      running('hdg_gone', { side: 'sell' }),
      running('hdg_matured', { side: 'buy', maturity_at: '2020-01-01T00:00:00Z' }),
    ];
    const cli = await cliWith(
      on('GET /hedges?status=filled&limit=500', ok(sent)),
      on('GET /positions', ok([aPosition({ side: 'buy' })])),
    );
    const { out } = await cli.run('hedges --status open --csv --columns id');
    expect(cellsOf(out)).toBe('id\nhdg_held');
  });

  it('names the size of one hedge: what remains, or its size when it closed, which no longer matures', async () => {
    const cli = await cliWith(
      on('GET /hedges/hdg_1', ok(running('hdg_1', {}))),
      on('GET /hedges/hdg_2', ok(aHedge({ id: 'hdg_2', status: 'closed' }))),
    );
    expect((await cli.run('hedges hdg_1', SCREEN)).out).toContain('Remaining (USD)');
    const ended = (await cli.run('hedges hdg_2', SCREEN)).out;
    expect(ended).toContain('Size when it closed (USD)');
    expect(ended).toContain('Maturity');
    expect(ended).not.toMatch(/Matures| in \d/);
  });

  it('says in its status that an order failed, and not in its maturity', async () => {
    const rows = [aHedge({ status: 'closed' }), aHedge({ id: 'hdg_2', status: 'failed', maturity_at: null })];
    const cli = await cliWith(on('GET /hedges?limit=100', ok(rows)));
    const { out } = await cli.run('hedges', SCREEN);
    expect(lineWith(out, 'hdg_2')).toMatch(/ failed .*—/);
    expect(lineWith(out, 'hdg_2').match(/failed/g)).toHaveLength(1);
  });

  it('explains the mark of a weekend also for one hedge', async () => {
    const saturday = running('hdg_1', { maturity_at: '2126-11-23T09:00:00Z' });
    const cli = await cliWith(on('GET /hedges/hdg_1', ok(saturday)));
    const { out } = await cli.run('hedges hdg_1', SCREEN);
    expect(out.split('(!)')).toHaveLength(3);
    expect(out).toContain('(!) Weekend.');
  });
});

describe('history --limit', () => {
  const sent = ['a', 'b', 'c'].map((id) => aClosedHedge({ id, notional_usd: 10 }));

  it('shows only the newest, and how many match', async () => {
    const cli = await cliWith(on('GET /hedges/history', ok(sent)), on('GET /hedges/history', ok(sent)));
    const screen = await cli.run('history --limit 2', SCREEN);
    expect(screen.out).toContain('2 of 3 matching hedges. Show all: leave out --limit.');
    const { meta, data } = JSON.parse((await cli.run('history --limit 2 --json')).out);
    expect(data).toHaveLength(2);
    expect(meta.covers).toMatchObject({ count: 2, matching: 3, maybe_truncated: true });
  });

  it('takes all, and rejects what is no number', async () => {
    const cli = await cliWith(on('GET /hedges/history', ok(sent)));
    expect(JSON.parse((await cli.run('history --limit all --json')).out).data).toHaveLength(3);
    expect((await cli.run('history --limit 0')).code).toBe(2);
  });
});

describe('carry on a screen', () => {
  it('is earned or paid in a word, whatever the sign of the service', async () => {
    const sent = [
      aClosedHedge({ id: 'a', carry_usdc: -1.5, net_pnl_usd: 1 }),
      aClosedHedge({ id: 'b', carry_usdc: 0.25, net_pnl_usd: 1 }),
    ];
    const cli = await cliWith(on('GET /hedges/history', ok(sent)), on('GET /hedges/history', ok(sent)));
    const { out } = await cli.run('history --columns carry_usdc', SCREEN);
    expect(out).toContain('paid 1.50');
    expect(out).toContain('earned 0.25');
    const csv = await cli.run('history --csv --columns carry_usdc');
    expect(cellsOf(csv.out)).toBe('carry_usdc\n-1.5\n0.25');
  });
});

/** Lists of hedges at the width of a small terminal: what a desk looks for stays, what it did not name is no name. */
import { describe, expect, it } from 'vitest';
import { aClosedHedge, aHedge } from '../../spec/bodies.ts';
import { cliFor } from '../../support/cli-for.ts';
import { ok, on, scriptedService } from '../../support/scripted-service.ts';
import { type TestCli, testCli } from '../../support/test-cli.ts';

const AUTOMATIC = 'hedge-1ac3d5e7f9010203';
/** As wide as history comes. */
const LONG = {
  id: 'hdg_01M86FAPV19T25DW',
  closed_at: '2026-11-24T09:48:36Z',
  market: 'USDTNGN',
  side: 'buy',
  notional_usd: 10_000,
  tenor_days: 3,
  entry_price: 1_520.7683,
};
const SMALL = { terminal: { isTTY: true, width: 80 } };
const PLAIN = { terminal: { ...SMALL.terminal, env: { NO_COLOR: '1' } } };

describe('the deal ID', () => {
  it.each([
    ['hedges', 'GET /hedges?limit=100', aHedge({ client_reference: 'PAY-8841' })],
    ['history', 'GET /hedges/history', aClosedHedge({ ...LONG, client_reference: 'PAY-8841' })],
  ])('is the last of what may give way in %s', async (list, request, record) => {
    const cli = cliFor(await scriptedService([on(request, ok([record, { ...record, id: 'hdg_02' }]))]));
    const { out } = await cli.run(list, SMALL);
    expect(out).toMatch(/DEAL ID[^]*PAY-8841/);
    expect(out).toMatch(/Hidden columns: /);
    expect(out).not.toMatch(/Hidden columns: [^.]*DEAL ID/);
  });

  it('history: says that its size and prices are of the whole life of a hedge', async () => {
    const cli = cliFor(await scriptedService([on('GET /hedges/history', ok([aClosedHedge(LONG)]))]));
    expect((await cli.run('history', PLAIN)).out.replaceAll(/\s+/g, ' ')).toContain(
      'Over the whole life of the hedge: notional, all that was opened and added; entry and exit, averages.',
    );
  });

  it('stays in place of the hedge ID where every hedge has one, however long', async () => {
    const names = ['PAYOUT-2026-11-28-ACME-LIMITED-0001', 'PAY-8841'];
    const rows = names.map((name, at) => aHedge({ id: `hdg_01M86FAPV19T25D${at}`, client_reference: name }));
    const cli = cliFor(await scriptedService([on('GET /hedges?limit=100', ok(rows))]));
    const { out } = await cli.run('hedges', PLAIN);
    expect(out).toMatch(/^DEAL ID +SIDE +NOTIONAL/m);
    for (const name of names) expect(out).toContain(name);
    expect(out).toContain('Hidden columns: HEDGE,');
  });

  it.each([
    ['hedges', 'GET /hedges?limit=100', aHedge({ client_reference: AUTOMATIC })],
    ['history', 'GET /hedges/history', aClosedHedge({ client_reference: AUTOMATIC })],
  ])(
    'is a dash in %s where the program made the reference, and as sent for programs',
    async (list, request, record) => {
      const cli = cliFor(await scriptedService([on(request, ok([record])), on(request, ok([record]))]));
      expect((await cli.run(list, SMALL)).out).not.toContain(AUTOMATIC);
      expect((await cli.run(`${list} --csv`)).out).toContain(AUTOMATIC);
    },
  );

  it('is shown as it was sent in one hedge in full', async () => {
    const one = aHedge({ id: 'hdg_7', client_reference: AUTOMATIC });
    const script = [on('GET /hedges/hdg_7', ok(one)), on('GET /positions', ok([]))];
    const cli = cliFor(await scriptedService(script));
    expect((await cli.run('hedges hdg_7', SMALL)).out).toContain(AUTOMATIC);
  });
});

describe('one hedge on a terminal', () => {
  const shown = async (cli: TestCli) => (await cli.run('hedges PAY-1', PLAIN)).out.replaceAll(/ +/g, ' ');

  it('has the naira that it covers, its P&L, its exit and its roll; a document has what the service sent', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
    await cli.run('roll PAY-1 --tenor 3 --at maturity --yes');
    const open = await shown(cli);
    expect(open).toMatch(/^Covers [\d,.]+ NGN at the struck rate$/m);
    expect(open).toMatch(/^P&L [-+]?[\d.]+ USD price and carry, before fees$/m);
    expect(open).toMatch(/^Exit closing returns [\d,.]+ USD now$/m);
    expect(open).toMatch(/^Roll [0-9a-f]{8} planned/m);
    expect(open).toMatch(/^hedge roll show [0-9a-f]{8} /m);
    const { data }: { data: readonly Record<string, unknown>[] } = JSON.parse(
      (await cli.run('hedges PAY-1 --json')).out,
    );
    expect(data[0]).not.toHaveProperty('derived');
  });

  it('of several on its side has the price P&L at the mark, and once it has ended what it realized', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id PAY-1 --yes');
    await cli.run('open USDTNGN buy 5k --tenor 3 --deal-id PAY-2 --yes');
    expect(await shown(cli)).toMatch(/^Gross P&L [-+]?[\d.]+ USD price alone, at the mark [\d,.]+$/m);
    await cli.run('close USDTNGN buy --yes');
    const ended = await shown(cli);
    expect(ended).toMatch(/^P&L [-+][\d.]+ USD of its whole life, net of carry and all fees$/m);
    expect(ended).toMatch(/^Exit [\d,.]+ average of its whole life \(close\)$/m);
    expect(ended).not.toContain('Covers');
  });
});

/** Lists of hedges at the width of a small terminal: what a desk looks for stays, what it did not name is no name. */
import { describe, expect, it } from 'vitest';
import { aClosedHedge, aHedge } from '../../spec/bodies.ts';
import { cliFor } from '../../support/cli-for.ts';
import { ok, on, scriptedService } from '../../support/scripted-service.ts';

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
    const cli = cliFor(await scriptedService([on('GET /hedges/hdg_7', ok(one))]));
    expect((await cli.run('hedges hdg_7', SMALL)).out).toContain(AUTOMATIC);
  });
});

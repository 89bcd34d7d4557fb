/** Charts and curves: pictures for a person, the same points exact in the document. */
import { describe, expect, it } from 'vitest';
import { aClosedHedge, aMarket, MARKETS_META } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { ok, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

/** The service's time of an answer: so many minutes after nine. */
const after = (minutes: number) => ({ date: new Date(Date.UTC(2026, 10, 20, 9, minutes)).toUTCString() });

describe('price --chart', () => {
  it('draws what any command saw, and gives every point in the document', async () => {
    const mid = (price: number) => ({ market: 'USDTNGN', price });
    const service = await scriptedService([
      on('GET /prices?symbols=USDTNGN', ok(mid(1530.25), {}, after(0))),
      on('GET /markets', ok([aMarket({ price: 1532.75 })], MARKETS_META, after(10))),
      on('GET /prices?symbols=USDTNGN', ok(mid(1531.5), {}, after(20))),
      on('GET /prices?symbols=USDTNGN', ok(mid(1531.5), {}, after(20))),
    ]);
    const cli = cliFor(service);
    expect((await cli.run('price USDTNGN --chart')).out).toContain('Only one mid of');
    await cli.run('markets');
    const { out } = await cli.run('price USDTNGN --chart');
    expect(out).toContain('locally recorded: 3 mids, +1.25 (+0.082 %)');
    expect(out).toMatch(/^1,532\.75 ┤ +╭/m);
    expect(out).toMatch(/^ +2026-11-20T09:00:00Z +2026-11-20T09:20:00Z$/m);
    const derived = await cli.run('price USDTNGN --chart --query data.derived --json');
    expect(derived.document()).toEqual({
      market: 'USDTNGN',
      mid: 1531.5,
      seen: [
        { at: '2026-11-20T09:00:00Z', mid: 1530.25 },
        { at: '2026-11-20T09:10:00Z', mid: 1532.75 },
        { at: '2026-11-20T09:20:00Z', mid: 1531.5 },
      ],
    });
  });
});

describe('history --chart', () => {
  const records = [
    aClosedHedge({ closed_at: '2026-11-20T10:00:00Z', net_pnl_usd: -30.1 }),
    aClosedHedge({ closed_at: '2026-11-18T10:00:00Z', net_pnl_usd: 10.2 }),
    aClosedHedge({ closed_at: '2026-11-19T10:00:00Z', net_pnl_usd: 0.1 }),
  ];

  it('adds net P&L up from the oldest on, exactly', async () => {
    const service = await scriptedService([on('GET /hedges/history', ok(records))]);
    const ran = await cliFor(service).run('history --chart --json');
    expect(ran.document()).toMatchObject({
      data: [
        { closed_at: '2026-11-18T10:00:00Z', derived: { cumulative_net_pnl_usd: 10.2 } },
        { closed_at: '2026-11-19T10:00:00Z', derived: { cumulative_net_pnl_usd: 10.3 } },
        { closed_at: '2026-11-20T10:00:00Z', derived: { cumulative_net_pnl_usd: -19.8 } },
      ],
    });
  });

  it('draws it with its unit and signs', async () => {
    const service = await scriptedService([on('GET /hedges/history', ok(records))]);
    const { out } = await cliFor(service).run('history --chart');
    expect(out).toMatch(/^Cumulative net P&L, USD: 3 closed hedges, now -19\.80 USD$/m);
    expect(out).toMatch(/^\+10\.30 USD ┤/m);
    expect(out).toMatch(/^-19\.80 USD ┤/m);
  });

  it('is not drawn over sums', async () => {
    expect((await testCli().run('history --chart --by day --profile practice')).code).toBe(2);
  });
});

describe('quote --curve', () => {
  it('quotes a tenth to ten times the notional at once, and draws the cost', async () => {
    const cli = testCli();
    const ran = await cli.run('quote USDTNGN buy 50k --curve --tenor 3 --profile practice --json');
    const sizes = [5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000];
    expect(ran.document()).toMatchObject({
      data: sizes.map((size) => ({ notional_usd: size, tenor_days: 3 })),
    });
    const { out } = await cli.run('quote USDTNGN buy 50k --curve --tenor 3 --profile practice');
    expect(out).toMatch(/^ +50,000\.00 .* 39 {2}<- requested$/m);
    expect(out).toMatch(/^ *\d+ bps ┤/m);
  });

  it.each([
    ['quote USDTNGN buy 50k --curve --tenor 1,3', '--curve takes one tenor.'],
    ['quote USDTNGN buy 50k --curve --max-cost-bps 20', '--curve and a price limit exclude each other.'],
  ])('refuses %s', async (line, says) => {
    const ran = await testCli().run(`${line} --profile practice`);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(says);
  });
});

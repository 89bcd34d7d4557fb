/** A week of rolls on the built program: a plan for the maturity, cron, a roll now, and what they have cost. */
import { describe, expect, it } from 'vitest';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';

interface Document {
  data: unknown;
  error: { code: string } | null;
}

describe('a week of rolls', () => {
  it('carries one hedge on under its root reference, each leg once', async () => {
    const env = { HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice' };
    const hedge = async (line: string): Promise<[code: number | null, document: Document]> => {
      const { code, out, err } = await runHedge([...line.split(' '), '--json'], { env });
      expect([out, err]).not.toEqual(['', expect.anything()]);
      const document: Document = JSON.parse(out);
      return [code, document];
    };
    const cron = 'roll run --due --yes';
    await hedge('practice settings fill_seconds=0');
    expect(await hedge('open USDTNGN buy 20k --tenor 1 --deal-id COVER-INV-7 --yes')).toMatchObject([0, {}]);
    const plan = 'roll COVER-INV-7 --tenor 3 --at maturity --max-cost-bps 60 --yes';
    expect(await hedge(plan)).toMatchObject([
      0,
      { data: { state: 'planned', to_deal_id: 'COVER-INV-7.r2' } },
    ]);
    // Monday: nothing is due. Tuesday: it has settled.
    expect(await hedge(cron)).toMatchObject([0, { data: [], error: null }]);
    await hedge('practice advance 25h');
    expect(await hedge(cron)).toMatchObject([0, { data: [{ outcome: 'rolled', notional_usd: 20_000 }] }]);
    expect(await hedge(cron)).toMatchObject([0, { data: [] }]);
    // Wednesday: half of it, carried on now.
    await hedge('reduce USDTNGN buy --by 50% --yes');
    const now = 'roll USDTNGN buy --tenor 7 --at now --max-cost-bps 90 --yes';
    expect(await hedge(now)).toMatchObject([
      0,
      { data: { state: 'done', to_deal_id: 'COVER-INV-7.r3', notional_usd: 10_000 } },
    ]);
    // A plan that cron never ran.
    await hedge('roll COVER-INV-7.r3 --tenor 1 --at maturity --yes');
    await hedge('practice advance 9d');
    expect(await hedge(cron)).toMatchObject([10, { error: { code: 'roll_missed' } }]);
    expect(await hedge('roll drop COVER-INV-7.r3 --note late')).toMatchObject([
      0,
      { data: { state: 'dropped' } },
    ]);
    expect(await hedge(cron)).toMatchObject([0, { data: [] }]);

    expect(await hedge('roll show')).toMatchObject([
      0,
      {
        data: [
          { state: 'dropped', root: 'COVER-INV-7', to_deal_id: 'COVER-INV-7.r4' },
          { state: 'done', root: 'COVER-INV-7', from_deal_id: 'COVER-INV-7.r2' },
          { state: 'done', root: 'COVER-INV-7', from_deal_id: 'COVER-INV-7' },
        ],
      },
    ]);
    expect(await hedge('hedges')).toMatchObject([
      0,
      {
        data: [
          { client_reference: 'COVER-INV-7.r3', status: 'closed', notional_usd: 10_000 },
          { client_reference: 'COVER-INV-7.r2', status: 'closed' },
          { client_reference: 'COVER-INV-7', status: 'closed', notional_usd: 20_000 },
        ],
      },
    ]);
    expect(await hedge('roll show COVER-INV-7.r2')).toMatchObject([
      0,
      { data: { derived: { missing: [], legs: [{ leg: 1 }, { leg: 2 }] } } },
    ]);
    // The journal links the legs.
    const { out } = await runHedge(['journal', '--json'], { env });
    const { data: actions }: { data: readonly { action: string; chain_id: string | null }[] } =
      JSON.parse(out);
    const linked = actions.filter(({ chain_id: id }) => id !== null);
    expect(linked.map(({ action }) => action)).toEqual(['open', 'close', 'open']);
    expect(new Set(linked.map(({ chain_id: id }) => id)).size).toBe(2);
  });
});

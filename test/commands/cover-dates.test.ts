/** The dates on the screen of `hedge cover`: what each side covers of them, and which hedge counts for which. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aHedge, aMarket, anAccount, aPosition, type Body, unspecified } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { pricedService } from '../support/priced-service.ts';
import { ON_A_TERMINAL } from '../support/test-cli.ts';

/** Wednesday 23 December 2026. */
const NOW = new Date('2026-12-23T09:00:00Z');
const POLICY = {
  buckets: [{ from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 }],
  before_days: 1,
  after_days: 1,
  forecast_weight_pct: 50,
};

/** At 1,500 naira a dollar. `on`: day of December. */
const hedgeOf = (side: 'buy' | 'sell', usd: number, on: number, more: Body = {}): Body =>
  aHedge({
    id: `hdg_${side}_${String(on)}`,
    client_reference: `OWN-${side}-${String(on)}`,
    side,
    notional_usd: usd,
    struck_rate: 1500,
    tenor_days: 7,
    opened_at: '2026-12-22T08:00:00Z',
    maturity_at: `2026-12-${String(on)}T08:00:00Z`,
    ...more,
  });

interface Screen {
  /** Rows of the exposures: due, naira and direction. */
  due: readonly string[];
  hedges: readonly Body[];
  buckets?: readonly Body[];
}
async function screenOf({ due, hedges, buckets = POLICY.buckets }: Screen): Promise<string> {
  const sides = ['buy', 'sell'].flatMap((side) => {
    const sizes = hedges.filter((each) => each['side'] === side).map((each) => Number(each['notional_usd']));
    const size = sizes.reduce((sum, one) => sum + one, 0);
    return size === 0 ? [] : [aPosition({ ...unspecified.position, side, notional_usd: size })];
  });
  const service = await pricedService(
    {
      'GET /markets': () => ({ data: [aMarket({ price: 1500 })] }),
      'GET /account': () => ({ data: anAccount() }),
      'GET /positions': () => ({ data: sides }),
      'GET /hedges?limit=500': () => ({ data: hedges }),
      'GET /hedges?status=closed&limit=500': () => ({ data: [] }),
    },
    { date: NOW },
  );
  const paths = ['exposures.csv', 'policy.json'].map((name) => join(temporaryFolder(), name));
  const [exposures = '', policy = ''] = paths;
  const rows = due.map((each, index) => `E-${String(index)},${each},firm`);
  writeFileSync(exposures, ['id,due,ngn,direction,certainty', ...rows].join('\n'));
  writeFileSync(policy, JSON.stringify({ ...POLICY, buckets }));
  const ran = await cliFor(service).run(['cover', exposures, '--policy', policy], ON_A_TERMINAL);
  return ran.out.replaceAll(/\s+/g, ' ');
}

const MORE = 'Hedged for more than falls due';

describe('hedged for more than falls due', () => {
  it('is not a date of naira to be paid of which sells cover a part', async () => {
    const out = await screenOf({
      due: ['2026-12-25,80m,pay', '2026-12-28,1m,receive'],
      hedges: [hedgeOf('sell', 4_000, 25)],
    });
    expect(out).toContain('Fri 25 Dec (!) 0.00 80,000,000.00 79,000,000.00 6,000,000.00');
    expect(out).not.toContain(MORE);
  });

  it('is a date of naira to be paid of which sells cover more than all', async () => {
    const out = await screenOf({
      due: ['2026-12-25,30m,pay', '2026-12-28,80m,pay'],
      hedges: [hedgeOf('sell', 24_000, 25)],
    });
    expect(out).toContain(`${MORE}: Fri 25 Dec.`);
  });

  it('is a date of naira to be received of which buys cover more than all, not one of which they cover all', async () => {
    const due = ['2026-12-25,30m,receive', '2026-12-28,80m,receive'];
    const all = hedgeOf('buy', 20_000, 25);
    expect(await screenOf({ due, hedges: [all] })).not.toContain(MORE);
    expect(await screenOf({ due, hedges: [{ ...all, notional_usd: 20_001 }] })).toContain(
      `${MORE}: Fri 25 Dec.`,
    );
  });

  it.each([
    ['buy', 'sell', 'pay', 'receive'],
    ['sell', 'buy', 'receive', 'pay'],
  ] as const)(
    'is a date on which %ss cover more than there is of the other direction',
    async (side, needed, net, own) => {
      const due = [`2026-12-25,80m,${net}`, `2026-12-28,6m,${own}`];
      const within = await screenOf({ due, hedges: [hedgeOf(side, 4_000, 28)] });
      expect(within).not.toContain(MORE);
      expect(within).toContain(`COVERED below zero: ${side}s on Mon 28 Dec.`);
      expect(within).not.toContain(`below zero: ${needed}s`);
      const out = await screenOf({ due, hedges: [hedgeOf(side, 4_001, 28)] });
      expect(out).toContain(`${MORE}: Mon 28 Dec.`);
    },
  );
});

it('names the side of what covers below zero in each bucket', async () => {
  const [bucket] = POLICY.buckets;
  const out = await screenOf({
    due: ['2026-12-24,80m,pay', '2026-12-25,6m,receive', '2026-12-28,80m,receive', '2026-12-29,6m,pay'],
    hedges: [hedgeOf('buy', 1_000, 25), hedgeOf('sell', 1_000, 29)],
    buckets: [
      { ...bucket, to_days: 3 },
      { ...bucket, from_days: 4 },
    ],
  });
  expect(out).toContain('COVERED below zero: buys on Fri 25 Dec.');
  expect(out).toContain('COVERED below zero: sells on Tue 29 Dec.');
});

describe('a hedge that covers no due date', () => {
  const unused = hedgeOf('buy', 5_000, 30);

  it('is left to settle where a close would take the hedges that cover one', async () => {
    const out = await screenOf({
      due: ['2026-12-24,60m,receive', '2026-12-25,60m,receive'],
      hedges: [unused, hedgeOf('buy', 4_000, 24), hedgeOf('buy', 4_000, 25)],
    });
    expect(out).toContain(
      'Of the open buys, 7,500,000.00 NGN cover no due date: hdg_buy_30. Let them settle: closing the side would also close the hedges that cover Thu 24 Dec, Fri 25 Dec.',
    );
  });

  it('may be closed with its side where all of it covers none', async () => {
    const out = await screenOf({
      due: ['2026-12-24,60m,receive', '2026-12-25,60m,pay'],
      hedges: [unused, hedgeOf('sell', 4_000, 25)],
    });
    expect(out).toContain('cover no due date: hdg_buy_30. Let them settle, or close the side.');
  });

  it('is not closed while it is uncertain what the side covers', async () => {
    const coming = hedgeOf('buy', 5_000, 24, { status: 'submitted', struck_rate: null });
    const out = await screenOf({ due: ['2026-12-24,60m,receive'], hedges: [unused, coming] });
    expect(out).toContain('Uncertain:');
    expect(out).toContain('cover no due date: hdg_buy_30. Let them settle.');
  });
});

describe('a hedge whose deal ID names no date', () => {
  const due = ['2026-12-24,45m,receive', '2026-12-26,45m,receive'];

  it('is named with the date that it counts for, if it matures on another', async () => {
    const out = await screenOf({
      due,
      hedges: [
        hedgeOf('buy', 9_000, 25, { client_reference: 'SUP-090' }),
        hedgeOf('buy', 8_000, 24),
        hedgeOf('buy', 7_000, 26, { client_reference: 'COVER-20261226-BUY-6eed55' }),
      ],
    });
    expect(out).toContain('Counted by maturity: SUP-090 (Fri 25 Dec) for Thu 24 Dec.');
  });

  it('is named with its naira on each date that it is divided among', async () => {
    const [bucket] = POLICY.buckets;
    const out = await screenOf({
      due,
      hedges: [hedgeOf('buy', 50_000, 25, { client_reference: null })],
      buckets: [
        { ...bucket, to_days: 1 },
        { ...bucket, from_days: 2 },
      ],
    });
    expect(out).toContain(
      'Counted by maturity: hdg_buy_25 (Fri 25 Dec) 45,000,000.00 NGN for Thu 24 Dec, hdg_buy_25 (Fri 25 Dec) 30,000,000.00 NGN for Sat 26 Dec.',
    );
  });

  it('is not named where its maturity says it', async () => {
    const out = await screenOf({ due, hedges: [hedgeOf('buy', 8_000, 24), hedgeOf('buy', 7_000, 26)] });
    expect(out).not.toContain('Counted by maturity');
  });
});

/**
 * Cover of random books with open, settled and early closed hedges, payments and rolls: each figure, and what the deals
 * add, is that of an independent computation.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { aHedge, aMarket, anAccount, aPosition, aQuote, type Body } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import {
  type RefereeBucket,
  type RefereeExposure,
  type RefereeHedge,
  type RefereePolicy,
  refereeOf,
} from '../support/cover-referee.ts';
import { aQuarter } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { pricedService } from '../support/priced-service.ts';

const NOW = new Date('2026-12-23T09:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** `2026-12-24`, so many days from today. */
const dateIn = (days: number): string => new Date(NOW.getTime() + days * DAY_MS).toISOString().slice(0, 10);
/** Every quote, whatever its size. */
const RATE = 1500;

const millions = fc.integer({ min: 1, max: 30_000 }).map((cents) => new Big(cents).times(10_000));
const exposures = fc.array(
  fc.record({
    days: fc.integer({ min: -4, max: 12 }),
    ngn: millions,
    direction: fc.constantFrom('receive' as const, 'receive' as const, 'pay' as const),
    certainty: fc.constantFrom('firm' as const, 'firm' as const, 'forecast' as const),
  }),
  { minLength: 1, maxLength: 8 },
);
const policies = fc
  .record({
    bands: fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 2 }),
        fc.integer({ min: 0, max: 6 }),
        fc.tuple(
          fc.integer({ min: 0, max: 90 }),
          fc.integer({ min: 0, max: 30 }),
          fc.integer({ min: 0, max: 30 }),
        ),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    before: fc.integer({ min: 0, max: 3 }),
    after: fc.integer({ min: 1, max: 3 }),
    weight: fc.integer({ min: 0, max: 100 }),
  })
  .map(({ bands, ...others }): RefereePolicy => {
    let from = 0;
    const buckets = bands.map(([skipped, length, [min, toTarget, toMax]]) => {
      const start = from + skipped;
      from = start + length + 1;
      return { from: start, to: start + length, min, target: min + toTarget, max: min + toTarget + toMax };
    });
    return { buckets, ...others };
  });

type Record = 'none' | 'of a maturity' | 'of a close' | 'with a time before maturity';
interface Drawn {
  side: 'buy' | 'sell';
  notional: Big;
  rate: Big;
  hours: number;
  status: RefereeHedge['status'];
  namedDay: number | undefined;
  legs: number;
  record: Record;
}
const hedges = fc.uniqueArray(
  fc.record<Drawn>({
    side: fc.constantFrom('buy' as const, 'buy' as const, 'sell' as const),
    notional: fc.integer({ min: 100, max: 9_000_000 }).map((cents) => new Big(cents).div(100)),
    rate: fc.integer({ min: 140_000, max: 160_000 }).map((kobo) => new Big(kobo).div(100)),
    hours: fc.integer({ min: -120, max: 167 }),
    status: fc.constantFrom('filled', 'filled', 'closed', 'closed', 'failed'),
    namedDay: fc.option(fc.integer({ min: -4, max: 12 }), { nil: undefined, freq: 3 }),
    legs: fc.constantFrom(1, 1, 1, 2, 3),
    record: fc.constantFrom<Record>(
      'none',
      'none',
      'of a maturity',
      'of a close',
      'with a time before maturity',
    ),
  }),
  { maxLength: 7, selector: ({ hours }) => hours },
);

/** Leg after leg, each an hour after the last: earlier ones settled, were closed early, or failed. */
const legsOf = (
  drawn: Drawn,
  { index, book }: { index: number; book: number },
): readonly (RefereeHedge & { body: Body; record: Body | undefined })[] =>
  Array.from({ length: drawn.legs }, (_, leg) => {
    const id = `hdg_${book.toString()}_${index.toString()}${'abc'.charAt(leg)}`;
    const last = leg === drawn.legs - 1;
    // Minutes keep every maturity apart from every other.
    const atMs =
      NOW.getTime() + (drawn.hours - (drawn.legs - 1 - leg) * 30) * HOUR_MS + (index * 3 + leg + 1) * 60_000;
    const status = last ? drawn.status : 'closed';
    const root =
      drawn.namedDay === undefined
        ? `PAY-${index.toString()}`
        : `COVER-${dateIn(drawn.namedDay).replaceAll('-', '')}-BUY-${index.toString().padStart(6, '0')}`;
    const name = leg === 0 ? root : `${root}.r${(leg + 1).toString()}`;
    // Without a deal ID a roll is named after the hedge.
    const anonymous = drawn.namedDay === undefined && index % 2 === 0;
    const reference = anonymous
      ? leg === 0
        ? undefined
        : `hdg_${book.toString()}_${index.toString()}a.r${(leg + 1).toString()}`
      : name;
    const isPast = atMs <= NOW.getTime();
    // In every third row the hedges run at the same time: only their names are those of a roll.
    const openedMs = atMs - (leg === 0 || index % 3 === 0 ? 7 * DAY_MS : 29 * HOUR_MS);
    const record =
      !isPast || drawn.record === 'none' || status === 'failed'
        ? undefined
        : {
            net_pnl_usd: 1,
            id,
            ...(drawn.record === 'with a time before maturity'
              ? { closed_at: new Date(atMs - 2 * HOUR_MS).toISOString() }
              : { reason: drawn.record === 'of a maturity' ? 'maturity' : 'close' }),
          };
    return {
      id,
      side: drawn.side,
      notional: drawn.notional,
      rate: drawn.rate,
      day: Math.floor(atMs / DAY_MS) - Math.floor(NOW.getTime() / DAY_MS),
      atMs,
      status,
      namedDay: drawn.namedDay,
      roll: index.toString(),
      leg,
      openedMs,
      closedEarly: record !== undefined && drawn.record !== 'of a maturity',
      record,
      body: aHedge({
        id,
        client_reference: reference,
        side: drawn.side,
        notional_usd: drawn.notional.toNumber(),
        struck_rate: drawn.rate.toNumber(),
        tenor_days: 7,
        status,
        opened_at: new Date(openedMs).toISOString(),
        filled_at: new Date(openedMs).toISOString(),
        maturity_at: new Date(atMs).toISOString(),
      }),
    };
  });

const positionsOf = (list: readonly RefereeHedge[]): readonly Body[] =>
  (['buy', 'sell'] as const).flatMap((side) => {
    const open = list.filter(
      (each) => each.side === side && each.status === 'filled' && each.atMs > NOW.getTime(),
    );
    const total = open.reduce((all, { notional }) => all.plus(notional), new Big(0));
    return open.length === 0 ? [] : [aPosition({ market: 'USDTNGN', side, notional_usd: total.toNumber() })];
  });

const flatQuote = ({ market, side, notional_usd, tenor_days }: Body): Body =>
  aQuote({
    market,
    side,
    notional_usd,
    tenor_days,
    pricing: { market_price: RATE, execution_price: RATE, price_impact_usd: 0 },
    carry: { daily_usdc: 0, daily_rate_pct: 0, total_usdc: 0, total_rate_pct: 0 },
    upfront: { required_margin_usdc: 0.01, platform_fee_usdc: 0, total_upfront_usdc: 0.01 },
  });

interface Shown {
  data: {
    hedges: readonly Body[];
    derived: {
      buckets: readonly {
        net_ngn: number;
        side: string | null;
        covered_ngn: number;
        status: string;
        status_after: string;
        constraint: string | null;
        reduce_hedge: string | null;
        from: string;
        to: string;
      }[];
      deals: readonly { due: string; side: string; notional_usd: number }[];
    };
  };
}

it('covers random books as an independent computation does', async () => {
  let book: { hedges: readonly Body[]; positions: readonly Body[]; records: readonly Body[] } = {
    hedges: [],
    positions: [],
    records: [],
  };
  let books = 0;
  const isQuoted = (): boolean => books % 3 === 0;
  const big = { buy: 1e9, sell: 1e9 };
  const service = await pricedService(
    {
      // Every third book is quoted: a closed market has the same coverage, and no deals.
      'GET /markets': () => ({
        data: [
          aMarket({ price: RATE, status: isQuoted() ? 'open' : 'disabled', available_capacity_usd: big }),
        ],
      }),
      'GET /account': () => ({ data: anAccount({ balance_usdc: 1e9, available_exposure_usd: 1e9 }) }),
      'GET /positions': () => ({ data: book.positions }),
      'GET /hedges?limit=500': () => ({ data: book.hedges }),
      'GET /hedges?limit=1': () => ({ data: book.hedges.slice(0, 1) }),
      'GET /hedges?status=closed&limit=500': () => ({
        data: book.hedges.filter(({ status }) => status === 'closed'),
      }),
      'GET /hedges/history': () => ({ data: book.records }),
      'POST /quotes': ({ body }) => ({ data: flatQuote(body) }),
    },
    { date: NOW },
  );
  const cli = cliFor(service);
  const folder = temporaryFolder();
  const files = { exposures: join(folder, 'exposures.csv'), policy: join(folder, 'policy.json') };
  const seen = new Map<string, number>();
  const see = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

  async function coverOf(listed: readonly RefereeExposure[], policy: RefereePolicy): Promise<Shown> {
    const rows = listed.map(
      ({ days, ngn, direction, certainty }, index) =>
        `X-${index.toString()},${dateIn(days)},${ngn.toFixed()},${direction},${certainty}`,
    );
    writeFileSync(files.exposures, ['id,due,ngn,direction,certainty', ...rows, ''].join('\n'));
    writeFileSync(
      files.policy,
      JSON.stringify({
        buckets: policy.buckets.map(({ from, to, min, target, max }) => ({
          from_days: from,
          to_days: to,
          min_pct: min,
          target_pct: target,
          max_pct: max,
        })),
        before_days: policy.before,
        after_days: policy.after,
        forecast_weight_pct: policy.weight,
        // Some of the amounts are small.
        min_notional_usd: 0.01,
      }),
    );
    const ran = await cli.run(['cover', files.exposures, '--policy', files.policy, '--json']);
    const document: Shown = JSON.parse(ran.out);
    expect([ran.err, document.data]).toEqual([ran.err, expect.anything()]);
    return document;
  }

  await fc.assert(
    fc.asyncProperty(exposures, policies, hedges, async (listed, policy, drawn) => {
      // A hedge that was seen closed early in one book is remembered.
      books += 1;
      const legs = drawn.flatMap((each, index) => legsOf(each, { index, book: books }));
      const bodies = legs.toSorted((one, other) => other.atMs - one.atMs).map(({ body }) => body);
      book = {
        hedges: bodies,
        positions: positionsOf(legs),
        records: legs.flatMap(({ record }): readonly Body[] => (record === undefined ? [] : [record])),
      };
      const wanted = refereeOf(listed, legs, { policy, nowMs: NOW.getTime() });
      const { derived } = (await coverOf(listed, policy)).data;
      expect(
        derived.buckets.map(({ net_ngn: net, side, covered_ngn: covered, status }) => ({
          net,
          side,
          covered,
          status,
        })),
      ).toEqual(
        wanted.map(({ net, side, covered, status }) => ({
          net: net.toNumber() + 0,
          side,
          covered: covered.toNumber() + 0,
          status,
        })),
      );
      derived.buckets.forEach((bucket, index) => {
        const referee: RefereeBucket | undefined = wanted[index];
        const own = derived.deals.filter(({ due }) => due >= bucket.from && due <= bucket.to);
        const missing = [...(referee?.missing ?? [])];
        const lack = referee?.lack.toNumber() ?? 0;
        see(bucket.status);
        if (bucket.reduce_hedge !== null) see('reduce');
        if (!isQuoted()) return;
        // Sizes are whole cents.
        const isAbout = (usd: number, naira: number): void =>
          expect(Math.abs(usd * RATE - naira)).toBeLessThan(RATE * 0.01 * (own.length + 1));
        isAbout(
          own.reduce((all, { notional_usd: usd }) => all + usd, 0),
          lack,
        );
        if (own.length > 0) see('deals');
        if (Math.abs(missing.reduce((all, [, naira]) => all + naira.toNumber(), 0) - lack) > 1) return;
        for (const [day, naira] of missing)
          isAbout(own.find(({ due }) => due === dateIn(day))?.notional_usd ?? 0, naira.toNumber());
      });
    }),
    { numRuns: aQuarter(300), seed: 20_261_123 },
  );
  for (const what of ['inside', 'below', 'above', 'nothing_due', 'deals', 'reduce'])
    expect([what, seen.get(what) ?? 0]).not.toEqual([what, 0]);
}, 600_000);

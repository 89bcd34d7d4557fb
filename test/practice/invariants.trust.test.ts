/** Invariants under random actions on both books, with faults and time passing. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalOf } from '../../src/practice/domain/scaled-decimals.ts';
import { aQuarter } from '../support/goal.ts';
import { openPractice, type Reply, storeFolder, type TestPractice } from './support/practice-service.ts';

const RUNS = aQuarter(40);
const CAP = 500_000_000_000n;

type As = 'live' | 'test';
type Step =
  | { do: 'open'; as: As; market: string; side: string; cents: number; tenor: number }
  | { do: 'add' | 'reduce'; as: As; market: string; side: string; cents: number }
  | { do: 'close'; as: As; market: string; side: string }
  | { do: 'wait'; ms: number }
  | { do: 'faults'; failing: number; partial: number };

const as = fc.constantFrom<As>('live', 'test');
const market = fc.constantFrom('USDTNGN', 'USDTKES');
const side = fc.constantFrom('buy', 'sell');
const cents = fc.oneof(
  fc.integer({ min: 1, max: 20_000_000 }),
  fc.integer({ min: 1, max: 500 }),
  fc.constantFrom(100, 1_000_000, 5_000_000, 25_000_000, 50_000_000),
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      as,
      market,
      side,
      cents,
      tenor: fc.constantFrom(1, 3, 7),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('add' as const, 'reduce' as const), as, market, side, cents }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), as, market, side }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 5_000, max: 400_000_000 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('faults' as const),
      failing: fc.constantFrom(0, 0.5, 1),
      partial: fc.constantFrom(0, 0.5, 1),
    }),
  },
);
const history = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  steps: fc.array(anyStep, { minLength: 5, maxLength: 40 }),
});

/** The micro-units of a number on the wire. */
function micro(value: number): bigint {
  const exact = decimalOf(String(value), 6);
  if (exact === undefined) throw new Error(`${value} is not an amount`);
  return exact;
}

const total = (amounts: bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

interface Done {
  reply: Reply;
  path: string;
  body: Record<string, unknown>;
  key: string;
  as: As;
}

/** Returns the action if the step is one. */
async function execute(practice: TestPractice, each: Step, key: string): Promise<Done | undefined> {
  if (each.do === 'wait') {
    practice.clock.pass(each.ms);
    return undefined;
  }
  if (each.do === 'faults') {
    const { failing, partial } = each;
    await practice.admin.setFaults({ failing_orders: failing, partial_fills: partial });
    return undefined;
  }
  const on = { market: each.market, side: each.side };
  const path = each.do === 'open' ? '/hedges' : `/hedges/${each.do}`;
  const sized = each.do === 'close' ? on : { ...on, notional_usd: each.cents / 100 };
  const body = each.do === 'open' ? { ...sized, tenor_days: each.tenor } : sized;
  return { reply: await practice.post(path, body, { key, as: each.as }), path, body, key, as: each.as };
}

const settings = { markets: { USDTKES: { enabled: true } } };

async function inFolder(work: (store: string) => Promise<void>): Promise<void> {
  await work(await storeFolder());
}

async function allHistory(practice: TestPractice, who: As) {
  const { body } = await practice.get('/hedges/history?limit=500', { as: who });
  expect(body.meta.has_more).toBe(false);
  return body.data;
}

/** Fills all orders, then closes all positions. */
async function flatten(practice: TestPractice, who: As): Promise<void> {
  await practice.admin.clearFaults();
  practice.clock.pass(5_000);
  for (const line of (await practice.get('/positions', { as: who })).body.data) {
    const { market: on, side: of } = line;
    expect((await practice.post('/hedges/close', { market: on, side: of }, { as: who })).status).toBe(200);
  }
  practice.clock.pass(5_000);
}

describe('a practice book', () => {
  it('invariants: money is conserved, the cap holds, margins match and the other book is unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ seed, steps }) => {
        await inFolder(async (store) => {
          const practice = await openPractice(store, { seed, settings });
          for (const [index, each] of steps.entries()) {
            const other = 'as' in each ? (each.as === 'live' ? 'test' : 'live') : undefined;
            const before = await practice.admin.status();
            const done = await execute(practice, each, `k${index}`);
            if (done !== undefined) expect([200, 201, 400, 404]).toContain(done.reply.status);
            const after = await practice.admin.status();
            if (other !== undefined) expect(after.books[other]).toEqual(before.books[other]);
            for (const who of ['live', 'test'] as const) {
              const book = after.books[who];
              const [balance, margin, reserved, house] = [
                book.balance_usdc,
                book.margin_in_use_usdc,
                book.reserved_usdc,
                book.house_usdc,
              ].map((text) => decimalOf(text, 6) ?? 0n);
              expect((balance ?? 0n) + (margin ?? 0n) + (reserved ?? 0n) + (house ?? 0n)).toBe(0n);
              expect(decimalOf(book.open_exposure_usd, 6) ?? CAP + 1n).toBeLessThanOrEqual(CAP);
              expect((margin ?? -1n) >= 0n && (reserved ?? -1n) >= 0n).toBe(true);
              if (book.orders_in_flight === 0) expect(reserved).toBe(0n);
            }
          }
          for (const who of ['live', 'test'] as const) {
            const account = (await practice.get('/account', { as: who })).body.data;
            const lines = (await practice.get('/positions', { as: who })).body.data;
            const margins = lines.map((line: { margin_usdc: number }) => micro(line.margin_usdc));
            expect(total(margins)).toBe(micro(account.margin_in_use_usdc));
            for (const line of lines) {
              // 10 % of the notional, up to the rounding of each reduction: far under a cent
              const off = micro(line.margin_usdc) * 10n - micro(line.notional_usd);
              expect(off < 0n ? -off : off).toBeLessThan(1_000n);
            }
            await flatten(practice, who);
            const gained = total(
              (await allHistory(practice, who)).map((record: { net_pnl_usd: number }) =>
                micro(record.net_pnl_usd),
              ),
            );
            const end = (await practice.get('/account', { as: who })).body.data;
            expect(micro(end.balance_usdc)).toBe(100_000_000_000n + gained);
            expect(end).toMatchObject({ margin_in_use_usdc: 0, reserved_usdc: 0, open_exposure_usd: 0 });
          }
          await practice.close();
        });
      }),
      { numRuns: RUNS, seed: 21 },
    );
  });

  it('invariants: events computed late equal events computed on time', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ seed, steps }) => {
        const texts: string[] = [];
        for (const attentive of [true, false]) {
          await inFolder(async (store) => {
            const practice = await openPractice(store, { seed, settings });
            for (const [index, each] of steps.entries()) {
              if (attentive && each.do === 'wait') {
                // Reads after each quarter of the wait.
                for (const part of [0, 1, 2]) {
                  practice.clock.pass(
                    Math.floor(((part + 1) * each.ms) / 4) - Math.floor((part * each.ms) / 4),
                  );
                  await practice.get('/positions', { as: part % 2 === 0 ? 'live' : 'test' });
                }
                practice.clock.pass(each.ms - Math.floor((3 * each.ms) / 4));
              } else await execute(practice, each, `k${index}`);
            }
            await practice.admin.advance(8 * 86_400_000);
            const seen = [];
            for (const who of ['live', 'test'] as const)
              for (const path of ['/hedges/history?limit=500', '/hedges?limit=500', '/account'])
                seen.push((await practice.get(path, { as: who })).text);
            texts.push(seen.join('\n'));
            await practice.close();
          });
        }
        expect(texts[1]).toBe(texts[0]);
      }),
      { numRuns: Math.ceil(RUNS / 2), seed: 22 },
    );
  });

  it('invariants: a resend under the same key gets the same response and changes nothing', async () => {
    let replayed = 0;
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 0, max: 3 }), async ({ seed, steps }, every) => {
        await inFolder(async (store) => {
          const practice = await openPractice(store, { seed, settings });
          const accepted: Done[] = [];
          for (const [index, each] of steps.entries()) {
            const done = await execute(practice, each, `k${index}`);
            if (done !== undefined && done.reply.status < 300) accepted.push(done);
            const again = accepted.at(-1 - every);
            if (again === undefined) continue;
            const before = JSON.stringify((await practice.admin.status()).books);
            const replay = await practice.post(again.path, again.body, { key: again.key, as: again.as });
            // After 24 hours of wall time the key is free, so it is a new request.
            if (replay.headers['idempotency-replayed'] === undefined) {
              accepted.splice(accepted.indexOf(again), 1);
              continue;
            }
            replayed += 1;
            expect({ status: replay.status, text: replay.text }).toEqual({
              status: again.reply.status,
              text: again.reply.text,
            });
            expect(JSON.stringify((await practice.admin.status()).books)).toBe(before);
          }
          await practice.close();
        });
      }),
      { numRuns: Math.ceil(RUNS / 2), seed: 23 },
    );
    expect(replayed).toBeGreaterThan(RUNS / 4);
  });

  it('invariants: a close returns the net margin that the position showed', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(history, as, async ({ seed, steps }, who) => {
        const closedAt: Record<string, number> = {};
        const returned: Record<string, bigint> = {};
        for (const closing of [true, false]) {
          await inFolder(async (store) => {
            const practice = await openPractice(store, {
              seed,
              settings: { ...settings, fill_seconds: { min: 2, max: 2 } },
            });
            for (const [index, each] of steps.entries()) await execute(practice, each, `k${index}`);
            await practice.admin.clearFaults();
            practice.clock.pass(2_000); // all orders have filled
            const lines: { market: string; side: string; net_margin_usd: number }[] = (
              await practice.get('/positions', { as: who })
            ).body.data;
            const [line] = lines;
            if (line === undefined) return practice.close();
            const name = `${line.market} ${line.side}`;
            if (closing) {
              const before = micro((await practice.get('/account', { as: who })).body.data.balance_usdc);
              await practice.post('/hedges/close', { market: line.market, side: line.side }, { as: who });
              practice.clock.pass(1_999);
              const still = micro((await practice.get('/account', { as: who })).body.data.balance_usdc);
              practice.clock.pass(1);
              const after = micro((await practice.get('/account', { as: who })).body.data.balance_usdc);
              closedAt[name] = practice.clock.now();
              // A history in which another hedge settles meanwhile is skipped.
              if (still === before) returned[name] = after - before;
            } else {
              practice.clock.pass((closedAt[name] ?? practice.clock.now()) - practice.clock.now());
              const there: typeof lines = (await practice.get('/positions', { as: who })).body.data;
              const same = there.find((each) => `${each.market} ${each.side}` === name);
              if (same !== undefined && there.length === lines.length && returned[name] !== undefined) {
                compared += 1;
                expect(micro(same.net_margin_usd)).toBe(returned[name]);
              }
            }
            return practice.close();
          });
        }
      }),
      { numRuns: RUNS, seed: 24 },
    );
    expect(compared).toBeGreaterThan(RUNS / 4);
  });
});

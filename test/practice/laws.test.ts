/** Properties of any history: random actions on both books, failures, faults and advances of time. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalOf } from '../../src/practice/domain/scaled-decimals.ts';
import { IN_FULL } from '../support/goal.ts';
import { aFolder, openDesk, type PracticeDesk, type Reply } from './support/desk.ts';

const RUNS = IN_FULL ? 40 : 20;
const CAP = 500_000_000_000n;

type As = 'live' | 'test';
type Deed =
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
const deed: fc.Arbitrary<Deed> = fc.oneof(
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
  deeds: fc.array(deed, { minLength: 5, maxLength: 40 }),
});

/** The micro-units of a number on the wire. */
function micro(value: number): bigint {
  const exact = decimalOf(String(value), 6);
  if (exact === undefined) throw new Error(`${value} is no amount`);
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

/** Does one deed; gives back the action it sent, if it sent one. */
async function carryOut(desk: PracticeDesk, each: Deed, key: string): Promise<Done | undefined> {
  if (each.do === 'wait') {
    desk.clock.pass(each.ms);
    return undefined;
  }
  if (each.do === 'faults') {
    const { failing, partial } = each;
    await desk.service.admin.setFaults({ share_failing_orders: failing, share_partial_fills: partial });
    return undefined;
  }
  const on = { market: each.market, side: each.side };
  const path = each.do === 'open' ? '/hedges' : `/hedges/${each.do}`;
  const sized = each.do === 'close' ? on : { ...on, notional_usd: each.cents / 100 };
  const body = each.do === 'open' ? { ...sized, tenor_days: each.tenor } : sized;
  return { reply: await desk.post(path, body, { key, as: each.as }), path, body, key, as: each.as };
}

const settings = { markets: { USDTKES: { enabled: true } } };

async function inFolder(work: (store: string) => Promise<void>): Promise<void> {
  await work(await aFolder());
}

async function allHistory(desk: PracticeDesk, who: As) {
  const { body } = await desk.get('/hedges/history?limit=500', { as: who });
  expect(body.meta.has_more).toBe(false);
  return body.data;
}

/** Lets everything land, closes what is open, and lets that land too. */
async function flatten(desk: PracticeDesk, who: As): Promise<void> {
  await desk.service.admin.clearFaults();
  desk.clock.pass(5_000);
  for (const line of (await desk.get('/positions', { as: who })).body.data) {
    const { market: on, side: of } = line;
    expect((await desk.post('/hedges/close', { market: on, side: of }, { as: who })).status).toBe(200);
  }
  desk.clock.pass(5_000);
}

describe('over any history', () => {
  it('any history: money is conserved, the cap holds, margins fit and the other book is unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ seed, deeds }) => {
        await inFolder(async (store) => {
          const desk = await openDesk(store, { seed, settings });
          for (const [index, each] of deeds.entries()) {
            const other = 'as' in each ? (each.as === 'live' ? 'test' : 'live') : undefined;
            const before = await desk.service.admin.status();
            const done = await carryOut(desk, each, `k${index}`);
            if (done !== undefined) expect([200, 201, 400, 404]).toContain(done.reply.status);
            const after = await desk.service.admin.status();
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
            const account = (await desk.get('/account', { as: who })).body.data;
            const lines = (await desk.get('/positions', { as: who })).body.data;
            const margins = lines.map((line: { margin_usdc: number }) => micro(line.margin_usdc));
            expect(total(margins)).toBe(micro(account.margin_in_use_usdc));
            for (const line of lines) {
              // 10 % of the notional, but for the rounding of each reduction: far under a cent
              const off = micro(line.margin_usdc) * 10n - micro(line.notional_usd);
              expect(off < 0n ? -off : off).toBeLessThan(1_000n);
            }
            await flatten(desk, who);
            const gained = total(
              (await allHistory(desk, who)).map((record: { net_pnl_usd: number }) =>
                micro(record.net_pnl_usd),
              ),
            );
            const end = (await desk.get('/account', { as: who })).body.data;
            expect(micro(end.balance_usdc)).toBe(100_000_000_000n + gained);
            expect(end).toMatchObject({ margin_in_use_usdc: 0, reserved_usdc: 0, open_exposure_usd: 0 });
          }
          await desk.close();
        });
      }),
      { numRuns: RUNS, seed: 21 },
    );
  });

  it('any history: events computed late equal events computed on time', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ seed, deeds }) => {
        const texts: string[] = [];
        for (const attentive of [true, false]) {
          await inFolder(async (store) => {
            const desk = await openDesk(store, { seed, settings });
            for (const [index, each] of deeds.entries()) {
              if (attentive && each.do === 'wait') {
                // someone looks every quarter of the way
                for (const part of [0, 1, 2]) {
                  desk.clock.pass(Math.floor(((part + 1) * each.ms) / 4) - Math.floor((part * each.ms) / 4));
                  await desk.get('/positions', { as: part % 2 === 0 ? 'live' : 'test' });
                }
                desk.clock.pass(each.ms - Math.floor((3 * each.ms) / 4));
              } else await carryOut(desk, each, `k${index}`);
            }
            await desk.service.admin.advance(8 * 86_400_000);
            const seen = [];
            for (const who of ['live', 'test'] as const)
              for (const path of ['/hedges/history?limit=500', '/hedges?limit=500', '/account'])
                seen.push((await desk.get(path, { as: who })).text);
            texts.push(seen.join('\n'));
            await desk.close();
          });
        }
        expect(texts[1]).toBe(texts[0]);
      }),
      { numRuns: Math.ceil(RUNS / 2), seed: 22 },
    );
  });

  it('any history: a resend under the same key gets the same answer and changes nothing', async () => {
    let replayed = 0;
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 0, max: 3 }), async ({ seed, deeds }, every) => {
        await inFolder(async (store) => {
          const desk = await openDesk(store, { seed, settings });
          const accepted: Done[] = [];
          for (const [index, each] of deeds.entries()) {
            const done = await carryOut(desk, each, `k${index}`);
            if (done !== undefined && done.reply.status < 300) accepted.push(done);
            const again = accepted.at(-1 - every);
            if (again === undefined) continue;
            const before = JSON.stringify((await desk.service.admin.status()).books);
            const replay = await desk.post(again.path, again.body, { key: again.key, as: again.as });
            // more than 24 hours of wall time later the key is free, and the request a new one
            if (replay.headers['idempotency-replayed'] === undefined) {
              accepted.splice(accepted.indexOf(again), 1);
              continue;
            }
            replayed += 1;
            expect({ status: replay.status, text: replay.text }).toEqual({
              status: again.reply.status,
              text: again.reply.text,
            });
            expect(JSON.stringify((await desk.service.admin.status()).books)).toBe(before);
          }
          await desk.close();
        });
      }),
      { numRuns: Math.ceil(RUNS / 2), seed: 23 },
    );
    expect(replayed).toBeGreaterThan(RUNS);
  });

  it('any history: a close returns the net margin that the position showed', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(history, as, async ({ seed, deeds }, who) => {
        const closedAt: Record<string, number> = {};
        const returned: Record<string, bigint> = {};
        for (const closing of [true, false]) {
          await inFolder(async (store) => {
            const desk = await openDesk(store, {
              seed,
              settings: { ...settings, fill_seconds: { min: 2, max: 2 } },
            });
            for (const [index, each] of deeds.entries()) await carryOut(desk, each, `k${index}`);
            await desk.service.admin.clearFaults();
            desk.clock.pass(2_000); // nothing is in flight any more
            const lines: { market: string; side: string; net_margin_usd: number }[] = (
              await desk.get('/positions', { as: who })
            ).body.data;
            const [line] = lines;
            if (line === undefined) return desk.close();
            const name = `${line.market} ${line.side}`;
            if (closing) {
              const before = micro((await desk.get('/account', { as: who })).body.data.balance_usdc);
              await desk.post('/hedges/close', { market: line.market, side: line.side }, { as: who });
              desk.clock.pass(1_999);
              const still = micro((await desk.get('/account', { as: who })).body.data.balance_usdc);
              desk.clock.pass(1);
              const after = micro((await desk.get('/account', { as: who })).body.data.balance_usdc);
              closedAt[name] = desk.clock.now();
              // a settlement meanwhile, of another hedge, is no part of it: such a history is passed over
              if (still === before) returned[name] = after - before;
            } else {
              desk.clock.pass((closedAt[name] ?? desk.clock.now()) - desk.clock.now());
              const there: typeof lines = (await desk.get('/positions', { as: who })).body.data;
              const same = there.find((each) => `${each.market} ${each.side}` === name);
              if (same !== undefined && there.length === lines.length && returned[name] !== undefined) {
                compared += 1;
                expect(micro(same.net_margin_usd)).toBe(returned[name]);
              }
            }
            return desk.close();
          });
        }
      }),
      { numRuns: RUNS, seed: 24 },
    );
    expect(compared).toBeGreaterThan(RUNS / 4);
  });
});

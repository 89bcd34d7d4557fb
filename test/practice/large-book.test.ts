/** Books of a thousand hedges and more, of 250 every day: every figure against a model, and events in batches. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { executionPrice } from '../../src/practice/book/economics.ts';
import { insertHedge, updateHedge } from '../../src/practice/book/stored-records.ts';
import { referenceRate } from '../../src/practice/book/transaction-context.ts';
import { decimalOf } from '../../src/practice/domain/scaled-decimals.ts';
import { openDatabase } from '../../src/practice/store/database.ts';
import { DATABASE_NAME } from '../../src/practice/store/open-store.ts';
import { aQuarter, IN_FULL, SOAKING } from '../support/goal.ts';
import {
  DAY,
  expectAccepted,
  openPractice,
  storeFolder,
  type TestPractice,
  testRandom,
} from './support/practice-service.ts';
import { sideModel } from './support/side-model.ts';

/** The long runs take hours: each part is a test. */
const PARTS = 5;
const DAYS_A_PART = SOAKING ? 100 : IN_FULL ? 5 : 1;
const HEDGES = aQuarter(1_000);
const FILL = 2_000;

const micro = (value: number): bigint => decimalOf(String(value), 6) ?? -1n;
const rate = (value: number): bigint => decimalOf(String(value), 8) ?? -1n;
const market = 'USDTNGN';
const model = { seed: 'practice', market, baseRate: 1530, swing: 1, driftYearly: 0.03 };
const impact = { base: 40_000n, per10kUsd: 20_000n };
const terms = {
  carryDaily: { buy: 50_000n, sell: -20_000n },
  margin: 10_000_000n,
  platformFee: 100_000n,
  closeFee: 50_000n,
};

async function everyRecord(practice: TestPractice) {
  const all: Record<string, number>[] = [];
  for (let before = ''; ; ) {
    const { body } = await practice.get(`/hedges/history?limit=500${before}`);
    all.push(...body.data);
    if (!body.meta.has_more) return all;
    before = `&before=${String(all.at(-1)?.['id'])}`;
  }
}

/** Opens all hedges, trades over the whole side, lets all mature; compares at every step. */
async function tradeDay(seed: number): Promise<number> {
  const { fraction } = testRandom(seed);
  const between = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  const pick = <T>(list: readonly [T, ...T[]]): T => list[between(0, list.length - 1)] ?? list[0];
  const store = await storeFolder();
  const practice = await openPractice(store, { seed, settings: { fill_seconds: { min: 2, max: 2 } } });
  const midAt = (instant: number) => referenceRate(model, instant);
  const book = sideModel(terms, 100_000_000_000n, midAt);
  const strike = (side: 'buy' | 'sell', notional: bigint) =>
    executionPrice(midAt(practice.clock.now()), side, notional, impact);
  const pass = (ms: number) => {
    practice.clock.pass(ms);
    book.settleUntil(practice.clock.now());
  };
  let compared = 0;
  const compare = async () => {
    const now = practice.clock.now();
    const lines = (await practice.get('/positions')).body.data;
    const shown = lines.map((line: Record<string, number>) => ({
      notional: micro(line['notional_usd'] ?? NaN),
      entry: rate(line['entry_price'] ?? NaN),
      mark: rate(line['mark_price'] ?? NaN),
      gross: micro(line['gross_pnl_usd'] ?? NaN),
      carry: micro(line['accrued_carry_usdc'] ?? NaN),
      fee: micro(line['close_fee_usdc'] ?? NaN),
      margin: micro(line['margin_usdc'] ?? NaN),
      net: micro(line['net_pnl_usd'] ?? NaN),
      netMargin: micro(line['net_margin_usd'] ?? NaN),
    }));
    expect(shown).toEqual(['buy', 'sell'].flatMap((side) => book.position(side, now) ?? []));
    const account = (await practice.get('/account')).body.data;
    expect(micro(account.balance_usdc)).toBe(book.balance);
    expect(micro(account.open_exposure_usd)).toBe(
      book.open.reduce((sum, { notional }) => sum + notional, 0n),
    );
    compared += 1;
  };
  const act = async (path: string, body: Record<string, unknown>) => {
    const reply = expectAccepted(await practice.post(path, { market, ...body }));
    pass(FILL);
    return reply.body.data;
  };
  const open = async () => {
    const side = pick(['buy', 'sell'] as const);
    const cents = between(1, 70_000);
    const opened = await act('/hedges', { side, notional_usd: cents / 100, tenor_days: pick([3, 7]) });
    const notional = BigInt(cents) * 10_000n;
    const maturityAt = Date.parse(opened.maturity_at);
    book.hold({
      id: opened.id,
      side,
      notional,
      struck: strike(side, notional),
      filledAt: practice.clock.now(),
      maturityAt,
    });
  };
  const change = async () => {
    const side = pick(['buy', 'sell'] as const);
    const held = book.position(side, practice.clock.now())?.notional ?? 0n;
    if (held === 0n) return;
    if (fraction() < 0.4) {
      const notional = BigInt(between(1, 50_000)) * 10_000n;
      await act('/hedges/add', { side, notional_usd: Number(notional) / 1e6 });
      book.add(side, notional, strike(side, notional), practice.clock.now());
    } else if (fraction() < 0.9) {
      const asked = (held * BigInt(between(1, 400))) / 1_000n + 1n;
      await act('/hedges/reduce', { side, notional_usd: Number(asked) / 1e6 });
      book.reduce(side, asked, practice.clock.now());
    } else {
      await act('/hedges/close', { side });
      book.reduce(side, held, practice.clock.now());
    }
  };

  for (let count = 0; count < HEDGES; count += 1) {
    await open();
    pass(between(0, 30_000));
    if (count % 100 === 0) await compare();
  }
  for (let count = 0; count < 20; count += 1) {
    await change();
    await compare();
    pass(between(1, 3_600_000 * 5));
    await compare();
  }
  pass(8 * DAY);
  await compare();
  const records = await everyRecord(practice);
  const byId = new Map(book.closed.map((hedge) => [hedge.id, hedge]));
  expect(records).toHaveLength(HEDGES);
  for (const record of records) {
    const { gross = -1n, carry = -1n, fees = -1n } = byId.get(String(record['id'])) ?? {};
    expect({
      gross: micro(record['gross_pnl_usd'] ?? NaN),
      carry: micro(record['carry_usdc'] ?? NaN),
      fees: micro(record['fees_usdc'] ?? NaN),
      net: micro(record['net_pnl_usd'] ?? NaN),
    }).toEqual({ gross, carry, fees, net: gross + carry - fees });
    // Its own prices give the gross P&L, to a cent.
    const { notional_usd: notional = NaN, entry_price: entry = NaN, exit_price: exit = NaN } = record;
    const gain = (notional * (exit - entry)) / exit;
    const own = byId.get(String(record['id']))?.side === 'buy' ? gain : -gain;
    expect(Math.abs(own - (record['gross_pnl_usd'] ?? NaN))).toBeLessThan(0.01);
  }
  await practice.close();
  return compared;
}

describe('a book of many hedges', () => {
  it.each(Array.from({ length: IN_FULL ? PARTS : 1 }, (_, part) => part + 1))(
    'large book: positions, balance and every record equal the model to the last digit, part %s',
    async (part) => {
      let compared = 0;
      for (let day = 0; day < DAYS_A_PART; day += 1) compared += await tradeDay(day * PARTS + part);
      expect(compared).toBe(DAYS_A_PART * (Math.ceil(HEDGES / 100) + 2 * 20 + 1));
    },
  );
});

/** Writes filled hedges straight into a book, maturing over seven days. */
async function fillStore(store: string, count: number): Promise<number> {
  const practice = await openPractice(store);
  const now = practice.clock.now();
  await practice.get('/account');
  await practice.close();
  const db = openDatabase(join(store, DATABASE_NAME));
  db.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const id = `hdg_${String(index).padStart(16, '0')}`;
      const notional = 1_000_000n + BigInt(index);
      const hedge = {
        id,
        environment: 'live' as const,
        clientReference: null,
        market,
        side: 'buy' as const,
        tenorDays: 7,
        notional,
        orderTxHash: `0x${'0'.repeat(64)}`,
        orderKey: `0x${'0'.repeat(64)}`,
        openedAt: now - 60_000,
        maturityAt: now + Math.floor((index * 7 * DAY) / count) + 1,
        terms: { settingsVersion: 1, ...terms, carryDaily: terms.carryDaily.buy },
      };
      insertHedge(db, hedge);
      const stored = {
        ...hedge,
        seq: index + 1,
        status: 'submitted' as const,
        margin: 0n,
        struck: null,
        fillTxHash: null,
        filledAt: null,
        closedAt: null,
        closeReason: null,
        carryOwed: 0n,
        carrySecond: 0n,
        platformFees: 0n,
        realized: { notional: 0n, entry: 0n, exit: 0n, gross: 0n, carry: 0n, fees: 0n },
      };
      const filled = {
        status: 'filled' as const,
        struck: 153_000_000_000n,
        filledAt: now - 57_000 + (index % 1_000),
      };
      updateHedge(db, stored, { ...stored, ...filled });
    }
  });
  db.close();
  return now;
}

describe('many maturities', () => {
  const MANY = aQuarter(6_000);

  it('many maturities: an advance counts them all, lists the latest 500 and equals a request that comes late', async () => {
    const [advanced, late] = [await storeFolder(), await storeFolder()];
    const now = await fillStore(advanced, MANY);
    await copyFile(join(advanced, DATABASE_NAME), join(late, DATABASE_NAME));
    const first = await openPractice(advanced, { start: now });
    const summary = await first.admin.advance(8 * DAY);
    const { events, event_count: count } = summary.environments.live;
    expect({ listed: events.length, count }).toEqual({ listed: 500, count: MANY });
    expect(events.at(-1)?.hedge_id).toBe(`hdg_${String(MANY - 1).padStart(16, '0')}`);
    expect(summary).toMatchObject({ to: new Date(now + 8 * DAY).toISOString(), advanced_ms: 8 * DAY });
    const second = await openPractice(late, { start: now + 8 * DAY });
    for (const path of ['/account', '/hedges/history', '/positions'])
      expect((await second.get(path)).text).toBe((await first.get(path)).text);
    const page = (await first.get('/hedges/history')).body;
    expect({ records: page.data.length, meta: page.meta }).toEqual({
      records: 500,
      meta: { count: 500, limit: 500, has_more: true },
    });
    expect((await first.admin.status()).books.live.hedges).toMatchObject({ closed: MANY, filled: 0 });
    await first.close();
    await second.close();
  });
});

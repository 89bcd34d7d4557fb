/** A random day on a book, every figure of which is compared with a model. */
import { expect } from 'vitest';
import { executionPrice } from '../../../src/practice/book/economics.ts';
import { referenceRate } from '../../../src/practice/book/transaction-context.ts';
import { decimalOf } from '../../../src/practice/domain/scaled-decimals.ts';
import {
  DAY,
  expectAccepted,
  openPractice,
  type Reply,
  storeFolder,
  type TestClock,
  type TestPractice,
  testRandom,
} from './practice-service.ts';
import { sideModel } from './side-model.ts';

const FILL = 2_000;

const micro = (value: number): bigint => decimalOf(String(value), 6) ?? -1n;
const rate = (value: number): bigint => decimalOf(String(value), 8) ?? -1n;
const market = 'USDTNGN';
const model = { seed: 'practice', market, baseRate: 1530, swing: 1, driftYearly: 0.03 };
const impact = { base: 40_000n, per10kUsd: 20_000n };
export const TERMS = {
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

export interface Day {
  hedges: number;
  /** Adds, reductions and closes; twice as many comparisons. */
  changes: number;
  clock?: TestClock;
  /** Sends an action until it is accepted; default: once. */
  send?: (practice: TestPractice, path: string, body: object) => Promise<Reply>;
}

/** Opens hedges, trades over the whole side, lets all mature. Returns how often it compared. */
export async function tradeDay(
  seed: number,
  { hedges, changes, clock, send = (practice, path, body) => practice.post(path, body) }: Day,
): Promise<number> {
  const { fraction } = testRandom(seed);
  const between = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  const pick = <T>(list: readonly [T, ...T[]]): T => list[between(0, list.length - 1)] ?? list[0];
  const store = await storeFolder();
  const practice = await openPractice(store, {
    seed,
    settings: { fill_seconds: { min: 2, max: 2 } },
    ...(clock && { clock }),
  });
  const midAt = (instant: number) => referenceRate(model, instant);
  const book = sideModel(TERMS, 100_000_000_000n, midAt);
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
    const reply = expectAccepted(await send(practice, path, { market, ...body }));
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

  for (let count = 0; count < hedges; count += 1) {
    await open();
    pass(between(0, 30_000));
    if (count % 100 === 0) await compare();
  }
  for (let count = 0; count < changes; count += 1) {
    await change();
    await compare();
    pass(between(1, 3_600_000 * 5));
    await compare();
  }
  pass(8 * DAY);
  await compare();
  const records = await everyRecord(practice);
  const byId = new Map(book.closed.map((hedge) => [hedge.id, hedge]));
  expect(records).toHaveLength(hedges);
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

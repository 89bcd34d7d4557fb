/** Books of a thousand hedges and more, of 250 every day: every figure against a model, and events in batches. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { insertHedge, updateHedge } from '../../src/practice/book/stored-records.ts';
import { openDatabase } from '../../src/practice/store/database.ts';
import { DATABASE_NAME } from '../../src/practice/store/open-store.ts';
import { aQuarter, IN_FULL, SOAKING } from '../support/goal.ts';
import { DAY, openPractice, storeFolder } from './support/practice-service.ts';
import { TERMS, tradeDay } from './support/trade-day.ts';

/** The long runs take hours: each part is a test. */
const PARTS = 5;
const DAYS_A_PART = SOAKING ? 100 : IN_FULL ? 5 : 1;
const HEDGES = aQuarter(1_000);

const market = 'USDTNGN';

describe('a book of many hedges', () => {
  it.each(Array.from({ length: IN_FULL ? PARTS : 1 }, (_, part) => part + 1))(
    'large book: positions, balance and every record equal the model to the last digit, part %s',
    async (part) => {
      let compared = 0;
      for (let day = 0; day < DAYS_A_PART; day += 1)
        compared += await tradeDay(day * PARTS + part, { hedges: HEDGES, changes: 20 });
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
        client_reference: null,
        market,
        side: 'buy' as const,
        tenor_days: 7,
        notional,
        order_tx_hash: `0x${'0'.repeat(64)}`,
        order_key: `0x${'0'.repeat(64)}`,
        opened_at: now - 60_000,
        maturity_at: now + Math.floor((index * 7 * DAY) / count) + 1,
        carry_daily: TERMS.carryDaily.buy,
        margin_rate: TERMS.margin,
        platform_fee: TERMS.platformFee,
        close_fee: TERMS.closeFee,
      };
      insertHedge(db, hedge);
      const stored = {
        ...hedge,
        seq: index + 1,
        status: 'submitted' as const,
        margin: 0n,
        struck: null,
        fill_tx_hash: null,
        filled_at: null,
        closed_at: null,
        close_reason: null,
        carry_owed: 0n,
        carry_second: 0n,
        platform_fees: 0n,
        done_notional: 0n,
        done_entry: 0n,
        done_exit: 0n,
        done_gross: 0n,
        done_carry: 0n,
        done_fees: 0n,
      };
      const filled = {
        status: 'filled' as const,
        struck: 153_000_000_000n,
        filled_at: now - 57_000 + (index % 1_000),
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

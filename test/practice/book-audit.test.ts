/** The audit of a book notices whatever is half-applied. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/practice/store/database.ts';
import { DATABASE_NAME } from '../../src/practice/store/open-store.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { auditBook } from './support/book-audit.ts';
import { placeHedges } from './support/large-book.ts';
import { expectAccepted, NINE, startPractice, testClock } from './support/practice-service.ts';

const on = { market: 'USDTNGN', side: 'buy' };

/** A book after an open, an add and a reduction, with an open and an add in flight. */
async function tradedBook(): Promise<{ path: string; placed: number }> {
  const store = temporaryFolder();
  await placeHedges(store, 40, NINE);
  const path = join(store, DATABASE_NAME);
  const { lastOrder: placed } = auditBook(path);
  const clock = testClock(NINE);
  const practice = await startPractice({ store, clock, settings: null });
  const act = async (key: string, action: string, body: object) => {
    expectAccepted(await practice.post(action, { ...on, ...body }, { key }));
  };
  await act('1', '/hedges', { notional_usd: 500, tenor_days: 3 });
  await act('2', '/hedges/reduce', { notional_usd: 700 });
  clock.pass(1_000);
  await act('3', '/hedges/add', { notional_usd: 250 });
  clock.pass(1_000);
  await act('4', '/hedges', { notional_usd: 300, tenor_days: 1 });
  await act('5', '/hedges/add', { notional_usd: 100 });
  await practice.close();
  return { path, placed };
}

const BROKEN: readonly [sql: string, noticed: RegExp][] = [
  [`DELETE FROM orders WHERE kind = 'reduce'`, /has no order/],
  [`DELETE FROM kept_answers WHERE idempotency_key = '1'`, /0 stored/],
  [`UPDATE accounts SET balance = balance + 1, house = house - 1`, /sum of its postings/],
  [`UPDATE hedge_records SET margin = margin + 1 WHERE seq = 7`, /margin or reserve/],
  [`UPDATE hedge_records SET done_gross = done_gross + 1 WHERE seq = 7`, /what its postings moved/],
  [`UPDATE hedge_records SET notional = notional - 1 WHERE seq = 7`, /what its orders made/],
  [`UPDATE hedge_records SET status = 'submitted' WHERE seq = 7`, /what its orders made/],
  [`UPDATE side_sums SET entry = entry || '0'`, /sum live USDTNGN buy entry/],
  [`UPDATE side_sums SET adding = '0'`, /sum live USDTNGN buy adding/],
  ['DELETE FROM side_phases', /phase/],
  [
    `DELETE FROM postings WHERE seq = (SELECT MAX(seq) FROM postings WHERE what = 'close')`,
    /the reduction of live USDTNGN buy \d+ changed \d+ of \d+ hedges/,
  ],
];

describe('the audit of a book', () => {
  it('audit: finds nothing in a book that was traded on, and each row that is changed', async () => {
    const { path, placed } = await tradedBook();
    expect(auditBook(path, placed).wrong).toEqual([]);
    for (const [sql, noticed] of BROKEN) {
      const copy = join(temporaryFolder(), DATABASE_NAME);
      copyFileSync(path, copy);
      const db = openDatabase(copy);
      db.exec(sql);
      db.close();
      expect({ sql, wrong: auditBook(copy, placed).wrong.join('\n') }).toEqual({
        sql,
        wrong: expect.stringMatching(noticed),
      });
    }
  });
});

/** A book of version 1, written by the program before side sums and settings in the database. */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAY, openPractice, storeFolder, type TestPractice, testClock } from './support/practice-service.ts';

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite');
const fixture = (end: string) => new URL(`fixtures/store-version-1.${end}`, import.meta.url);

/** The readings of that program a minute after the book was written, and after all has settled. */
const expected = JSON.parse(await readFile(fixture('json'), 'utf8'));

async function storeOfVersion1(): Promise<string> {
  const store = await storeFolder();
  const db = new DatabaseSync(join(store, 'practice.sqlite'));
  db.exec(await readFile(fixture('sql'), 'utf8'));
  db.exec('PRAGMA journal_mode = WAL');
  db.close();
  await writeFile(join(store, 'settings.json'), JSON.stringify(expected.settings));
  return store;
}

async function readAll(practice: TestPractice) {
  const seen: Record<string, unknown> = {};
  for (const as of ['live', 'test'] as const)
    for (const path of ['/account', '/positions', '/hedges', '/hedges/history', '/markets'])
      seen[`${as} ${path}`] = (await practice.get(path, { as })).body.data;
  return sameRule(seen);
}

/** That program did not take all exposure off the capacity. */
const sameRule = (readings: unknown): unknown =>
  JSON.parse(JSON.stringify(readings), (name, value) => (name === 'available_capacity_usd' ? null : value));

describe('a book of version 1', () => {
  it('migration: gives the same readings, and settles to the same balances', async () => {
    const store = await storeOfVersion1();
    const clock = testClock(expected.at);
    const practice = await openPractice(store, { clock, settings: null });
    expect(practice.service.keys.live).toBe('hk_live_FIXTURE');
    clock.pass(60_000);
    expect(await readAll(practice)).toEqual(sameRule(expected.later));
    await practice.admin.advance(8 * DAY);
    expect(await readAll(practice)).toEqual(sameRule(expected.settled));
    await practice.close();
  });

  it('migration: stamps the settings in force on open hedges, so that a later change does not', async () => {
    const store = await storeOfVersion1();
    const clock = testClock(expected.at);
    const practice = await openPractice(store, { clock, settings: null });
    clock.pass(60_000);
    await practice.admin.changeSettings([
      { name: 'markets.USDTNGN.carry_daily_pct.buy', value: '9' },
      { name: 'close_fee_pct', value: '9' },
    ]);
    for (const as of ['live', 'test'] as const)
      expect((await practice.get('/positions', { as })).body.data).toEqual(
        expected.later[`${as} /positions`],
      );
    await practice.close();
  });

  it('migration: happens once when several processes start, and the tables of version 1 are gone', async () => {
    const store = await storeOfVersion1();
    const clock = testClock(expected.at + 60_000);
    const all = await Promise.all(
      [1, 2, 3].map((seed) => openPractice(store, { clock, seed, settings: null })),
    );
    for (const practice of all) expect(await readAll(practice)).toEqual(sameRule(expected.later));
    for (const practice of all) await practice.close();
    const db = new DatabaseSync(join(store, 'practice.sqlite'));
    expect(() => db.exec("UPDATE hedges SET status = 'closed'")).toThrow(/no such table/);
    db.close();
  });
});

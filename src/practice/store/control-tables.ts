/** The tables of the control API: its key, the manual clock and the price paths. */
import { DamagedRecordError } from '../domain/practice-types.ts';
import { bigintColumn, type Database, integerColumn, textColumn } from './database.ts';

/** Times in ms since the epoch, prices in 1e-8. */
export const CONTROL_TABLES = `
CREATE TABLE control_key (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  control_key TEXT NOT NULL
) STRICT;
CREATE TABLE manual_clock (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  starts_at INTEGER NOT NULL
) STRICT;
CREATE TABLE price_points (
  market TEXT NOT NULL,
  at INTEGER NOT NULL,
  price INTEGER NOT NULL,
  PRIMARY KEY (market, at)
) STRICT;
`;

/** The stored key; `make` is called if there is none yet. */
export function ensureControlKey(db: Database, make: () => string): string {
  const read = () => db.get('SELECT control_key FROM control_key');
  const found =
    read() ??
    db.transaction(() => {
      // Another process may have stored one first; that one is used.
      db.run('INSERT OR IGNORE INTO control_key (one, control_key) VALUES (1, ?)', make());
      return read();
    });
  if (found === undefined) throw new DamagedRecordError('no control key');
  return textColumn(found, 'control_key');
}

/** From now on, book time moves only when it is advanced. A book that is already past `startsAt` stays where it is. */
export function startManualClock(db: Database, startsAt: number): void {
  db.run('INSERT OR REPLACE INTO manual_clock (one, starts_at) VALUES (1, ?)', startsAt);
}

/** Book time follows the wall clock again, from where it is, or from `wallNow` if it was behind. Inside a transaction. */
export function stopManualClock(db: Database, wallNow: number): void {
  if (db.run('DELETE FROM manual_clock') === 0) return;
  db.run('UPDATE book SET ahead_ms = MAX(0, last_instant - ?)', Math.floor(wallNow));
}

export interface PricePoint {
  at: number;
  /** In units of 1e-8. */
  price: bigint;
}

/** The price that was set for this time: the last point at or before it. */
export function setPriceAt(db: Database, market: string, instant: number): bigint | undefined {
  const row = db.get(
    'SELECT price FROM price_points WHERE market = ? AND at <= ? ORDER BY at DESC LIMIT 1',
    market,
    Math.floor(instant),
  );
  const price = row?.['price'];
  return typeof price === 'bigint' ? price : undefined;
}

/** By market, each in order of time. */
export function pricePaths(db: Database): Map<string, PricePoint[]> {
  const paths = new Map<string, PricePoint[]>();
  for (const row of db.all('SELECT market, at, price FROM price_points ORDER BY market, at')) {
    const market = textColumn(row, 'market');
    const point = { at: integerColumn(row, 'at'), price: bigintColumn(row, 'price') };
    paths.set(market, [...(paths.get(market) ?? []), point]);
  }
  return paths;
}

/** Replaces the path of a market. Inside a transaction. */
export function storePricePath(db: Database, market: string, points: readonly PricePoint[]): void {
  clearPricePaths(db, market);
  for (const { at, price } of points)
    db.run('INSERT INTO price_points (market, at, price) VALUES (?, ?, ?)', market, at, price);
}

/** Clears those of all markets if none is named. */
export function clearPricePaths(db: Database, market?: string): void {
  if (market === undefined) db.run('DELETE FROM price_points');
  else db.run('DELETE FROM price_points WHERE market = ?', market);
}

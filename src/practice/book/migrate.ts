/** Fills what version 2 of the store added, for a book of version 1: terms of the hedges, and sums. */
import { PRACTICE_ENVIRONMENTS, PRACTICE_SIDES } from '../domain/practice-types.ts';
import type { TradingConditions } from '../settings.ts';
import { type Database, textColumn } from '../store/database.ts';
import { heldHedges } from './closing-records.ts';
import { changeSums } from './side-sums.ts';
import { hedgeFromRow, orderFromRow, termsToStamp } from './stored-records.ts';

/** Gives the hedges, which had no terms of their own, those of the settings in force. */
export function stampAllHedges(db: Database, terms: TradingConditions): void {
  for (const { market } of terms.markets.values()) {
    for (const side of PRACTICE_SIDES) {
      const stamp = termsToStamp(terms, { market, side });
      db.run(
        `UPDATE hedge_records SET settings_version = ?, carry_daily = ?, margin_rate = ?, platform_fee = ?, close_fee = ?
         WHERE market = ? AND side = ?`,
        stamp.settingsVersion,
        stamp.carryDaily,
        stamp.margin,
        stamp.platformFee,
        stamp.closeFee,
        market,
        side,
      );
    }
  }
}

/** Computes the sums of both environments from the hedges and orders. */
export function rebuildSums(db: Database): void {
  db.exec('DELETE FROM side_sums; DELETE FROM side_phases');
  const sums = changeSums(db);
  const markets = db
    .all(`SELECT DISTINCT market FROM hedge_records WHERE status = 'filled'`)
    .map((row) => textColumn(row, 'market'));
  for (const environment of PRACTICE_ENVIRONMENTS) {
    for (const market of markets) {
      for (const side of PRACTICE_SIDES) {
        for (const hedge of heldHedges(db, environment, { market, side })) sums.replace(undefined, hedge);
      }
    }
  }
  const submitted = db.all(`SELECT * FROM hedge_records WHERE status = 'submitted'`).map(hedgeFromRow);
  for (const hedge of submitted) sums.replace(undefined, hedge);
  const adds = db.all(`SELECT * FROM orders WHERE kind = 'add' AND state = 'pending'`).map(orderFromRow);
  for (const order of adds) sums.addInFlight(order, order.notional);
  sums.save();
}

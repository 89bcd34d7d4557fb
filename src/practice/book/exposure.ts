/** What is open: exposure under the cap, and what one side of a market holds. Orders in flight count. */
import type { Environment, Side } from '../door.ts';
import { greatest, type Micro } from '../money/decimals.ts';
import { big, type Database } from '../store/database.ts';
import type { Sitting } from './sitting.ts';

/** Gross notional of submitted and filled hedges and of adds in flight; on one side of a market when named. */
export function exposure(db: Database, environment: Environment, on?: { market: string; side: Side }): Micro {
  const side = on === undefined ? '' : 'AND market = ? AND side = ?';
  const binds = on === undefined ? [environment] : [environment, on.market, on.side];
  const row = db.get(
    `SELECT
       (SELECT COALESCE(SUM(notional), 0) FROM hedges
          WHERE environment = ? AND status IN ('submitted', 'filled') ${side})
     + (SELECT COALESCE(SUM(notional), 0) FROM orders
          WHERE environment = ? AND state = 'pending' AND kind = 'add' ${side}) AS total`,
    ...binds,
    ...binds,
  );
  return row === undefined ? 0n : big(row, 'total');
}

/** Headroom under the cap; never negative, even when the cap was lowered under what is open. */
export function availableExposure(sitting: Pick<Sitting, 'db' | 'environment' | 'terms'>): Micro {
  return greatest(0n, sitting.terms.cap - exposure(sitting.db, sitting.environment));
}

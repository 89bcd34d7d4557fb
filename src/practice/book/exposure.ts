/** What is open: exposure under the cap, and what one side of a market holds. Orders in flight count. */
import type { Environment, Side } from '../door.ts';
import { greatest, type Micro } from '../money/decimals.ts';
import { big, type Database } from '../store/database.ts';
import type { Sitting } from './sitting.ts';

/** Gross notional of submitted and filled hedges and of adds in flight; on one side of a market when named. */
export function exposure(db: Database, environment: Environment, on?: { market: string; side: Side }): Micro {
  const row = db.get(
    `SELECT COALESCE(SUM(notional), 0) AS total FROM (
       SELECT market, side, notional FROM hedges WHERE environment = ?1 AND status IN ('submitted', 'filled')
       UNION ALL
       SELECT market, side, notional FROM orders WHERE environment = ?1 AND state = 'pending' AND kind = 'add'
     ) WHERE ?2 IS NULL OR (market = ?2 AND side = ?3)`,
    environment,
    on?.market ?? null,
    on?.side ?? null,
  );
  return row === undefined ? 0n : big(row, 'total');
}

/** Headroom under the cap; never negative, even when the cap was lowered under what is open. */
export function availableExposure(sitting: Pick<Sitting, 'db' | 'environment' | 'terms'>): Micro {
  return greatest(0n, sitting.terms.cap - exposure(sitting.db, sitting.environment));
}

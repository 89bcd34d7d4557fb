/** What the caller may read of its own book: hedges, history, positions, account. */
import { availableExposure, exposure } from '../book/exposure.ts';
import { hedgeById, hedgeOf, type StoredHedge } from '../book/hedges.ts';
import { accountsOf } from '../book/ledger.ts';
import { positionsAt } from '../book/positions.ts';
import type { Sitting } from '../book/sitting.ts';
import type { Bind } from '../store/database.ts';
import type { Reply } from '../wire/envelope.ts';
import { money } from '../wire/json.ts';
import { Refusal } from '../wire/refusal.ts';
import { DEFAULT_LIMIT } from '../wire/requests.ts';
import { hedgeShape, positionShape, recordShape } from '../wire/shapes.ts';

export interface Page {
  limit?: number | undefined;
  /** Id of the last hedge of the page before. */
  before?: string | undefined;
}

export interface HedgeFilter extends Page {
  status?: string | undefined;
  clientReference?: string | undefined;
}

export function oneHedge(sitting: Sitting, id: string): Reply {
  return { status: 200, data: hedgeShape(callersHedge(sitting, id)) };
}

/** Newest first. */
export function listHedges(sitting: Sitting, filter: HedgeFilter): Reply {
  const conditions = ['environment = ?'];
  const binds: Bind[] = [sitting.environment];
  const where = (condition: string, bind: Bind) => {
    conditions.push(condition);
    binds.push(bind);
  };
  if (filter.status !== undefined) where('status = ?', filter.status);
  if (filter.clientReference !== undefined) where('client_reference = ?', filter.clientReference);
  if (filter.before !== undefined) where('seq < ?', callersHedge(sitting, filter.before).seq);
  const sql = `SELECT * FROM hedges WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT ?`;
  return page(sitting, sql, binds, { ...filter, shape: hedgeShape });
}

/** Newest close first. */
export function listHistory(sitting: Sitting, asked: Page): Reply {
  const after = asked.before === undefined ? undefined : callersHedge(sitting, asked.before);
  const sql = `SELECT * FROM hedges WHERE environment = ? AND status = 'closed'
    ${after === undefined ? '' : 'AND (closed_at, seq) < (?, ?)'} ORDER BY closed_at DESC, seq DESC LIMIT ?`;
  const binds: Bind[] = [sitting.environment];
  if (after !== undefined) binds.push(after.closedAt ?? sitting.now, after.seq);
  return page(sitting, sql, binds, { ...asked, shape: recordShape });
}

export function listPositions(sitting: Sitting): Reply {
  return { status: 200, data: positionsAt(sitting, sitting.environment, sitting.now).map(positionShape) };
}

export function account(sitting: Sitting): Reply {
  const accounts = accountsOf(sitting.db, sitting.environment);
  const positions = positionsAt(sitting, sitting.environment, sitting.now);
  return {
    status: 200,
    data: {
      balance_usdc: money(accounts.balance),
      available_exposure_usd: money(availableExposure(sitting)),
      margin_in_use_usdc: money(accounts.margin),
      reserved_usdc: money(accounts.reserved),
      open_exposure_usd: money(exposure(sitting.db, sitting.environment)),
      unrealized_pnl_usd: money(positions.reduce((sum, position) => sum + position.net, 0n)),
      open_positions: positions.length,
    },
  };
}

/** One row more than asked tells whether there is more. */
function page(
  sitting: Sitting,
  sql: string,
  binds: Bind[],
  asked: Page & { shape: (hedge: StoredHedge) => Reply['data'] },
): Reply {
  const limit = asked.limit ?? DEFAULT_LIMIT;
  const hedges = sitting.db.all(sql, ...binds, limit + 1).map(hedgeOf);
  const shown = hedges.slice(0, limit);
  return {
    status: 200,
    data: shown.map(asked.shape),
    meta: { count: shown.length, limit, has_more: hedges.length > limit },
  };
}

function callersHedge(sitting: Sitting, id: string): StoredHedge {
  const hedge = hedgeById(sitting.db, sitting.environment, id);
  if (hedge !== undefined) return hedge;
  throw new Refusal('hedge_not_found', 'None of your hedges has this id.');
}

/** Net P&L of closed hedges added up from the oldest to the newest, exactly. Reads nothing. */
import { Big } from 'big.js';
import { textIn } from '../../client/guessed.ts';
import type { ClosedHedge } from '../../client/schemas.ts';
import { instantOf } from '../../domain/instants.ts';

export interface AddedUp {
  record: ClosedHedge;
  /** Milliseconds since the epoch. */
  closedAt: number;
  /** USD: the net P&L of this record and all that were closed before it. Positive: the account gained. */
  total: Big;
}

export interface AddedUpHistory {
  /** Oldest first. */
  steps: readonly AddedUp[];
  /** Records without a time of closing, which have no place on a line. */
  undated: readonly ClosedHedge[];
}

export function addUpHistory(records: readonly ClosedHedge[]): AddedUpHistory {
  const dated: Omit<AddedUp, 'total'>[] = [];
  const undated: ClosedHedge[] = [];
  for (const record of records) {
    const closedAt = instantOf(textIn(record.closed_at) ?? '');
    if (closedAt === undefined) undated.push(record);
    else dated.push({ record, closedAt });
  }
  let total = new Big(0);
  const steps = dated
    .toSorted((one, other) => one.closedAt - other.closedAt)
    .map((step) => {
      total = total.plus(step.record.net_pnl_usd);
      return { ...step, total };
    });
  return { steps, undated };
}

/** Net P&L of closed hedges added up from the oldest to the newest, exactly. Reads nothing. */
import { Big } from 'big.js';
import { type ClosedHedge, textIn } from '../../client/schemas.ts';
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
  left: number;
}

export function addUpHistory(records: readonly ClosedHedge[]): AddedUpHistory {
  const dated = records.flatMap((record) => {
    const closedAt = instantOf(textIn(record.closed_at) ?? '');
    return closedAt === undefined ? [] : [{ record, closedAt }];
  });
  let total = new Big(0);
  const steps = dated
    .toSorted((one, other) => one.closedAt - other.closedAt)
    .map((step) => {
      total = total.plus(step.record.net_pnl_usd);
      return { ...step, total };
    });
  return { steps, left: records.length - dated.length };
}

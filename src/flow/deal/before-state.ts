/** The side as it was before an action, as the journal keeps it: what evidence is measured against. Pure. */
import { exactInstant } from '../../domain/instants.ts';
import type { IntentRecord } from '../../journal/record.ts';
import type { PlanFacts } from '../plan/plan.ts';

/**
 * Hedges that hold the side, or may yet; and those that carried the deal id already, whatever became of them,
 * so that an attempt that failed is not taken for the one that is dealt now.
 */
export function beforeState({
  book,
  underDealId = [],
  readAtMs,
  clocks,
}: Pick<PlanFacts, 'book' | 'underDealId' | 'clocks'> &
  Partial<Pick<PlanFacts, 'readAtMs'>>): IntentRecord['before'] {
  const hedges = new Map<string, IntentRecord['before']['hedges'][number]>();
  for (const { id, notional, status } of [...book.open, ...book.coming, ...book.unread])
    hedges.set(id, { hedge_id: id, notional_usd: notional.toFixed(), status });
  for (const { id, notional_usd, status } of underDealId)
    hedges.set(id, { hedge_id: id, notional_usd: notional_usd.toFixed(), status });
  return {
    hedges: [...hedges.values()],
    in_positions: book.inPositions ?? null,
    ...(readAtMs === undefined ? {} : { read_at: exactInstant(readAtMs) }),
    ...(clocks?.service === undefined
      ? {}
      : { answered_at: exactInstant(clocks.wall), served_at: exactInstant(clocks.service) }),
  };
}

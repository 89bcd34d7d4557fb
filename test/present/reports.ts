/** What a report of an action is made of: the journal's entry, and the body of its plan. */
import type { Plan } from '../../src/flow/plan/plan.ts';
import { type Action, foldRecords } from '../../src/journal/fold.ts';
import type { IntentRecord, JournalRecord } from '../../src/journal/record.ts';
import { anIntent } from '../journal/records.ts';

/** The journal's entry after these steps. */
export function entryOf(steps: readonly JournalRecord[], intent: Partial<IntentRecord> = {}): Action {
  const [entry] = foldRecords([anIntent(intent), ...steps], () => false).actions;
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

/** The body of a plan, as the journal keeps it. */
export const bodyOf = ({ request }: Plan): string =>
  JSON.stringify({
    ...request,
    ...('notional_usd' in request ? { notional_usd: Number(request.notional_usd) } : {}),
  });

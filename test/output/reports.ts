/** What a report of an action is made of: the journal's entry, and the body of its plan. */

import type { IntentRecord, JournalRecord } from '../../src/journal/records.ts';
import { type Action, replayRecords } from '../../src/journal/replay.ts';
import type { Plan } from '../../src/trading/plan.ts';
import { anIntent } from '../journal/records.ts';
/** The journal's entry after these steps. */
export function entryOf(steps: readonly JournalRecord[], intent: Partial<IntentRecord> = {}): Action {
  const [entry] = replayRecords([anIntent(intent), ...steps], () => false);
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

/** The body of a plan, as the journal keeps it. */
export const bodyOf = ({ request }: Plan): string =>
  JSON.stringify({
    ...request,
    ...('notional_usd' in request ? { notional_usd: Number(request.notional_usd) } : {}),
  });

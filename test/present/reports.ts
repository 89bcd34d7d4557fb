/** Reports of actions, each complete, with what a test is about put in. */
import type { ActionReport, ReportOutcome } from '../../src/flow/dealing.ts';
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

export const aReport = (outcome: ReportOutcome, changes: Partial<ActionReport> = {}): ActionReport => ({
  entry: undefined,
  plan: undefined,
  outcome,
  effect: 'done',
  warnings: [],
  hedge: undefined,
  position: undefined,
  hedges: undefined,
  derived: {},
  finding: undefined,
  servedAt: undefined,
  ...changes,
});

/** The body of a plan, as the journal keeps it. */
export const bodyOf = ({ request }: Plan): string =>
  JSON.stringify({
    ...request,
    ...('notional_usd' in request ? { notional_usd: Number(request.notional_usd) } : {}),
  });

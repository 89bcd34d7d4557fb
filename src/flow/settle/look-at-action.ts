/**
 * One look at an action of the journal, and what follows from it: an end that is seen is written down, an open
 * that is found is accepted, what cannot be told is said. Sends nothing that changes anything.
 */
import { unquoted } from '../../domain/quoted.ts';
import { type Action, isUnresolved } from '../../journal/fold.ts';
import { confirming, isOfAnotherKey } from '../account-unclear.ts';
import { ended, finish } from '../deal/finish.ts';
import type { ActionReport } from '../dealing.ts';
import { endOf } from '../evidence/await-outcome.ts';
import { absenceCheck } from '../evidence/confirm-absence.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { confirmFound, recordFound, recordNotExecuted } from '../evidence/found-hedge.ts';
import { look, type Sighting } from '../evidence/look.ts';
import { recordNotSeen, recordNotTold } from '../evidence/record-outcome.ts';
import type { Looking } from '../looking.ts';
import { reportOf } from '../report/report.ts';
import { notOursError } from '../report/report-errors.ts';
import { evidenceInWords, notSeen, stillPending, stillUnknown } from '../report/still-open.ts';

export interface Looked {
  report: ActionReport;
  /** Undefined where there was nothing to look for: it has ended, or is being sent. */
  evidence: Evidence | undefined;
}

/** @throws HedgeError of the reading that failed; the signal's reason when that aborted. */
export async function lookAtAction(action: Action, looking: Looking): Promise<Looked> {
  if (action.underway || (!isUnresolved(action) && action.state !== 'accepted'))
    return { report: await finish(action, { wait: false, timeoutMs: 0 }, looking), evidence: undefined };
  const seen = await lookTwiceInDoubt(action, looking);
  const report = isUnresolved(action)
    ? await unresolvedReport(action, seen, looking)
    : await acceptedReport(action, seen, looking);
  return { report, evidence: seen.evidence };
}

/** From one reading to the next, in milliseconds: the service advises one second at least (specification §6). */
const NEXT_READING_MS = 1_000;

/** Once, or a second time where that is all it takes to believe what the first one lacks. */
async function lookTwiceInDoubt(action: Action, looking: Looking): Promise<Sighting> {
  const absence = absenceCheck(action.intent);
  const seen = await look(action, looking, absence);
  if (seen.doubt?.again !== true) return seen;
  await looking.clock.sleep(NEXT_READING_MS, looking.signal);
  looking.signal.throwIfAborted();
  return look(action, looking, absence);
}

/** Only an open is settled by its being there, or not: what else is seen may be a colleague's. */
async function unresolvedReport(action: Action, seen: Sighting, looking: Looking): Promise<ActionReport> {
  const { evidence, hedge, position, servedAt } = seen;
  if (action.intent.action === 'open' && evidence.kind === 'exact' && hedge !== undefined) {
    return acceptedReport(await recordFound(action, hedge, looking), seen, looking);
  }
  const settled = await recordNotExecuted(action, seen, looking);
  if (settled !== undefined) return (await lookAtAction(settled, looking)).report;
  const finding = stillUnknown(action, evidence, looking);
  return reportOf('unknown', {
    entry: action,
    hedges: 'hedges' in evidence ? evidence.hedges : undefined,
    position,
    servedAt,
    finding,
  });
}

async function acceptedReport(found: Action, seen: Sighting, looking: Looking): Promise<ActionReport> {
  const { evidence, hedge, position, servedAt } = seen;
  const action = await confirmFound(found, seen, looking);
  const end = endOf(action, seen);
  if (end !== undefined) return ended(action, end, looking);
  const nowMs = looking.clock.now();
  if (evidence.kind === 'other') {
    const { says, closedBy, isOneOf } = evidence;
    const entry = await recordNotTold(action, { says, waited: isOneOf !== undefined }, looking);
    const finding = notOursError(entry, { says, closedBy });
    return reportOf('unknown', {
      entry,
      hedge,
      hedges: evidence.hedges,
      position,
      servedAt,
      finding,
    });
  }
  const entry = await recordNotSeen(action, evidence, looking);
  if (entry.outcome?.kind === 'not_seen' && evidence.kind === 'none')
    return reportOf('unknown', { entry, position, servedAt, finding: notSeen(entry, nowMs) });
  const isSeen = hedge !== undefined && evidence.kind !== 'unclear';
  const says = isSeen
    ? `${unquoted(hedge.id)} is ${unquoted(hedge.status)}`
    : evidenceInWords(entry, evidence);
  const first = isOfAnotherKey(entry, looking) ? confirming(entry) : [];
  const finding = stillPending(entry, says, nowMs, first);
  return reportOf('pending', { entry, hedge, position, servedAt, finding });
}

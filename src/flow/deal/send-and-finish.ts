/**
 * Sends an action whose intent is on disk, and stays with it to its report. A refusal that came only after an
 * unclear attempt is held against the book, where the book can tell.
 */
import { InterruptedError, OutcomeUnknownError, RefusedError } from '../../errors.ts';
import { type Action, isUnresolved } from '../../journal/fold.ts';
import type { ActionReport, Dealing } from '../dealing.ts';
import { look } from '../evidence/look.ts';
import { recordFound } from '../evidence/record-outcome.ts';
import { writeDown } from '../evidence/write-down.ts';
import { reportOf } from '../report/report.ts';
import { notSentError, stoppedWaiting, unknownError } from '../report/report-errors.ts';
import { type Finishing, finish } from './finish.ts';
import { type Submitted, submit } from './submit.ts';

/** Never throws once something may have left: the report's `finding` says what happened. */
export async function sendAndFinish(
  entry: Action,
  options: Finishing,
  dealing: Dealing,
): Promise<ActionReport> {
  const { plan } = options;
  const sent = await submit(entry, plan?.facts.clocks, dealing);
  const { action } = sent;
  // Not told by this answer: an earlier run sent it, and had none that could be used.
  if ((sent.became === 'refused' || sent.became === 'not_sent') && isUnresolved(action))
    return inDoubt(action, { ...options, error: afterDoubt(sent) }, dealing);
  switch (sent.became) {
    case 'accepted':
      return finish(action, options, dealing);
    case 'refused':
      return reportOf('refused', { entry: action, plan, finding: sent.error });
    case 'not_sent':
      return reportOf('not_sent', { entry: action, plan, finding: notSentError(action, sent.error) });
    case 'unknown':
      return inDoubt(action, { ...options, error: sent.error }, dealing);
    default:
      return sent satisfies never;
  }
}

/** What a definite answer to a later sending says of the one before it: nothing, until the book is read. */
const afterDoubt = ({ became, error }: Exclude<Submitted, { became: 'accepted' | 'unknown' }>) =>
  new OutcomeUnknownError(
    {
      what: `${error.what} What an earlier sending came to is not told by that.`,
      httpStatus: error.httpStatus,
    },
    became === 'refused' ? { code: error.code, message: error.what } : undefined,
  );

async function inDoubt(
  entry: Action,
  options: Finishing & { error: OutcomeUnknownError },
  dealing: Dealing,
): Promise<ActionReport> {
  const { plan, error } = options;
  const { reason } = dealing.signal;
  if (reason instanceof InterruptedError)
    return reportOf('unknown', { entry, plan, finding: stoppedWaiting(entry, reason) });
  const settled = await settledByLooking(entry, error, dealing);
  if (settled?.state === 'accepted') return finish(settled, options, dealing);
  if (settled?.state === 'refused')
    return reportOf('refused', { entry: settled, plan, finding: refusedAfterAll(settled, error) });
  return reportOf('unknown', { entry, plan, finding: unknownError(entry, error) });
}

const TURNED_DOWN: readonly (number | undefined)[] = [401, 403];

/**
 * Of an open alone: the service lists it from its acceptance on (specification §3), under our reference. The
 * refusal of the same key says that no attempt was still being worked on. A key that was turned down says nothing.
 */
async function settledByLooking(
  entry: Action,
  { refusal, httpStatus }: OutcomeUnknownError,
  dealing: Dealing,
): Promise<Action | undefined> {
  if (refusal === undefined || entry.intent.action !== 'open' || TURNED_DOWN.includes(httpStatus))
    return undefined;
  try {
    const { evidence, hedge } = await look(entry, dealing);
    if (evidence.kind === 'exact' && hedge !== undefined) return await recordFound(entry, hedge, dealing);
    if (evidence.kind !== 'none') return undefined;
    const code = refusal.code ?? 'refused';
    return await writeDown(
      entry,
      { kind: 'refused', code, http_status: httpStatus ?? 0, looked: true },
      dealing,
    );
  } catch {
    // What could not be looked at is as unknown as before.
    return undefined;
  }
}

const refusedAfterAll = (entry: Action, { refusal, httpStatus }: OutcomeUnknownError): RefusedError =>
  new RefusedError({
    code: refusal?.code ?? 'refused',
    what: `Refused: ${refusal?.message ?? 'without a reason'}`,
    book: `The book was read after an unclear attempt: nothing was done (action ${entry.shortId}).`,
    httpStatus,
    details: { action_id: entry.id },
  });

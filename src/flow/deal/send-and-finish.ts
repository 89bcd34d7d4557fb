/**
 * Sends an action whose intent is on disk, and stays with it to its report. A rejection that came only after an
 * unclear attempt, of this run or of an earlier one, says nothing about that attempt.
 */
import { unquoted } from '../../domain/quoted.ts';
import { HedgeError, InterruptedError, OutcomeUnknownError } from '../../errors.ts';
import { type Action, isUnresolved } from '../../journal/fold.ts';
import type { ActionReport, Dealing } from '../dealing.ts';
import { isDueToSettle } from '../evidence/found-hedge.ts';
import { arrivalInWords } from '../late-arrival.ts';
import { reportOf } from '../report/report.ts';
import { notSentError, stoppedWaiting, unknownError } from '../report/report-errors.ts';
import { lookAtAction } from '../settle/look-at-action.ts';
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

/** What a definite answer to a later sending says of the one before it: nothing. */
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
  const settled = error.refusal === undefined ? undefined : await settledByNow(entry, dealing);
  if (settled !== undefined) return { ...settled, plan };
  return reportOf('unknown', {
    entry,
    plan,
    finding: unknownError(entry, rejectedNow(entry, error, dealing)),
  });
}

/** Where none of its sends can arrive any more, a look tells; undefined where it can't be made, or may be too early. */
async function settledByNow(entry: Action, dealing: Dealing): Promise<ActionReport | undefined> {
  try {
    const isDue = isDueToSettle(entry, dealing.journal.read(), dealing.clock.now());
    return isDue ? (await lookAtAction(entry, dealing)).report : undefined;
  } catch (error) {
    if (error instanceof HedgeError) return undefined;
    throw error;
  }
}

/** The rejection first: it is what the operator asked for now. */
function rejectedNow(entry: Action, error: OutcomeUnknownError, dealing: Dealing): OutcomeUnknownError {
  const arrival = arrivalInWords(entry, dealing);
  if (error.refusal === undefined || arrival === undefined) return error;
  const { refusal, httpStatus, details } = error;
  const may = `${arrival.charAt(0).toLowerCase()}${arrival.slice(1)}`;
  const said = refusal.code === undefined ? '' : ` The rejection: ${unquoted(refusal.code)}.`;
  return new OutcomeUnknownError(
    { what: `Rejected now, but ${may}${said}`, httpStatus, details, cause: error },
    refusal,
  );
}

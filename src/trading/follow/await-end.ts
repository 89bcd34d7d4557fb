/**
 * Waits until readings show the outcome of an accepted action, or of any hedge. Failed readings, slow fills and unknown
 * statuses do not end the waiting; the timeout and the operator do. Sends and records nothing.
 */
import type { Hedge } from '../../client/schemas.ts';
import { createsHedge, rowOf, takesWholeSide } from '../../domain/action-table.ts';
import { commandOnId, shell, step } from '../../domain/hint.ts';
import { quoted, quotedName, unquoted } from '../../domain/quoted.ts';
import { HEDGE_STATUSES } from '../../domain/vocabulary.ts';
import { CredentialError, InterruptedError, OrderFailedError, PendingError } from '../../errors.ts';
import { NOT_FOUND, sizeInWords } from '../../journal/describe.ts';
import type { Action } from '../../journal/replay.ts';
import { actionById } from '../../journal/state.ts';
import { poll } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { PENDING_STATUSES } from '../../readings/side-position.ts';
import { type Observation, observe } from '../outcome/observe.ts';
import { sideEvidenceAt } from '../outcome/side-evidence.ts';
import { type ActionReport, reportOf } from '../report.ts';
import type { Known } from './known.ts';
import { endFrom, hedgeEnd } from './record-outcome.ts';

/** The last reading: it shows the end unless `waited` says why not. */
export type Awaited = Pick<Known, 'observed' | 'waited'>;

/** @throws the signal's reason as soon as it aborts. A rejected API key ends the waiting. */
export async function awaitEnd(
  action: Action,
  context: ReadContext,
  { timeoutMs }: { timeoutMs: number },
): Promise<Awaited> {
  const { clock, signal, progress } = context;
  const startedAt = clock.monotonic();
  const seconds = (): string => Math.round((clock.monotonic() - startedAt) / 1000).toString();
  const waiting = waitingText(action);
  const report = (remark: string | undefined): void => {
    const more = remark === undefined ? '' : `: ${remark}`;
    progress.update(`${waiting}, ${seconds()} s${more}`);
  };
  let observed: Observation | undefined;
  const sideEvidence = sideEvidenceAt(action.intent);

  progress.start(`${waiting} (Ctrl-C stops only the waiting)`);
  try {
    const isDecided = await poll({
      clock,
      signal,
      withinMs: timeoutMs,
      async read(own) {
        observed = await observe(action, { ...context, signal: own }, sideEvidence);
        if (endFrom(action, observed) !== undefined || isRefuted(observed)) return true;
        report(remarkOf(observed));
        return undefined;
      },
      onFailure: (error) => report(`a reading failed, retrying: ${error.what}`),
    });
    if (observed !== undefined && endFrom(action, observed) !== undefined) return { observed };
    const after = `after ${seconds()} s`;
    return isDecided === undefined && takesWholeSide(action.intent) && sideEvidence.disagree
      ? { observed, waited: { how: 'disagree', message: `${disagreement(action)}, ${after}` } }
      : { observed, waited: { how: 'late', message: `${lastSeen(action, observed)} ${after}` } };
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    const message = `waiting ended after ${seconds()} s: the service rejected the API key`;
    return { observed, waited: { how: 'stopped', message } };
  } finally {
    progress.stop();
  }
}

/** Another hedge does not become the requested one. */
const isRefuted = ({ evidence }: Observation): boolean =>
  evidence.kind === 'other' && evidence.notOurs !== undefined;

const disagreement = ({ intent: { market, side } }: Action): string =>
  `${unquoted(market)} ${side} was missing in one reading and present in the next`;

/** A remark on an observation without an outcome; undefined when it is as expected. */
function remarkOf({ evidence, hedge }: Observation): string | undefined {
  if (evidence.kind === 'other' || evidence.kind === 'unclear') return evidence.message;
  if (hedge === undefined || HEDGE_STATUSES.some((known) => known === hedge.status)) return undefined;
  return `${unquoted(hedge.id)} has an unknown status, ${quoted(hedge.status)}`;
}

function lastSeen({ intent }: Action, observed: Observation | undefined): string {
  if (observed === undefined) return 'nothing could be read';
  const { hedge } = observed;
  const remark = remarkOf(observed);
  if (remark !== undefined) return remark;
  if (hedge !== undefined)
    return `${unquoted(hedge.id)} is ${PENDING_STATUSES.includes(hedge.status) ? 'not filled yet' : hedge.status}`;
  return createsHedge(intent) ? NOT_FOUND : `no change of ${intent.market} ${intent.side} yet`;
}

function waitingText({ intent, hedgeId }: Action): string {
  return rowOf(intent.action).words.waitsFor({
    on: `${unquoted(intent.market)} ${intent.side}`,
    size: sizeInWords(intent),
    hedge: hedgeId === undefined ? undefined : unquoted(hedgeId),
  });
}

/** Waits while another process is sending the action, until the timeout or a signal. */
export async function awaitSender(
  action: Action,
  timeoutMs: number,
  { clock, signal, journal, progress }: ReadContext,
): Promise<Action> {
  if (!action.underway) return action;
  const now = async (): Promise<Action> => actionById(await journal.latest(), action.id) ?? action;
  progress.start(`Another process is sending action ${action.shortId}; waiting for the response`);
  try {
    const read = async () => ((await now()).underway ? undefined : true);
    await poll({ clock, signal, withinMs: timeoutMs, read });
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
  } finally {
    progress.stop();
  }
  return now();
}

/** A hedge without an action here. */
export async function awaitHedge(
  hedge: Hedge,
  { wait, timeoutMs }: { wait: boolean; timeoutMs: number },
  { api, clock, signal, progress }: ReadContext,
): Promise<ActionReport> {
  let latest = hedge;
  if (hedgeEnd(hedge) === undefined) {
    if (!wait) return reportOf('submitted', { hedge });
    progress.start(`waiting for ${quotedName(hedge.id)} (Ctrl-C stops only the waiting)`);
    try {
      await poll({
        clock,
        signal,
        withinMs: timeoutMs,
        async read(own) {
          latest = (await api.hedge(hedge.id, { signal: own })).data;
          return hedgeEnd(latest);
        },
      });
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error;
      return reportOf('pending', { hedge: latest, finding: stopped(latest, error) });
    } finally {
      progress.stop();
    }
  }
  const outcome = hedgeEnd(latest);
  if (outcome === undefined)
    return reportOf('pending', {
      hedge: latest,
      finding: hedgePendingError(latest, afterTimeout(timeoutMs)),
    });
  return reportOf(outcome, {
    hedge: latest,
    finding: outcome === 'failed' ? hedgeFailed(latest) : undefined,
  });
}

const hedgeFailed = ({ id }: Hedge): OrderFailedError =>
  new OrderFailedError({
    what: `FAILED: hedge ${quotedName(id)}: order failed on-chain.`,
    meaning: 'Nothing was opened.',
    details: { hedge_id: id },
  });

/** `after 60 s` */
export const afterTimeout = (ms: number): string => `after ${Math.round(ms / 1000).toString()} s`;

/** `when`: until when it was awaited, or why no longer, without a full stop. */
export const hedgePendingError = ({ id, status }: Hedge, when: string): PendingError =>
  new PendingError({
    what: `PENDING: hedge ${quotedName(id)} is ${quoted(status)} ${when}.`,
    meaning: 'It continues at the service.',
    hint: step(commandOnId(shell`hedge wait`, id)),
    details: { hedge_id: id },
  });

const stopped = (hedge: Hedge, interrupted: InterruptedError): InterruptedError =>
  interrupted.with({
    meaning: `Hedge ${quotedName(hedge.id)} is ${quoted(hedge.status)} and continues at the service.`,
    hint: step(commandOnId(shell`hedge wait`, hedge.id)),
    effect: 'pending',
    retry: 'after_check',
    details: { hedge_id: hedge.id },
  });

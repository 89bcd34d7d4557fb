/** Waits for the end of a hedge that no action of this machine's journal made, and reports it. Sends nothing. */
import type { Hedge } from '../../client/schemas.ts';
import { quoted, quotedName } from '../../domain/quoted.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { InterruptedError, OrderFailedError, PendingError } from '../../errors.ts';
import type { ActionReport } from '../dealing.ts';
import type { Looking } from '../looking.ts';
import { poll } from '../poll.ts';
import { reportOf } from '../report/report.ts';
import { endOfHedge } from './await-outcome.ts';

export async function awaitHedge(
  hedge: Hedge,
  { wait, timeoutMs }: { wait: boolean; timeoutMs: number },
  looking: Looking,
): Promise<ActionReport> {
  if (endOfHedge(hedge) !== undefined) return ended(hedge);
  if (!wait) return reportOf('submitted', { hedge });
  const { api, clock, signal, watch } = looking;
  let latest = hedge;
  watch.start(`waiting for ${quotedName(hedge.id)} (Ctrl-C stops only the waiting)`);
  try {
    const found = await poll({
      clock,
      signal,
      withinMs: timeoutMs,
      read: async (own) => {
        latest = (await api.hedge(hedge.id, { signal: own })).data;
        return endOfHedge(latest) === undefined ? undefined : latest;
      },
    });
    return found === undefined ? pending(latest, timeoutMs) : ended(found);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return reportOf('pending', { hedge: latest, finding: stopped(latest, error) });
  } finally {
    watch.stop();
  }
}

function ended(hedge: Hedge): ActionReport {
  const outcome = endOfHedge(hedge) ?? 'filled';
  if (outcome !== 'failed') return reportOf(outcome, { hedge });
  const finding = new OrderFailedError({
    what: `FAILED: hedge ${quotedName(hedge.id)} did not land.`,
    book: 'Nothing was opened by it.',
    details: { hedge_id: hedge.id },
  });
  return reportOf('failed', { hedge, finding });
}

const pending = (hedge: Hedge, waitedMs: number): ActionReport =>
  reportOf('pending', {
    hedge,
    finding: new PendingError({
      what: `PENDING: hedge ${quotedName(hedge.id)} is ${quoted(hedge.status)} after ${Math.round(waitedMs / 1000).toString()} s.`,
      book: 'It comes to its end without us.',
      hint: `hedge wait ${shellWord(hedge.id)}`,
      details: { hedge_id: hedge.id },
    }),
  });

const stopped = (hedge: Hedge, { signal, what }: InterruptedError): InterruptedError =>
  new InterruptedError(signal, {
    what,
    book: `Hedge ${quotedName(hedge.id)} is ${quoted(hedge.status)} and comes to its end without us.`,
    hint: `hedge wait ${shellWord(hedge.id)}`,
    effect: 'pending',
    retry: 'after_check',
    details: { hedge_id: hedge.id },
  });

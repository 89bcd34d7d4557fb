/**
 * Waits for the end of an action that the service has taken: an open until its hedge is filled, failed or
 * closed, the others until the book shows exactly what was asked. A failed reading, a slow fill and a status
 * that is not known are waited through; only the time limit and the operator end the waiting early.
 */
import type { Hedge, Position } from '../../client/schemas.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { quoted, unquoted } from '../../domain/quoted.ts';
import { HEDGE_STATUSES } from '../../domain/vocabulary.ts';
import { CredentialError } from '../../errors.ts';
import type { Action } from '../../journal/fold.ts';
import type { EndKind } from '../../journal/record.ts';
import type { Looking } from '../looking.ts';
import type { HedgeChange } from '../plan/plan-reduction.ts';
import { poll } from '../poll.ts';
import { absenceCheck } from './confirm-absence.ts';
import { look, type Sighting } from './look.ts';
import { factsOfHedge, factsOfSide, type OutcomeFacts } from './outcome-facts.ts';

export interface Ended {
  became: 'ended';
  /**
   * Of an open `filled`, `failed`, or `closed` when it was filled and is over already; of the others `changed`,
   * or `closed` when the action took every hedge that stood.
   */
  outcome: EndKind;
  hedge: Hedge | undefined;
  /** The side's line; undefined when it is gone. */
  position: Position | undefined;
  /** Each hedge that stood on the side before, changed or not; undefined of an open. */
  hedges: readonly HedgeChange[] | undefined;
  /** For the journal's record. */
  facts: OutcomeFacts;
  /** What else is worth knowing, as half a sentence. */
  says: string | undefined;
  servedAt: Date | undefined;
}

/** `says`: half a sentence. */
export type Awaited =
  | Ended
  /** Not seen yet; it may still come. */
  | { became: 'pending'; says: string; hedge: Hedge | undefined }
  /** A reading lacked the side, and the next one had it. */
  | { became: 'disagree'; says: string }
  /** The book has changed, and not exactly as was asked. */
  | {
      became: 'other';
      says: string;
      hedges: readonly HedgeChange[];
      hedge: Hedge | undefined;
      /** By a later close of this machine's, named by its short id. */
      closedBy: string | undefined;
    };

/** @throws the signal's reason as soon as it aborts. A key that is turned down meanwhile ends the waiting: pending. */
export async function awaitOutcome(
  action: Action,
  looking: Looking,
  { timeoutMs }: { timeoutMs: number },
): Promise<Awaited> {
  const { clock, signal, watch } = looking;
  const startedAt = clock.monotonic();
  const waited = (): number => Math.round((clock.monotonic() - startedAt) / 1000);
  const waiting = waitingFor(action);
  const report = (remark: string | undefined): void => {
    const more = remark === undefined ? '' : `: ${remark}`;
    watch.update(`${waiting}, ${waited().toString()} s${more}`);
  };
  let last: Sighting | undefined;
  const absence = absenceCheck(action.intent);

  watch.start(`${waiting} (Ctrl-C stops only the waiting)`);
  try {
    const ended = await poll({
      clock,
      signal,
      withinMs: timeoutMs,
      async read(own) {
        last = await look(action, { ...looking, signal: own }, absence);
        const end = endOf(action, last);
        if (end === undefined) report(remarkOf(last));
        return end;
      },
      onFailure: (error) => report(`a reading failed, and is made again: ${error.what}`),
    });
    if (ended !== undefined) return ended;
    return action.intent.action === 'close' && absence.disagree
      ? disagreeing(action, waited())
      : unfinished(action, last, waited());
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    return {
      became: 'pending',
      says: `the waiting ended after ${waited().toString()} s, since the service turned the API key down`,
      hedge: last?.hedge,
    };
  } finally {
    watch.stop();
  }
}

/** The end that a sighting shows; undefined while there is none. */
export function endOf(action: Action, { evidence, position, servedAt }: Sighting): Ended | undefined {
  if (evidence.kind !== 'exact') return undefined;
  const { hedge, hedges, says } = evidence;
  const outcome = hedge === undefined ? endOfSide(action, hedges) : endOfHedge(hedge);
  if (outcome === undefined) return undefined;
  return {
    became: 'ended',
    outcome,
    hedge,
    position,
    hedges: hedge === undefined ? hedges : undefined,
    facts: hedge === undefined ? factsOfSide(hedges, position) : factsOfHedge(hedge),
    says,
    servedAt,
  };
}

export const endOfHedge = ({ status }: Hedge): 'filled' | 'failed' | 'closed' | undefined =>
  status === 'filled' || status === 'failed' || status === 'closed' ? status : undefined;

const endOfSide = ({ intent }: Action, hedges: readonly HedgeChange[]): 'changed' | 'closed' =>
  intent.action === 'close' || hedges.every(({ after }) => after.eq(0)) ? 'closed' : 'changed';

function unfinished(action: Action, last: Sighting | undefined, seconds: number): Awaited {
  const hedge = last?.hedge;
  if (last?.evidence.kind === 'other') {
    const { says, hedges, closedBy } = last.evidence;
    return { became: 'other', says, hedges, hedge, closedBy };
  }
  const seen = last === undefined ? 'nothing could be read' : (remarkOf(last) ?? notSeenYet(action, last));
  return { became: 'pending', says: `${seen} after ${seconds.toString()} s`, hedge };
}

const disagreeing = ({ intent: { market, side } }: Action, seconds: number): Awaited => ({
  became: 'disagree',
  says: `one reading lacked ${unquoted(market)} ${side} and the next one had it, after ${seconds.toString()} s`,
});

/** What an operator who watches should know of a sighting that is no end; undefined when it is as expected. */
function remarkOf({ evidence, hedge }: Sighting): string | undefined {
  if (evidence.kind === 'other' || evidence.kind === 'unclear') return evidence.says;
  if (hedge === undefined || HEDGE_STATUSES.some((known) => known === hedge.status)) return undefined;
  return `${unquoted(hedge.id)} is ${quoted(hedge.status)}, a status that is not known`;
}

function notSeenYet({ intent }: Action, { hedge }: Sighting): string {
  if (hedge !== undefined) return `${unquoted(hedge.id)} is ${hedge.status}`;
  if (intent.action === 'open') return 'no hedge carries its reference';
  return `no change of ${intent.market} ${intent.side} is to be seen`;
}

function waitingFor({ intent, hedgeId, notional }: Action): string {
  const side = `${unquoted(intent.market)} ${intent.side}`;
  const size = notional === undefined ? '' : usdInWords(notional);
  switch (intent.action) {
    case 'open':
      return `waiting for the fill of ${hedgeId === undefined ? `${side} ${size}` : unquoted(hedgeId)}`;
    case 'add':
      return `waiting until ${size} are added to ${side}`;
    case 'reduce':
      return `waiting until ${size} are off ${side}`;
    case 'close':
      return `waiting until ${side} is closed`;
    default:
      return intent.action satisfies never;
  }
}

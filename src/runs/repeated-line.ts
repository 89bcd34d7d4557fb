/** A line of a batch that an earlier run executed: whether the side is still as the batch left it. */
import type { Big } from 'big.js';
import { createsHedge, takesWholeSide } from '../domain/action-table.ts';
import { readDecimal } from '../domain/amounts.ts';
import { isSameSize, usdInWords } from '../domain/exposure.ts';
import { DAY_MS } from '../domain/instants.ts';
import { unquoted } from '../domain/quoted.ts';
import { nothingSent, type StoppedError } from '../errors.ts';
import { timeInWords } from '../journal/describe.ts';
import { heldBefore, isOn } from '../journal/queries.ts';
import { type Action, maybeExecuted } from '../journal/replay.ts';
import { changesKept, fillOf } from '../journal/results.ts';
import type { JournalState } from '../journal/state.ts';
import { READINGS_LAG_MS } from '../readings/poll.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { isOver, readPositionFacts } from '../readings/read-position.ts';
import { type SidePosition, sidePositionOf } from '../readings/side-position.ts';
import type { ActionReport } from '../trading/report.ts';
import type { EarlierRun } from './batch.ts';

/** Later, a whole batch is not run again to finish it: its adds and reductions are those of another day. */
const SAME_RUN_MS = DAY_MS / 2;

/**
 * Why the recorded result of a line no longer holds: the side is not as this batch left it, and the hedge of its open is not open. A deal
 * ID names one deal, whatever happened to it since. Undefined: it holds, or the line was executed now.
 * @throws HedgeError where the side cannot be read.
 */
export async function outdatedLine(
  { entry, plan, hedge, servedAt }: Pick<ActionReport, 'entry' | 'plan' | 'hedge' | 'servedAt'>,
  { isOwn, goesOn, lastMs }: EarlierRun,
  context: ReadContext,
): Promise<StoppedError | undefined> {
  if (entry === undefined || plan !== undefined || entry.intent.deal_id !== undefined) return undefined;
  const { intent } = entry;
  const nowMs = context.clock.now();
  // No time is known where another process began it meanwhile.
  const isOfNow = !(nowMs - lastMs > SAME_RUN_MS);
  // One that could not be read is taken to be open for that time.
  const isEnded = hedge === undefined ? !isOfNow : await isOver(hedge, context, servedAt ?? new Date(nowMs));
  if (createsHedge(intent) && !isEnded) return undefined;
  const side = sidePositionOf(intent, await readPositionFacts(context, { isBare: true }));
  const state = context.journal.read();
  const isLeft = isAsLeft(entry, side, { state, isOwn, nowMs });
  const isLater = !goesOn && !isOfNow && !createsHedge(intent) && !takesWholeSide(intent);
  // A side that is not clear is taken to be as it was left, for that time.
  if ((isLeft ?? isOfNow) && !isLater) return undefined;
  return nothingSent({
    code: 'duplicate',
    what: `Executed ${timeInWords(intent.at)}, and not again: ${unquoted(intent.market)} ${intent.side} ${sideInWords(side, isLeft)}.`,
    hint: OTHER_NAME_HINT,
    details: { market: intent.market, side: intent.side, open_usd: side.total ?? null },
  });
}

export const OTHER_NAME_HINT =
  'To execute the same lines again, use another --name, and another deal ID where they have one.';

function sideInWords(side: SidePosition, isLeft: boolean | undefined): string {
  if (isLeft === true) return 'is as it was left then';
  if (side.total === undefined) return 'may have changed since';
  return side.total.gt(0) ? `has ${usdInWords(side.total)} now, not as this batch left it` : 'is flat now';
}

/** Judged after this action and the later ones of the batch on its side; undefined: not known. */
function isAsLeft(
  action: Action,
  side: SidePosition,
  {
    state,
    isOwn,
    nowMs,
  }: { state: Pick<JournalState, 'newest'>; isOwn: (action: Action) => boolean; nowMs: number },
): boolean | undefined {
  const later = [...state.newest({ after: action.id }, (intent) => isOn({ intent }, action.intent))]
    .filter(maybeExecuted)
    .toReversed();
  // A reading may not show yet what another command did in the last minute.
  if (later.some((it) => !isOwn(it) && !(nowMs - endedMs(it) >= READINGS_LAG_MS))) return false;
  let left = sizesAfter(new Map(sizesBefore(action)), action);
  let leftMs = endedMs(action);
  for (const next of later.filter(isOwn)) {
    const isRead = Date.parse(next.intent.at) - leftMs >= READINGS_LAG_MS;
    if (isRead && !isSame(left, new Map(sizesBefore(next)))) return false;
    left = sizesAfter(left, next);
    leftMs = endedMs(next);
  }
  if (Number.isNaN(leftMs)) return undefined;
  if (nowMs - leftMs < READINGS_LAG_MS) return true;
  if (left.size === 0 && side.inPositions !== undefined) return !side.inPositions;
  if (side.unclear !== undefined) return later.every(isOwn) ? undefined : false;
  return isSame(left, new Map(side.open.map(({ id, notional }) => [id, notional])));
}

/** NaN before its outcome is known. */
const endedMs = ({ outcome }: Action): number => Date.parse(outcome?.at ?? '');

/** USD by the IDs of the hedges. */
type Sizes = Map<string, Big>;

const sizesBefore = ({ intent }: Action): readonly (readonly [string, Big])[] =>
  heldBefore(intent).flatMap(({ hedge_id: id, notional_usd: digits }) => {
    const size = readDecimal(digits);
    return size === undefined ? [] : [[id, size]];
  });

function sizesAfter(before: Sizes, action: Action): Sizes {
  const { intent, hedgeId, notional, outcome } = action;
  if (!createsHedge(intent) && outcome?.kind === 'closed') return new Map();
  const opened = fillOf(action)?.notional ?? notional;
  const changed: readonly (readonly [string, Big])[] = createsHedge(intent)
    ? hedgeId === undefined || opened === undefined
      ? []
      : [[hedgeId, opened]]
    : (changesKept(action) ?? []).map(({ id, after }) => [id, after]);
  return new Map([...before, ...changed].filter(([, size]) => size.gt(0)));
}

const isSame = (one: Sizes, other: Sizes): boolean =>
  one.size === other.size &&
  [...one].every(([id, size]) => {
    const now = other.get(id);
    return now !== undefined && isSameSize(size, now);
  });

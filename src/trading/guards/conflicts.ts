/** Earlier actions on the same side that conflict with a new one: outcome unknown, in flight, or a duplicate. Pure. */
import { createsHedge, enlarges, rowOf, shrinks, takesWholeSide } from '../../domain/action-table.ts';
import { isAboutEverything, usdInWords } from '../../domain/exposure.ts';
import { say, shell, step } from '../../domain/hint.ts';
import { type ClockReadings, exactInstant } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { actionInWords, operatorInFull, stateInWords, timeInWords } from '../../journal/describe.ts';
import {
  type AccountSide,
  type DealTerms,
  duplicatesOf,
  inFlightOn,
  isOn,
  unresolvedOn,
} from '../../journal/queries.ts';
import { type Action, isNotSeen } from '../../journal/replay.ts';
import { confirmationCommands, isOfAnotherKey, otherKeyInWords } from '../account-keys.ts';
import { isOverdue, lateUntil, sinceSent } from '../idempotency-window.ts';
import { filledBefore } from '../outcome/position-diff.ts';
import type { Finding } from '../trading-context.ts';

export interface ConflictQuery extends DealTerms {
  allowDuplicate: boolean;
  /** A close of a flat side. */
  flat?: boolean | undefined;
  /** Its size was computed from the position (`--by`, `--to`). */
  measured?: boolean | undefined;
  /** The action's own ID when it is sent again: it is no duplicate of itself and counts once. */
  except?: string | undefined;
}

/** An action in `error.details`. */
export const actionDetails = (action: Action) => ({
  action_id: action.id,
  action: action.intent.action,
  market: action.intent.market,
  side: action.intent.side,
  notional_usd: action.notional ?? null,
  deal_id: action.intent.deal_id ?? null,
  hedge_id: action.hedgeId ?? null,
  state: action.state,
  at: action.intent.at,
});

/** Warns only for a close, which must stay possible, and for a resend: of two unresolved actions, one has to go first. */
export function unresolvedFinding(
  query: ConflictQuery,
  actions: readonly Action[],
  nowMs: number,
): Finding | undefined {
  const found = unresolvedOn(actions, query);
  if (found.length === 0) return undefined;
  const named = firstOf(
    found,
    (each) =>
      `sent ${sinceSent(each, nowMs) ?? 'an unknown time'} ago: ${stateInWords(each)}${isOfAnotherKey(each, query) ? `; ${otherKeyInWords(each)}` : ''}`,
  );
  // Flat for now: nothing is closed, and the side may be open a moment later.
  const mayOpen = (each: Action): boolean =>
    createsHedge(each.intent) && lateUntil(each, nowMs) !== undefined;
  const hinders = !takesWholeSide(query) || (query.flat === true && found.some(mayOpen));
  const stops = hinders && query.except === undefined;
  const message = stops && found.length > 1 ? severalUnknown(found, query) : named;
  return {
    level: stops ? 'stop' : 'warn',
    code: 'unresolved',
    message: takesWholeSide(query) ? `${named} ${afterTheClose(found)}` : message,
    hint: nextCommands(found, query),
    override: stops
      ? { option: despite(found), risk: `${found.length === 1 ? 'both' : 'all'} may execute` }
      : undefined,
    details: { actions: found.map(actionDetails) },
  };
}

/** The first in words, the others by ID. */
function firstOf([first, ...more]: readonly Action[], stateOf: (action: Action) => string): string {
  if (first === undefined) return '';
  const named = `${actionInWords(first)}, action ${first.shortId}, ${stateOf(first)}.`;
  return more.length === 0 ? named : `${named} Also: ${idsOf(more, ', ')}.`;
}

const severalUnknown = (found: readonly Action[], { market, side }: ConflictQuery): string =>
  `${found.length.toString()} actions on ${market} ${side} have an unknown outcome: ${idsOf(found, ', ')}.`;

const afterTheClose = (found: readonly Action[]): string =>
  found.some(({ intent }) => enlarges(intent))
    ? 'If it arrives later, the side is open again.'
    : 'It may have executed: this closes the rest.';

const nextCommands = (found: readonly Action[], query: ConflictQuery) => [
  ...found.filter((each) => isOfAnotherKey(each, query)).flatMap(confirmationCommands),
  step(commandForAll(found, 'check'), 'look up; send nothing'),
  ...found
    .filter(isNotSeen)
    .map(({ shortId: id }) =>
      step(shell`hedge journal resolve ${id} --as executed --reason TEXT`, 'or not-executed'),
    ),
];

const commandFor = ({ shortId }: Action, name: string) => shell`hedge ${name} ${shortId}`;

/** The command for one action; for several, a check. */
const commandForAll = ([first, ...more]: readonly Action[], name: string) =>
  first === undefined || more.length > 0 ? shell`hedge check` : commandFor(first, name);

const idsOf = (found: readonly Action[], between = ','): string =>
  found.map(({ shortId }) => shortId).join(between);

const despite = (found: readonly Action[]) => shell`--despite ${idsOf(found)}`;

/**
 * Stops a close and anything else while the other is in flight: the close may come last and take the whole side; and a
 * size computed from a position that is about to change. Everything else is a warning. So is for a close an action that has
 * been waited for long enough: closing must stay possible.
 */
export function inFlightFindings(
  query: ConflictQuery,
  actions: readonly Action[],
  now: ClockReadings,
): readonly Finding[] {
  const found = inFlightOn(actions, query);
  const racing = found.filter(
    (each) => racesWith(query, each) && (each.underway || !takesWholeSide(query) || !isOverdue(each, now)),
  );
  const stopping = query.measured === true ? found : racing;
  const meanings = [
    ...(racing.length > 0 ? [takesWholeSide(query) ? afterTheClose(racing) : closeMayRunLast(query)] : []),
    ...(query.measured === true ? [SIZE_WILL_CHANGE] : []),
  ];
  const warned = found.filter((each) => !stopping.includes(each));
  return [
    inFlight(stopping, 'stop', meanings.join(' '), query),
    lateClose(query, actions, now.wall),
    inFlight(warned, 'warn', inFlightEffect(warned, query), query),
  ].filter((each) => each !== undefined);
}

/** Whether it matters which of the two executes first. */
function racesWith(query: ConflictQuery, other: Action): boolean {
  if (!takesWholeSide(query)) return closesSide(other);
  return query.flat === true ? createsHedge(other.intent) : !takesWholeSide(other.intent);
}

/** A close, or a reduction by about everything, which the service takes for one. */
export const closesSide = ({ intent, notional }: Action): boolean =>
  takesWholeSide(intent) ||
  (shrinks(intent) && notional !== undefined && isAboutEverything(notional, filledBefore(intent)));

const closeMayRunLast = (query: ConflictQuery): string =>
  enlarges(query)
    ? `It may execute after this ${query.action} and close that too.`
    : 'It takes all that this would reduce.';

/** Closes that a person recorded as executed, and whose request may still arrive. */
export const lateCloses = (
  actions: readonly Action[],
  place: AccountSide,
  nowMs: number,
): readonly Action[] =>
  actions.filter(
    (each) =>
      closesSide(each) &&
      each.recordedAs === 'done' &&
      isOn(each, place) &&
      lateUntil(each, nowMs) !== undefined,
  );

function lateClose(query: ConflictQuery, actions: readonly Action[], nowMs: number): Finding | undefined {
  const found = takesWholeSide(query) ? [] : lateCloses(actions, query, nowMs);
  if (found.length === 0) return undefined;
  const until = Math.max(...found.map((each) => lateUntil(each, nowMs) ?? nowMs));
  const stillArrives = `was recorded as executed, and its request may still arrive until ${timeInWords(exactInstant(until))}`;
  return {
    level: 'stop',
    code: 'in_flight',
    message: `${firstOf(found, () => stillArrives)} ${closeMayRunLast(query)}`,
    hint: say`Try again after that time. Or: ${despite(found)}`,
    details: { actions: found.map(actionDetails) },
  };
}

const SIZE_WILL_CHANGE = 'The position is about to change: --by, --to and --ngn would be wrong.';

const inFlightEffect = (found: readonly Action[], terms: DealTerms): string => {
  const { otherInFlight } = rowOf(terms.action).words;
  if (!createsHedge(terms)) return otherInFlight;
  const smaller = found.filter(({ intent }) => shrinks(intent));
  return [
    ...(smaller.length < found.length ? [otherInFlight] : []),
    ...(smaller.length > 0
      ? ['A reduction or close in flight may also apply to this open, if it fills first.']
      : []),
  ].join(' ');
};

function inFlight(
  found: readonly Action[],
  level: Finding['level'],
  meaning: string,
  { except }: ConflictQuery,
): Finding | undefined {
  if (found.length === 0) return undefined;
  const named = firstOf(found, ({ underway }) => (underway ? 'is being sent' : 'is in flight'));
  const wait = commandForAll(found, 'wait');
  return {
    level,
    code: 'in_flight',
    message: `${named} ${meaning}`,
    hint:
      level === 'warn'
        ? step(wait)
        : step(wait, except === undefined ? say`then retry. Or: ${despite(found)}` : 'then retry'),
    details: { actions: found.map(actionDetails) },
  };
}

/** A repeated close finds nothing to close, so it is no duplicate. */
export function duplicateFinding(
  query: ConflictQuery,
  actions: readonly Action[],
  { nowMs, resumed }: { nowMs: number; resumed: readonly string[] },
): Finding | undefined {
  if (takesWholeSide(query) || query.allowDuplicate) return undefined;
  // An unknown outcome already stops the action, and --allow-duplicate must not override that.
  const unresolved = unresolvedOn(actions, query);
  const mayArrive = (action: Action): boolean =>
    action.recordedAs === 'nothing' && lateUntil(action, nowMs) !== undefined;
  // The same change of a side once more: a script that runs again after the minute would make it twice.
  const unfinished = createsHedge(query) ? [] : inFlightOn(actions, query);
  const found = duplicatesOf(actions, query, {
    nowMs,
    isOpenEnded: (each) => mayArrive(each) || unfinished.includes(each) || resumed.includes(each.id),
  }).filter((each) => !unresolved.includes(each));
  if (found.length === 0) return undefined;
  const last = found.reduce((one, other) => (one.intent.at > other.intent.at ? one : other));
  const times = found.length === 1 ? '' : ` ${found.length.toString()} times`;
  const running = found.filter((each) => unfinished.includes(each));
  const isResumed = found.some(({ id }) => resumed.includes(id));
  const sent = running.length > 0 ? 'and not finished' : isResumed ? 'and sent since' : 'in the last minute';
  const again = `To send it again: --allow-duplicate${orDealId(query, found)}`;
  const when = ago(nowMs - Date.parse(last.intent.at));
  const { asked } = last.intent;
  // Naira, a percentage or the largest: the same words are another size by now.
  const size = asked === undefined || last.notional === undefined ? '' : `${usdInWords(last.notional)}, `;
  return {
    level: 'stop',
    code: 'duplicate',
    message: `Same ${query.action} entered${times} ${found.some(mayArrive) ? 'and may still arrive' : sent}, ${found.length === 1 ? '' : 'last '}${when} (${last.shortId}${last.colleague === undefined ? '' : ` of ${unquoted(operatorInFull(last.colleague))}`}, ${size}${outcomeOf(last)}).`,
    hint: running.length > 0 ? say`To wait for it: ${commandForAll(running, 'wait')}. ${again}` : again,
    details: { actions: found.map(actionDetails) },
  };
}

/** `filled`: its state without the hedge. */
const outcomeOf = (action: Action): string => stateInWords({ ...action, hedgeId: undefined });

/** Two opens are distinct where each has its own deal ID. */
function orDealId(terms: DealTerms, found: readonly Action[]): string {
  if (!createsHedge(terms)) return '';
  const withoutId = found.filter(({ intent }) => intent.deal_id === undefined);
  if (withoutId.length > 0)
    return `. A deal ID does not help: ${idsOf(withoutId, ', ')} ${withoutId.length === 1 ? 'has' : 'have'} none.`;
  return terms.dealId === undefined ? ', or its own --deal-id' : '';
}

const ago = (ms: number): string => (ms < 1_000 ? 'just now' : `${Math.floor(ms / 1_000).toString()} s ago`);

/**
 * Whether what an action was meant for still stands, so that it may be sent again. A key that the service never saw
 * acts now, on whatever stands now: a close never takes what was opened or added since, an addition falls on the hedge
 * that the service chooses, and a reduction on every hedge of the side. Pure.
 */
import { Big } from 'big.js';
import { createsHedge, enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { sum } from '../../domain/amounts.ts';
import { isAboutEverything, usdInWords } from '../../domain/exposure.ts';
import { quotedName, unquoted } from '../../domain/quoted.ts';
import { closesAfter } from '../../journal/queries.ts';
import { type Action, isUnresolved } from '../../journal/replay.ts';
import type { SideBook, SideHedge } from '../../readings/side-book.ts';
import { commandLines } from '../command-lines.ts';
import type { Evidence } from '../outcome/change-evidence.ts';
import { diffPosition } from '../outcome/position-diff.ts';
import { nothingOpen } from '../plan.ts';
import type { Finding } from '../trading-context.ts';
/**
 * Stops a close for which nothing is left, or beside which something else stands; an addition or a reduction from whose
 * side a hedge has left, or to which one came; and an addition to a side that is flat. Empty of an open.
 */
export function resendBlocker(
  action: Action,
  { now, evidence, actions }: { now: SideBook; evidence: Evidence | undefined; actions: readonly Action[] },
): readonly Finding[] {
  const { intent } = action;
  if (createsHedge(intent)) return [];
  if (enlarges(intent) && now.inPositions === false) return [nothingToAddTo(action, now)];
  const says =
    (takesWholeSide(intent) ? grownSince(action, now) : otherHedges(action, now)) ??
    notToBeTold(action, now) ??
    // Where the side became exactly what was asked, the service answers the key with that.
    (!enlarges(intent) && !takesWholeSide(intent) && evidence?.kind !== 'exact'
      ? wouldClose(action, now)
      : undefined) ??
    (takesWholeSide(intent) ? nothingLeft(action, now, actions) : undefined);
  return says === undefined
    ? []
    : [{ level: 'stop', code: 'book_changed', message: says, hint: waysOut(action, now) }];
}

/** What may still fill is waited for first; else a person's word is all that is left, where it was ever sent. */
function nothingToAddTo(action: Action, now: SideBook): Finding {
  const { what, hint } = nothingOpen(now);
  const isComing = now.coming.length > 0;
  const code = isComing ? 'in_flight' : 'no_open_hedge';
  return {
    level: 'stop',
    code,
    message: what,
    hint: isComing || !isUnresolved(action) ? hint : commandLines(settling(action)),
  };
}

const placeOf = ({ intent }: Action): string => `${unquoted(intent.market)} ${intent.side}`;

const sizesThen = ({ intent }: Action): Sizes =>
  new Map(intent.before.hedges.map((each) => [each.hedge_id, each.notional_usd]));

const standingOn = ({ open, coming, unread }: SideBook): readonly SideHedge[] => [
  ...open,
  ...coming,
  ...unread,
];

const notMeantFor = (action: Action, what: string, would: string): string =>
  `Action ${action.shortId} was not meant for what stands on ${placeOf(action)} now: ${what}. ${would}`;

/** A close takes the whole side, what was added to its hedges included. */
function grownSince(action: Action, now: SideBook): string | undefined {
  const was = sizesThen(action);
  const since = standingOn(now).filter(({ id, notional }) => {
    const before = was.get(id) ?? undefined;
    return before === undefined || notional.gt(new Big(before));
  });
  return since.length === 0
    ? undefined
    : notMeantFor(action, inWords(since, was), 'Sent again it would close that too.');
}

/** Which hedge grows is the service's to choose, and all of a side are reduced: every one that stood then matters. */
function otherHedges(action: Action, now: SideBook): string | undefined {
  const standing = standingOn(now);
  if (standing.length === 0) return undefined;
  const { before } = action.intent;
  const { holding, joined } = diffPosition(before, now);
  const gone = holding.filter(({ fate }) => fate.became === 'left' || fate.became === 'matured');
  if (gone.length > 0) {
    const named = gone.map(
      ({ id, before: size }) => `${unquoted(id)}${size === undefined ? '' : ` ${usdInWords(size)}`}`,
    );
    return `Action ${action.shortId} was meant for a side with ${named.slice(0, MOST_NAMED).join(', ')}, which ${gone.length === 1 ? 'has' : 'have'} left it. Sent again it would fall on ${inWords(standing)}.`;
  }
  const then = new Set(before.hedges.map(({ hedge_id: id }) => id));
  const since = standing.filter(({ id }) => !then.has(id) || joined.some((each) => each.id === id));
  if (since.length === 0) return undefined;
  const would = enlarges(action.intent)
    ? 'Sent again it may be added to that.'
    : 'Sent again it would reduce that too.';
  return notMeantFor(action, inWords(since), would);
}

/** A reduction by about everything that is left closes the side (specification §3). */
function wouldClose(action: Action, now: SideBook): string | undefined {
  const { notional, intent, shortId } = action;
  const { total } = now;
  if (notional === undefined || total === undefined || !total.gt(0)) return undefined;
  const then = sum(diffPosition(intent.before, now).holding.map(({ before }) => before ?? new Big(0)));
  if (isAboutEverything(notional, then) || !isAboutEverything(notional, total)) return undefined;
  return `Action ${shortId} was meant to leave ${usdInWords(then.minus(notional))} on ${placeOf(action)}, and ${usdInWords(total)} stand there now: sent again it would close the side.`;
}

const notToBeTold = (action: Action, { total, unclear }: SideBook): string | undefined =>
  total === undefined
    ? `Whether anything stands on ${placeOf(action)} that action ${action.shortId} was not meant for cannot be told: ${unclear ?? 'the book could not be read whole'}.`
    : undefined;

function nothingLeft(action: Action, now: SideBook, actions: readonly Action[]): string | undefined {
  if (standingOn(now).length > 0) return undefined;
  const closer = closesAfter(actions, action).find(({ state }) => state === 'done');
  return (
    closer &&
    `Nothing is left that action ${action.shortId} was meant for: action ${closer.shortId} of this machine closed ${placeOf(action)} since.`
  );
}

type Sizes = ReadonlyMap<string, string | null>;

const MOST_NAMED = 5;

/** `hdg_W "W-1" 4,000.00 USD, hdg_A 12,000.00 USD (10,000.00 USD then)`. */
function inWords(hedges: readonly SideHedge[], was: Sizes = new Map()): string {
  const named = hedges.slice(0, MOST_NAMED).map(({ id, reference, notional }) => {
    const before = was.get(id) ?? undefined;
    const then = before === undefined ? '' : ` (${usdInWords(new Big(before))} then)`;
    const name = reference === undefined ? '' : ` ${quotedName(reference)}`;
    return `${unquoted(id)}${name} ${usdInWords(notional)}${then}`;
  });
  const more = hedges.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more.toString()} more` : named.join(', ');
}

function waysOut(action: Action, { inPositions }: SideBook): string {
  const { market, side } = action.intent;
  const closes = [`hedge close ${market} ${side}`, 'closes what stands there now'] as const;
  const lines = [
    ...(takesWholeSide(action.intent) && inPositions !== false ? [closes] : []),
    ...(isUnresolved(action) ? settling(action) : []),
  ];
  return lines.length > 0
    ? commandLines(lines)
    : 'If it is still wanted, deal it again: it is planned on what stands there now.';
}

const settling = ({ shortId }: Action) =>
  [
    [`hedge journal settle ${shortId} --as nothing --because TEXT`, 'your word: it never was'],
    [`hedge journal settle ${shortId} --as done --because TEXT`, 'your word: it was done'],
  ] as const;

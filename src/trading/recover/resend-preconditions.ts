/** Blocks resending a close, add or reduce if the hedges it was meant for are gone or new ones appeared. Pure. */

import { Big } from 'big.js';
import type { Quote } from '../../client/schemas.ts';
import { enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { sum } from '../../domain/amounts.ts';
import { type ExpectedEffect, expectedEffect } from '../../domain/expected-effect.ts';
import { grouped, isAboutEverything, someOf, usdInWords, wholeCents } from '../../domain/exposure.ts';
import { optionWords, shell, step } from '../../domain/hint.ts';
import { quotedName, unquoted } from '../../domain/quoted.ts';
import { AFTER_THE_PARTNER, actionAndMachine, lineUnderKey, nairaAsked } from '../../journal/describe.ts';
import { closesAfter } from '../../journal/queries.ts';
import { type Action, isUnanswered } from '../../journal/replay.ts';
import type { ComingHedge, SidePosition } from '../../readings/side-position.ts';
import { isSameCover } from '../deal-id.ts';
import type { Evidence } from '../outcome/change-evidence.ts';
import { changesInWords, diffPosition, measuredChanges, whyUnmeasured } from '../outcome/position-diff.ts';
import { nothingOpen } from '../plan.ts';
import type { Finding } from '../trading-context.ts';

interface SideSince {
  now: SidePosition;
  /** Undefined if it was never sent. */
  evidence: Evidence | undefined;
  quote: Quote | undefined;
  /** Since the action. */
  actions: () => readonly Action[];
}

/** A key that the service never saw would execute on the current position. */
export function resendBlocker(action: Action, since: SideSince): readonly Finding[] {
  const { kind } = expectedEffect(action.intent);
  const found = BLOCKERS[kind](action, since);
  if (found.length > 0 || since.evidence !== undefined) return found;
  const why = kind === 'new_hedge' ? undefined : changedSince(action, since.now);
  return changed(action, since.now, why ?? coversElse(action, since.quote));
}

/** A size that was computed from naira, at the price of then. */
function coversElse({ intent, notional }: Action, quote: Quote | undefined): string | undefined {
  const naira = nairaAsked(intent.asked);
  if (naira === undefined || notional === undefined || quote === undefined) return undefined;
  const covered = notional.times(quote.pricing.execution_price);
  return isSameCover(covered, naira)
    ? undefined
    : `${usdInWords(notional)} would cover ${grouped(wholeCents(covered))} NGN at the price of now, not the ${grouped(naira)} NGN that were asked for.`;
}

type Blocker = (action: Action, since: SideSince) => readonly Finding[];

const BLOCKERS: Readonly<Record<ExpectedEffect['kind'], Blocker>> = {
  new_hedge: () => [],
  notional(action, { now, evidence, actions }) {
    const grows = enlarges(action.intent);
    if (grows && now.inPositions === false) return [nothingToAddTo(action, now)];
    // If the position already changed as requested, the service only repeats its first response.
    const shrinks = () =>
      grows || evidence?.kind === 'exact'
        ? undefined
        : (nothingLeft(action, now, actions) ?? wouldClose(action, now));
    return changed(action, now, otherHedges(action, now) ?? unclearPosition(action, now) ?? shrinks());
  },
  side_gone: (action, { now, actions }) =>
    changed(
      action,
      now,
      grownSince(action, now) ?? unclearPosition(action, now) ?? nothingLeft(action, now, actions),
    ),
};

const changed = (action: Action, now: SidePosition, message: string | undefined): readonly Finding[] =>
  message === undefined
    ? []
    : [{ level: 'stop', code: 'book_changed', message, hint: nextCommands(action, now) }];

/** Hedges in flight are awaited first; otherwise only a manual record is left, if it was ever sent. */
function nothingToAddTo(action: Action, now: SidePosition): Finding {
  const { what, hint } = nothingOpen(now);
  const isComing = now.coming.length > 0;
  const code = isComing ? 'in_flight' : 'no_open_hedge';
  return {
    level: 'stop',
    code,
    message: what,
    hint: isComing || !isUnanswered(action) ? hint : recordCommands(action),
  };
}

const placeOf = ({ intent }: Action): string => `${unquoted(intent.market)} ${intent.side}`;

const sizesThen = ({ intent }: Action): Sizes =>
  new Map(intent.before.hedges.map((each) => [each.hedge_id, each.notional_usd]));

const hedgesOn = ({ open, coming, unread }: SidePosition): readonly ComingHedge[] => [
  ...open,
  ...coming,
  ...unread,
];

const notMeantFor = (action: Action, what: string, would: string): string =>
  `${placeOf(action)} has changed since action ${action.shortId}: ${what}. ${would}`;

/** A close takes the whole side, later adds included. */
function grownSince(action: Action, now: SidePosition): string | undefined {
  const was = sizesThen(action);
  const since = hedgesOn(now).filter(({ id, notional }) => {
    const before = was.get(id) ?? undefined;
    return before === undefined || notional?.gt(new Big(before)) !== false;
  });
  return since.length === 0
    ? undefined
    : notMeantFor(action, inWords(since, was), 'Sent again, it would close that too.');
}

/** One that was never sent was sized for the side of then, and its outcome is judged by that side. */
function changedSince(action: Action, now: SidePosition): string | undefined {
  const { holding, joined } = diffPosition(action.intent.before, now);
  const hedges = [...holding, ...joined];
  const what = whyUnmeasured(hedges) ?? changesInWords(measuredChanges(hedges));
  return what === ''
    ? grownSince(action, now)
    : notMeantFor(action, what, 'It was decided for the side before that.');
}

/** The service picks which hedge to increase, and reduces all of them, so every earlier hedge matters. */
function otherHedges(action: Action, now: SidePosition): string | undefined {
  const current = hedgesOn(now);
  if (current.length === 0) return undefined;
  const { before } = action.intent;
  const { holding, joined } = diffPosition(before, now);
  const gone = holding.filter(({ kind }) => kind === 'left' || kind === 'matured');
  if (gone.length > 0) {
    const named = gone.map(
      ({ id, before: size }) => `${unquoted(id)}${size === undefined ? '' : ` ${usdInWords(size)}`}`,
    );
    return `Action ${action.shortId} was meant for ${someOf(named)}, no longer open. Sent again, it would apply to ${inWords(current)}.`;
  }
  const then = new Set(before.hedges.map(({ hedge_id: id }) => id));
  const since = current.filter(({ id }) => !then.has(id) || joined.some((each) => each.id === id));
  if (since.length === 0) return undefined;
  const would = enlarges(action.intent)
    ? 'Sent again, it may increase that hedge.'
    : 'Sent again, it would reduce that too.';
  return notMeantFor(action, inWords(since), would);
}

/** A reduction by about everything that is left closes the side (specification §3). */
function wouldClose(action: Action, now: SidePosition): string | undefined {
  const { notional, intent, shortId } = action;
  const { total } = now;
  if (notional === undefined || total === undefined || !total.gt(0)) return undefined;
  const then = sum(diffPosition(intent.before, now).holding.map(({ before }) => before ?? new Big(0)));
  if (isAboutEverything(notional, then) || !isAboutEverything(notional, total)) return undefined;
  return `Action ${shortId} was meant to leave ${usdInWords(then.minus(notional))} on ${placeOf(action)}, but only ${usdInWords(total)} is open. Sent again, it would close the side.`;
}

const unclearPosition = (action: Action, { total, unclear }: SidePosition): string | undefined =>
  total === undefined
    ? `It is unclear whether ${placeOf(action)} has changed since action ${action.shortId}: ${unclear ?? 'the position could not be read completely'}.`
    : undefined;

function nothingLeft(
  action: Action,
  now: SidePosition,
  actions: () => readonly Action[],
): string | undefined {
  if (hedgesOn(now).length > 0) return undefined;
  const closer = closesAfter(actions(), action).find(({ state }) => state === 'done');
  return (
    closer &&
    `Nothing is left for action ${action.shortId} to ${action.intent.action}: action ${actionAndMachine(closer)} closed ${placeOf(action)} afterwards.`
  );
}

type Sizes = ReadonlyMap<string, string | null>;

/** `hdg_W "W-1" 4,000.00 USD, hdg_A 12,000.00 USD (10,000.00 USD then)`. */
function inWords(hedges: readonly ComingHedge[], was: Sizes = new Map()): string {
  const named = hedges.map(({ id, reference, notional }) => {
    const before = was.get(id) ?? undefined;
    const then = before === undefined ? '' : ` (${usdInWords(new Big(before))} then)`;
    const name = reference === undefined ? '' : ` ${quotedName(reference)}`;
    return `${unquoted(id)}${name} ${notional ? usdInWords(notional) : 'of unknown size'}${then}`;
  });
  return someOf(named);
}

function nextCommands(action: Action, { inPositions }: SidePosition) {
  const { market, side } = action.intent;
  const lines = [
    ...(takesWholeSide(action.intent) && inPositions !== false
      ? [step(shell`hedge close ${market} ${side}`, 'close the position')]
      : []),
    ...(isUnanswered(action) ? recordCommands(action) : []),
  ];
  if (lines.length > 0) return lines;
  const { worst_price: worst, max_cost_bps: most } = action.intent.bounds ?? {};
  const limits = [...optionWords('--worst-price', worst), ...optionWords('--max-cost-bps', most)];
  return [step([...lineUnderKey(action), ...limits], '', 'To enter it for the current position:')];
}

const recordCommands = (action: Action) => [
  ...asNotExecuted(action),
  step(shell`hedge journal resolve ${action.shortId} --as executed --reason TEXT`, 'record that it executed'),
];

export const asNotExecuted = ({ shortId }: Action) => [
  AFTER_THE_PARTNER,
  step(
    shell`hedge journal resolve ${shortId} --as not-executed --reason TEXT`,
    'record that it did not execute',
  ),
];

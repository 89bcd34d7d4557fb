/** The limits of a whole desk: one trade, a day of everybody, and the notional open, with intents under way that are not read yet. Pure. */

import { Big } from 'big.js';
import { decimalFrom, textFrom } from '../../client/json.ts';
import type { Hedge, Position } from '../../client/schemas.ts';
import { createsHedge, enlarges } from '../../domain/action-table.ts';
import { sum, sumIfAll } from '../../domain/amounts.ts';
import { remainingLimit, usdInWords } from '../../domain/exposure.ts';
import { say, shell } from '../../domain/hint.ts';
import { exactInstant } from '../../domain/instants.ts';
import { isSameSide } from '../../domain/vocabulary.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import type { DealTerms } from '../../journal/queries.ts';
import { type Action, isEnded, maybeExecuted } from '../../journal/replay.ts';
import { changesKept } from '../../journal/results.ts';
import { chainNotional, type RollChain, rollChain } from '../../journal/roll-chains.ts';
import type { JournalState } from '../../journal/state.ts';
import { mayFillMore } from '../../readings/partial-fills.ts';
import { READINGS_LAG_MS } from '../../readings/poll.ts';
import {
  everySide,
  OVER_STATUSES,
  type PositionFacts,
  type SideHedge,
  type SidePosition,
  sidePositionOf,
} from '../../readings/side-position.ts';
import { lacksSide, mayBeMissing } from '../../readings/unconfirmed-hedges.ts';
import type { PlanFacts } from '../plan.ts';
import type { Finding } from '../trading-context.ts';
import { countedDays, openedOnDays } from './counted-days.ts';
import { type Excess, tooLarge } from './guard-plan.ts';

export interface DeskLimitTerms extends DealTerms {
  /** Facts read for it: the position of the whole account. */
  facts?: Pick<PlanFacts, 'sidePosition' | 'positionFacts' | 'readAtMs' | 'clocks'> | undefined;
  except?: string | undefined;
}

type OpenTerms = Pick<DeskLimitTerms, 'facts' | 'identity' | 'except' | 'dealId'>;

export function deskLimitFindings(
  terms: DeskLimitTerms,
  state: JournalState,
  { nowMs }: { nowMs: number },
): readonly Finding[] {
  const { notional } = terms;
  const { limits, desk } = state;
  if (notional === undefined || !enlarges(terms) || Object.keys(limits).length === 0) return [];
  const of =
    desk === undefined ? 'the desk that this machine has left (hedge desk limit)' : `desk ${desk.name}`;
  const { max_notional_usd: perTrade, max_daily_notional_usd: daily, max_open_usd: open } = limits;
  return [
    perTrade === undefined || notional.lte(perTrade)
      ? undefined
      : exceeded(
          `${usdInWords(notional)} exceeds the per-trade limit of ${of}, ${usdInWords(new Big(perTrade))}.`,
          { room: new Big(perTrade), details: { max_notional_usd: perTrade } },
        ),
    daily === undefined
      ? undefined
      : dailyFinding(terms, state, { notional, most: new Big(daily), nowMs, of }),
    open === undefined ? undefined : openFinding(terms, state, { notional, most: new Big(open), nowMs, of }),
  ].filter((each) => each !== undefined);
}

const exceeded = (message: string, excess: Pick<Excess, 'room' | 'details'>): Finding =>
  tooLarge(
    { code: 'limit_exceeded', message, ...excess },
    say`To see the limits: ${shell`hedge desk limit`}. An approver can raise them.`,
  );

interface Asked {
  notional: Big;
  most: Big;
  nowMs: number;
  of: string;
}

function dailyFinding(
  { identity, except, dealId, facts }: DeskLimitTerms,
  state: JournalState,
  { notional, most, nowMs, of }: Asked,
): Finding | undefined {
  const days = countedDays({ facts }, nowMs);
  const opened = deskOpenedOn(state, { identity, days, except, dealId, nowMs });
  if (opened.plus(notional).lte(most)) return undefined;
  return exceeded(
    `Opens and adds of ${days.join(' and ')} (UTC) of ${of} would total ${usdInWords(opened.plus(notional))}, above its daily limit of ${usdInWords(most)}.`,
    {
      room: most.minus(opened),
      details: { max_daily_notional_usd: most, opened_today_usd: opened, notional_usd: notional },
    },
  );
}

/** USD of the opens and adds of these UTC days, of everybody, and of rolls whose record admits a second leg that is not there yet. */
export const deskOpenedOn = (
  state: JournalState,
  { days, except, ...terms }: RollTerms & Pick<DeskLimitTerms, 'except'> & { days: readonly string[] },
): Big =>
  openedOnDays(state, { identity: terms.identity, days, except }).plus(
    sum(
      admittedRolls(state, terms)
        // Its second leg comes after midnight, if its first one was sent before.
        .filter(
          ({ plan, close, state: now }) =>
            days.some((day) => plan.at.startsWith(day)) || (close !== undefined && now !== 'missed'),
        )
        .map(chainNotional),
    ),
  );

type RollTerms = Pick<DeskLimitTerms, 'identity'> & { nowMs: number; dealId?: string | undefined };

/** Rolls that were begun as a close and an open, and whose open is not recorded. `dealId`: of the open that is asked about. */
function admittedRolls(state: JournalState, { identity, nowMs, dealId }: RollTerms): readonly RollChain[] {
  return state.rolls
    .filter((plan) => plan.when === 'now' && plan.deal_id !== dealId && sameIdentity(plan.identity, identity))
    .map((plan) => rollChain(plan, { state, nowMs }))
    .filter(({ open }) => open === undefined || !maybeExecuted(open));
}

function openFinding(
  terms: DeskLimitTerms,
  state: JournalState,
  { notional, most, nowMs, of }: Asked,
): Finding | undefined {
  const open = grossOpen(terms, state, nowMs);
  if (open === undefined)
    return {
      level: 'stop',
      code: 'book_unclear',
      message: `The open hedges could not be read completely, so that the limit of ${of} cannot be checked: ${usdInWords(most)} open.`,
      hint: say`Try again. To see the positions: ${shell`hedge positions`}`,
      details: { max_open_usd: most },
    };
  if (open.plus(notional).lte(most)) return undefined;
  return exceeded(
    `${usdInWords(open.plus(notional))} would be open, above the limit of ${of} of ${usdInWords(most)}.`,
    { room: most.minus(open), details: { max_open_usd: most, open_usd: open, notional_usd: notional } },
  );
}

/** USD that the limit of the open notional leaves; undefined without one, and where that is not known. */
export function leftOpen(terms: OpenTerms, state: JournalState, nowMs: number): Big | undefined {
  const { max_open_usd: most } = state.limits;
  const open = most === undefined ? undefined : grossOpen(terms, state, nowMs);
  return open && remainingLimit(new Big(most ?? 0), open);
}

/** USD open on all sides together as read, and what the reading cannot have; undefined when that is not known. */
function grossOpen(
  { facts, identity, except, dealId }: OpenTerms,
  state: JournalState,
  nowMs: number,
): Big | undefined {
  if (facts?.positionFacts === undefined) return undefined;
  const { readAtMs, sidePosition, positionFacts } = facts;
  // The rows of a deals file do not list the side.
  const own = sidePosition.listed.length === 0 ? sidePositionOf(sidePosition, positionFacts) : sidePosition;
  const held = heldAsRead(own, positionFacts);
  if (held === undefined) return undefined;
  const from = readAtMs - READINGS_LAG_MS;
  const recent = state
    .since(exactInstant(from))
    .filter(({ intent }) => sameIdentity(intent.identity, identity));
  const closed = new Set(
    recent.flatMap((each) => changesMade(each).flatMap(({ id, after }) => (after.eq(0) ? [id] : []))),
  );
  const isShown = shownIn({ hedges: positionFacts.hedges, own, closed, recent });
  const isMissing = (action: Action): boolean =>
    action.id !== except &&
    enlarges(action.intent) &&
    maybeExecuted(action) &&
    // One that ended before the reading is in it, or closed again.
    (!isEnded(action) || Date.parse(action.changedAt) >= from) &&
    action.outcome?.kind !== 'closed' &&
    !isShown(action);
  const rolls = admittedRolls(state, { identity, nowMs, dealId }).filter(({ state: at }) => at !== 'planned');
  return held
    .plus(sum(justFilled(positionFacts).flatMap(({ id, notional }) => (closed.has(id) ? [] : notional))))
    .plus(sum(recent.filter(isMissing).flatMap(({ notional }) => notional ?? [])))
    .plus(sum(stillToFill(positionFacts.hedges, recent, nowMs)))
    .plus(sum(rolls.map(chainNotional)));
}

/** USD that opens of the last minute lack, which were filled in part and are listed so. */
const stillToFill = (hedges: readonly Hedge[], recent: readonly Action[], nowMs: number): readonly Big[] =>
  recent.flatMap((action) => {
    const listed = hedges.find(({ id, status }) => id === action.hedgeId && !OVER_STATUSES.includes(status));
    const isMeant = listed !== undefined && mayFillMore(action, nowMs);
    return isMeant && action.notional?.gt(listed.notional_usd)
      ? action.notional.minus(listed.notional_usd)
      : [];
  });

/**
 * USD on all sides; undefined when that is not known. Positions and list are two readings: of two figures for a side the
 * larger one counts. The own side is as it will be: the first leg of a roll closes it.
 */
function heldAsRead(own: SidePosition, facts: PositionFacts): Big | undefined {
  if (own.unread.length > 0) return undefined;
  // A position without hedges may be that of hedges, under another name.
  const isOfAnother = (other: SidePosition): boolean => other.listed.length > 0 && !isSameSide(own, other);
  const sides = [own, ...everySide(facts).filter(isOfAnother)];
  const lines = new Set([undefined, ...sides.map(({ position }) => position)]);
  const others = facts.positions.filter(
    (each) =>
      !lines.has(each) &&
      !isSameSide(own, { market: textFrom(each.market) ?? own.market, side: textFrom(each.side) }),
  );
  return sumIfAll(
    [...lines].map((line) =>
      largerOf(
        line === undefined ? others : [line],
        sides.filter(({ position }) => position === line),
        facts,
      ),
    ),
  );
}

/** `sides`: those of these lines; lines that do not name their side may be of each that has none. */
function largerOf(
  lines: readonly Position[],
  sides: readonly SidePosition[],
  { mayBeCut }: Pick<PositionFacts, 'mayBeCut'>,
): Big | undefined {
  const stated = sumIfAll(lines.map((line) => decimalFrom(line.notional_usd)));
  const listed = sides.flatMap((each) => each.listed);
  const isUnexplained = listed.every(({ status }) => OVER_STATUSES.includes(status));
  if (stated === undefined && (mayBeCut || isUnexplained)) return undefined;
  const filled = usdOf(sides.flatMap(({ open, unread }) => [...open, ...unread]));
  const larger = stated?.gt(filled) === true ? stated : filled;
  const coming = sumIfAll(sides.flatMap((each) => each.coming.map(({ notional }) => notional)));
  return coming && larger.plus(coming);
}

const usdOf = (hedges: readonly SideHedge[]): Big => sum(hedges.map(({ notional }) => notional));

/** Hedges on sides that the positions lack, because these are older than the fill. */
const justFilled = (facts: PositionFacts): readonly SideHedge[] =>
  everySide(facts)
    .filter(lacksSide)
    .flatMap(({ listed }) => listed)
    .filter((hedge) => mayBeMissing(hedge, facts.servedAt));

/** Whether the list has what an action opened or added, or that is known to be closed. */
function shownIn({
  hedges,
  own,
  closed,
  recent,
}: {
  hedges: readonly Hedge[];
  own: SidePosition;
  closed: ReadonlySet<string>;
  recent: readonly Action[];
}): (action: Action) => boolean {
  const ids = hedges.flatMap(({ id, client_reference: reference, status }) =>
    // The order of an earlier try failed under the same reference.
    status === 'failed' ? [id] : [id, reference ?? id],
  );
  const shown = new Set([...ids, ...own.open.map(({ id }) => id), ...closed]);
  const listed = new Map(hedges.map((hedge) => [hedge.id, hedge]));
  /** At the size after the action, or after a later one. */
  const hasChanged = (id: string, later: readonly Action[]): boolean => {
    const { status = '', notional_usd: size } = listed.get(id) ?? {};
    return (
      closed.has(id) ||
      OVER_STATUSES.includes(status) ||
      later.flatMap(changesMade).some((each) => each.id === id && size?.eq(each.after) === true)
    );
  };
  return (action) => {
    const { hedgeId, intent } = action;
    if (createsHedge(intent)) return shown.has(hedgeId ?? '') || shown.has(intent.client_reference ?? '');
    const later = recent.slice(recent.indexOf(action));
    const changes = changesMade(action);
    return changes.length > 0 && changes.every(({ id }) => hasChanged(id, later));
  };
}

/** Recorded changes of hedges. */
const changesMade = (action: Action) =>
  (changesKept(action) ?? []).filter(({ before, after }) => !before.eq(after));

/** The limits of a whole desk: one trade, a day of everybody, and the notional open, with intents under way that are not read yet. Pure. */

import { Big } from 'big.js';
import { decimalFrom, textFrom } from '../../client/json.ts';
import { createsHedge, enlarges } from '../../domain/action-table.ts';
import { sum, sumIfAll } from '../../domain/amounts.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { say, shell } from '../../domain/hint.ts';
import { exactInstant, utcDay } from '../../domain/instants.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import type { DealTerms } from '../../journal/queries.ts';
import { type Action, isEnded, maybeExecuted } from '../../journal/replay.ts';
import { chainNotional, type RollChain, rollChain } from '../../journal/roll-chains.ts';
import type { JournalState } from '../../journal/state.ts';
import {
  isOpenHedge,
  PENDING_STATUSES,
  type PositionFacts,
  type SidePosition,
  sidePositionOf,
} from '../../readings/side-position.ts';
import { READINGS_LAG_MS } from '../idempotency-window.ts';
import type { PlanFacts } from '../plan.ts';
import type { Finding } from '../trading-context.ts';
import { type Excess, tooLarge } from './guard-plan.ts';

export interface DeskLimitTerms extends DealTerms {
  /** Facts read for it: the position of the whole account. */
  facts?: Pick<PlanFacts, 'sidePosition' | 'positionFacts' | 'readAtMs'> | undefined;
  except?: string | undefined;
}

export function deskLimitFindings(
  terms: DeskLimitTerms,
  state: JournalState,
  { nowMs }: { nowMs: number },
): readonly Finding[] {
  const { notional } = terms;
  const { limits, desk } = state;
  if (notional === undefined || !enlarges(terms) || Object.keys(limits).length === 0) return [];
  const of = `desk ${desk?.name ?? ''}`.trim();
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
  { identity, except, dealId }: DeskLimitTerms,
  state: JournalState,
  { notional, most, nowMs, of }: Asked,
): Finding | undefined {
  const day = utcDay(nowMs);
  const opened = deskOpenedOn(state, { identity, day, except, dealId, nowMs });
  if (opened.plus(notional).lte(most)) return undefined;
  return exceeded(
    `Opens and adds of ${day} (UTC) of ${of} would total ${usdInWords(opened.plus(notional))}, above its daily limit of ${usdInWords(most)}.`,
    {
      room: most.minus(opened),
      details: { max_daily_notional_usd: most, opened_today_usd: opened, notional_usd: notional },
    },
  );
}

/** USD of the opens and adds of a day, of everybody, and of rolls whose record admits a second leg that is not there yet. */
export const deskOpenedOn = (
  state: JournalState,
  {
    identity,
    day,
    except,
    dealId,
    nowMs,
  }: Pick<DeskLimitTerms, 'identity' | 'except'> & {
    day: string;
    dealId?: string | undefined;
    nowMs: number;
  },
): Big =>
  state.openedOn(identity, day, except).plus(
    sum(
      admittedRolls(state, { identity, nowMs, dealId })
        .filter(({ plan }) => plan.at.startsWith(day))
        .map(chainNotional),
    ),
  );

/** Rolls that were begun as a close and an open, and whose open is not recorded. `dealId`: of the open that is asked about. */
function admittedRolls(
  state: JournalState,
  {
    identity,
    nowMs,
    dealId,
  }: Pick<DeskLimitTerms, 'identity'> & { nowMs: number; dealId: string | undefined },
): readonly RollChain[] {
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

/** USD open on all sides together as read, and what the reading cannot have; undefined when that is not known. */
function grossOpen(
  { facts, identity, except, dealId }: DeskLimitTerms,
  state: JournalState,
  nowMs: number,
): Big | undefined {
  if (facts?.positionFacts === undefined) return undefined;
  const { readAtMs, sidePosition, positionFacts } = facts;
  const { hedges } = positionFacts;
  // The rows of a deals file do not list the side.
  const side = sidePosition.total === undefined ? sidePositionOf(sidePosition, positionFacts) : sidePosition;
  const elsewhere = heldElsewhere(side, positionFacts);
  if (elsewhere === undefined || side.total === undefined) return undefined;
  const here = sum([...side.open, ...side.coming].map((each) => each.notional));
  // The order of an earlier try failed under the same reference.
  const listed = new Set(
    hedges.flatMap(({ id, client_reference: reference, status }) =>
      status === 'failed' ? [id] : [id, reference ?? id],
    ),
  );
  const from = readAtMs - READINGS_LAG_MS;
  const isMissing = (action: Action): boolean =>
    action.id !== except &&
    enlarges(action.intent) &&
    maybeExecuted(action) &&
    sameIdentity(action.intent.identity, identity) &&
    // One that ended before the reading is in it, or closed again.
    (!isEnded(action) || Date.parse(action.changedAt) >= from) &&
    action.outcome?.kind !== 'closed' &&
    !(createsHedge(action.intent) && isListed(action, listed));
  const underWay = state.since(exactInstant(from)).filter(isMissing);
  const rolls = admittedRolls(state, { identity, nowMs, dealId }).filter(({ state: at }) => at !== 'planned');
  return elsewhere
    .plus(here)
    .plus(sum(underWay.flatMap(({ notional }) => notional ?? [])))
    .plus(sum(rolls.map(chainNotional)));
}

/** USD on every other side; undefined when that is not known. The own side is as it will be: the first leg of a roll closes it. */
function heldElsewhere({ market, side, listed }: SidePosition, facts: PositionFacts): Big | undefined {
  const own = new Set(listed.map(({ id }) => id));
  const hedges = facts.hedges.filter(({ id }) => !own.has(id));
  const isHere = (each: PositionFacts['positions'][number]): boolean =>
    (textFrom(each.market) ?? market) === market && textFrom(each.side) === side;
  const stated = sumIfAll(
    facts.positions.filter((each) => !isHere(each)).map((each) => decimalFrom(each.notional_usd)),
  );
  if (stated === undefined && facts.mayBeCut) return undefined;
  const isPending = ({ status }: (typeof hedges)[number]): boolean => PENDING_STATUSES.includes(status);
  const filled = sum(
    hedges.filter((each) => !isPending(each) && isOpenHedge(each, facts)).map((each) => each.notional_usd),
  );
  const pending = sum(hedges.filter(isPending).map((each) => each.notional_usd));
  return (stated?.gt(filled) === true ? stated : filled).plus(pending);
}

const isListed = ({ hedgeId, intent }: Action, listed: ReadonlySet<string>): boolean =>
  (hedgeId !== undefined && listed.has(hedgeId)) ||
  (intent.client_reference !== undefined && listed.has(intent.client_reference));

/**
 * Pre-trade checks against the journal: halt, deal IDs, duplicates, unknown outcomes, actions in flight, daily limit.
 * They run before the confirmation and again under the journal's lock. Pure.
 */
import { Big } from 'big.js';
import { createsHedge, enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { divide } from '../../domain/amounts.ts';
import { leastOf, medianOf, remainingLimit, usdInWords, wholeCents } from '../../domain/exposure.ts';
import { say, shell, step } from '../../domain/hint.ts';
import { utcDay } from '../../domain/instants.ts';
import { quotedName } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { actionInWords, haltedInWords, liftAdvice, stateInWords } from '../../journal/describe.ts';
import { type AccountSide, conflictsOn, isOn, usedDealId } from '../../journal/queries.ts';
import { mayReplace } from '../../journal/replaces-leg-two.ts';
import { type Action, isUnresolved } from '../../journal/replay.ts';
import {
  type ChainClock,
  chainNotional,
  isDue,
  isFinished,
  nextOfChain,
  rollChain,
  rollInWords,
} from '../../journal/roll-chains.ts';
import { findById, type JournalState } from '../../journal/state.ts';
import { troubleAdvice, troubleCode, troubleError } from '../../journal/trouble.ts';
import { SAME_DEAL } from '../deal-id.ts';
import type { Finding, TradingLimits } from '../trading-context.ts';
import {
  actionDetails,
  type ConflictQuery,
  duplicateFinding,
  inFlightFindings,
  lateCloses,
  unresolvedFinding,
} from './conflicts.ts';
import { countedDays, openedOnDays } from './counted-days.ts';
import { type DeskLimitTerms, deskLimitFindings, deskOpenedOn } from './desk-limit-guard.ts';
import { tooLarge } from './guard-plan.ts';
import { stopsFirst } from './stops.ts';

/** The action to send, and the checks that the operator overrides. */
export interface JournalGuardTerms extends DeskLimitTerms, ConflictQuery {
  /** IDs of actions, or their beginnings, to ignore. */
  despite: readonly string[];
  /** They are those of a whole run: for its legs or rows, one of another side, or ended meanwhile, is nothing to ignore. */
  isOfRun?: boolean;
  /** A close, or a reduction by about everything (specification §3). */
  closesSide?: boolean;
}

/** A size beyond this multiple of the recent median gets a warning. */
const UNUSUAL_TIMES = 5;
const FEWEST_DEALS = 5;

/**
 * All findings, stops first. `attended`: a person at a terminal confirms the action.
 * @throws DamagedFileError where the journal may lack records: for an open or add, and for a reduce that no person
 * confirms; UsageError for a `--despite` that matches no conflict.
 */
export function guardJournal(
  terms: JournalGuardTerms,
  state: JournalState,
  context: ChainClock & { limits: TradingLimits; attended: boolean },
): readonly Finding[] {
  checkTrouble(terms, state, context);
  const despite = readDespite(terms, state, context.nowMs);
  // Asked first: what another process writes in between is found under its deal ID.
  const { current } = state;
  const taken = takenDealId(terms, state);
  const conflicting = current.filter(({ id }) => id !== terms.except && id !== taken?.id && !despite.has(id));
  const { resumed = [] } = state.desk ?? {};
  // They may be of long ago.
  const older = state.find({ ids: resumed }).filter(({ id }) => !current.some((each) => each.id === id));
  const findings = [
    haltFinding(terms, state),
    taken && dealIdUsed(taken),
    unresolvedFinding(terms, conflicting, context.nowMs),
    ...inFlightFindings(terms, conflicting, { ...terms.facts?.clocks, wall: context.nowMs }),
    duplicateFinding(terms, [...conflicting, ...older], { nowMs: context.nowMs, resumed }),
    dailyFinding(terms, state, context),
    ...deskLimitFindings(terms, state, context),
    unusualSize(terms, state),
    ...rollsOnSide(terms, state, context),
  ];
  // A question may have found damage.
  checkTrouble(terms, state, context);
  return stopsFirst([troubleFinding(state), ...findings]);
}

/** Checks of an open that the record of a roll admits, made when that record is appended. */
export const guardAdmission = (
  terms: JournalGuardTerms,
  state: JournalState,
  context: { nowMs: number; limits: TradingLimits },
): readonly Finding[] =>
  stopsFirst([
    haltFinding(terms, state),
    dailyFinding(terms, state, context),
    ...deskLimitFindings(terms, state, context),
  ]);

/** @throws DamagedFileError unless the action goes on all the same. */
function checkTrouble(
  terms: JournalGuardTerms,
  { trouble }: JournalState,
  { attended }: { attended: boolean },
): void {
  if (trouble === undefined) return;
  if (enlarges(terms)) throw troubleError(trouble);
  if (trouble.kind === 'damaged' && !takesWholeSide(terms) && !attended)
    throw troubleError(
      trouble,
      'Nothing was sent. Until then a reduce needs a person at a terminal; close still works.',
    );
}

const troubleFinding = ({ trouble }: JournalState): Finding | undefined =>
  trouble && {
    level: 'warn',
    code: troubleCode(trouble),
    message: `${trouble.what} An earlier action may be missing from it.`,
    hint: troubleAdvice(trouble),
    details: { path: trouble.path, trouble: trouble.kind },
  };

function haltFinding(terms: JournalGuardTerms, { halt, desk }: JournalState): Finding | undefined {
  if (halt === undefined || !enlarges(terms)) return undefined;
  return {
    level: 'stop',
    code: 'halted',
    message: `Opens and adds ${desk === undefined ? 'from this machine' : `of desk ${desk.name}`} are ${haltedInWords(halt)}`,
    hint: say`Reduce and close still work. ${liftAdvice(desk)}`,
    details: { who: halt.who, at: halt.at, why: halt.why },
  };
}

function takenDealId(
  { identity, dealId, except }: JournalGuardTerms,
  state: JournalState,
): Action | undefined {
  if (dealId === undefined) return undefined;
  const others = state.find({ dealIds: [dealId] }).filter(({ id }) => id !== except);
  return usedDealId(others, identity, dealId);
}

const ENDED: readonly Action['state'][] = ['done', 'settled'];

export function dealIdUsed(taken: Action): Finding {
  const { intent, shortId } = taken;
  const maybeOpen = isUnresolved(taken) ? ': it may be open' : '';
  return {
    level: 'stop',
    code: 'deal_id_used',
    message: `Deal ID ${quotedName(intent.deal_id ?? '')} is used by ${actionInWords(taken)}: action ${shortId}, ${stateInWords(taken)}${maybeOpen}.`,
    hint: isUnresolved(taken)
      ? [step(shell`hedge check ${shortId}`, 'look it up; sends nothing'), SAME_DEAL.unresolved]
      : SAME_DEAL[ENDED.includes(taken.state) ? 'known' : 'in_flight'],
    details: { actions: [actionDetails(taken)] },
  };
}

/** USD that the daily limits of profile and desk still allow; undefined without one. */
export function leftToday(
  { identity }: Pick<JournalGuardTerms, 'identity'>,
  state: JournalState,
  { nowMs, limits }: { nowMs: number; limits: Pick<TradingLimits, 'maxDailyNotional'> },
): Big | undefined {
  const days = [utcDay(nowMs)];
  const { max_daily_notional_usd: ofDesk } = state.limits;
  const left = leastOf([
    limits.maxDailyNotional?.minus(openedOnDays(state, { identity, days, login: state.desk?.login })),
    ofDesk === undefined ? undefined : new Big(ofDesk).minus(deskOpenedOn(state, { identity, days, nowMs })),
  ]);
  return left && wholeCents(remainingLimit(left, new Big(0)));
}

/** Counts every open and add of the UTC day that may have executed, and this one; with a desk, those of this login. */
function dailyFinding(
  terms: JournalGuardTerms,
  state: JournalState,
  { nowMs, limits }: { nowMs: number; limits: TradingLimits },
): Finding | undefined {
  const { identity, notional } = terms;
  const most = limits.maxDailyNotional;
  if (most === undefined || notional === undefined || !enlarges(terms)) return undefined;
  const days = countedDays(terms, nowMs);
  const opened = openedOnDays(state, { identity, days, except: terms.except, login: state.desk?.login });
  if (opened.plus(notional).lte(most)) return undefined;
  return tooLarge(
    {
      code: 'limit_exceeded',
      message: `Opens and adds of ${days.join(' and ')} (UTC) would total ${usdInWords(opened.plus(notional))}, above this profile's daily limit of ${usdInWords(most)}.`,
      room: most.minus(opened),
      details: { notional_usd: notional, max_daily_notional_usd: most, opened_today_usd: opened },
    },
    'The daily limit resets at 00:00 UTC.',
  );
}

function unusualSize(terms: JournalGuardTerms, state: JournalState): Finding | undefined {
  const { notional, identity } = terms;
  if (!enlarges(terms) || notional === undefined) return undefined;
  const last = state.lastNotionals(identity, terms.except);
  const median = medianOf(last);
  if (median === undefined || last.length < FEWEST_DEALS) return undefined;
  if (notional.lte(median.times(UNUSUAL_TIMES))) return undefined;
  return {
    level: 'warn',
    code: 'unusual_size',
    message: `${usdInWords(notional)} is ${divide(notional, median, 1).toFixed()} times the median of your last ${last.length.toString()} trades, ${usdInWords(median)}.`,
    details: { notional_usd: notional, median_notional_usd: median, deals: last.length },
  };
}

/**
 * A roll does not open again a hedge that was closed before its maturity, or is larger than when it was planned; and leg 2 of a
 * roll may still be to open.
 */
function rollsOnSide(
  terms: JournalGuardTerms,
  state: JournalState,
  { nowMs, servedMs }: ChainClock,
): readonly Finding[] {
  const { closesSide: closes = takesWholeSide(terms) } = terms;
  const adds = enlarges(terms) && !createsHedge(terms);
  if (!(closes || enlarges(terms))) return [];
  return state.rolls
    .filter((plan) => isOn({ intent: plan }, terms))
    .map((plan) => rollChain(plan, { state, nowMs, servedMs }))
    .filter((chain) => !isFinished(chain))
    .flatMap((chain): Finding[] => {
      const { chain_id: id, hedge_id: hedgeId, deal_id: dealId, when } = chain.plan;
      const finding = {
        level: 'warn',
        code: 'roll_unfinished',
        details: { chain_id: id, hedge_id: hedgeId, state: chain.state },
      } as const;
      // Leg 2 itself, and the rows of a file, are not told of it.
      const isOther = dealId !== terms.dealId && terms.isOfRun !== true;
      const isToFinish =
        isOther && (isDue(chain) || (closes && (chain.state === 'closing' || chain.state === 'opening')));
      const unfinished = `Roll ${id} is not finished: ${rollInWords(chain)}.`;
      const drop = shell`hedge roll drop ${id} --note TEXT`;
      if (isToFinish && closes) {
        // Nothing is recorded of it.
        const [level, then] =
          terms.flat === true
            ? (['stop', 'Its next run opens leg 2: the side does not stay flat.'] as const)
            : (['warn', `After this ${terms.action} its next run does not open leg 2 by itself.`] as const);
        return [{ ...finding, level, message: `${unfinished} ${then}`, hint: step(drop, 'stay flat') }];
      }
      const isSoon = createsHedge(terms) && chain.state === 'planned' && when === 'maturity';
      const placed = { ...terms, servedMs: servedMs ?? nowMs };
      if (isOther && (isSoon || isToFinish) && mayReplace(chain, placed, chainNotional(chain))) {
        const what = isToFinish ? unfinished : `Roll ${id} is soon due.`;
        const message = `${what} After this ${terms.action}, leg 2 is not opened by itself.`;
        const both = step(
          shell`hedge roll run ${id} --allow-duplicate`,
          `if not: leg 2 as well${isSoon ? ', once it is due' : ''}`,
        );
        return [{ ...finding, message, hint: [step(drop, 'if it replaces leg 2'), both] }];
      }
      if (isToFinish && !adds) return [{ ...finding, message: unfinished, hint: nextOfChain(chain) }];
      if (terms.flat || !(closes || adds) || chain.state !== 'planned' || when !== 'maturity') return [];
      const planned = `Roll ${id} is planned for hedge ${quotedName(hedgeId)}`;
      const message = closes
        ? `${planned}. After a close, it does not open leg 2.`
        : `${planned} at ${usdInWords(chainNotional(chain))}. If this add enlarges it, leg 2 is not opened by itself.`;
      const hint = closes
        ? say`To give it up: ${drop}`
        : say`Then plan it again: ${drop}, and ${shell`hedge roll ${hedgeId} --at maturity --tenor DAYS`}`;
      return [{ ...finding, message, hint }];
    });
}

/**
 * The IDs to ignore. @throws UsageError for a text that matches no action or several, and for a single command, for an
 * action that is neither unresolved nor in flight on this account, market and side.
 */
function readDespite(terms: JournalGuardTerms, state: JournalState, nowMs: number): ReadonlySet<string> {
  const { current } = state;
  const conflicting = [...conflictsOn(current, terms), ...lateCloses(current, terms, nowMs)];
  const conflicts = new Set(conflicting.map(({ id }) => id));
  return new Set(
    terms.despite.map((text) => {
      const action = named(text, state);
      if (!conflicts.has(action.id) && terms.isOfRun !== true) throw noConflict(text, action, terms);
      return action.id;
    }),
  );
}

function named(text: string, state: Pick<JournalState, 'find'>): Action {
  const [action, ...others] = findById(state, text);
  if (action === undefined)
    throw new UsageError(
      `No action ${quotedName(text)} in the journal (--despite). Nothing was sent.`,
      say`To list them: ${shell`hedge journal`}`,
    );
  if (others.length > 0)
    throw new UsageError(
      `${quotedName(text)} matches ${[action, ...others].map(({ id }) => id).join(' and ')} (--despite). Nothing was sent.`,
      'Give more of the ID.',
    );
  return action;
}

function noConflict(text: string, action: Action, place: AccountSide): UsageError {
  const { intent } = action;
  const where = sameIdentity(intent.identity, place.identity)
    ? `on ${intent.market} ${intent.side}`
    : 'of another account';
  const why = isOn(action, place) ? stateInWords(action) : where;
  return new UsageError(
    `--despite ${text} has no effect on ${place.market} ${place.side}: ${actionInWords(action)} is ${why}. Nothing was sent.`,
    say`Leave it out. To see that action: ${shell`hedge journal ${action.shortId}`}`,
  );
}

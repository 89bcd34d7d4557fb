/** The plan of a roll: the hedge, the unused deal ID of the second leg, and the record that keeps it. Sends no action. */

import { Big } from 'big.js';
import { readDealId } from '../../args/operands.ts';
import type { RollIntent, RollTarget } from '../../args/roll-options.ts';
import type { Hedge, Quote } from '../../client/schemas.ts';
import type { OpenIntent } from '../../domain/action-intent.ts';
import { counted, usdInWords } from '../../domain/exposure.ts';
import { commandOnId, optionWords, say, shell, step } from '../../domain/hint.ts';
import { DAY_MS, exactInstant, instantOf } from '../../domain/instants.ts';
import { quotedName, unquoted } from '../../domain/quoted.ts';
import {
  coveredDate,
  hasLiveRules,
  isDerivedReference,
  type Side,
  type SideOfMarket,
  TENORS,
} from '../../domain/vocabulary.ts';
import type { StoppedError } from '../../errors.ts';
import { nothingSent, UsageError } from '../../errors.ts';
import { recordedIdentity, sameIdentity } from '../../journal/account-identity.ts';
import { timeInWords } from '../../journal/describe.ts';
import { mintChainId, type RollEnd, type RollPlan, SCHEMA } from '../../journal/records.ts';
import {
  isDue,
  isFinished,
  legReference,
  nextOfChain,
  type RollChain,
  rollChain,
  rollInWords,
  rootOf,
  whyNoLegTwo,
} from '../../journal/roll-chains.ts';
import type { JournalState } from '../../journal/state.ts';
import { troubleError } from '../../journal/trouble.ts';
import { findHedges } from '../../readings/filter-records.ts';
import { stillFilling } from '../../readings/partial-fills.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { readUnderReference } from '../../readings/read-position.ts';
import {
  hasMatured,
  PENDING_STATUSES,
  type SideHedge,
  type SidePosition,
  sideHedge,
} from '../../readings/side-position.ts';
import type { Finding, TradingContext } from '../../trading/trading-context.ts';
import { dropStep } from './roll-result.ts';

/** The hedge that a roll carries on. */
export interface RolledHedge {
  id: string;
  market: string;
  side: Side;
  notional: Big;
  /** Its deal ID; undefined without one. */
  dealId: string | undefined;
  maturityAt: string | undefined;
}

export type RollChoice = Pick<RollIntent, 'when' | 'tenor' | 'maxCostBps'>;

/** @throws StoppedError when no hedge is open, or several are. */
export function onlyHedgeOn(
  sidePosition: SidePosition,
  { when, tenor, maxCostBps }: RollChoice,
): RolledHedge {
  const { market, side, open, coming, unread, unclear } = sidePosition;
  const place = `${unquoted(market)} ${side}`;
  const [only, another] = open;
  if (coming.length + unread.length > 0 || unclear !== undefined)
    throw nothingSent({
      code: 'book_unclear',
      what: `${place} is not clear: ${unclear ?? `hedge ${quotedName((coming[0] ?? unread[0])?.id ?? '')} is not filled yet`}.`,
      hint: say`To see the side: ${shell`hedge hedges`}. Then try again.`,
    });
  if (only === undefined)
    throw nothingSent({
      code: 'no_open_hedge',
      what: `No hedge is open on ${place}.`,
      hint: say`To see open hedges: ${shell`hedge hedges`}`,
    });
  const limit = optionWords('--max-cost-bps', maxCostBps?.toFixed());
  if (another !== undefined)
    throw nothingSent({
      code: 'not_alone',
      what: `${open.length.toString()} hedges are open on ${place}. ${when === 'now' ? 'A close takes all of them.' : 'Name one of them.'}`,
      hint: open.map(({ id, notional, reference }) =>
        step(
          commandOnId(
            shell`hedge roll`,
            dealIdFrom(reference) ?? id,
            shell`--tenor ${tenor.toString()} --at maturity ${limit}`,
          ),
          `roll ${usdInWords(notional)} after it settles`,
        ),
      ),
      details: { market, side, hedge_ids: open.map(({ id }) => id) },
    });
  return rolled(sidePosition, only);
}

const rolled = (
  { market, side }: SideOfMarket,
  { id, notional, reference, maturityAt }: SideHedge,
): RolledHedge => ({ id, market, side, notional, dealId: dealIdFrom(reference), maturityAt });

export const dealIdFrom = (reference: string | null | undefined): string | undefined =>
  typeof reference === 'string' && reference !== '' && !isDerivedReference(reference) ? reference : undefined;

/** The market and side of the target; of a named hedge also the hedge. @throws StoppedError when it is not open. */
export async function findTarget(
  target: RollTarget,
  context: ReadContext,
): Promise<{ market: string; side: Side; hedge: RolledHedge | undefined }> {
  if (!('hedge' in target)) return { ...target, hedge: undefined };
  const { data, servedAt } = await findHedges(context.api, target.hedge);
  const named = data.filter((each) => each.id === target.hedge || each.client_reference === target.hedge);
  const now = servedAt ?? new Date(context.clock.now());
  const open = named.filter((each) => each.status === 'filled' && !isMatured(each, now));
  const [only, another] = open;
  if (only === undefined || another !== undefined) throw notOneOpen(target.hedge, named, open);
  return { market: only.market, side: only.side, hedge: rolled(only, sideHedge(only)) };
}

export const isMatured = (hedge: Hedge, at: Date): boolean => hasMatured(sideHedge(hedge), at);

function notOneOpen(word: string, named: readonly Hedge[], open: readonly Hedge[]): StoppedError {
  const [first] = named;
  const status = first === undefined ? undefined : unquoted(first.status);
  const what =
    open.length > 1
      ? `${open.length.toString()} open hedges have the deal ID ${quotedName(word)}.`
      : status === undefined
        ? `No hedge ${quotedName(word)}.`
        : PENDING_STATUSES.includes(status)
          ? `Hedge ${quotedName(word)} is not filled yet.`
          : `Hedge ${quotedName(word)} is not open any more (${status}).`;
  return nothingSent({
    code: open.length > 1 ? 'not_alone' : 'no_open_hedge',
    what,
    hint: say`${open.length > 1 ? 'Use the hedge ID' : 'To see open hedges'}: ${shell`hedge hedges`}`,
  });
}

const MOST_LEGS = 999;

/**
 * The next of `.r2`, `.r3`, … on the root reference that neither the journal, nor a planned roll, nor the service has.
 * @throws UsageError when it would be too long for a deal ID.
 */
export async function nextDealId(reference: string, context: TradingContext): Promise<string> {
  const { root, leg } = rootOf(reference);
  for (let next = leg + 1; next <= MOST_LEGS; next += 1) {
    const dealId = readDealId(legReference(root, next));
    if (isKnownHere(dealId, context.journal.read(), context)) continue;
    if ((await readUnderReference(context, dealId)).hedges.length === 0) return dealId;
  }
  throw new UsageError(`${quotedName(root)} has been rolled too often.`, 'Close it, and open a new hedge.');
}

const isKnownHere = (dealId: string, state: JournalState, { identity }: TradingContext): boolean =>
  state.find({ dealIds: [dealId] }).some(({ intent }) => sameIdentity(intent.identity, identity)) ||
  state.rolls.some((plan) => plan.deal_id === dealId && sameIdentity(plan.identity, identity));

/** The plan with another limit, if one is given. */
export const withLimit = (plan: RollPlan, bps: Big | undefined): RollPlan =>
  bps === undefined ? plan : { ...plan, max_cost_bps: bps.toFixed() };

/** Not on disk yet. @throws StoppedError where the rest of the hedge may still fill */
export async function planRoll(
  { when, tenor, maxCostBps, options }: RollIntent,
  hedge: RolledHedge,
  context: TradingContext,
): Promise<RollPlan> {
  const nowMs = context.clock.now();
  const actions = context.journal.read().find({ hedgeIds: [hedge.id] });
  if (stillFilling([hedge], { actions, nowMs }).length > 0)
    throw nothingSent({
      code: 'book_unclear',
      what: `Hedge ${quotedName(hedge.id)} was filled in part just now, and the rest may still fill.`,
      hint: 'Try again in a minute.',
      retry: 'later',
    });
  const reference = hedge.dealId ?? hedge.id;
  const { note } = options;
  const matures = hedge.maturityAt === undefined ? undefined : instantOf(hedge.maturityAt);
  return {
    schema: SCHEMA,
    kind: 'roll',
    at: exactInstant(nowMs),
    chain_id: mintChainId(context.random),
    when,
    identity: recordedIdentity(context.identity),
    profile: context.profile,
    market: hedge.market,
    side: hedge.side,
    root: rootOf(reference).root,
    hedge_id: hedge.id,
    ...(hedge.dealId === undefined ? {} : { first_deal_id: hedge.dealId }),
    notional_usd: hedge.notional.toFixed(),
    tenor_days: tenor,
    deal_id: await nextDealId(reference, context),
    ...(maxCostBps === undefined ? {} : { max_cost_bps: maxCostBps.toFixed() }),
    ...(matures === undefined ? {} : { maturity_at: exactInstant(matures) }),
    ...(note === undefined ? {} : { note }),
  };
}

export const rollEndOf = (
  { chain_id }: RollPlan,
  as: RollEnd['as'],
  { clock }: ReadContext,
  note?: string,
): RollEnd => ({
  schema: SCHEMA,
  kind: 'roll_end',
  at: exactInstant(clock.now()),
  chain_id,
  as,
  ...(note === undefined ? {} : { note }),
});

/**
 * `admits`: throws where its second leg is not allowed now.
 * @throws StoppedError `roll_unfinished` when the hedge is in another roll, also one planned meanwhile; DamagedFileError
 * when the journal may lack records.
 */
export async function keepPlan(
  plan: RollPlan,
  context: TradingContext,
  admits?: (state: JournalState) => void,
): Promise<void> {
  context.signal.throwIfAborted();
  await context.journal.append([plan], (state) => {
    const other = state.rolls.find(
      (each) =>
        sameIdentity(each.identity, context.identity) &&
        (each.hedge_id === plan.hedge_id || each.deal_id === plan.deal_id || each.chain_id === plan.chain_id),
    );
    if (state.trouble !== undefined) throw troubleError(state.trouble);
    admits?.(state);
    if (other === undefined) return;
    const chain = rollChain(other, { state, nowMs: context.clock.now() });
    if (!isFinished(chain)) throw unfinished(chain);
  });
}

/** The chain comes first. */
export function unfinished(chain: RollChain): StoppedError {
  const { plan } = chain;
  const [next, why] = [nextOfChain(chain), whyNoLegTwo(chain)];
  return nothingSent({
    code: 'roll_unfinished',
    what: `Hedge ${quotedName(plan.hedge_id)} is in roll ${plan.chain_id} already (${rollInWords(chain)}).`,
    hint: [next ?? [], why === undefined || isDue(chain) ? dropStep(plan, 'give up this roll') : []].flat(),
    details: { chain_id: plan.chain_id, state: chain.state, deal_id: plan.deal_id },
  });
}

/** Leg 2 is opened only with `--late`. */
export const rollMissed = ({ plan, dueMs }: RollChain): StoppedError =>
  nothingSent({
    code: 'roll_missed',
    what: `Roll ${plan.chain_id}: leg 2 was due ${timeInWords(new Date(dueMs ?? 0).toISOString())}, more than 24 h ago.`,
    hint: say`To open it late: ${shell`hedge roll run ${plan.chain_id} --late`}. To give up: ${shell`hedge roll drop ${plan.chain_id} --note TEXT`}`,
    details: { chain_id: plan.chain_id, due_at: new Date(dueMs ?? 0).toISOString() },
  });

/** @throws UsageError on live without a bound: the price of the second leg is not known when it is confirmed. */
export function checkBound(
  { maxCostBps, when }: Pick<RollIntent, 'maxCostBps' | 'when'>,
  where: TradingContext,
): void {
  if (maxCostBps !== undefined || !hasLiveRules(where)) return;
  throw new UsageError(
    'Missing --max-cost-bps: the highest total cost of the new hedge.',
    when === 'now'
      ? 'On live it is required: the price may move between the close and the open.'
      : 'On live it is required: the price at maturity is not known now.',
  );
}

/**
 * A leg 2 of cover that matures after the due date it covers, by the days of the profile's zone. `quote`: of leg 2 now. At
 * maturity it begins when leg 1 settles, or at `servedMs` where that is over.
 */
export function pastDueDate(
  { deal_id: dealId, when, maturity_at: leaves = '', tenor_days: tenor }: RollPlan,
  { quote, servedMs = -Infinity }: { quote?: Quote | undefined; servedMs?: number | undefined },
  { zone = 'UTC' }: Pick<ReadContext, 'zone'>,
): readonly Finding[] {
  const due = coveredDate(dealId);
  const atMs =
    when === 'now'
      ? Date.parse(quote?.maturity ?? '')
      : Math.max(Date.parse(leaves), servedMs) + tenor * DAY_MS;
  if (due === undefined || Number.isNaN(atMs)) return [];
  // Swedish dates are written 2026-12-14.
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(atMs);
  const days = Math.round((Date.parse(date) - Date.parse(due)) / DAY_MS);
  if (!(days > 0)) return [];
  const [closer] = TENORS.map((each) => ({ tenor: each, off: days - (tenor - each) }))
    .filter((each) => each.tenor < tenor && Math.abs(each.off) <= days)
    .toSorted((one, other) => Math.abs(one.off) - Math.abs(other.off));
  return [
    {
      level: 'warn',
      code: 'cover_incomplete',
      message: `Leg 2 would mature on ${date}, ${counted(days, 'day')} after ${due}, the due date that the deal covers.`,
      hint: `It still counts as cover if after_days of the policy allows it${closer === undefined ? '' : `; --tenor ${closer.tenor.toString()} matures ${daysOff(closer.off)}`}.`,
      details: { due_date: due, matures_on: date },
    },
  ];
}

const daysOff = (days: number): string =>
  days === 0 ? 'on that date' : `${counted(Math.abs(days), 'day')} ${days > 0 ? 'after' : 'before'} it`;

/** The open of the second leg. `size`: USD. */
export function legTwo(
  plan: RollPlan,
  size: Big,
  options: OpenIntent['options'],
  { allowDuplicate }: { allowDuplicate: boolean },
): OpenIntent {
  const { market, side, deal_id: dealId, max_cost_bps: bps } = plan;
  const tenor = TENORS.find((each) => each === plan.tenor_days);
  if (tenor === undefined) throw new Error('a roll without a tenor in the journal');
  return {
    action: 'open',
    market,
    side,
    notional: size,
    tenor,
    dealId,
    ensure: true,
    retryFailed: true,
    allowDuplicate,
    bounds: { maxCostBps: bps === undefined ? undefined : new Big(bps) },
    anyPrice: bps === undefined,
    options: { ...options, dryRun: false, wait: true, idempotencyKey: undefined, note: plan.note },
  };
}

/** Rolls of earlier commands, which a repeated command goes on with instead of a new one. */
import type { RollIntent, RollTarget } from '../../args/roll-options.ts';
import { say, shell } from '../../domain/hint.ts';
import { exactInstant, MINUTE_MS } from '../../domain/instants.ts';
import { isSameSide } from '../../domain/vocabulary.ts';
import { nothingSent } from '../../errors.ts';
import type { RollPlan } from '../../journal/records.ts';
import { chainsOf, type RollChain, unfinishedChains } from '../../journal/roll-chains.ts';
import type { TradingContext } from '../../trading/trading-context.ts';
import { unfinished } from './plan-roll.ts';
import { runsElsewhere } from './roll-result.ts';

export const unfinishedOf = ({ journal, clock, identity }: TradingContext): readonly RollChain[] =>
  unfinishedChains(journal.read(), { nowMs: clock.now(), identity });

/** The roll of an earlier run of the same command, which goes on. @throws StoppedError for another roll. */
export function earlierRoll(
  { target, tenor, when }: RollIntent,
  context: TradingContext,
): RollChain | undefined {
  const chains = unfinishedOf(context).filter(
    ({ plan }) => isAt(target, plan) && ('hedge' in target || plan.when === 'now'),
  );
  const same = chains.find(({ plan }) => plan.when === when && plan.tenor_days === tenor);
  const elsewhere = same && runsElsewhere(same);
  if (elsewhere !== undefined) throw elsewhere;
  const [other] = chains;
  if (same === undefined && other !== undefined) throw unfinished(other);
  return same;
}

const isAt = (target: RollTarget, plan: RollPlan): boolean =>
  'hedge' in target ? [plan.hedge_id, plan.first_deal_id].includes(target.hedge) : isSameSide(plan, target);

/** A roll that ended just now was hardly planned before. */
const LONGEST_MS = 7 * 86_400_000;

/** Rolls at once on the same terms that are done, the newest first. */
function doneBefore(
  { target, tenor }: RollIntent,
  { journal, clock, identity }: TradingContext,
): readonly RollChain[] {
  const nowMs = clock.now();
  const isMeant = (plan: RollPlan): boolean =>
    plan.when === 'now' && plan.tenor_days === tenor && isAt(target, plan);
  const from = 'hedge' in target ? undefined : exactInstant(nowMs - LONGEST_MS);
  const chains = [...chainsOf(journal.read(), { nowMs, identity, isMeant, from })];
  return chains.filter(({ state }) => state === 'done');
}

const endedWithin = (ms: number, { open }: RollChain, { clock }: TradingContext): boolean =>
  Math.abs(clock.now() - Date.parse(open?.changedAt ?? '')) < ms;

/**
 * The finished roll of the hedge that is named: its process may have died before it said so. By market and side, a roll on
 * the same terms that ended within the last minute is a duplicate. @throws StoppedError
 */
export function rolledBefore(intent: RollIntent, context: TradingContext): RollChain | undefined {
  const done = doneBefore(intent, context);
  if ('hedge' in intent.target) return done[0];
  const recent = done.find((chain) => endedWithin(MINUTE_MS, chain, context));
  if (recent === undefined || intent.allowDuplicate) return undefined;
  throw nothingSent({
    code: 'duplicate',
    what: `The same roll ended within the last minute: ${recent.plan.chain_id}.`,
    hint: say`To see it: ${shell`hedge roll show ${recent.plan.chain_id}`}. To roll again: --allow-duplicate`,
    details: { chain_id: recent.plan.chain_id },
  });
}

/** A roll every day is another one. */
const LOOK_AGAIN_MS = 12 * 3_600_000;

/**
 * By market and side, the roll on the same terms that opened this hedge and did not look at it again: its readings failed,
 * or its process died.
 */
export function unseenRollTo(
  hedgeId: string,
  intent: RollIntent,
  context: TradingContext,
): RollChain | undefined {
  if ('hedge' in intent.target || intent.allowDuplicate) return undefined;
  return doneBefore(intent, context).find(
    (chain) =>
      chain.end === undefined &&
      chain.open?.hedgeId === hedgeId &&
      endedWithin(LOOK_AGAIN_MS, chain, context),
  );
}

export const isSamePlan = ({ plan }: RollChain, { when, tenor, maxCostBps }: RollIntent): boolean =>
  plan.when === when && plan.tenor_days === tenor && plan.max_cost_bps === maxCostBps?.toFixed();

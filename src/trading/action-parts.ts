/**
 * The code that depends on the action: planning, planning again for a resend, reading back from the journal, comparing requests.
 * Everything without code is in its row of domain/action-table.ts. Pure.
 */

import { Big } from 'big.js';
import type { ActionIntent, ActionOptions, PriceLimits, TypedIntent } from '../domain/action-intent.ts';
import { askedOf, dealIdOf } from '../domain/action-intent.ts';
import { enlarges } from '../domain/action-table.ts';
import { hasBound } from '../domain/price-bounds.ts';
import { isSameSide, TENORS, type Tenor } from '../domain/vocabulary.ts';
import { StoppedError, unless } from '../errors.ts';
import { sameAmount } from '../journal/queries.ts';
import type { IntentRecord } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import { type Plan, type PlanFacts, planAdd, planClose, planOpen, planReduce } from './plan.ts';

/** @throws StoppedError when nothing is open to act on, or the size cannot be computed. */
export function planAction(intent: ActionIntent, facts: PlanFacts): Plan {
  switch (intent.action) {
    case 'open':
      return planOpen(intent, facts);
    case 'add':
      return planAdd(intent, facts);
    case 'reduce':
      return planReduce(intent, facts);
    case 'close':
      return planClose(intent, facts);
    default:
      return intent satisfies never;
  }
}

/**
 * The terms in addition to market and side: a batch derives keys from them, so they never change. A size that is computed from
 * what the service shows is named as it was asked.
 */
export function termsOf(intent: TypedIntent): readonly (string | number | null)[] {
  const size = askedOf(intent) ?? notionalOf(intent)?.toFixed();
  const ofOpen = 'tenor' in intent ? [intent.tenor, intent.dealId ?? null] : [];
  return size === undefined ? ofOpen : [size, ...ofOpen];
}

/** Whether the entry asked for the same. The size of an open or add may be typed that was computed for the entry. */
export function isSameRequest(intent: TypedIntent, { intent: earlier, notional }: Action): boolean {
  const asked = askedOf(intent);
  const isSize =
    asked === undefined
      ? (enlarges(intent) || earlier.asked === undefined) && sameAmount(notional, notionalOf(intent))
      : earlier.asked === asked;
  return (
    isSize &&
    intent.action === earlier.action &&
    isSameSide(intent, earlier) &&
    ('tenor' in intent ? intent.tenor : undefined) === earlier.tenor_days &&
    dealIdOf(intent) === earlier.deal_id
  );
}

function notionalOf(intent: TypedIntent): Big | undefined {
  const size = 'reduction' in intent ? intent.reduction : intent;
  return 'notional' in size ? size.notional : undefined;
}

function tenorOf({ tenor_days: days }: IntentRecord): Tenor {
  const tenor = TENORS.find((each) => each === days);
  if (tenor === undefined) throw new Error('an open without a tenor in the journal');
  return tenor;
}

/**
 * The intent, rebuilt from the journal with its price limits. `line`: the same request typed again, whose price limits
 * replace the journaled ones.
 */
export function rebuildIntent(
  { intent, notional = new Big(0) }: Action,
  options: ActionOptions,
  line?: TypedIntent,
): ActionIntent {
  const { action, market, side } = intent;
  const price = typedPrice(line) ?? priceLimits(intent);
  const allowDuplicate = line !== undefined && 'allowDuplicate' in line && line.allowDuplicate;
  const common = { market, side, options, allowDuplicate };
  switch (action) {
    case 'open':
      return {
        ...common,
        ...price,
        action,
        notional,
        tenor: tenorOf(intent),
        dealId: intent.deal_id,
        ensure: false,
        retryFailed: false,
      };
    case 'add':
      return { ...common, ...price, action, notional };
    case 'reduce':
      return { ...common, action, reduction: { by: 'notional', notional } };
    case 'close':
      return { action, market, side, options, ifOpen: false };
    default:
      return action satisfies never;
  }
}

function typedPrice(line: TypedIntent | undefined): PriceLimits | undefined {
  if (line === undefined || !('bounds' in line)) return undefined;
  const { bounds, anyPrice } = line;
  return anyPrice || hasBound(bounds) ? { bounds, anyPrice } : undefined;
}

function priceLimits({ bounds, sent_by: words }: IntentRecord): PriceLimits {
  const worst = bounds?.worst_price;
  const cost = bounds?.max_cost_bps;
  return {
    bounds: {
      worstPrice: worst === undefined ? undefined : new Big(worst),
      maxCostBps: cost === undefined ? undefined : new Big(cost),
    },
    anyPrice: words.includes('--any-price'),
  };
}

/**
 * A plan without figures if the position no longer allows the action, which may have executed: the service returns
 * the first result for the key, or rejects it.
 */
export function rebuildPlan(intent: ActionIntent, facts: PlanFacts): Plan {
  const plan = unless(StoppedError, () => planAction(intent, facts));
  if (plan !== undefined) return plan;
  const notKnown = { open: [], coming: [], inPositions: undefined, position: undefined, total: undefined };
  return { ...planAction(intent, { ...facts, sidePosition: { ...facts.sidePosition, ...notKnown } }), facts };
}

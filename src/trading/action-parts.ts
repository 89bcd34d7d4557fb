/**
 * The code of each action: planning, planning again for a resend, reading back from the journal, and comparing requests.
 * Everything without code is in its row of domain/action-table.ts. Pure.
 */

import { Big } from 'big.js';
import type {
  ActionIntent,
  ActionOptions,
  Computed,
  IntentOf,
  PriceLimits,
  TypedIntent,
} from '../domain/action-intent.ts';
import { askedOf, dealIdOf, isComputed, sizingInWords } from '../domain/action-intent.ts';
import type { ActionName } from '../domain/action-table.ts';
import { isSameSide, type Side, TENORS, type Tenor } from '../domain/vocabulary.ts';
import { StoppedError } from '../errors.ts';
import type { IntentRecord } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import { type Plan, type PlanFacts, type PlanOf, planAdd, planClose, planOpen, planReduce } from './plan.ts';

/** An intent of the journal, with the options of the current command. */
interface RecordedIntent {
  intent: IntentRecord;
  size: Big;
  price: PriceLimits;
  allowDuplicate: boolean;
  options: ActionOptions;
}

interface ActionParts<Intent extends ActionIntent, Planned extends Plan> {
  /** @throws StoppedError when nothing is open to act on, or the size cannot be computed. */
  plan(intent: Intent, facts: PlanFacts): Planned;
  /** The plan of what was sent before, without figures; undefined where there is none. */
  planWithoutFigures(intent: Intent, facts: PlanFacts): Planned | undefined;
  /** The intent of a journal entry. */
  intentFrom(entry: RecordedIntent): Intent;
  /** The terms in addition to market and side: a batch derives keys from it, so it never changes. */
  terms(intent: Intent): readonly (string | number | null)[];
  /** Whether the entry, on the same market and side, asked for the same. */
  isRequestOf(intent: Intent, entry: Action): boolean;
}

const PARTS: { readonly [Name in ActionName]: ActionParts<IntentOf<Name>, PlanOf<Name>> } = {
  open: {
    plan: planOpen,
    planWithoutFigures: () => undefined,
    intentFrom: ({ intent, size: notional, price, allowDuplicate, options }) => ({
      ...sideOf(intent),
      ...price,
      action: 'open',
      options,
      notional,
      tenor: tenorOf(intent),
      dealId: intent.deal_id,
      ensure: false,
      retryFailed: false,
      allowDuplicate,
    }),
    terms: ({ notional, tenor, dealId }) => [notional.toFixed(), tenor, dealId ?? null],
    isRequestOf: ({ notional, tenor, dealId }, entry) =>
      entry.notional?.eq(notional) === true &&
      tenor === entry.intent.tenor_days &&
      dealId === entry.intent.deal_id,
  },
  add: {
    plan: planAdd,
    planWithoutFigures: (intent, facts) => ({
      ...unknownAfter(intent, facts),
      action: 'add',
      intent,
      notional: intent.notional,
      request: { ...sideOf(intent), notional_usd: intent.notional },
      figures: undefined,
      grows: undefined,
    }),
    intentFrom: ({ intent, size: notional, price, allowDuplicate, options }) => ({
      ...sideOf(intent),
      ...price,
      action: 'add',
      options,
      notional,
      allowDuplicate,
    }),
    terms: ({ notional }) => [notional.toFixed()],
    isRequestOf: ({ notional }, entry) => entry.notional?.eq(notional) === true,
  },
  reduce: {
    plan: planReduce,
    planWithoutFigures(intent, facts) {
      if (intent.reduction.by !== 'notional') return undefined;
      const { notional } = intent.reduction;
      return {
        ...unknownAfter(intent, facts),
        action: 'reduce',
        intent,
        notional,
        request: { ...sideOf(intent), notional_usd: notional },
        struckRate: undefined,
        closesSide: false,
        comesBack: undefined,
      };
    },
    intentFrom: ({ intent, size: notional, allowDuplicate, options }) => ({
      ...sideOf(intent),
      action: 'reduce',
      options,
      reduction: { by: 'notional', notional },
      allowDuplicate,
    }),
    terms: (intent) => [
      intent.reduction.by === 'notional' ? intent.reduction.notional.toFixed() : (askedOf(intent) ?? ''),
    ],
    isRequestOf: (intent, { intent: earlier, notional }) =>
      intent.reduction.by === 'notional'
        ? earlier.asked === undefined && notional?.eq(intent.reduction.notional) === true
        : earlier.asked === askedOf(intent),
  },
  close: {
    plan: planClose,
    planWithoutFigures: (intent, facts) => ({
      ...unknownAfter(intent, facts),
      action: 'close',
      intent,
      request: sideOf(intent),
      closesSide: true,
      comesBack: undefined,
      nothingToDo: false,
      carryToMaturity: undefined,
    }),
    intentFrom: ({ intent, options }) => ({ ...sideOf(intent), action: 'close', options, ifOpen: false }),
    terms: () => [],
    isRequestOf: () => true,
  },
};

/** The parts of an action, whichever it is: each takes only the intents of its own action. */
const partsOf = (action: ActionName): ActionParts<ActionIntent, Plan> => PARTS[action];

export const planAction = (intent: ActionIntent, facts: PlanFacts): Plan =>
  partsOf(intent.action).plan(intent, facts);

/** A size that is computed from what the service shows is named as it was asked, so that the terms never change. */
export function termsOf(intent: TypedIntent): readonly (string | number | null)[] {
  if (!isComputed(intent)) return partsOf(intent.action).terms(intent);
  const asked = sizingInWords(intent.sizing);
  return 'tenor' in intent ? [asked, intent.tenor, intent.dealId ?? null] : [asked];
}

export const isSameRequest = (intent: TypedIntent, entry: Action): boolean =>
  intent.action === entry.intent.action &&
  isSameSide(intent, entry.intent) &&
  (isComputed(intent) ? isComputedAs(intent, entry) : partsOf(intent.action).isRequestOf(intent, entry));

const isComputedAs = (intent: Computed, { intent: earlier }: Action): boolean =>
  earlier.asked === sizingInWords(intent.sizing) &&
  ('tenor' in intent ? intent.tenor : undefined) === earlier.tenor_days &&
  dealIdOf(intent) === earlier.deal_id;

const sideOf = ({ market, side }: { market: string; side: Side }) => ({ market, side });

const unknownAfter = (intent: ActionIntent, facts: PlanFacts) => ({
  ...sideOf(intent),
  facts,
  after: { total: undefined, hedges: undefined },
});

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
  { intent, notional }: Action,
  options: ActionOptions,
  line?: TypedIntent,
): ActionIntent {
  const price = typedPrice(line) ?? priceLimits(intent);
  const allowDuplicate = line !== undefined && 'allowDuplicate' in line && line.allowDuplicate;
  const size = notional ?? new Big(0);
  return partsOf(intent.action).intentFrom({ intent, size, price, allowDuplicate, options });
}

function typedPrice(line: TypedIntent | undefined): PriceLimits | undefined {
  if (line === undefined || !('bounds' in line)) return undefined;
  const { bounds, anyPrice } = line;
  const isGiven = anyPrice || bounds.worstPrice !== undefined || bounds.maxCostBps !== undefined;
  return isGiven ? { bounds, anyPrice } : undefined;
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
  try {
    return planAction(intent, facts);
  } catch (error) {
    const plan =
      error instanceof StoppedError ? partsOf(intent.action).planWithoutFigures(intent, facts) : undefined;
    if (plan === undefined) throw error;
    return plan;
  }
}

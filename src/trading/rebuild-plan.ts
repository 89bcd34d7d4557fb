/**
 * The plan of an action that is sent again: its bytes are those of the journal, so the plan says what they ask,
 * against the book of now. Pure.
 */
import { Big } from 'big.js';
import type { ActionIntent, ActionOptions, PriceTerms } from '../args/action-intent.ts';
import { TENORS, type Tenor } from '../domain/vocabulary.ts';
import { StoppedError } from '../errors.ts';
import type { IntentRecord } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import { type Plan, type PlanFacts, planAction } from './plan.ts';
/**
 * What was meant, read back from the journal: the bounds on its price hold for every send. `line`: the same
 * request typed once more; bounds that it names stand in the place of those.
 */
export function intentAgain(
  { intent, notional }: Action,
  options: ActionOptions,
  line?: ActionIntent,
): ActionIntent {
  const price = typedPrice(line) ?? priceTerms(intent);
  const allowDuplicate = line !== undefined && 'allowDuplicate' in line && line.allowDuplicate;
  const side = { market: intent.market, side: intent.side, options };
  const size = notional ?? new Big(0);
  switch (intent.action) {
    case 'open':
      return {
        ...side,
        ...price,
        action: 'open',
        notional: size,
        tenor: tenorOf(intent),
        dealId: intent.deal_id,
        ensure: false,
        retryFailed: false,
        allowDuplicate,
      };
    case 'add':
      return { ...side, ...price, action: 'add', notional: size, allowDuplicate };
    case 'reduce':
      return {
        ...side,
        action: 'reduce',
        reduction: { by: 'notional', notional: size },
        allowDuplicate,
      };
    case 'close':
      return { ...side, action: 'close', ifOpen: false };
    default:
      return intent.action satisfies never;
  }
}

function typedPrice(line: ActionIntent | undefined): PriceTerms | undefined {
  if (line === undefined || !('bounds' in line)) return undefined;
  const { bounds, anyPrice } = line;
  const isSaid = anyPrice || bounds.worstPrice !== undefined || bounds.maxCostBps !== undefined;
  return isSaid ? { bounds, anyPrice } : undefined;
}

function priceTerms({ bounds, sent_by: words }: IntentRecord): PriceTerms {
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

function tenorOf({ tenor_days: days }: IntentRecord): Tenor {
  const tenor = TENORS.find((each) => each === days);
  if (tenor === undefined) throw new Error('an open without a tenor in the journal');
  return tenor;
}

/**
 * Against a book on which it cannot be done any more (it may be done already), a plan without figures: the
 * service answers the key with the first result, or refuses.
 */
export function planAgain(intent: ActionIntent, facts: PlanFacts): Plan {
  try {
    return planAction(intent, facts);
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    return barePlan(intent, facts) ?? rethrow(error);
  }
}

function rethrow(error: StoppedError): never {
  throw error;
}

function barePlan(intent: ActionIntent, facts: PlanFacts): Plan | undefined {
  const { market, side } = intent;
  const nothingKnown = { market, side, facts, after: { total: undefined, hedges: undefined } };
  switch (intent.action) {
    case 'add': {
      const { notional } = intent;
      const request = { market, side, notional_usd: notional };
      return {
        ...nothingKnown,
        action: 'add',
        intent,
        notional,
        request,
        figures: undefined,
        grows: undefined,
      };
    }
    case 'reduce': {
      if (intent.reduction.by !== 'notional') return undefined;
      const { notional } = intent.reduction;
      const request = { market, side, notional_usd: notional };
      const cut = { closesSide: false, comesBack: undefined };
      return { ...nothingKnown, ...cut, action: 'reduce', intent, notional, request };
    }
    case 'close': {
      const cut = { closesSide: true, comesBack: undefined, nothingToDo: false };
      return { ...nothingKnown, ...cut, action: 'close', intent, request: { market, side } };
    }
    case 'open':
      return undefined;
    default:
      return intent satisfies never;
  }
}

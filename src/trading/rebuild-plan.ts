/**
 * The plan of an action that is sent again: its bytes are those of the journal, so the plan says what they ask,
 * against the book of now. Pure.
 */
import { Big } from 'big.js';
import type { ActionIntent, ActionOptions, PriceTerms } from '../args/action-intent.ts';
import { StoppedError } from '../errors.ts';
import type { IntentRecord } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import { intentFrom, planAction, planWithoutFigures } from './action-parts.ts';
import type { Plan, PlanFacts } from './plan.ts';
/**
 * What was meant, read back from the journal: the bounds on its price hold for every send. `line`: the same
 * request typed once more; bounds that it names stand in the place of those.
 */
export function rebuildIntent(
  { intent, notional }: Action,
  options: ActionOptions,
  line?: ActionIntent,
): ActionIntent {
  const price = typedPrice(line) ?? priceTerms(intent);
  const allowDuplicate = line !== undefined && 'allowDuplicate' in line && line.allowDuplicate;
  return intentFrom({ intent, size: notional ?? new Big(0), price, allowDuplicate, options });
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

/**
 * Against a book on which it cannot be done any more (it may be done already), a plan without figures: the
 * service answers the key with the first result, or refuses.
 */
export function rebuildPlan(intent: ActionIntent, facts: PlanFacts): Plan {
  try {
    return planAction(intent, facts);
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    return planWithoutFigures(intent, facts) ?? rethrow(error);
  }
}

function rethrow(error: StoppedError): never {
  throw error;
}

/** The plan of an action that is sent again: the journaled request against the current position. Pure. */
import { Big } from 'big.js';
import type { ActionIntent, ActionOptions, PriceTerms } from '../args/action-intent.ts';
import { StoppedError } from '../errors.ts';
import type { IntentRecord } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import { intentFrom, planAction, planWithoutFigures } from './action-parts.ts';
import type { Plan, PlanFacts } from './plan.ts';
/**
 * The intent, rebuilt from the journal with its price limits. `line`: the same request typed again, whose price limits
 * replace the journaled ones.
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
  const isGiven = anyPrice || bounds.worstPrice !== undefined || bounds.maxCostBps !== undefined;
  return isGiven ? { bounds, anyPrice } : undefined;
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
 * A plan without figures if the position no longer allows the action, which may have executed: the service answers
 * the key with the first result, or rejects it.
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

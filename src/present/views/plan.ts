/**
 * An action as it is planned, for a person: the same blocks before it is dealt and in a dry run. What makes
 * the book larger and what makes it smaller have a file each. Computes nothing; what was not sent is a dash.
 */
import type { Plan } from '../../flow/plan/plan.ts';
import type { Block } from '../blocks.ts';
import { viewCut } from './plan-cut.ts';
import { viewGrowth } from './plan-growth.ts';

/**
 * `dealtElsewhere`: ids of open hedges on the side that were not dealt from this machine; without it nothing is
 * said of where they were dealt.
 */
export function viewPlan(plan: Plan, dealtElsewhere?: readonly string[]): readonly Block[] {
  switch (plan.action) {
    case 'open':
    case 'add':
      return viewGrowth(plan, dealtElsewhere);
    case 'reduce':
    case 'close':
      return viewCut(plan, dealtElsewhere);
    default:
      return plan satisfies never;
  }
}

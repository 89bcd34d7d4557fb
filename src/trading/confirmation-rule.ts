/** The confirmation that an action needs, and which answers confirm it. Asks nothing itself. */

import { readNotional } from '../args/operands.ts';
import { type ActionName, enlarges, rowOf } from '../domain/action-table.ts';
import { hasLiveRules } from '../domain/vocabulary.ts';
import type { AddPlan, OpenPlan, Plan } from './plan.ts';
import type { Preview, TradingContext } from './trading-context.ts';

/** `y_or_n`: the default is no. `typed`: only `wanted`, in any notation, confirms. */
export type Confirmation =
  | { kind: 'y_or_n'; asks: string }
  | { kind: 'typed'; asks: string; wanted: string; fits: (answer: string) => boolean };

/**
 * Under live rules, open and add: type the side and the notional. Reduce and close: y/N if every hedge on the side was
 * opened from this machine, otherwise type the market. Sandbox and practice: y/N.
 */
export function confirmationFor(
  { plan, openedElsewhere, changed, again }: Omit<Preview, 'warnings'>,
  where: Pick<TradingContext, 'environment' | 'profile'>,
): Confirmation {
  const question = again === undefined ? rowOf(actionMeant(plan)).words.question : ASKS_AGAIN[again];
  const asks = changed === undefined ? question : `${question} It has changed; see above.`;
  if (!hasLiveRules(where)) return { kind: 'y_or_n', asks };
  if (enlarges(plan)) return sideAndNotional(plan, asks);
  const allFromHere = openedElsewhere.length === 0 && plan.facts.sidePosition.unclear === undefined;
  return allFromHere
    ? { kind: 'y_or_n', asks }
    : theMarket(plan, `${asks} Not all of it was opened from this machine.`);
}

const actionMeant = (plan: Plan): ActionName =>
  'closesSide' in plan && plan.closesSide ? 'close' : plan.action;

const ASKS_AGAIN: Readonly<Record<NonNullable<Preview['again']>, string>> = {
  sent: 'Send it again? With the same key it executes only once.',
  never_sent: 'Send it now? The service has not accepted it so far.',
};

const sideAndNotional = ({ side, notional }: OpenPlan | AddPlan, asks: string): Confirmation => ({
  kind: 'typed',
  asks,
  wanted: `${side} ${notional.toFixed()}`,
  fits(answer) {
    const [word, size, ...rest] = answer.split(' ').filter((part) => part !== '');
    if (word === undefined || size === undefined || rest.length > 0) return false;
    return word.toLowerCase() === side && isNotional(size, notional);
  },
});

/** The same notional in any notation that the command line accepts. */
function isNotional(text: string, notional: OpenPlan['notional']): boolean {
  try {
    return readNotional(text).eq(notional);
  } catch {
    return false;
  }
}

const theMarket = ({ market }: Plan, asks: string): Confirmation => ({
  kind: 'typed',
  asks,
  wanted: market,
  fits: (answer) => answer.toUpperCase() === market.toUpperCase(),
});

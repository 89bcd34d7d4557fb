/**
 * What the operator has to say before an action is sent: nothing here asks, it only decides what would be
 * asked and which answers are a yes.
 */

import { readNotional } from '../args/operands.ts';
import { type ActionName, enlarges, rowOf } from '../domain/action-table.ts';
import type { Environment } from '../domain/vocabulary.ts';
import type { AddPlan, OpenPlan, Plan } from './plan.ts';
import type { Preview } from './trading-context.ts';
/** `y_or_n`: no unless yes is said. `typed`: only `wanted`, or another way to write it, is a yes. */
export type Confirmation =
  | { kind: 'y_or_n'; asks: string }
  | { kind: 'typed'; asks: string; wanted: string; fits: (answer: string) => boolean };

/**
 * Live opens and adds: the side and the notional are typed. Live reductions and closes: y/N where every hedge
 * that is hit was dealt from this machine, the market's name where one was not or that cannot be told.
 * Elsewhere: y/N.
 */
export function confirmationFor(
  { plan, dealtElsewhere, changed, again }: Omit<Preview, 'warnings'>,
  environment: Environment,
): Confirmation {
  const question = again === undefined ? rowOf(actionMeant(plan)).words.question : ASKS_AGAIN[again];
  const asks = changed === undefined ? question : `${question} It changed, as shown.`;
  if (environment !== 'live') return { kind: 'y_or_n', asks };
  if (enlarges(plan)) return sideAndNotional(plan, asks);
  const allOurs = dealtElsewhere.length === 0 && plan.facts.book.unclear === undefined;
  return allOurs
    ? { kind: 'y_or_n', asks }
    : theMarket(plan, `${asks} Not all of it was dealt from this machine.`);
}

const actionMeant = (plan: Plan): ActionName =>
  'closesSide' in plan && plan.closesSide ? 'close' : plan.action;

const ASKS_AGAIN: Readonly<Record<NonNullable<Preview['again']>, string>> = {
  sent: 'Send it again? The key is the same: what was done already is not done twice.',
  never_sent: 'Send it now? The service has not taken it so far.',
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

/** Any form of the same notional that the command line takes. */
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

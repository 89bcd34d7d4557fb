/** Shows a plan, asks, and reads again after the answer, until nothing has changed since it was shown; and the confirmation that an action needs. */

import { Big } from 'big.js';
import { readNotional } from '../args/operands.ts';
import { createsHedge, enlarges, rowOf } from '../domain/action-table.ts';
import { roundHalfUp } from '../domain/amounts.ts';
import { grouped, usdInWords } from '../domain/exposure.ts';
import { oppositeOf } from '../domain/opposite-side.ts';
import { worseByBps } from '../domain/price-bounds.ts';
import { hasLiveRules } from '../domain/vocabulary.ts';
import { nothingSent, UsageError, unless } from '../errors.ts';
import type { SidePosition } from '../readings/side-position.ts';
import { nothingToDo, priceOf } from './evaluate.ts';
import { type AddPlan, type OpenPlan, type Plan, takesAll } from './plan.ts';
import type { Evaluation, Preview, TradingContext } from './trading-context.ts';

/**
 * Asks nothing for a close of a flat side. `read`: again, compared with what was shown. `again`: of an action that was
 * recorded before. @throws StoppedError `declined`.
 */
export async function confirmPlan(
  first: Evaluation,
  { yes, again, read }: Pick<Preview, 'again'> & { yes: boolean; read: (shown: Plan) => Promise<Evaluation> },
  context: TradingContext,
): Promise<Evaluation> {
  let shown = first;
  let changed: string | undefined;
  while (!nothingToDo(shown.plan)) {
    const { plan, warnings, openedElsewhere } = shown;
    context.progress.stop();
    if (!(await context.confirm({ plan, warnings, openedElsewhere, changed, again }, { yes })))
      throw nothingSent({ code: 'declined', what: 'Canceled.' });
    if (yes) return shown;
    context.progress.start('Rechecking price and position');
    shown = await read(plan);
    changed = changedSince(plan, shown.plan);
    if (changed !== undefined) continue;
    if (again === undefined) noteRecheck(plan, shown.plan, context);
    return shown;
  }
  return shown;
}

/** `re-quoted  1522.35, 0.4 bps worse`. */
function noteRecheck(shown: Plan, fresh: Plan, { progress }: TradingContext): void {
  const price = priceMove(shown, fresh);
  if (price === undefined) {
    progress.note('rechecked  position unchanged');
    return;
  }
  const { now, bps } = price;
  const shownBps = roundHalfUp(bps.abs(), 2);
  const moved = bps.eq(0)
    ? 'unchanged'
    : `${shownBps.eq(0) ? 'less than 0.01' : shownBps.toFixed()} bps ${bps.gt(0) ? 'worse' : 'better'}`;
  progress.note(`${enlarges(fresh) ? 're-quoted ' : 'rechecked  mark price'} ${grouped(now)}, ${moved}`);
}

/** A price worse than the confirmed one by more than this needs another confirmation. */
export const TOLERATED_BPS = new Big(10);

/** A clause; undefined when the confirmation still holds. */
export const changedSince = (shown: Plan, fresh: Plan): string | undefined =>
  [priceChange(shown, fresh) ?? [], bookChange(shown, fresh) ?? []].flat().join(', and ') || undefined;

/** A clause on size or side alone. */
export const bookChange = (shown: Plan, fresh: Plan): string | undefined =>
  sizeChange(shown, fresh) ?? sideChange(shown.facts.sidePosition, fresh.facts.sidePosition);

function priceChange(shown: Plan, fresh: Plan): string | undefined {
  const price = priceMove(shown, fresh);
  if (price?.bps.gt(TOLERATED_BPS) !== true) return undefined;
  const name = enlarges(fresh) ? 'price' : 'mark price';
  return `the ${name} is now ${grouped(price.now)}, ${price.bps.round(1).toFixed()} bps worse than ${grouped(price.before)}`;
}

/** `bps`: by which it is worse now. A close or reduction of a buy sells. Undefined: a price is not known. */
function priceMove(shown: Plan, fresh: Plan): { before: Big; now: Big; bps: Big } | undefined {
  const [before, now] = [priceOf(shown), priceOf(fresh)];
  if (before?.gt(0) !== true || now === undefined) return undefined;
  const side = enlarges(fresh) ? fresh.side : oppositeOf(fresh.side);
  return { before, now, bps: worseByBps(side, { shown: before, now }) };
}

/** `the increase is now 6,000.00 USD instead of 5,000.00 USD`; an open has the size that was typed. */
function sizeChange(shown: Plan, fresh: Plan): string | undefined {
  if (createsHedge(shown) || !('notional' in shown && 'notional' in fresh)) return undefined;
  const name = enlarges(shown) ? 'increase' : 'reduction';
  if (!shown.notional.eq(fresh.notional))
    return `the ${name} is now ${usdInWords(fresh.notional)} instead of ${usdInWords(shown.notional)}`;
  return takesAll(shown) === takesAll(fresh)
    ? undefined
    : `the ${name} ${takesAll(fresh) ? 'now' : 'no longer'} closes the side`;
}

function sideChange(shown: SidePosition, fresh: SidePosition): string | undefined {
  if (holdings(shown) === holdings(fresh)) return undefined;
  const place = `${fresh.market} ${fresh.side}`;
  return shown.total === undefined || fresh.total === undefined || shown.total.eq(fresh.total)
    ? `the hedges on ${place} changed`
    : `${place} changed from ${usdInWords(shown.total)} to ${usdInWords(fresh.total)}`;
}

const holdings = ({ open, inPositions }: SidePosition): string =>
  JSON.stringify([
    inPositions ?? null,
    ...open.map(({ id, notional }) => `${id} ${notional.toFixed()}`).toSorted(),
  ]);

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
  const { question } = rowOf(takesAll(plan) ? 'close' : plan.action).words;
  const asked = again === undefined ? question : ASKS_AGAIN[again];
  const asks = changed === undefined ? asked : `${asked} It has changed; see above.`;
  if (!hasLiveRules(where)) return { kind: 'y_or_n', asks };
  if (enlarges(plan)) return sideAndNotional(plan, asks);
  const allFromHere = openedElsewhere.length === 0 && plan.facts.sidePosition.unclear === undefined;
  return allFromHere
    ? { kind: 'y_or_n', asks }
    : theMarket(plan, `${asks} Not all of it was opened from this machine.`);
}

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
const isNotional = (text: string, notional: Big): boolean =>
  unless(UsageError, () => readNotional(text))?.eq(notional) === true;

const theMarket = ({ market }: Plan, asks: string): Confirmation => ({
  kind: 'typed',
  asks,
  wanted: market,
  fits: (answer) => answer.toUpperCase() === market.toUpperCase(),
});

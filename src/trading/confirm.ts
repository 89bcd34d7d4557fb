/** Shows a plan, asks, and reads again after the answer, until nothing has changed since it was shown. */

import { Big } from 'big.js';
import { grouped, usdInWords } from '../domain/exposure.ts';
import { worseByBps } from '../domain/price-bounds.ts';
import { nothingSent } from '../errors.ts';
import type { SidePosition } from '../readings/side-position.ts';
import { nothingToDo, priceOf } from './evaluate.ts';
import type { Plan } from './plan.ts';
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
  const [before, now] = [priceOf(shown), priceOf(fresh)];
  if (before === undefined || now === undefined) {
    progress.note('rechecked  position unchanged');
    return;
  }
  const bps = worseByBps(fresh.side, { shown: before, now });
  const moved = bps.eq(0)
    ? 'unchanged'
    : `${bps.abs().round(2, Big.roundUp).toFixed()} bps ${bps.gt(0) ? 'worse' : 'better'}`;
  progress.note(`re-quoted  ${grouped(now)}, ${moved}`);
}

/** A price worse than the confirmed one by more than this needs another confirmation. */
export const TOLERATED_BPS = new Big(10);

/** A clause; undefined when the confirmation still holds. */
export function changedSince(shown: Plan, fresh: Plan): string | undefined {
  return (
    priceChange(shown, fresh) ??
    sizeChange(shown, fresh) ??
    sideChange(shown.facts.sidePosition, fresh.facts.sidePosition)
  );
}

function priceChange(shown: Plan, fresh: Plan): string | undefined {
  const [before, now] = [priceOf(shown), priceOf(fresh)];
  if (before === undefined || now === undefined) return undefined;
  const bps = worseByBps(fresh.side, { shown: before, now });
  return bps.gt(TOLERATED_BPS)
    ? `the price is now ${grouped(now)}, ${bps.round(1).toFixed()} bps worse than ${grouped(before)}`
    : undefined;
}

/** `the increase is now 6,000.00 USD instead of 5,000.00 USD` */
const insteadOf = (name: string, { shown, fresh }: Record<'shown' | 'fresh', { notional: Big }>): string =>
  `the ${name} is now ${usdInWords(fresh.notional)} instead of ${usdInWords(shown.notional)}`;

function sizeChange(shown: Plan, fresh: Plan): string | undefined {
  switch (shown.action) {
    case 'add':
      return fresh.action !== 'add' || shown.notional.eq(fresh.notional)
        ? undefined
        : insteadOf('increase', { shown, fresh });
    case 'reduce':
      return fresh.action !== 'reduce' ||
        (shown.notional.eq(fresh.notional) && shown.closesSide === fresh.closesSide)
        ? undefined
        : insteadOf('reduction', { shown, fresh });
    case 'open':
    case 'close':
      return undefined;
    default:
      return shown satisfies never;
  }
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

/**
 * What changed between the plan that was shown and the one of a fresh reading: enough to ask again, or not.
 * Pure.
 */
import { Big } from 'big.js';
import { grouped, usdInWords } from '../../domain/exposure.ts';
import { worseByBps } from '../../domain/slippage.ts';
import type { AddPlan, OpenPlan, Plan } from '../plan/plan.ts';
import type { SideBook } from '../plan/plan-side.ts';

/** Further than this from the price that was shown, and worse for us, is another deal. */
const TOLERATED_BPS = new Big(10);

/** Half a sentence; undefined when what was agreed to still stands. */
export function changedSince(shown: Plan, fresh: Plan): string | undefined {
  return (
    priceChange(shown, fresh) ?? sizeChange(shown, fresh) ?? sideChange(shown.facts.book, fresh.facts.book)
  );
}

/** The price of a plan that has one. */
export const priceOf = (plan: Plan): Big | undefined =>
  plan.action === 'open' || plan.action === 'add' ? quotedPrice(plan) : undefined;

const quotedPrice = ({ facts }: OpenPlan | AddPlan): Big | undefined => facts.quote?.pricing.execution_price;

function priceChange(shown: Plan, fresh: Plan): string | undefined {
  const [before, now] = [priceOf(shown), priceOf(fresh)];
  if (before === undefined || now === undefined) return undefined;
  const bps = worseByBps(fresh.side, { shown: before, now });
  return bps.gt(TOLERATED_BPS)
    ? `the price is ${grouped(now)} now, ${bps.round(1).toFixed()} bps worse than the ${grouped(before)} shown`
    : undefined;
}

function sizeChange(shown: Plan, fresh: Plan): string | undefined {
  if (shown.action !== 'reduce' || fresh.action !== 'reduce') return undefined;
  if (shown.notional.eq(fresh.notional) && shown.closesSide === fresh.closesSide) return undefined;
  return `the reduction is ${usdInWords(fresh.notional)} now, ${usdInWords(shown.notional)} was shown`;
}

function sideChange(shown: SideBook, fresh: SideBook): string | undefined {
  if (holdings(shown) === holdings(fresh)) return undefined;
  const place = `${fresh.market} ${fresh.side}`;
  return shown.total === undefined || fresh.total === undefined || shown.total.eq(fresh.total)
    ? `the hedges on ${place} changed in between`
    : `${place} went from ${usdInWords(shown.total)} to ${usdInWords(fresh.total)} in between`;
}

const holdings = ({ open, inPositions }: SideBook): string =>
  JSON.stringify([
    inPositions ?? null,
    ...open.map(({ id, notional }) => `${id} ${notional.toFixed()}`).toSorted(),
  ]);

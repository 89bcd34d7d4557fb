/** Projects P&L at assumed rates, per hedge, per side and in total. Pure. */
import { Big } from 'big.js';
import type { Assumption, Exit } from '../args/what-if-options.ts';
import type { Market } from '../client/schemas.ts';
import { sum, sumIfAll } from '../domain/amounts.ts';
import { instantOf } from '../domain/instants.ts';
import { carryUntil, evenlyBetween, moveBetween, movedRate, payoffAt } from '../domain/payoff.ts';
import type { Side } from '../domain/vocabulary.ts';
import { UnreadableAnswerError } from '../errors.ts';
import type { PricedHedge, ProjectedSide } from './projected-side.ts';

/** P&L at a rate; positive: to the account. */
export interface ProjectedPnl {
  /** USD: price only. */
  payoff: Big;
  /** USDC, up to now. Undefined: not known. */
  accruedCarry: Big | undefined;
  /** USDC, from now to maturity at today's rate; zero for a close now. */
  carryToMaturity: Big | undefined;
  /** USDC, positive: paid; zero at maturity. */
  closeFee: Big | undefined;
  /** USD, with USDC at par; undefined unless every part is known. */
  net: Big | undefined;
}

export interface ProjectedHedge {
  hedge: PricedHedge;
  side: Side;
  payoff: Big;
  carryToMaturity: Big | undefined;
}

export interface WhatIfScenario {
  rate: Big;
  /** Percent of the mid; undefined without a mid. */
  move: Big | undefined;
  hedges: readonly ProjectedHedge[];
  sides: readonly (ProjectedPnl & { side: Side })[];
  total: ProjectedPnl;
}

/** Points of a range: eleven rates, ten steps. */
const POINTS = 11;

export function ratesOf(assumption: Assumption, mid: Big | undefined): readonly Big[] {
  if (assumption.kind === 'rates') return assumption.rates;
  if (assumption.kind === 'rate range') return evenlyBetween(assumption.from, assumption.to, POINTS);
  if (mid === undefined) throw noRate();
  const moves =
    assumption.kind === 'moves' ? assumption.moves : evenlyBetween(assumption.from, assumption.to, POINTS);
  const rates = moves.map((move) => movedRate(mid, move));
  if (rates.some((rate) => rate.lte(0))) throw noRate();
  return rates;
}

const noRate = (): UnreadableAnswerError =>
  new UnreadableAnswerError({
    code: 'unreadable_answer',
    what: 'The service has no usable mid for the open hedges, so a move has no rate.',
    meaning: 'Nothing was changed.',
    hint: 'Give the rate itself: --rate 1600',
  });

interface Setting {
  exit: Exit;
  market: Market | undefined;
  mid: Big | undefined;
  nowMs: number;
}

const ZERO = new Big(0);

export function scenarioAt(rate: Big, sides: readonly ProjectedSide[], setting: Setting): WhatIfScenario {
  const perSide = sides.map((each) => {
    const hedges = each.hedges.map(
      (hedge): ProjectedHedge => ({
        hedge,
        side: each.side,
        payoff: payoffAt(hedge.leg, rate),
        carryToMaturity: carryAhead(hedge, each.side, setting),
      }),
    );
    const parts = {
      payoff: sum(hedges.map(({ payoff }) => payoff)),
      accruedCarry: each.accruedCarry,
      carryToMaturity: sumIfAll(hedges.map(({ carryToMaturity }) => carryToMaturity)),
      closeFee: setting.exit === 'maturity' ? ZERO : each.closeFee,
    };
    return { side: each.side, hedges, pnl: { ...parts, net: netOf(parts) } };
  });
  const pnls = perSide.map(({ pnl }) => pnl);
  const total = {
    payoff: sum(pnls.map(({ payoff }) => payoff)),
    accruedCarry: sumIfAll(pnls.map(({ accruedCarry }) => accruedCarry)),
    carryToMaturity: sumIfAll(pnls.map(({ carryToMaturity }) => carryToMaturity)),
    closeFee: sumIfAll(pnls.map(({ closeFee }) => closeFee)),
  };
  return {
    rate,
    move: setting.mid?.gt(0) === true ? moveBetween(setting.mid, rate) : undefined,
    hedges: perSide.flatMap(({ hedges }) => hedges),
    sides: perSide.map(({ side, pnl }) => ({ side, ...pnl })),
    total: { ...total, net: netOf(total) },
  };
}

/** A close now has none. */
function carryAhead(
  { sent, leg }: PricedHedge,
  side: Side,
  { exit, market, nowMs }: Setting,
): Big | undefined {
  if (exit === 'now') return ZERO;
  const matures = instantOf(sent.maturity_at ?? '');
  const daily = market?.net_rate_daily_pct[side];
  return matures === undefined || daily === undefined
    ? undefined
    : carryUntil(leg.notional, daily, matures - nowMs);
}

function netOf({
  payoff,
  accruedCarry,
  carryToMaturity,
  closeFee,
}: Omit<ProjectedPnl, 'net'>): Big | undefined {
  if (accruedCarry === undefined || carryToMaturity === undefined || closeFee === undefined) return undefined;
  return payoff.plus(accruedCarry).plus(carryToMaturity).minus(closeFee);
}

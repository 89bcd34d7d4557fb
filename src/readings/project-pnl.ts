/** Projects P&L at assumed rates, per hedge, per side and in total. Pure. */
import { Big } from 'big.js';
import type { Assumption, Exit } from '../args/what-if-options.ts';
import type { Hedge, Market } from '../client/schemas.ts';
import { sum, sumIfAll } from '../domain/amounts.ts';
import { instantOf } from '../domain/instants.ts';
import { carryUntil, evenlyBetween, movedRate, payoffAt } from '../domain/payoff.ts';
import type { Side } from '../domain/vocabulary.ts';
import { UnreadableAnswerError } from '../errors.ts';
import { moveFrom, type PricedHedge, type ProjectedSide } from './projected-side.ts';

/** P&L at a rate under the names of a document; positive: to the account. Undefined: not known. */
export interface ProjectedPnl {
  /** Price only. */
  payoff_usd: Big;
  /** Up to now. */
  accrued_carry_usdc: Big | undefined;
  /** From now to maturity at today's rate; zero for a close now. */
  carry_to_maturity_usdc: Big | undefined;
  /** Positive: paid; zero at maturity. */
  close_fee_usdc: Big | undefined;
  /** USDC counts as USD; undefined unless every part is known. */
  net_pnl_usd: Big | undefined;
}

export interface ProjectedHedge extends Pick<ProjectedPnl, 'payoff_usd' | 'carry_to_maturity_usdc'> {
  sent: Hedge;
}

export interface WhatIfScenario {
  rate: Big;
  /** Percent of the mid; undefined without a mid. */
  move_pct: Big | undefined;
  hedges: readonly ProjectedHedge[];
  sides: readonly (ProjectedPnl & { side: Side })[];
  total: ProjectedPnl;
  /** The sides whose margin the price loss uses up. */
  usedUp: readonly Side[];
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
  nowMs: number;
}

const ZERO = new Big(0);

export function scenarioAt(rate: Big, sides: readonly ProjectedSide[], setting: Setting): WhatIfScenario {
  const perSide = sides.map((each) => {
    const { side } = each;
    const hedges = each.hedges.map(
      (hedge): ProjectedHedge => ({
        sent: hedge.sent,
        payoff_usd: payoffAt(hedge.leg, rate),
        carry_to_maturity_usdc: carryAhead(hedge, side, setting),
      }),
    );
    const pnl = withNet({
      payoff_usd: sum(hedges.map(({ payoff_usd: payoff }) => payoff)),
      accrued_carry_usdc: each.accrued_carry_usdc,
      carry_to_maturity_usdc: sumIfAll(hedges.map(({ carry_to_maturity_usdc: carry }) => carry)),
      close_fee_usdc: setting.exit === 'maturity' ? ZERO : each.close_fee_usdc,
    });
    return { side, hedges, pnl };
  });
  const pnls = perSide.map(({ pnl }) => pnl);
  return {
    rate,
    move_pct: moveFrom(setting.market?.price, rate),
    hedges: perSide.flatMap(({ hedges }) => hedges),
    sides: perSide.map(({ side, pnl }) => ({ side, ...pnl })),
    total: withNet({
      payoff_usd: sum(pnls.map(({ payoff_usd: payoff }) => payoff)),
      accrued_carry_usdc: sumIfAll(pnls.map(({ accrued_carry_usdc: carry }) => carry)),
      carry_to_maturity_usdc: sumIfAll(pnls.map(({ carry_to_maturity_usdc: carry }) => carry)),
      close_fee_usdc: sumIfAll(pnls.map(({ close_fee_usdc: fee }) => fee)),
    }),
    usedUp: sides
      .filter(
        ({ side, margin_used_up_at: limit }) => limit && (side === 'buy' ? rate.lte(limit) : rate.gte(limit)),
      )
      .map(({ side }) => side),
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

function withNet(parts: Omit<ProjectedPnl, 'net_pnl_usd'>): ProjectedPnl {
  const gained = sumIfAll([parts.payoff_usd, parts.accrued_carry_usdc, parts.carry_to_maturity_usdc]);
  return { ...parts, net_pnl_usd: parts.close_fee_usdc && gained?.minus(parts.close_fee_usdc) };
}

/**
 * The account as it would be after the lines of a batch so far: position, headroom, capacity, balance and journal. Each
 * planned line counts as filled in full at its quoted price, before the next one starts. Sends and records nothing.
 */

import { Big } from 'big.js';
import { decimalFrom } from '../client/json.ts';
import type { Account, Position } from '../client/schemas.ts';
import { dealIdOf } from '../domain/action-intent.ts';
import { createsHedge, enlarges, rowOf } from '../domain/action-table.ts';
import { divide, sum, USD_PLACES } from '../domain/amounts.ts';
import { remainingLimit } from '../domain/exposure.ts';
import type { Side } from '../domain/vocabulary.ts';
import { type Action, replayRecords } from '../journal/replay.ts';
import { withActions } from '../journal/state.ts';
import type { SideHedge, SidePosition } from '../readings/side-position.ts';
import { entryOf } from '../trading/journal-entry.ts';
import { withTimestamp } from '../trading/outcome/append-record.ts';
import type { AddPlan, ClosePlan, OpenPlan, Plan, ReducePlan } from '../trading/plan.ts';
import type { Simulation, TradingContext } from '../trading/trading-context.ts';

const ZERO = new Big(0);

/** The fee to close, of a position that was read: the specification shows no rate. */
interface CloseFee {
  fee: Big;
  notional: Big;
}

/** The planned opens and adds on a side. */
export interface SideTotal {
  market: string;
  side: Side;
  lines: number;
  notional: Big;
  /** USDC; undefined when a quote is missing. */
  upfront: Big | undefined;
  /** USDC, positive is a cost; undefined when it is unknown for a line. */
  cost: Big | undefined;
}

/** After the lines so far. */
export interface AccountLeft {
  available_exposure_usd: Big;
  balance_usdc: Big;
}

export type BatchSimulation = ReturnType<typeof simulateBatch>;

/** By planned reductions and closes. */
export interface AmountReturned {
  /** USD; zero without any. */
  amount: Big;
  /** Less the fee to close: without an open position its rate is not known. */
  feeKnown: boolean;
}

export const NOTHING_RETURNED: AmountReturned = { amount: ZERO, feeKnown: true };

export const returnedWith = (
  { amount, feeKnown }: AmountReturned,
  { comesBack }: ReducePlan | ClosePlan,
): AmountReturned => ({
  amount: amount.plus(comesBack?.net_margin_usd ?? ZERO),
  feeKnown: feeKnown && comesBack?.close_fee_usdc !== undefined,
});

/**
 * For all lines of one dry run. `isSent`: the lines are sent, so that the journal has them and no other command sees a
 * simulated hedge; only account and capacity are carried forward.
 */
export function simulateBatch({ isSent = false } = {}) {
  const sides = new Map<string, SidePosition>();
  /** Net opens and adds, less what was reduced or closed. USD. */
  const used = new Map<string, Big>();
  const actions: Action[] = [];
  const totals = new Map<string, SideTotal>();
  let spent = ZERO;
  let returned = NOTHING_RETURNED;
  let latest: Account | undefined;
  let closeFee: CloseFee | undefined;

  const usedOn = (market: string, side: Side): Big => used.get(keyOf(market, side)) ?? ZERO;
  const use = ({ market, side }: Plan, notional: Big): void => {
    used.set(keyOf(market, side), usedOn(market, side).plus(notional));
  };
  const accountAfter = (account: Account): Account => ({
    ...account,
    balance_usdc: account.balance_usdc.minus(spent),
    available_exposure_usd: remainingLimit(account.available_exposure_usd, sum([...used.values()])),
  });
  const execute = (name: string, { plan }: { plan: Plan }, context: TradingContext): void => {
    const { sidePosition } = plan.facts;
    const after = enlarges(plan) ? enlarged(plan, { name, closeFee }) : reduced(plan);
    if (!isSent) sides.set(keyOf(plan.market, plan.side), { ...sidePosition, ...after });
    use(plan, enlarges(plan) ? plan.notional : removedBy(plan).times(-1));
    if (enlarges(plan)) {
      spent = spent.plus(upfrontOf(plan) ?? ZERO);
      const key = keyOf(plan.market, plan.side);
      totals.set(key, totalWith(plan, totals.get(key)));
    } else {
      spent = spent.minus(plan.comesBack?.net_margin_usd ?? ZERO);
      returned = returnedWith(returned, plan);
    }
    if (!isSent) actions.push(simulatedAction(name, plan, context));
  };

  return {
    line(number: number): Simulation {
      const name = `line ${number.toString()}`;
      return {
        side(read, positions) {
          closeFee ??= closeFeeOf(positions);
          const after = sides.get(keyOf(read.market, read.side));
          return after === undefined ? read : { ...after, servedAt: read.servedAt };
        },
        account(read) {
          latest = read;
          return accountAfter(read);
        },
        market(read, side, account) {
          const shown = read.available_capacity_usd;
          const headroom = {
            before: account.available_exposure_usd,
            after: accountAfter(account).available_exposure_usd,
          };
          const left = capacityAfter(shown[side], usedOn(read.market, side), headroom);
          return { ...read, available_capacity_usd: { ...shown, [side]: left } };
        },
        state: (state) => withActions(state, [...actions]),
        execute: (planned, context) => execute(name, planned, context),
      };
    },
    /** Undefined before an account was read. */
    left(): AccountLeft | undefined {
      if (latest === undefined) return undefined;
      const { available_exposure_usd, balance_usdc } = accountAfter(latest);
      return { available_exposure_usd, balance_usdc };
    },
    totals: (): readonly SideTotal[] => [...totals.values()],
    returned: (): AmountReturned => returned,
  };
}

const keyOf = (market: string, side: Side): string => JSON.stringify([market, side]);

/** USD that can be opened on the side: a reduction frees no more than the service shows. */
function capacityAfter(shown: Big, used: Big, headroom: { before: Big; after: Big }): Big {
  // The headroom is what limits it, here and after those lines.
  if (shown.eq(headroom.before)) return headroom.after;
  return used.lte(0) ? shown : remainingLimit(shown, used);
}

const upfrontOf = ({ facts: { quote } }: OpenPlan | AddPlan): Big | undefined =>
  quote?.upfront.total_upfront_usdc;

function totalWith(plan: OpenPlan | AddPlan, before: SideTotal | undefined): SideTotal {
  const { market, side, notional, figures } = plan;
  const upfront = upfrontOf(plan);
  const cost = figures?.cost_usdc;
  if (before === undefined) return { market, side, lines: 1, notional, upfront, cost };
  return {
    market,
    side,
    lines: before.lines + 1,
    notional: before.notional.plus(notional),
    upfront: upfront && before.upfront?.plus(upfront),
    cost: cost && before.cost?.plus(cost),
  };
}

/** USD that leaves the side; nothing where its total is unknown, so that no headroom is promised. */
function removedBy(plan: ReducePlan | ClosePlan): Big {
  const { total } = plan.facts.sidePosition;
  if (total === undefined) return ZERO;
  return plan.closesSide || !('notional' in plan) ? total : plan.notional;
}

type SideAfter = Pick<SidePosition, 'open' | 'inPositions' | 'position' | 'total'> & Partial<SidePosition>;

function enlarged(
  plan: OpenPlan | AddPlan,
  { name, closeFee }: { name: string; closeFee: CloseFee | undefined },
): SideAfter {
  const { sidePosition } = plan.facts;
  return {
    open: createsHedge(plan) ? [newHedge(plan, name), ...sidePosition.open] : grown(plan),
    inPositions: true,
    position: enlargedPosition(plan, closeFee),
    total: plan.after.total,
  };
}

const newHedge = ({ intent, notional, facts: { quote, sidePosition } }: OpenPlan, id: string): SideHedge => ({
  id,
  notional,
  status: 'filled',
  tenorDays: new Big(intent.tenor),
  maturityAt: quote?.maturity,
  filledAt: sidePosition.servedAt.toISOString(),
  reference: dealIdOf(intent),
});

/** ASSUMED: of several hedges, an add increases the newest. */
function grown({ grows, notional, facts: { sidePosition } }: AddPlan): readonly SideHedge[] {
  const id = grows ?? sidePosition.open[0]?.id;
  return sidePosition.open.map((hedge) =>
    hedge.id === id ? { ...hedge, notional: hedge.notional.plus(notional) } : hedge,
  );
}

/** Closing at the same mid returns the margin less price impact and close fee. Undefined when the rest of it is unknown. */
function enlargedPosition(plan: OpenPlan | AddPlan, closeFee: CloseFee | undefined): Position | undefined {
  const { facts, figures, market, side, notional } = plan;
  const { sidePosition, quote } = facts;
  if (quote === undefined || figures === undefined) return undefined;
  if (sidePosition.position === undefined && sidePosition.inPositions !== false) return undefined;
  const fee = closeFee && divide(closeFee.fee.times(notional), closeFee.notional, USD_PLACES);
  const impact = figures.impact_cost_usd;
  const before = sidePosition.inPositions === false ? undefined : sidePosition.position;
  const plus = (field: unknown, amount: Big | undefined): Big | undefined =>
    amount && (before === undefined ? ZERO : decimalFrom(field))?.plus(amount);
  return {
    market,
    side,
    notional_usd: plan.after.total,
    net_pnl_usd: plus(before?.net_pnl_usd, impact.times(-1)),
    accrued_carry_usdc: plus(before?.accrued_carry_usdc, ZERO),
    close_fee_usdc: plus(before?.close_fee_usdc, fee),
    net_margin_usd: (before?.net_margin_usd ?? ZERO)
      .plus(quote.upfront.required_margin_usdc)
      .minus(impact)
      .minus(fee ?? ZERO),
  };
}

function reduced(plan: ReducePlan | ClosePlan): SideAfter {
  const { sidePosition } = plan.facts;
  if (plan.closesSide)
    return { open: [], unread: [], inPositions: false, position: undefined, total: ZERO, unclear: undefined };
  const sizes = new Map(plan.after.hedges?.map(({ id, after }) => [id, after]));
  return {
    open: sidePosition.open
      .map((hedge) => ({ ...hedge, notional: sizes.get(hedge.id) ?? hedge.notional }))
      .filter(({ notional }) => notional.gt(0)),
    inPositions: sidePosition.inPositions,
    position: reducedPosition(plan),
    total: plan.after.total,
  };
}

/** Undefined when the part that is left is unknown. */
function reducedPosition({ comesBack, after, facts }: ReducePlan | ClosePlan): Position | undefined {
  const { position } = facts.sidePosition;
  if (position === undefined || comesBack === undefined || after.total === undefined) return undefined;
  const { total } = facts.sidePosition;
  const left = after.total;
  const scaled = (field: unknown): Big | undefined => {
    const whole = decimalFrom(field);
    return whole && total && divide(whole.times(left), total, USD_PLACES);
  };
  return {
    ...position,
    notional_usd: left,
    net_pnl_usd: scaled(position.net_pnl_usd),
    gross_pnl_usd: scaled(position.gross_pnl_usd),
    accrued_carry_usdc: scaled(position.accrued_carry_usdc),
    close_fee_usdc: scaled(position.close_fee_usdc),
    net_margin_usd: comesBack.net_margin_usd && position.net_margin_usd?.minus(comesBack.net_margin_usd),
  };
}

function closeFeeOf(positions: readonly Position[]): CloseFee | undefined {
  for (const { close_fee_usdc, notional_usd } of positions) {
    const fee = decimalFrom(close_fee_usdc);
    const notional = decimalFrom(notional_usd);
    if (fee !== undefined && notional?.gt(0) === true) return { fee, notional };
  }
  return undefined;
}

/** The action as the journal would record it: it counts for limits, duplicates and deal IDs of the lines after it. */
function simulatedAction(name: string, plan: Plan, context: TradingContext): Action {
  const { id, records } = entryOf(plan, { context });
  const hedge = createsHedge(plan) ? { hedge_id: name } : {};
  const accepted = withTimestamp(id, { kind: 'accepted', by: 'answer', ...hedge }, context);
  const { outcome } = rowOf(plan.action);
  const ended = withTimestamp(id, { kind: 'outcome', outcome, ...hedge, facts: {} }, context);
  // Without waiting for it, the batch does not learn that it is filled.
  const answers = plan.intent.options.wait ? [accepted, ended] : [accepted];
  const [action] = replayRecords([...records, ...answers], () => true);
  if (action === undefined) throw new Error(`no action in the records of ${name}`);
  return {
    ...action,
    id: name,
    // No command finds it: a placeholder in the commands of a hint.
    shortId: `<${name}>`,
    // Nothing is compared with it later, and thousands of lines would each list every hedge.
    intent: { ...action.intent, before: { hedges: [], in_positions: null } },
  };
}

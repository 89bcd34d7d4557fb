/** The report of an action, its figures, and the short names of an action. Pure. */

import { Big } from 'big.js';
import { decimalFrom } from '../client/json.ts';
import type { Hedge, Position } from '../client/schemas.ts';
import { createsHedge } from '../domain/action-table.ts';
import { sum } from '../domain/amounts.ts';
import { isSameSize } from '../domain/exposure.ts';
import { slippageOf } from '../domain/price-bounds.ts';
import { unquoted } from '../domain/quoted.ts';
import type { Effect, HedgeError } from '../errors.ts';
import type { Action } from '../journal/replay.ts';
import { type Fill, fillOf, quoteOfFill } from '../journal/results.ts';
import type { SidePosition } from '../readings/side-position.ts';
import type { ActionDocument } from '../schema/action-document.ts';
import type { Evidence } from './outcome/change-evidence.ts';
import type { HedgeChange, Plan } from './plan.ts';
import type { Finding } from './trading-context.ts';

/** `planned`: a dry run. `flat`: nothing to close. `not_sent`: no connection, or stopped. The others as in the journal. */
export type ReportOutcome = ActionDocument['outcome'];

/** The result of an action, also when it failed or its outcome is unknown. */
export interface ActionReport {
  /** The journal entry; undefined for a dry run, and when there was nothing to do. */
  entry: Action | undefined;
  /** Undefined when an earlier action was continued. */
  plan: Plan | undefined;
  outcome: ReportOutcome;
  effect: Effect;
  /** Findings of level `warn`. */
  warnings: readonly Finding[];
  /** IDs of the preview; undefined when it was not planned now. */
  openedElsewhere?: readonly string[] | undefined;
  /** For an open: the hedge as last read. */
  hedge: Hedge | undefined;
  /** For the others: the position afterwards; undefined when it is gone or was not read. */
  position: Position | undefined;
  /** For add, reduce and close: each hedge of the side, before and after. */
  hedges: readonly HedgeChange[] | undefined;
  derived: ActionFigures;
  /** An earlier command had finished it: nothing was sent now. */
  existing?: boolean | undefined;
  /** Its hedge has closed or matured since. */
  isOver?: boolean | 'maybe' | undefined;
  /** Its hedge was found by deal ID before, and is final since this lookup. */
  confirmed?: boolean | undefined;
  /** Evidence of the lookup; undefined when none was needed: the outcome is known, or it is being sent. */
  evidence?: Evidence | undefined;
  /** The error for standard error and the exit code; undefined on success. */
  finding: HedgeError | undefined;
  servedAt: Date | undefined;
}

/** Derived figures of an action. Bps and USD: positive is a cost. */
export interface ActionFigures {
  /** For an open: USD filled. */
  filled_notional_usd?: Big;
  /** For an open: the rate at the fill, before any add. */
  struck_rate?: Big;
  /** That rate against the quote's execution price. */
  slippage_bps?: Big;
  slippage_usd?: Big;
  /** For a close: realized P&L of its hedges, net of carry and fees; positive is a gain. */
  net_pnl_usd?: Big;
  /** Its parts, where the records have them: gross + carry - fees. Carry: negative is paid (ASSUMED). */
  gross_pnl_usd?: Big;
  carry_usdc?: Big;
  fees_usdc?: Big;
  /** For add and reduce: the side's entry price, as the service sends it. */
  entry_price_before?: Big;
  entry_price_after?: Big;
  /** Milliseconds from the first send to the outcome. */
  took_ms?: number;
}

const EFFECTS: Readonly<Record<ReportOutcome, Effect>> = {
  filled: 'done',
  changed: 'done',
  closed: 'done',
  failed: 'none',
  refused: 'none',
  not_sent: 'none',
  planned: 'none',
  flat: 'none',
  pending: 'pending',
  submitted: 'pending',
  unknown: 'unknown',
};

/** Parts left out are unknown. */
export function reportOf(
  outcome: ReportOutcome,
  parts: Partial<Omit<ActionReport, 'outcome' | 'effect'>>,
): ActionReport {
  return {
    outcome,
    effect: EFFECTS[outcome],
    entry: undefined,
    plan: undefined,
    warnings: [],
    hedge: undefined,
    position: undefined,
    hedges: undefined,
    derived: {},
    finding: undefined,
    servedAt: undefined,
    ...parts,
  };
}

/** Figures of a finished action. `endedMs`: milliseconds since the epoch. `filled`: USD, where it is more than recorded. */
export function figuresOf(
  entry: Action,
  { hedge, endedMs, filled }: Pick<ActionReport, 'hedge'> & { endedMs: number; filled?: Big | undefined },
): ActionFigures {
  const { sentAt } = entry;
  return {
    ...slippage(entry, hedge, filled),
    ...(sentAt === undefined ? {} : { took_ms: Math.max(0, endedMs - Date.parse(sentAt)) }),
  };
}

/** The side in the confirmed plan, and as read when the change was seen. */
interface SideReadings {
  before: SidePosition | undefined;
  after: SidePosition | undefined;
}

/** The changes with the deal ID and the struck rates of each hedge, as the service sent them. */
export function withRates(
  hedges: readonly HedgeChange[],
  { before, after }: SideReadings,
): readonly HedgeChange[] {
  return hedges.map((change) => {
    const was = before?.listed.find(({ id }) => id === change.id);
    const is = after?.listed.find(({ id }) => id === change.id);
    return {
      ...change,
      reference: is?.reference ?? was?.reference,
      // A reading of another size has the rate of another moment.
      rateBefore: was?.notional.eq(change.before) === true ? was.struckRate : undefined,
      rateAfter: is?.notional.eq(change.after) === true ? is.struckRate : undefined,
    };
  });
}

/** The side's entry price before and after, each only if its position has exactly the size of these hedges. */
export function entryPrices(
  hedges: readonly HedgeChange[],
  { before, after }: SideReadings,
): Pick<ActionFigures, 'entry_price_before' | 'entry_price_after'> {
  const was = entryPriceAt(before, sum(hedges.map((change) => change.before)));
  const is = entryPriceAt(after, sum(hedges.map((change) => change.after)));
  return {
    ...(was === undefined ? {} : { entry_price_before: was }),
    ...(is === undefined ? {} : { entry_price_after: is }),
  };
}

function entryPriceAt(side: SidePosition | undefined, size: Big): Big | undefined {
  const stated = decimalFrom(side?.position?.notional_usd);
  return stated?.eq(size) === true ? decimalFrom(side?.position?.entry_price) : undefined;
}

function slippage(entry: Action, hedge: ActionReport['hedge'], filled: Big | undefined): ActionFigures {
  const { side } = entry.intent;
  const now = filled && { notional: filled, rate: hedge?.struck_rate ?? undefined };
  const fill = now ?? fillOf(entry) ?? fillSeen(entry, hedge);
  if (fill === undefined) return {};
  const { notional, rate: struck } = fill;
  if (struck === undefined) return { filled_notional_usd: notional };
  const quoted = new Big(quoteOfFill(entry)?.['execution_price'] ?? 0);
  return {
    filled_notional_usd: notional,
    struck_rate: struck,
    ...(quoted.gt(0) ? slippageOf({ side, notional, quoted, struck }) : {}),
  };
}

/** The fill of an open whose size is unchanged: an add changes the hedge's rate to a weighted one. */
function fillSeen({ intent, notional }: Action, hedge: ActionReport['hedge']): Fill | undefined {
  const isFilled = hedge?.status === 'filled' || hedge?.status === 'closed';
  if (!createsHedge(intent) || notional === undefined || !isFilled) return undefined;
  if (!isSameSize(hedge.notional_usd, notional)) return undefined;
  return { notional, rate: hedge.struck_rate ?? undefined };
}

/** `action 7c1e`, or `action 7c1e, hedge hdg_01JD8K`. */
export const actionByName = ({ shortId, hedgeId }: Action): string =>
  hedgeId === undefined ? `action ${shortId}` : `action ${shortId}, hedge ${unquoted(hedgeId)}`;

/** The IDs of an action in `error.details`. */
export const actionIds = ({ id, hedgeId, intent }: Action): Readonly<Record<string, unknown>> => ({
  action_id: id,
  idempotency_key: intent.idempotency_key,
  hedge_id: hedgeId ?? null,
});

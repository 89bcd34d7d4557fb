/** The total of a batch that ran: what each side opened, what did not execute, and what reductions and closes returned. */

import { Big } from 'big.js';
import type { TypedIntent } from '../domain/action-intent.ts';
import { enlarges } from '../domain/action-table.ts';
import { divide, USD_PLACES } from '../domain/amounts.ts';
import type { Side } from '../domain/vocabulary.ts';
import { type HedgeError, PartialFillError } from '../errors.ts';
import type { ActionReport } from '../trading/report.ts';
import { type AmountReturned, NOTHING_RETURNED, returnedWith } from './simulate-batch.ts';

/** The opens and adds of one side in this run. */
export interface SideResult {
  market: string;
  side: Side;
  /** Lines that executed, partial fills too. */
  done: number;
  /** Lines that failed, were rejected, were stopped or were not run. */
  failed: number;
  /** Lines whose outcome is pending or unknown. */
  pending: number;
  /** USD. */
  opened: Big;
  /** USDC, as quoted; of a partial fill, its share. */
  upfront: Big;
}

export interface RunTotals {
  sides: readonly SideResult[];
  returned: AmountReturned;
  /** Whether a line was executed by an earlier run, and so is in no total. */
  anyEarlier: boolean;
}

export interface LineResult {
  intent: TypedIntent;
  /** Undefined: it was stopped before there was one. */
  report: ActionReport | undefined;
  error: HedgeError | undefined;
}

const ZERO = new Big(0);
const NOTHING = { done: 0, failed: 0, pending: 0, opened: ZERO, upfront: ZERO };

export function tallyBatch() {
  const sides = new Map<string, SideResult>();
  let returned = NOTHING_RETURNED;
  let anyEarlier = false;
  return {
    count({ intent, report, error }: LineResult): void {
      const isEarlier = report !== undefined && report.plan === undefined;
      anyEarlier ||= isEarlier;
      // A line may have its own --dry-run.
      if (isEarlier || report?.outcome === 'planned') return;
      if (!enlarges(intent)) {
        if (error === undefined) returned = withReturned(returned, report);
        return;
      }
      const { market, side } = intent;
      const key = JSON.stringify([market, side]);
      sides.set(key, withLine(sides.get(key) ?? { market, side, ...NOTHING }, report, error));
    },
    totals: (): RunTotals => ({ sides: [...sides.values()], returned, anyEarlier }),
  };
}

function withLine(
  before: SideResult,
  report: ActionReport | undefined,
  error: HedgeError | undefined,
): SideResult {
  if (report?.outcome === 'submitted' || error?.effect === 'pending' || error?.effect === 'unknown')
    return { ...before, pending: before.pending + 1 };
  if (error !== undefined && !(error instanceof PartialFillError))
    return { ...before, failed: before.failed + 1 };
  const { opened, upfront } = openedBy(report);
  return {
    ...before,
    done: before.done + 1,
    opened: before.opened.plus(opened),
    upfront: before.upfront.plus(upfront),
  };
}

function openedBy(report: ActionReport | undefined): Pick<SideResult, 'opened' | 'upfront'> {
  const plan = report?.plan;
  if (plan === undefined || !enlarges(plan)) return { opened: ZERO, upfront: ZERO };
  const { notional, facts } = plan;
  const opened = report?.derived.filled_notional_usd ?? notional;
  const quoted = facts.quote?.upfront.total_upfront_usdc ?? ZERO;
  const upfront = opened.eq(notional) ? quoted : divide(quoted.times(opened), notional, USD_PLACES);
  return { opened, upfront };
}

function withReturned(before: AmountReturned, report: ActionReport | undefined): AmountReturned {
  const plan = report?.plan;
  if (plan === undefined || enlarges(plan) || report?.outcome === 'submitted' || report?.outcome === 'flat')
    return before;
  return returnedWith(before, plan);
}

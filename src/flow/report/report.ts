/** What became of an action as one value, complete in success, failure and doubt. Pure. */
import { Big } from 'big.js';
import { slippageOf } from '../../domain/slippage.ts';
import type { Effect } from '../../errors.ts';
import type { Action } from '../../journal/fold.ts';
import type { ActionFigures, ActionReport, ReportOutcome } from '../dealing.ts';

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

/** What is left out is not known. */
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

/** Figures of an action that came to its end. `endedMs`: milliseconds since the epoch. */
export function figuresOf(
  entry: Action,
  { hedge, netPnl, endedMs }: Pick<ActionReport, 'hedge'> & { netPnl?: Big | undefined; endedMs: number },
): ActionFigures {
  const { sentAt } = entry;
  return {
    ...slippage(entry, hedge),
    ...(netPnl === undefined ? {} : { net_pnl_usd: netPnl }),
    ...(sentAt === undefined ? {} : { took_ms: Math.max(0, endedMs - Date.parse(sentAt)) }),
  };
}

function slippage(entry: Action, hedge: ActionReport['hedge']): ActionFigures {
  const { intent, notional } = entry;
  const struck = struckAsFilled(entry, hedge);
  const shown = intent.quote?.['execution_price'] ?? undefined;
  if (struck === undefined || notional === undefined) return {};
  const quoted = new Big(shown ?? 0);
  return {
    struck_rate: struck,
    ...(quoted.gt(0) ? slippageOf({ side: intent.side, notional, quoted, struck }) : {}),
  };
}

/** Of an open, at the size that was asked: an addition is filled into a rate weighted with what was there. */
function struckAsFilled(
  { intent, notional, outcome }: Action,
  hedge: ActionReport['hedge'],
): Big | undefined {
  if (intent.action !== 'open' || notional === undefined) return undefined;
  const { struck_rate: rate, notional_usd: size } = outcome?.facts ?? {};
  if (typeof rate === 'string' && typeof size === 'string' && notional.eq(size)) return new Big(rate);
  return hedge?.notional_usd.eq(notional) === true ? (hedge.struck_rate ?? undefined) : undefined;
}

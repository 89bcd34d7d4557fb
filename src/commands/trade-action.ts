/** Shared by the trading commands: the trading context, the confirmation, and the report as an outcome. */

import type { TypedIntent } from '../domain/action-intent.ts';
import { viewPreview, viewWarnings } from '../output/views/plan.ts';
import { confirmationFor } from '../trading/confirm.ts';
import { executeAction } from '../trading/execute.ts';
import { COMMAND_FLAGS, checkUnattended, type FlagNames } from '../trading/guards/unattended-policy.ts';
import type { ActionReport } from '../trading/report.ts';
import type { TradingContext } from '../trading/trading-context.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';

export async function tradingContextOf(
  context: CommandContext,
  options?: { pullsLater: boolean },
): Promise<TradingContext> {
  const trading = await context.tradingContext(options);
  return { ...trading, confirm: confirmWith(context, trading) };
}

export const outcomeOf = (report: ActionReport): CommandOutcome<ActionReport> => ({
  value: report,
  servedAt: report.servedAt,
  finding: report.finding,
  report,
});

export const tradeAction = (
  context: CommandContext,
  intent: TypedIntent,
): Promise<CommandOutcome<ActionReport>> => tradeActionAs(context, intent, COMMAND_FLAGS);

/** `flags`: how this command spells the options that are required without a terminal. */
export async function tradeActionAs(
  context: CommandContext,
  intent: TypedIntent,
  flags: FlagNames,
): Promise<CommandOutcome<ActionReport>> {
  const trading = await tradingContextOf(context, { pullsLater: true });
  checkUnattended(intent, trading, flags);
  const report = await executeAction(intent, trading);
  const { entry, plan } = report;
  // A result of an earlier action has no plan.
  const original = plan === undefined && entry !== undefined ? { original_at: entry.intent.at } : {};
  return { ...outcomeOf(report), meta: original };
}

/** Shows the preview, then asks unless `--yes`. */
export function confirmWith(
  { show, prompter }: Pick<CommandContext, 'show' | 'prompter'>,
  trading: Pick<TradingContext, 'environment' | 'profile' | 'attended'>,
): TradingContext['confirm'] {
  return async (preview, { yes }) => {
    await show(yes && !trading.attended ? viewWarnings(preview.warnings) : viewPreview(preview));
    if (yes) return true;
    const confirmation = confirmationFor(preview, trading);
    const question = { message: confirmation.asks, otherwise: '--yes' };
    return confirmation.kind === 'typed'
      ? prompter.typed(question, confirmation.wanted, confirmation.fits)
      : prompter.confirm(question);
  };
}

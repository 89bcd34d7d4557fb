/**
 * What the dealing commands share: the desk as it deals, and a report as an outcome.
 *
 * The question before an action is sent: the preview on standard error, then what the rule wants asked. With
 * `--yes` nothing is asked, and the environment is named all the same.
 */

import type { ActionIntent } from '../args/action-intent.ts';
import { viewPreview, viewWarnings } from '../output/views/plan.ts';
import { confirmationFor } from '../trading/confirmation-rule.ts';
import { executeAction } from '../trading/execute.ts';
import { COMMAND_FLAGS, checkUnattended, type FlagNames } from '../trading/guards/unattended-policy.ts';
import type { ActionReport, TradingContext } from '../trading/trading-context.ts';
import type { CommandContext } from './command-context.ts';
import type { CommandOutcome } from './command-result.ts';
export async function tradingContextOf(desk: CommandContext): Promise<TradingContext> {
  const lent = await desk.dealing();
  return { ...lent, confirm: confirmWith(desk, lent) };
}

export const outcomeOf = (report: ActionReport): CommandOutcome<ActionReport> => ({
  value: report,
  servedAt: report.servedAt,
  finding: report.finding,
});

export const tradeAction = (
  desk: CommandContext,
  intent: ActionIntent,
): Promise<CommandOutcome<ActionReport>> => tradeActionAs(desk, intent, COMMAND_FLAGS);

/** `ways`: how what is missing where nobody is there is said on the line of this command. */
export async function tradeActionAs(
  desk: CommandContext,
  intent: ActionIntent,
  ways: FlagNames,
): Promise<CommandOutcome<ActionReport>> {
  const dealing = await tradingContextOf(desk);
  checkUnattended(intent, dealing, ways);
  const report = await executeAction(intent, dealing);
  const { entry, plan } = report;
  // An earlier action that was continued or told again has no plan of now.
  const original = plan === undefined && entry !== undefined ? { original_at: entry.intent.at } : {};
  return { ...outcomeOf(report), meta: original };
}

/** `lent` is what the desk lends to dealing: where it deals, and whether somebody can be asked. */
export function confirmWith(
  { show, prompter }: Pick<CommandContext, 'show' | 'prompter'>,
  { environment, attended }: Pick<TradingContext, 'environment' | 'attended'>,
): TradingContext['confirm'] {
  return async (preview, { yes }) => {
    await show(yes && !attended ? viewWarnings(preview.warnings) : viewPreview(preview));
    if (yes) return true;
    const confirmation = confirmationFor(preview, environment);
    const question = { message: confirmation.asks, otherwise: '--yes' };
    return confirmation.kind === 'typed'
      ? prompter.typed(question, confirmation.wanted, confirmation.fits)
      : prompter.confirm(question);
  };
}

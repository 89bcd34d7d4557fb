/** `hedge open`: runs the action, or asks for missing arguments on a terminal. */

import { ACTION_OPTIONS } from '../args/action-options.ts';
import { completeOpen, missingParts, readOpenDraft } from '../args/read-action.ts';
import type { OpenDraft } from '../domain/action-intent.ts';
import { commandText } from '../domain/hint.ts';
import { line } from '../output/blocks.ts';
import { text } from '../output/cells.ts';
import { ACTION_REPORT } from '../output/views/action.ts';
import { executeAction } from '../trading/execute.ts';
import type { ActionReport, ReportOutcome } from '../trading/report.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';
import { defineCommand } from './define.ts';
import { outcomeOf, tradeAction, tradingContextOf } from './trade-action.ts';

export const open = defineCommand({
  name: 'open',
  summary: 'Open a hedge; on a terminal, hedge asks for missing arguments',
  description:
    'Quotes, checks headroom, capacity, balance and your limits, shows the cost and the position after, and asks for confirmation. On live you type the side and the size. The price is then read again; if it is more than 10 bps worse, you are asked again. The action is written to the journal, sent under one idempotency key, and awaited until the fill. The same open within a minute is stopped as a duplicate, unless both have a deal ID. A partial fill is exit code 7, partial_fill. --ngn opens the size that covers an amount in naira, leaving at most 1 bp of it uncovered; --max the smallest of headroom, capacity and what the balance pays for, less 1 %, and of the limits of the profile. Either is fixed when you confirm. More: hedge help trading.',
  operands: [
    { name: 'MARKET', summary: 'market, such as USDTNGN', optional: true },
    { name: 'SIDE', summary: 'buy gains if the naira weakens, sell if it strengthens', optional: true },
    { name: 'NOTIONAL', summary: 'size in USD: 10000, 10_000, 10,000, 10k, 1.5m', optional: true },
  ],
  checksOperands: true,
  options: ACTION_OPTIONS.open,
  examples: [
    { line: 'hedge open USDTNGN buy 10000 --tenor 3', shows: 'quote, confirm, open, wait for the fill' },
    { line: 'hedge open USDTNGN buy --ngn 75m --tenor 3', shows: 'cover 75 million naira' },
    { line: 'hedge open', shows: 'step by step' },
    {
      line: 'hedge open USDTNGN buy 10k --tenor 3 --deal-id PAY-8841 --ensure --max-cost-bps 60 --yes',
      shows: 'for a script: safe to run again, with a cost limit',
    },
    { line: 'hedge open USDTNGN buy 10k --tenor 3 --dry-run', shows: 'check only; send nothing' },
  ],
  inBatch: 'action',
  read: readOpenDraft,
  run: openInteractive,
  ...ACTION_REPORT,
});

type Emit = (outcome: CommandOutcome<ActionReport>) => Promise<void>;

export async function openInteractive(
  context: CommandContext,
  draft: OpenDraft,
  emit: Emit,
): Promise<CommandOutcome<ActionReport> | undefined> {
  const { prompter } = context;
  if (missingParts(draft).length === 0 || !prompter.attended)
    return tradeAction(context, completeOpen(draft));
  const [{ askOpen }, { openCommandLine }] = await Promise.all([
    import('../wizard/open-wizard.ts'),
    import('../args/action-options.ts'),
  ]);
  const trading = await tradingContextOf(context);
  await context.show(BEFORE.map((each) => line(text(each, 'dim'))));
  const lines = await context.liner();
  const answered = await askOpen(draft, { ...trading, prompter, lines, note: (each) => context.note(each) });
  const { sizing } = answered;
  const intent = sizing === undefined ? answered : { ...answered, notional: undefined, sizing };
  const report = await executeAction(intent, trading);
  await emit(outcomeOf(report));
  if (SUCCESSFUL.includes(report.outcome) && report.finding === undefined) {
    const { kind, name } = await context.selection();
    const place = kind === 'pair' ? { expectEnv: trading.environment } : { profile: name };
    context.note('As one command:');
    context.note(commandText(openCommandLine(intent, place)), { whole: true });
  }
  return undefined;
}

const BEFORE = [
  'Opening a hedge. Nothing is sent before you confirm. Ctrl-C cancels.',
  'You will pay dollars or receive naira: buy. You hold dollars and will pay naira: sell.',
  'Sizes are in USD; 1 USDT counts as 1 USD. Margin and fees are paid in USDC.',
];

/** After any other outcome, a command to repeat would be bad advice. */
const SUCCESSFUL: readonly ReportOutcome[] = ['filled', 'submitted', 'planned'];

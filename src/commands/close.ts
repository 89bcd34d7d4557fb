/** `hedge close` */
import { ACTION_OPTIONS } from '../args/action-options.ts';
import { type RawInput, typedCommand } from '../args/option.ts';
import { readCloseIntent } from '../args/read-action.ts';
import { say } from '../domain/hint.ts';
import { UsageError } from '../errors.ts';
import { ACTION_REPORT } from '../output/views/action.ts';
import { defineCommand } from './define.ts';
import { tradeAction } from './trade-action.ts';

export const close = defineCommand({
  name: 'close',
  summary: 'Close all hedges on a side',
  description:
    'Closes the whole side of a market. Shows each hedge, the amount that returns to the balance (margin, fee, P&L) and what holding to maturity gives instead, then asks for confirmation. A halt, a limit or an unknown outcome never stops a close. An action from this machine in flight on the side does, unless --despite names it. Within 60 s of a fill, a missing side counts as closed only if its hedges read as closed. More: hedge help trading.',
  operands: [
    { name: 'MARKET', summary: 'market, such as USDTNGN' },
    { name: 'SIDE', summary: 'buy or sell' },
  ],
  checksOperands: true,
  options: ACTION_OPTIONS.close,
  examples: [
    { line: 'hedge close USDTNGN buy', shows: 'close the side' },
    {
      line: 'hedge close USDTNGN buy --if-open --yes',
      shows: 'for a script: exit code 0 if nothing is open',
    },
  ],
  inBatch: 'action',
  refuses: [{ flags: '--by <percentage>' }, { flags: '--to <notional>' }],
  read(raw) {
    rejectSize(raw);
    return readCloseIntent(raw);
  },
  run: tradeAction,
  ...ACTION_REPORT,
});

/** `--by` and `--to` are options of reduce. */
function rejectSize({ operands, options: { ifOpen: _ifOpen, ...options } }: RawInput): void {
  if (options['by'] === undefined && options['to'] === undefined) return;
  throw new UsageError(
    'A close has no size: it closes the whole side.',
    say`Did you mean: ${typedCommand('reduce', operands, options)}`,
  );
}

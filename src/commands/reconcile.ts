/** `hedge reconcile` */

import { readFinanceList, readReconcileIntent } from '../args/reconcile-options.ts';
import { NOTE_OPTION, SAVE_OPTION } from '../args/shared-options.ts';
import { say, shell } from '../domain/hint.ts';
import { breakList } from '../output/views/reconcile.ts';
import { readReconcile, reconcileFinding } from '../readings/read-reconcile.ts';
import { defineCommand } from './define.ts';

const EXAMPLE = say`Example: ${shell`hedge reconcile --against finance.csv`}`;

export const reconcile = defineCommand({
  name: 'reconcile',
  summary: "Compare the journal with the service and with finance's list",
  description:
    "Sends no action and corrects nothing. Compares what this machine recorded with the service's hedges, history and positions, and both with finance's list, a CSV file: deal_id,notional_usd,rate, where the notional is what remains of the deal, or was left at its end. Each break has a class; hedge help books says what each means. timing is young and expected to agree by itself: it names the time after which it is a break.\n\n--note records why the breaks shown are right, with this reading, in the journal; name deal IDs or hedge IDs to mean only those, and give --since and --against again. The same difference is then shown as explained and no longer counts. Exit code 0: all agree; 11: breaks; 7: an outcome is unknown.",
  operands: [
    {
      name: 'ID',
      summary: 'only these deal IDs, hedge IDs or action IDs',
      optional: true,
      variadic: true,
    },
  ],
  options: [
    {
      flags: '--since <when>',
      summary: 'hedges opened, open, closed or settled from then on (default 7d)',
    },
    {
      flags: '--against <file>',
      summary: "finance's list as CSV: deal_id,notional_usd,rate",
      completes: 'files',
    },
    { flags: '--tolerance-usd <amount>', summary: 'notionals of finance may differ by this (default 0.01)' },
    { flags: '--tolerance-rate <rate>', summary: 'rates of finance may differ by this (default 0.01)' },
    SAVE_OPTION,
    NOTE_OPTION,
  ],
  examples: [
    { line: 'hedge reconcile', shows: 'the last seven days' },
    {
      line: 'hedge reconcile --since 2026-11-01 --against finance.csv',
      shows: 'a month, with the list that finance keeps',
    },
    {
      line: 'hedge reconcile PAY-8841 --against finance.csv --note "booked tomorrow"',
      shows: 'why the breaks of this deal are right',
    },
    {
      line: "hedge reconcile --query 'data.derived.breaks[].class'",
      shows: 'only the classes, for a script',
    },
  ],
  read: readReconcileIntent,
  async run(context, intent) {
    const { selected = '', zone } = await context.profileContext();
    const { against: path } = intent;
    const finance =
      path === undefined
        ? undefined
        : readFinanceList((await context.userFile(path)).readGiven('--against', EXAMPLE), path);
    const reading = await readReconcile(await context.readContext(), intent, {
      zone,
      profile: selected,
      finance,
    });
    return { value: reading, servedAt: reading.servedAt, finding: reconcileFinding(reading) };
  },
  list: breakList,
  tableWithError: true,
});

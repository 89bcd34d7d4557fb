/** `hedge batch`: many commands in one process, from one file. */

import { BATCH_OPTIONS, readBatchIntent } from '../args/batch-options.ts';
import { partsIn } from '../output/cells.ts';
import { viewBatchLine, viewDryRun, viewRun } from '../output/views/batch.ts';
import { type LineEnd, runBatch } from '../runs/batch.ts';
import type { CommandResult, RunnableLine } from './command-context.ts';
import { defineCommand } from './define.ts';

export const batch = defineCommand({
  name: 'batch',
  summary: 'Run many commands from a file; safe to run again',
  description: `Each line of FILE is a command, quoted as in a shell but not expanded, or a JSON object with the service's field names. # starts a comment. If one line is wrong, nothing is sent and the exit code is 2. A pipe, or --json, gets the document of each line; a pipe with --output table gets the screen.

Actions run one after the other. The batch stops at the first unknown outcome, or if the service cannot be reached; --keep-going continues. The exit code is the worst of the lines. Run it again: a line that was executed prints its original result. More: hedge help batch.`,
  lines: true,
  operands: [{ name: 'FILE', summary: 'file, or - for standard input (then --yes is required)' }],
  options: Object.values(BATCH_OPTIONS),
  examples: [
    {
      line: 'hedge batch payouts.txt --name "payouts 2026-11-21" --yes > results.jsonl',
      shows: 'execute; run it again to execute only the missing lines',
    },
    { line: 'hedge batch payouts.txt --dry-run', shows: 'what would fit, and what it would cost in total' },
    {
      line: 'hedge batch payouts.txt --dry-run | jq -c "[.meta.line, .error.code]"',
      shows: 'lines that a pre-trade check would stop',
    },
    {
      line: 'printf "quote USDTNGN buy %s --tenor 3\\n" 10k 20k 50k | hedge batch - --parallel 3',
      shows: 'three quotes over one connection',
    },
  ],
  read: readBatchIntent,
  async run(context, intent, emit) {
    const { lines, signal, isRead, metaOf, report, totals } = await context.batch(intent);
    await runBatch<RunnableLine, CommandResult>(lines, {
      parallel: intent.parallel,
      keepGoing: intent.keepGoing,
      signal,
      isRead,
      run: (line) => line.run(),
      async ended(end) {
        const { line, result, error } = end;
        try {
          await emit({
            value: end,
            command: line.command,
            meta: { ...result?.meta, ...metaOf(end) },
            servedAt: result?.servedAt,
            finding: error,
          });
        } finally {
          await report(end);
        }
      },
    });
    const reached = totals();
    const blocks = 'ran' in reached ? viewRun(reached.ran) : viewDryRun(reached.planned);
    if (partsIn(blocks).length > 0) await context.show(blocks);
    return undefined;
  },
  document: ({ result }: LineEnd<RunnableLine, CommandResult>) => result?.document(),
  view: ({ line: { number, typed }, result, error }) =>
    viewBatchLine({
      number,
      typed,
      shown: result && {
        brief: result.brief(),
        blocks: result.blocks(),
        // A finished action says itself that nothing was sent.
        isEarlier: result.meta['original_at'] !== undefined && result.report?.existing !== true,
      },
      error,
    }),
});

/** `hedge batch`: many command lines over one process and connection, one document a line. */

import { readBatchIntent } from '../args/batch-options.ts';
import { type LineEnd, runBatch } from '../trading/batch.ts';
import type { RunnableLine } from './command-context.ts';
import type { CommandResult } from './command-result.ts';
import { defineCommand } from './define.ts';
export const batch = defineCommand({
  name: 'batch',
  summary: 'many command lines, one document a line; safe to run again',
  description: `Each line of FILE is a command line, quoted as in a shell and expanded as in none (hedge before it may be left out; # begins a comment), or a JSON object: {"command": "open", "market": "USDTNGN", "side": "buy", "notional_usd": "10000", "tenor_days": 3, "deal_id": "PAY-1"}. markets, price, quote, hedges, history, positions, account, journal, open, add, reduce, close, check, wait and resume may stand in it. Profile and environment are the batch's. All lines are read before the first one runs: a wrong one stops the batch with exit 2, and nothing is sent. At most 10,000 lines of 64 KB each, 4 MB in all.

The document of each line is the one that --json gives, with meta.line and meta.exit_code, printed as the line ends. Actions run one after the other. The batch stops at the first line whose outcome is unknown, or when the service cannot be reached (--keep-going goes on), and always at a refused key, a damaged file, a fault of hedge or a signal; what did not run says so (not_run). The exit code is the worst of 7, 78, 74, 1, 4, 5, 9, 8, 10, 3, 2, 6, 11, 0.

Run it again and nothing is done twice: a line with a deal id takes what is dealt under it for done, as --ensure does; any other action has a key that follows from what it asks and how many lines before it ask the same. Two lines that ask for the same are refused, unless the second says --allow-duplicate. What is done prints its original result (meta.original_at), a refusal and a failure too; what did not run, or was stopped here, runs. In between, lines may be mended, moved, added and left out. What was dealt and is not in the batch any more is named first: a line that was changed after it was dealt is another deal. The same lines on another day, or in another file, are the same batch: --name makes them another one.`,
  lines: true,
  operands: [{ name: 'FILE', summary: 'a file, or - for standard input (nobody can be asked then: --yes)' }],
  options: [
    { flags: '--name <text>', summary: 'tells this batch from another one of the same actions' },
    { flags: '--parallel <count>', summary: 'this many readings at once, 1 to 16 (1); never actions' },
    { flags: '--keep-going', summary: 'goes on after an unknown outcome, or with the service out of reach' },
    { flags: '-y, --yes', summary: 'for every line: deal without asking' },
    { flags: '--dry-run', summary: 'for every action: everything but the sending' },
  ],
  examples: [
    {
      line: 'hedge batch payouts.txt --name "payouts 2026-11-21" --yes > results.jsonl',
      shows: 'deals line by line; the same line again deals only what is missing',
    },
    {
      line: 'hedge batch payouts.txt --dry-run | jq -c "[.meta.line, .error.code]"',
      shows: 'what would stop',
    },
    {
      line: 'printf "quote USDTNGN buy %s --tenor 3\\n" 10k 20k 50k | hedge batch - --parallel 3',
      shows: 'three sizes over one connection',
    },
  ],
  read: readBatchIntent,
  async run(desk, intent, emit) {
    const { lines, signal, metaOf, tell } = await desk.batch(intent);
    await runBatch<RunnableLine, CommandResult>(lines, {
      parallel: intent.parallel,
      keepGoing: intent.keepGoing,
      signal,
      run: (line) => line.run(),
      async ended(end) {
        await tell(end);
        const { line, result, error } = end;
        await emit({
          value: end,
          command: line.command,
          meta: { ...result?.meta, ...metaOf(end) },
          servedAt: result?.servedAt,
          finding: error,
        });
      },
    });
    return undefined;
  },
  document: ({ result }: LineEnd<RunnableLine, CommandResult>) => result?.document(),
  view: () => [],
});

/** `hedge deals`: opens from a file, checked together, confirmed once and opened one after the other. */

import { DESPITE_OPTION } from '../args/action-options.ts';
import { type DealsFile, type DealsIntent, readDeals, readDealsIntent } from '../args/deals-file.ts';
import { YES_OPTION } from '../args/shared-options.ts';
import { counted } from '../domain/exposure.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { hasLiveRules } from '../domain/vocabulary.ts';
import { nothingSent, UsageError } from '../errors.ts';
import { type DealsShown, dealList, toOpen, viewDealsPreview } from '../output/views/deals.ts';
import { readUserFile } from '../platform/atomic-file.ts';
import { exactQuotes, type QuoteSource, sampledQuotes } from '../readings/estimate-quotes.ts';
import { checkDeskReached } from '../readings/journal-trouble.ts';
import { dailyLimitOf } from '../runs/deals/daily-limit.ts';
import { blocksRun, type Deal, type DealEnd, notRun, recordOfDeal } from '../runs/deals/deal.ts';
import { checkBounds, checkConfirmable, dealsOf } from '../runs/deals/deal-rows.ts';
import { type DealsStage, findingOf } from '../runs/deals/finding.ts';
import {
  awaitFills,
  type CheckedDeals,
  checkDeals,
  checkDespite,
  dealIdsOfRows,
  isToRun,
  openDeals,
  quoteRequestsOf,
  readSharedFacts,
} from '../runs/deals/open-deals.ts';
import { tallyBatch } from '../runs/tally-batch.ts';
import { progressBar } from '../terminal/progress.ts';
import { checkAccount } from '../trading/account-keys.ts';
import type { SharedFacts, TradingContext } from '../trading/trading-context.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';
import { type CommandGroup, defineCommand } from './define.ts';

const FILE = [
  {
    name: 'FILE',
    summary: 'CSV file: deal_id,market,side,notional_usd or ngn,tenor_days,…',
    completes: 'files',
  },
] as const;
const HEADER =
  'FILE is CSV with the header deal_id,market,side,notional_usd,tenor_days,worst_price,max_cost_bps,note, as hedge cover or a spreadsheet writes it. A row may have ngn, naira to cover, instead of notional_usd. Each deal ID is opened once, by this and any other command.';

const OPTIONS = [
  { flags: '--retry-failed', summary: 'open rows again whose order failed' },
  DESPITE_OPTION,
] as const;

const dealsCheck = defineCommand({
  name: 'deals check',
  summary: 'Check and price a file of deals; send nothing',
  description: `${HEADER}

Each row is quoted and checked as if the rows before it had filled. The exit code is 10 if a row would not open; the first such row is named. If a row does not fit for another reason than its price limit, deals run opens none of the file. More: hedge help treasury.`,
  operands: FILE,
  options: OPTIONS,
  examples: [
    {
      line: 'hedge deals check deals.csv',
      shows: 'each row, totals per side, and the first that does not fit',
    },
    { line: 'hedge deals check deals.csv --csv > checked.csv', shows: 'for a spreadsheet' },
  ],
  read: readDealsIntent,
  async run(context, intent) {
    const file = readFile(intent);
    const { trading, rows, shared, bar } = await prepare(context, file, { intent, sends: false });
    const checked = await checkDeals(rows, exactQuotes(trading.api, trading.signal), {
      trading,
      shared,
      onRow: bar('checking'),
    });
    context.progress.stop();
    const { ends } = checked;
    const value = { file, ends, dailyLimit: dailyLimitOf(ends), planned: plannedOf(checked) };
    return outcomeOf(value, shared, 'check');
  },
  list: dealList,
  tableWithError: true,
});

const dealsRun = defineCommand({
  name: 'deals run',
  summary: 'Open a file of deals: one confirmation, each deal ID once; safe to run again',
  description: `${HEADER}

All rows are checked first; if one does not fit, nothing is sent. Confirm once; then each row is quoted again and sent. A row beyond its price limit is skipped. An unknown outcome, a halt or a limit stops the run. Run the same file again: it opens only the missing rows. If a row's terms changed but its deal ID did not, nothing in the file is sent. More: hedge help treasury.`,
  polls: true,
  operands: FILE,
  options: [
    ...OPTIONS,
    YES_OPTION,
    { flags: '--no-wait', summary: 'return when the service has accepted the last row' },
    {
      flags: '--timeout <seconds>',
      summary: 'seconds to wait for the fills (default 60); never cancels a request',
    },
  ],
  examples: [
    { line: 'hedge deals run deals.csv', shows: 'check, confirm once, open, wait for the fills' },
    {
      line: 'hedge deals run deals.csv --yes --csv > result.csv',
      shows: 'for a script: one line for each row',
    },
  ],
  read: readDealsIntent,
  async run(context, intent) {
    const file = readFile(intent);
    const { trading, rows, shared: read, bar } = await prepare(context, file, { intent, sends: true });
    const quotes = sampledQuotes(quoteRequestsOf(rows, trading), trading);
    const checked = await checkDeals(rows, quotes, { trading, shared: read, onRow: bar('checking') });
    context.progress.stop();
    const { ends } = checked;
    const first = ends.find(blocksRun);
    if (first !== undefined) {
      const value = { file, ends: afterBlock(ends, first), dailyLimit: dailyLimitOf(ends) };
      return outcomeOf(value, read, 'blocked');
    }
    await confirmAll(context, { intent, file, checked, quotes });
    // While the question waited, others may have opened deals of the file.
    const shared = intent.options.yes ? read : await readSharedFacts(trading, dealIdsOfRows(rows));
    const opened = await openDeals(ends, { trading, shared, onRow: bar('opening') });
    const { timeoutMs, wait } = intent.options;
    const onReading = (left: number): void =>
      context.progress.start(`Waiting for ${left.toString()} fills (Ctrl-C stops only the waiting)`);
    const awaited = wait ? await awaitFills(opened, { timeoutMs, onReading }, trading) : opened;
    context.progress.stop();
    const tally = tallyBatch();
    awaited.forEach((end) => tally.count(end));
    return outcomeOf({ file, ends: awaited, ran: tally.totals() }, shared, 'run');
  },
  list: dealList,
  tableWithError: true,
});

export const deals: CommandGroup = {
  name: 'deals',
  summary:
    'Check and open the deals of a CSV file. Each deal ID is opened once, also if the file is run again.',
  commands: [dealsCheck, dealsRun],
};

const LARGEST_BYTES = 4 * 1_024 * 1_024;

/** @throws UsageError */
function readFile({ file }: DealsIntent): DealsFile {
  const given = readUserFile(file, { maxBytes: LARGEST_BYTES });
  if ('why' in given)
    throw new UsageError(
      `The deals file ${quoted(file)} cannot be read: ${given.why}.`,
      say`Example: ${shell`hedge deals check deals.csv`}`,
    );
  return readDeals(new TextDecoder('utf-8').decode(given.bytes), file);
}

interface Prepared {
  trading: TradingContext;
  rows: readonly Deal[];
  shared: SharedFacts;
  bar: (doing: string) => (deal: Deal) => void;
}

/** @throws UsageError before any request, or for a market that is missing. */
async function prepare(
  context: CommandContext,
  file: DealsFile,
  { intent, sends }: { intent: DealsIntent; sends: boolean },
): Promise<Prepared> {
  const base = await context.tradingContext();
  checkBounds(file, base);
  if (sends) checkConfirmable(file, intent, base);
  if (sends) checkDeskReached(base.journal);
  const { progress } = context;
  const quiet: TradingContext = {
    ...base,
    progress: {
      start: () => undefined,
      update: () => undefined,
      note: () => undefined,
      news: (text) => base.progress.news(text),
      stop: () => undefined,
    },
    confirm: async () => true,
  };
  checkAccount(quiet);
  checkDespite(intent.options.despite, quiet);
  progress.start('Reading the account');
  const shared = await readSharedFacts(quiet, new Set(file.deals.map(({ dealId }) => dealId)));
  const rows = dealsOf(file, shared, intent);
  const bar = (doing: string) => {
    let done = 0;
    return ({ line, intent: { dealId = '' } }: Deal): void => {
      progress.start(
        `${progressBar({ done, failed: 0, total: rows.length })} ${doing} line ${line.toString()}, ${dealId}`,
      );
      done += 1;
    };
  };
  return { trading: quiet, rows, shared, bar };
}

const plannedOf = ({ ends, simulated }: CheckedDeals): DealsShown['planned'] => ({
  sides: simulated.totals(),
  left: simulated.left(),
  isBlocked: ends.some(blocksRun),
});

/** Nothing was sent: every other row is not run. */
const afterBlock = (ends: readonly DealEnd[], first: DealEnd): readonly DealEnd[] =>
  ends.map((end) =>
    blocksRun(end) || !isToRun(end) ? end : notRun(end, first.error ?? NOT_CONFIRMED, first.line),
  );

const NOT_CONFIRMED = nothingSent({ code: 'declined', what: 'Canceled.' });

/** Asks nothing if every row was sent before. @throws StoppedError `declined`; UsageError without a terminal. */
async function confirmAll(
  context: CommandContext,
  {
    intent: { options },
    file,
    checked: { ends, simulated },
    quotes,
  }: { intent: DealsIntent; file: DealsFile; checked: CheckedDeals; quotes: QuoteSource },
): Promise<void> {
  const toRun = ends.filter(isToRun).length;
  if (toRun === 0) return;
  const rows = ends.map(recordOfDeal);
  const { now, ifBetter } = toOpen(toRun, rows.filter(({ outcome }) => outcome === 'skipped').length);
  await context.show(
    viewDealsPreview({
      file,
      ends,
      rows,
      toRun,
      sides: simulated.totals(),
      left: simulated.left(),
      quotes: { asked: quotes.asked(), estimated: quotes.estimated() },
    }),
  );
  if (options.yes) return;
  const trading = await context.tradingContext();
  const wanted = counted(now, 'deal');
  const question = { message: `Open ${wanted}${ifBetter}?`, otherwise: '--yes' };
  const isSame = (answer: string): boolean => answer.trim().toLowerCase().replaceAll(/\s+/g, ' ') === wanted;
  const isConfirmed = hasLiveRules(trading)
    ? await context.prompter.typed(question, wanted, isSame)
    : await context.prompter.confirm(question);
  if (!isConfirmed) throw NOT_CONFIRMED;
}

const outcomeOf = (
  { ends, ...value }: Omit<DealsShown, 'rows'> & { ends: readonly DealEnd[] },
  { servedAt }: SharedFacts,
  stage: DealsStage,
): CommandOutcome<DealsShown> => ({
  value: { ...value, rows: ends.map(recordOfDeal) },
  servedAt,
  finding: findingOf(ends, { stage, path: value.file.path }),
});

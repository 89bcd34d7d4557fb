/** Reads and checks a whole batch before its first line runs; the command context of each line; and the progress on standard error. */

import type { BatchIntent } from '../../args/batch-options.ts';
import type { Batch, CommandContext, CommandResult, RunnableLine } from '../../commands/command-context.ts';
import { enlarges } from '../../domain/action-table.ts';
import { commandText, say, shell } from '../../domain/hint.ts';
import { DAY_MS } from '../../domain/instants.ts';
import { quoted } from '../../domain/quoted.ts';
import { redactArgv, spelledName } from '../../domain/sanitize.ts';
import { type HedgeError, UsageError } from '../../errors.ts';
import { timeInWords } from '../../journal/describe.ts';
import { type Block, hintBlocks } from '../../output/blocks.ts';
import { partsIn } from '../../output/cells.ts';
import { type DryRunTotals, reasonOf, wasCanceled } from '../../output/views/batch.ts';
import { readUserFile } from '../../platform/atomic-file.ts';
import { checkDeskReached } from '../../readings/journal-trouble.ts';
import type { ProgressReporter, ReadContext } from '../../readings/read-context.ts';
import {
  type BatchLine,
  type EarlierRun,
  earlierRun,
  keysSent,
  type LineEnd,
  removedLines,
  removedLinesInWords,
} from '../../runs/batch.ts';
import { OTHER_NAME_HINT, outdatedLine } from '../../runs/repeated-line.ts';
import { simulateBatch } from '../../runs/simulate-batch.ts';
import { tallyBatch } from '../../runs/tally-batch.ts';
import type { Progress } from '../../terminal/progress.ts';
import { progressBar } from '../../terminal/progress.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { readStandardInput } from '../../terminal/streams.ts';
import {
  COMMAND_FLAGS,
  type FlagNames,
  flagNamesFor,
  flagsInWords,
  type MissingFlag,
  missingInWords,
  missingToResend,
  missingUnattended,
  notATerminal,
  type UnattendedContext,
} from '../../trading/guards/unattended-policy.ts';
import type { Simulation, TradingContext } from '../../trading/trading-context.ts';
import { codeOfLine } from '../exit-codes.ts';
import { errorOf, withShutdownDeadline } from '../shutdown.ts';
import { type InvalidLine, listInvalidLines, type ParsedLine, readBatchLines } from './read-lines.ts';

export interface LineOptions {
  /** The command lines of batch and line, for the journal. */
  argv: readonly string[];
  /** Standard input is the batch, so it cannot answer a question. */
  fromInput: boolean;
  /** `line 12: open USDTNGN buy 10k` */
  name: string;
  /** The progress bar. */
  bar: () => string;
  /** Set for an action in a dry run of the batch. */
  simulation?: Simulation | undefined;
}

export function lineContext(context: CommandContext, lineOptions: LineOptions): CommandContext {
  const unseen: Block[] = [];
  const progress = withBar(context.progress, lineOptions.bar);
  const quietly = <Context extends ReadContext | Omit<TradingContext, 'confirm'>>(
    trading: Context,
  ): Context => ({
    ...trading,
    progress: reporterOf(trading.progress, progress),
  });
  return {
    ...context,
    progress,
    async show(blocks) {
      unseen.splice(0, unseen.length, ...partsIn(blocks));
    },
    prompter: showingFirst(context.prompter, async () => {
      progress.stop();
      context.note(lineOptions.name);
      await context.show(unseen.splice(0, unseen.length));
    }),
    readContext: async () => quietly(await context.readContext()),
    async tradingContext(options) {
      const trading = await context.tradingContext(options);
      return {
        ...quietly(trading),
        argv: redactArgv(lineOptions.argv),
        attended: trading.attended && !lineOptions.fromInput,
        simulation: lineOptions.simulation,
      };
    },
  };
}

const withBar = (progress: Progress, bar: () => string): Progress => ({
  ...progress,
  start: (text) => progress.start(`${bar()}  ${text}`),
  update: (text) => progress.start(`${bar()}  ${text}`),
});

const reporterOf = (reporter: ProgressReporter, progress: Progress): ProgressReporter => ({
  start: (text) => progress.start(text),
  update: (text) => progress.update(text),
  note: () => undefined,
  news: (line) => reporter.news(line),
  stop: () => undefined,
});

function showingFirst(prompter: Prompter, show: () => Promise<void>): Prompter {
  const afterShowing =
    <Words extends readonly unknown[], Answer>(ask: (...words: Words) => Promise<Answer>) =>
    async (...words: Words): Promise<Answer> => {
      await show();
      return ask(...words);
    };
  return {
    ...prompter,
    confirm: afterShowing((question) => prompter.confirm(question)),
    typed: afterShowing((question, wanted, fits) => prompter.typed(question, wanted, fits)),
  };
}

const LARGEST_BYTES = 4 * 1_024 * 1_024;

export interface BatchContext {
  context: CommandContext;
  input: NodeJS.ReadableStream;
  signal: AbortSignal;
  /** The command line of the batch. */
  argv: readonly string[];
  /** Standard output shows a line per action to a person, not documents. */
  onScreen: boolean;
  isRead: () => boolean;
}

/** @throws UsageError that names every wrong line; CredentialError and the like for the profile. */
export async function openBatch(intent: BatchIntent, runtime: BatchContext): Promise<Batch> {
  const { context, signal, onScreen, isRead } = runtime;
  const fromInput = intent.file === undefined;
  const lines = await readBatchLines(await textOf(intent, runtime), intent, signal, async (keys) => {
    const { journal, identity } = await context.readContext();
    return keysSent(journal.read(), { keys, identity });
  });
  if (lines.length === 0) context.note('The batch has no lines.');
  await refuseUnattended(lines, context, fromInput);
  const earlier = await readEarlierRun(lines, intent, context);
  const { bar, report } = reportBatchProgress(lines, { ...context, onScreen });
  const simulated = intent.dryRun ? simulateBatch() : undefined;
  const tally = tallyActions();
  const ran = tallyBatch();
  const intents = new Map(lines.map(({ number, intent: each }) => [number, each]));
  const simulation = ({ kind, number }: ParsedLine) =>
    kind === 'action' ? simulated?.line(number) : undefined;
  return {
    lines: lines.map((line) => ({
      number: line.number,
      kind: line.kind,
      command: line.command.name,
      typed: commandText(line.words),
      run: () => runLine(line, { fromInput, bar, simulation: simulation(line), earlier }, runtime),
    })),
    signal,
    isRead,
    metaOf: ({ line, error }) => {
      const left = line.kind === 'action' ? simulated?.left() : undefined;
      const meta = { line: line.number, exit_code: codeOfLine(error) };
      return left === undefined ? meta : { ...meta, left };
    },
    report(end) {
      tally.count(end);
      const each = intents.get(end.line.number);
      if (each !== undefined) ran.count({ intent: each, report: end.result?.report, error: end.error });
      return report(end);
    },
    totals: () =>
      simulated === undefined
        ? { ran: ran.totals() }
        : {
            planned: {
              sides: simulated.totals(),
              returned: simulated.returned(),
              left: simulated.left(),
              ...tally.counted(),
            },
          },
  };
}

/** A size that exceeds headroom, capacity, balance or a limit. */
const TOO_LARGE: readonly string[] = [
  'exposure_exceeded',
  'capacity_exceeded',
  'insufficient_balance',
  'limit_exceeded',
];

function tallyActions() {
  let actions = 0;
  let stopped = 0;
  let tooLarge: DryRunTotals['tooLarge'];
  return {
    count({ line: { kind, number }, error }: Parameters<Batch['report']>[0]): void {
      if (kind !== 'action') return;
      actions += 1;
      if (error === undefined) return;
      stopped += 1;
      if (TOO_LARGE.includes(error.code)) tooLarge ??= { number, error };
    },
    counted: () => ({ actions, stopped, tooLarge }),
  };
}

async function runLine(
  { command, raw, words, number, kind, intent }: ParsedLine,
  {
    earlier,
    ...shared
  }: Pick<LineOptions, 'fromInput' | 'bar' | 'simulation'> & {
    earlier: EarlierRun | undefined;
  },
  { context, signal, argv }: BatchContext,
): ReturnType<RunnableLine['run']> {
  const actionPreviewed = (): boolean => kind !== 'reading';
  const place = `line ${number.toString()}:`;
  const name = spelledName([place, ...words].join(' '));
  const own = lineContext(context, { ...shared, name, argv: [...argv, place, ...words] });
  own.progress.start(name);
  try {
    let emitted: CommandResult | undefined;
    const running = command.prepare(raw)(own, async (each) => {
      emitted = each;
    });
    const result =
      (await withShutdownDeadline(running, { signal, clock: context.clock, actionPreviewed })) ?? emitted;
    const report = intent && result?.report;
    const look = async () => report && earlier && outdatedLine(report, earlier, await context.readContext());
    return { result, error: result?.finding ?? (await look()) };
  } catch (thrown) {
    return { result: undefined, error: errorOf(thrown, signal, actionPreviewed()) };
  }
}

const originalAt = (result: CommandResult | undefined): string | undefined => {
  const at = result?.meta['original_at'];
  return typeof at === 'string' ? at : undefined;
};

/** An older result is probably not the one that was wanted. */
const isOlderThanADay = (result: CommandResult | undefined, nowMs: number): boolean =>
  nowMs - Date.parse(originalAt(result) ?? '') > DAY_MS;

async function textOf({ file }: BatchIntent, { input, signal }: BatchContext): Promise<string> {
  if (file === undefined) return readStandardInput(input, LARGEST_BYTES, signal);
  const given = readUserFile(file, { maxBytes: LARGEST_BYTES });
  if ('why' in given)
    throw new UsageError(
      `The batch ${quoted(file)} cannot be read: ${given.why}.`,
      '- reads standard input.',
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(given.bytes);
  } catch {
    throw new UsageError(`The batch ${quoted(file)} is not UTF-8 text.`);
  }
}

/** Fails before the first line runs, not when a line in the middle would fail. */
async function refuseUnattended(
  lines: readonly ParsedLine[],
  context: CommandContext,
  fromInput: boolean,
): Promise<void> {
  if (!lines.some(({ kind, resumes }) => kind === 'action' || resumes !== undefined)) return;
  const { environment, profile, expected, attended, journal } = await context.tradingContext();
  checkLines(lines, { environment, profile, expected, attended: attended && !fromInput });
  if (lines.some(({ intent }) => intent !== undefined && enlarges(intent))) checkDeskReached(journal);
  await context.show([]);
}

/** Shown also with --quiet: lines that were executed before and are no longer in the file. */
async function readEarlierRun(
  lines: readonly ParsedLine[],
  { file, name }: BatchIntent,
  context: CommandContext,
): Promise<EarlierRun | undefined> {
  const intents = lines.flatMap(({ intent }) => intent ?? []);
  if (intents.length === 0) return undefined;
  const { journal, identity, clock } = await context.readContext();
  const batch = { file, name, intents, identity, nowMs: clock.now() };
  const state = journal.read();
  for (const line of removedLinesInWords(removedLines(state, batch))) context.progress.note(line);
  return earlierRun(batch, state);
}

/** For a line that is a JSON object. The batch gives each line a key. */
const IN_THE_OBJECT: FlagNames = { ...COMMAND_FLAGS, price: '"worst_price":"PRICE"' };

/** @throws UsageError that lists every missing option. */
export function checkLines(lines: readonly ParsedLine[], where: UnattendedContext): void {
  const found = lines.map((line) => ({ line, missing: missingFrom(line, where) }));
  const forAll = (['yes', 'promise'] as const).filter((each) =>
    found.some(({ missing }) => missing.includes(each)),
  );
  const wrong = found.flatMap(({ line, missing }) => wrongLine(line, missing.filter(isOfALine)));
  if (forAll.length === 0 && wrong.length === 0) return;
  const { words, details } = listInvalidLines(wrong);
  const flags = flagNamesFor(where);
  throw new UsageError(
    `${notATerminal(where)}: no line has run and nothing was sent.`,
    [
      ...(forAll.length === 0 ? [] : [say`Add after ${shell`hedge batch`}: ${flagsInWords(forAll, flags)}`]),
      ...words,
    ],
    {
      ...(forAll.length === 0 ? {} : { batch: forAll.map((each) => flags[each]) }),
      ...details,
    },
  );
}

function missingFrom({ intent, resumes }: ParsedLine, where: UnattendedContext): readonly MissingFlag[] {
  if (intent !== undefined) return missingUnattended(intent, where);
  return resumes === undefined ? [] : missingToResend(resumes, where);
}

const isOfALine = (missing: MissingFlag): boolean => missing !== 'yes' && missing !== 'promise';

function wrongLine(
  { number, isObject }: ParsedLine,
  missing: readonly MissingFlag[],
): readonly InvalidLine[] {
  if (missing.length === 0) return [];
  const add = isObject
    ? `Add to the object: ${flagsInWords(missing, IN_THE_OBJECT)}`
    : `Add to the line: ${flagsInWords(missing, COMMAND_FLAGS)}`;
  return [{ number, error: new UsageError(`${missingInWords(missing)}.`, add) }];
}

/** `onScreen`: standard output shows each error to a person already. */
function reportBatchProgress(
  lines: readonly BatchLine[],
  { note, liner, clock, onScreen }: Pick<CommandContext, 'note' | 'liner' | 'clock'> & { onScreen: boolean },
) {
  const total = lines.length;
  let done = 0;
  let failed = 0;
  let notRun = 0;
  let canceled: number | undefined;
  const executedBefore: string[] = [];

  const sum = (): void => {
    const [first] = executedBefore;
    if (first !== undefined)
      note(
        `${linesOf(executedBefore.length)} executed before, from ${timeInWords(first)} on, and not executed again. ${OTHER_NAME_HINT}`,
      );
    const left = notRun === 0 ? '' : `${linesOf(notRun)} not run. `;
    if (canceled !== undefined) note(`${left}${continueHint(canceled)}`);
    else if (notRun > 0) note(`${left}${RERUN_HINT}`);
  };
  // An unknown outcome comes first.
  const showNextSteps = async (error: HedgeError): Promise<void> => {
    if (error.effect !== 'unknown' || error.hint === undefined) return;
    const laid = await liner();
    for (const each of laid(hintBlocks(error.hint))) note(`  ${each}`);
  };
  return {
    bar: () => progressBar({ done, failed, total }),
    report: async ({ line, result, error }: LineEnd<BatchLine, CommandResult>): Promise<void> => {
      done += 1;
      const name = `line ${line.number.toString()}`;
      const original = originalAt(result);
      if (original !== undefined) {
        executedBefore.push(original);
        if (error === undefined && isOlderThanADay(result, clock.now()))
          note(`${name}: result of ${original}, more than a day ago. Nothing was executed now.`);
      }
      if (error?.code === 'not_run') {
        notRun += 1;
        if (notRun === 1) note(`${name}: ${error.what}`);
      } else if (error !== undefined) {
        failed += 1;
        if (wasCanceled(error)) canceled ??= line.number;
        if (!onScreen) note(`${name}: ${error.code}: ${reasonOf(error)}`);
        await showNextSteps(error);
      }
      if (done === total) sum();
    },
  };
}

const RERUN_HINT = 'Resolve this first, then run the same batch again: no line is executed twice.';
const continueHint = (line: number): string =>
  `To continue with line ${line}, run the same batch again: no line is executed twice.`;

const linesOf = (count: number): string => (count === 1 ? '1 line was' : `${count.toString()} lines were`);

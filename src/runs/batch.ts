/**
 * Runs the lines of a batch in order, derives their idempotency keys so that a second run sends only the missing
 * lines, and finds lines that were sent earlier and then removed.
 */

import { createHash } from 'node:crypto';
import { dealIdOf, type TypedIntent } from '../domain/action-intent.ts';
import { takesWholeSide } from '../domain/action-table.ts';
import { DAY_MS, exactInstant } from '../domain/instants.ts';
import type { StoppedError } from '../errors.ts';
import {
  CredentialError,
  DamagedFileError,
  type HedgeError,
  InterruptedError,
  nothingSent,
  OutputError,
  UnavailableError,
} from '../errors.ts';
import { type AccountIdentity, sameIdentity } from '../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../journal/describe.ts';
import { type Action, maybeExecuted } from '../journal/replay.ts';
import { type FindBy, foundBy, type JournalState } from '../journal/state.ts';
import { termsOf } from '../trading/action-parts.ts';

export interface BatchLine {
  /** Line of the input, from 1. */
  number: number;
  /** A `reading` may run in parallel with others; an `action` has a key; a `step` runs alone. */
  kind: 'reading' | 'step' | 'action';
}

/** The result of a line. A line that did not run has only an error. */
export interface LineEnd<Line, Result> {
  line: Line;
  result: Result | undefined;
  error: HedgeError | undefined;
}

export interface BatchRun<Line, Result> {
  /** How many consecutive readings may run in parallel. */
  parallel: number;
  keepGoing: boolean;
  signal: AbortSignal;
  /** Whether somebody still reads the results. */
  isRead(): boolean;
  /** Never throws. */
  run(line: Line): Promise<Omit<LineEnd<Line, Result>, 'line'>>;
  /** Called once for every line, in order. */
  ended(end: LineEnd<Line, Result>): Promise<void>;
}

/** @throws only what `ended` throws; no further line starts then. */
export async function runBatch<Line extends BatchLine, Result>(
  lines: readonly Line[],
  batch: BatchRun<Line, Result>,
): Promise<void> {
  let stop: HedgeError | undefined;
  const runOne = async (line: Line): Promise<LineEnd<Line, Result>> => {
    stop ??= interruption(batch.signal);
    if (line.kind === 'action' && !batch.isRead()) stop ??= notRun(UNREAD, 'nobody reads its results');
    if (stop !== undefined) return { line, result: undefined, error: stop };
    const end = { line, ...(await batch.run(line)) };
    if (end.error !== undefined && endsBatch(end.error, batch.keepGoing))
      stop ??= notRun(end.error, `the batch stopped at line ${line.number.toString()}`);
    return end;
  };
  for (const group of groupsOf(lines)) {
    const width = Math.min(group.length, batch.parallel);
    await inOrder(group, { width, run: runOne, ended: (end) => batch.ended(end) });
  }
}

interface Pool<Item, End> {
  width: number;
  run: (item: Item) => Promise<End>;
  ended: (end: End) => Promise<void>;
}

/** Runs `width` at a time and reports the results in order. */
async function inOrder<Item, End>(
  items: readonly Item[],
  { width, run, ended }: Pool<Item, End>,
): Promise<void> {
  const running: Promise<End>[] = [];
  try {
    for (const item of items) {
      if (running.length === width) await handOn(running, ended);
      running.push(run(item));
    }
    while (running.length > 0) await handOn(running, ended);
  } catch (error) {
    // Nothing may keep running after the output failed.
    await Promise.allSettled(running);
    throw error;
  }
}

async function handOn<End>(running: Promise<End>[], ended: (end: End) => Promise<void>): Promise<void> {
  const first = running.shift();
  if (first !== undefined) await ended(await first);
}

/** Consecutive readings form a group; every other line is alone. */
function groupsOf<Line extends BatchLine>(lines: readonly Line[]): readonly (readonly Line[])[] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (line.kind === 'reading' && last?.at(-1)?.kind === 'reading') last.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** These end a batch even with --keep-going: every further line would fail the same way, or unseen. */
const ALWAYS_ENDS = [CredentialError, DamagedFileError, OutputError, InterruptedError] as const;
const ALWAYS_ENDS_CODES: readonly string[] = ['internal', 'env_mismatch'];

/** Whether this error stops the batch. */
export function endsBatch(error: HedgeError, keepGoing: boolean): boolean {
  if (ALWAYS_ENDS_CODES.includes(error.code) || ALWAYS_ENDS.some((kind) => error instanceof kind))
    return true;
  // An outcome is unknown, or the service is unreachable.
  return !keepGoing && (error.effect === 'unknown' || error instanceof UnavailableError);
}

const interruption = (signal: AbortSignal): HedgeError | undefined =>
  signal.reason instanceof InterruptedError ? notRun(signal.reason, 'the batch was stopped') : undefined;

const UNREAD = new OutputError({ code: 'output_failed', what: 'Nobody reads the results.' });

const notRun = (cause: HedgeError, message: string): StoppedError =>
  nothingSent({
    code: 'not_run',
    what: `This line did not run: ${message} (${cause.code}).`,
    hint: 'Fix the cause, then run the same batch again. It executes nothing twice.',
    retry: 'later',
    details: { stopped_by: cause.code },
  });

const DIGITS = 32;

/**
 * One key per action, in order. Price limits, waiting, `--yes` and `--idempotency-key` are not part of it: changing
 * them must not send anything twice. `name` is part of it.
 */
export function batchKeys(actions: readonly TypedIntent[], name: string | undefined): readonly string[] {
  const asked = new Map<string, number>();
  return actions.map((intent) => {
    const request = requestText(intent);
    const place = (asked.get(request) ?? 0) + 1;
    asked.set(request, place);
    const content = JSON.stringify(['batch', name ?? null, request, place]);
    return `hedge-batch-${createHash('sha256').update(content).digest('hex').slice(0, DIGITS)}`;
  });
}

/** Those of the keys that an action of the account was sent with, and may have been executed. */
export const keysSent = (
  state: Pick<JournalState, 'find'>,
  { keys, identity }: { keys: readonly string[]; identity: AccountIdentity },
): ReadonlySet<string> =>
  new Set(
    state
      .find({ keys })
      .filter((action) => maybeExecuted(action) && sameIdentity(action.intent.identity, identity))
      .map(({ intent }) => intent.idempotency_key),
  );

/** Equal for actions that send the same request: `10k` is `10,000`. */
export const requestText = (intent: TypedIntent): string =>
  JSON.stringify([intent.action, intent.market, intent.side, ...termsOf(intent)]);

export interface BatchNow {
  /** The file as typed; undefined: standard input. */
  file: string | undefined;
  name: string | undefined;
  /** The actions in it now, each with its deal ID or key. */
  intents: readonly TypedIntent[];
  identity: AccountIdentity;
  nowMs: number;
}

/** Older runs of a file with the same name are another batch. */
const RECENT_MS = DAY_MS;
/** A file with lines that were executed in this time and taken out since is one that changes every day. */
const SAME_FILE_MS = 7 * DAY_MS;
/** If none of the batch was sent before, only recent runs of the same file count. */
const JUST_NOW_MS = 60 * 60 * 1_000;

/** Sent by an earlier run of the batch that is not older than `withinMs`, and no longer in it. */
export function removedLines(
  state: Pick<JournalState, 'find' | 'since'>,
  batch: BatchNow,
  withinMs = RECENT_MS,
): readonly Action[] {
  const isHere = ({ intent }: Action): boolean => sameIdentity(intent.identity, batch.identity);
  const ids = idsOfBatch(batch.intents);
  const isRunAgain = state.find(ids).some(isHere);
  if (!isRunAgain && batch.file === undefined) return [];
  const since = exactInstant(batch.nowMs - (isRunAgain ? withinMs : JUST_NOW_MS));
  const gone = state
    .since(since)
    .filter(
      (action) =>
        isHere(action) && maybeExecuted(action) && action.intent.at >= since && cameFrom(action, batch),
    );
  const still = foundBy(gone, ids);
  return gone.filter((action) => !still.includes(action));
}

export interface EarlierRun {
  /** Whether an action was sent for one of the lines. */
  isOwn: (action: Action) => boolean;
  /** It may be the same run: a line is still to be executed, and none was taken out. A close may have found nothing. */
  goesOn: boolean;
  /** When the last of them was executed; NaN: none. */
  lastMs: number;
}

export function earlierRun(batch: BatchNow, state: Pick<JournalState, 'find' | 'since'>): EarlierRun {
  const { intents, identity } = batch;
  const { keys = [], dealIds = [] } = idsOfBatch(intents);
  const [byKey, byDealId] = [new Set(keys), new Set<string | undefined>(dealIds)];
  const sent = state
    .find({ keys, dealIds })
    .filter((action) => maybeExecuted(action) && sameIdentity(action.intent.identity, identity))
    .map(({ intent }) => intent);
  const sentKeys = new Set<string | undefined>(sent.map((each) => each.idempotency_key));
  const sentDealIds = new Set(sent.flatMap((each) => each.deal_id ?? []));
  const isMissing = (each: TypedIntent): boolean =>
    !takesWholeSide(each) &&
    !sentKeys.has(each.options.idempotencyKey) &&
    !sentDealIds.has(dealIdOf(each) ?? '');
  return {
    lastMs: Date.parse(
      sent
        .map(({ at }) => at)
        .toSorted()
        .at(-1) ?? '',
    ),
    isOwn: ({ intent }) => byKey.has(intent.idempotency_key) || byDealId.has(intent.deal_id),
    goesOn: intents.some(isMissing) && removedLines(state, batch, SAME_FILE_MS).length === 0,
  };
}

/** One line per removed action, with a heading and a note. */
export function removedLinesInWords(gone: readonly Action[]): readonly string[] {
  if (gone.length === 0) return [];
  const shown = gone.slice(0, MOST_LINES);
  const more = gone.length - shown.length;
  return [
    'Sent by an earlier run of this batch, but no longer in it:',
    ...shown.map((action) => `  ${actionInWords(action)}, action ${action.shortId}: ${stateInWords(action)}`),
    ...(more === 0 ? [] : [`  and ${more.toString()} more: hedge journal`]),
    'These remain. A line that was edited after it was sent is a second trade.',
  ];
}

const MOST_LINES = 5;

/** The keys and deal IDs of the lines. */
const idsOfBatch = (intents: readonly TypedIntent[]): FindBy => ({
  keys: intents.flatMap(({ options: { idempotencyKey } }) => idempotencyKey ?? []),
  dealIds: intents.flatMap((intent) => dealIdOf(intent) ?? []),
});

/** Judged by the command line in the journal: the batch, the line number, and the line. */
function cameFrom({ intent: { sent_by: words } }: Action, { file, name }: BatchNow): boolean {
  const lineAt = words.findIndex((word) => /^line \d+:$/.test(word));
  const typed = words.slice(0, Math.max(0, lineAt));
  return typed.includes('batch') && typed.includes(file ?? '-') && nameIn(typed) === name;
}

function nameIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--name' || word.startsWith('--name='));
  const word = words[at];
  return word === '--name' ? words[at + 1] : word?.slice('--name='.length);
}

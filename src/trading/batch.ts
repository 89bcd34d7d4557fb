/**
 * Many lines, one after the other: in which order they run, what runs beside what, and after which ends nothing
 * more is begun. It knows neither what a line does nor how its end is shown.
 *
 * Idempotency keys for the actions of a batch: each follows from what it asks of the service and how often the
 * batch has asked the same before, so that running the batch again deals what is missing and nothing twice,
 * whatever other lines were mended, moved, added or left out in between. Pure.
 *
 * What an earlier run of a batch dealt that is not in it any more: a line that was mended after it was dealt is
 * another deal, and the first one stands. Nobody should have to find that out from the book. Pure.
 */

import { createHash } from 'node:crypto';
import { type ActionIntent, dealIdOf } from '../args/action-intent.ts';
import {
  CredentialError,
  DamagedFileError,
  type HedgeError,
  InterruptedError,
  OutputError,
  StoppedError,
  UnavailableError,
} from '../errors.ts';
import { type AccountIdentity, sameIdentity } from '../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../journal/describe.ts';
import { type Action, maybeExecuted } from '../journal/replay.ts';
import { termsOf } from './action-parts.ts';
export interface BatchLine {
  /** Of the input, from 1. */
  number: number;
  /** `reading` changes nothing and may run beside others; an `action` has a key; a `step` runs alone. */
  kind: 'reading' | 'step' | 'action';
}

/** What a line came to. A line that did not run has an error and nothing else. */
export interface LineEnd<Line, Result> {
  line: Line;
  result: Result | undefined;
  error: HedgeError | undefined;
}

export interface BatchRun<Line, Result> {
  /** How many readings between two other lines may run at once. */
  parallel: number;
  keepGoing: boolean;
  signal: AbortSignal;
  /** Never throws. */
  run(line: Line): Promise<Omit<LineEnd<Line, Result>, 'line'>>;
  /** Each line's end, in the order of the lines; every line has one. */
  ended(end: LineEnd<Line, Result>): Promise<void>;
}

/** @throws only what `ended` throws; nothing more is begun then. */
export async function runBatch<Line extends BatchLine, Result>(
  lines: readonly Line[],
  batch: BatchRun<Line, Result>,
): Promise<void> {
  let stop: HedgeError | undefined;
  const runOne = async (line: Line): Promise<LineEnd<Line, Result>> => {
    stop ??= interruption(batch.signal);
    if (stop !== undefined) return { line, result: undefined, error: stop };
    const end = { line, ...(await batch.run(line)) };
    if (end.error !== undefined && endsBatch(end.error, batch.keepGoing))
      stop ??= notRun(end.error, `the batch stopped at line ${line.number.toString()}`);
    return end;
  };
  for (const together of groupsOf(lines)) {
    const width = Math.min(together.length, batch.parallel);
    await inOrder(together, { width, run: runOne, ended: (end) => batch.ended(end) });
  }
}

interface Handing<Item, End> {
  width: number;
  run: (item: Item) => Promise<End>;
  ended: (end: End) => Promise<void>;
}

/** Runs `width` at a time; hands the ends on in order, each as soon as all before it are there. */
async function inOrder<Item, End>(
  items: readonly Item[],
  { width, run, ended }: Handing<Item, End>,
): Promise<void> {
  const running: Promise<End>[] = [];
  try {
    for (const item of items) {
      if (running.length === width) await handOn(running, ended);
      running.push(run(item));
    }
    while (running.length > 0) await handOn(running, ended);
  } catch (error) {
    // What could not be shown must not leave anything running behind it.
    await Promise.allSettled(running);
    throw error;
  }
}

async function handOn<End>(running: Promise<End>[], ended: (end: End) => Promise<void>): Promise<void> {
  const first = running.shift();
  if (first !== undefined) await ended(await first);
}

/** Neighbouring readings make a group; everything else is alone. */
function groupsOf<Line extends BatchLine>(lines: readonly Line[]): readonly (readonly Line[])[] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (line.kind === 'reading' && last?.at(-1)?.kind === 'reading') last.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** Whatever the operator wants, nothing more is begun: every further line would end in the same way, or unseen. */
const ALWAYS_ENDS = [CredentialError, DamagedFileError, OutputError, InterruptedError] as const;
const ALWAYS_ENDS_CODES: readonly string[] = ['internal', 'env_mismatch'];

/** Whether nothing more is begun after this end. */
export function endsBatch(error: HedgeError, keepGoing: boolean): boolean {
  if (ALWAYS_ENDS_CODES.includes(error.code) || ALWAYS_ENDS.some((kind) => error instanceof kind))
    return true;
  // The book is in doubt, or nobody is there to deal with.
  return !keepGoing && (error.effect === 'unknown' || error instanceof UnavailableError);
}

const interruption = (signal: AbortSignal): HedgeError | undefined =>
  signal.reason instanceof InterruptedError ? notRun(signal.reason, 'the batch was stopped') : undefined;

const notRun = (cause: HedgeError, says: string): StoppedError =>
  new StoppedError({
    code: 'not_run',
    what: `This line did not run: ${says} (${cause.code}).`,
    book: 'Nothing was sent.',
    hint: 'Once that is settled, run the same batch again: what is done already is not done twice.',
    retry: 'later',
    details: { stopped_by: cause.code },
  });

const DIGITS = 32;

/**
 * One key an action, in order. How an action is dealt (price bounds, waiting, `--yes`, a key of its own) takes
 * no part: changing that must not deal anything a second time. `name` does.
 */
export function batchKeys(actions: readonly ActionIntent[], name: string | undefined): readonly string[] {
  const asked = new Map<string, number>();
  return actions.map((intent) => {
    const request = requestText(intent);
    const place = (asked.get(request) ?? 0) + 1;
    asked.set(request, place);
    const content = JSON.stringify(['batch', name ?? null, request, place]);
    return `hedge-batch-${createHash('sha256').update(content).digest('hex').slice(0, DIGITS)}`;
  });
}

/** Equal for actions that ask the service for the same. */
export const requestText = (intent: ActionIntent): string => JSON.stringify(requestOf(intent));

/** What the service is asked to do, however it was written: `10k` is `10,000`. */
const requestOf = (intent: ActionIntent): readonly (string | number | null)[] => [
  intent.action,
  intent.market,
  intent.side,
  ...termsOf(intent),
];

export interface BatchNow {
  /** As it was typed; undefined: standard input. */
  file: string | undefined;
  name: string | undefined;
  /** The actions that are in it now, each with its deal id or its key. */
  intents: readonly ActionIntent[];
  identity: AccountIdentity;
  nowMs: number;
}

/** Runs of one batch follow each other within hours; a file of yesterday's name is another batch. */
const RECENT_MS = 24 * 60 * 60 * 1_000;
/** Where nothing of it was dealt before, only what its file held just now. Standard input has no such past. */
const JUST_NOW_MS = 60 * 60 * 1_000;

export function removedLines(actions: readonly Action[], batch: BatchNow): readonly Action[] {
  const here = actions.filter(({ intent }) => sameIdentity(intent.identity, batch.identity));
  const isInBatch = among(batch.intents);
  const isRunAgain = here.some(isInBatch);
  if (!isRunAgain && batch.file === undefined) return [];
  const since = batch.nowMs - (isRunAgain ? RECENT_MS : JUST_NOW_MS);
  return here.filter(
    (action) =>
      maybeExecuted(action) &&
      Date.parse(action.intent.at) >= since &&
      cameFrom(action, batch) &&
      !isInBatch(action),
  );
}

/** One a line; the last says what that means for the lines that are there. */
export function removedLinesInWords(gone: readonly Action[]): readonly string[] {
  if (gone.length === 0) return [];
  const shown = gone.slice(0, MOST_LINES);
  const more = gone.length - shown.length;
  return [
    'Dealt by an earlier run of this batch, and not in it now:',
    ...shown.map((action) => `  ${actionInWords(action)}, action ${action.shortId}: ${stateInWords(action)}`),
    ...(more === 0 ? [] : [`  and ${more.toString()} more: hedge journal`]),
    'That stands. A line that was changed after it was dealt is a deal of its own, besides it.',
  ];
}

const MOST_LINES = 5;

/** Whether an action was dealt by one of these: under its key, or under its deal id. */
function among(intents: readonly ActionIntent[]): (action: Action) => boolean {
  const keys = new Set(intents.flatMap(({ options: { idempotencyKey } }) => idempotencyKey ?? []));
  const dealIds = new Set(intents.flatMap((intent) => dealIdOf(intent) ?? []));
  return ({ intent: { idempotency_key: key, deal_id: dealId } }) =>
    keys.has(key) || (dealId !== undefined && dealIds.has(dealId));
}

/** By the command line that the journal has of it: that of the batch, its line, and what the line says. */
function cameFrom({ intent: { sent_by: words } }: Action, { file, name }: BatchNow): boolean {
  const place = words.findIndex((word) => /^line \d+:$/.test(word));
  const typed = words.slice(0, Math.max(0, place));
  return typed.includes('batch') && typed.includes(file ?? '-') && nameIn(typed) === name;
}

function nameIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--name' || word.startsWith('--name='));
  const word = words[at];
  return word === '--name' ? words[at + 1] : word?.slice('--name='.length);
}

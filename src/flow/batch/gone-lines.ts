/**
 * What an earlier run of a batch dealt that is not in it any more: a line that was mended after it was dealt is
 * another deal, and the first one stands. Nobody should have to find that out from the book. Pure.
 */
import type { ActionIntent } from '../../intent/action-intent.ts';
import { type Action, mayStand } from '../../journal/fold.ts';
import { type Identity, sameIdentity } from '../../journal/identity.ts';
import { actionInWords, stateInWords } from '../../journal/in-words.ts';

export interface BatchNow {
  /** As it was typed; undefined: standard input. */
  file: string | undefined;
  name: string | undefined;
  /** The actions that are in it now, each with its deal id or its key. */
  intents: readonly ActionIntent[];
  identity: Identity;
  nowMs: number;
}

/** Runs of one batch follow each other within hours; a file of yesterday's name is another batch. */
const RECENT_MS = 24 * 60 * 60 * 1_000;
/** Where nothing of it was dealt before, only what its file held just now. Standard input has no such past. */
const JUST_NOW_MS = 60 * 60 * 1_000;

export function goneLines(actions: readonly Action[], batch: BatchNow): readonly Action[] {
  const here = actions.filter(({ intent }) => sameIdentity(intent.identity, batch.identity));
  const isInBatch = among(batch.intents);
  const isRunAgain = here.some(isInBatch);
  if (!isRunAgain && batch.file === undefined) return [];
  const since = batch.nowMs - (isRunAgain ? RECENT_MS : JUST_NOW_MS);
  return here.filter(
    (action) =>
      mayStand(action) &&
      Date.parse(action.intent.at) >= since &&
      cameFrom(action, batch) &&
      !isInBatch(action),
  );
}

/** One a line; the last says what that means for the lines that are there. */
export function goneInWords(gone: readonly Action[]): readonly string[] {
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

const dealIdOf = (intent: ActionIntent): string | undefined =>
  intent.action === 'open' ? intent.dealId : undefined;

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

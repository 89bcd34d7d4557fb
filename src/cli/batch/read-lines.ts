/** The text of a batch to checked lines: shell words or JSON objects. All of them, or one error that names each wrong line. */

import { type ResumeIntent, readResumeIntent } from '../../args/action-options.ts';
import type { BatchIntent } from '../../args/batch-options.ts';
import type { RawInput } from '../../args/option.ts';
import { readAction } from '../../args/read-action.ts';
import { parseUserObject } from '../../client/json.ts';
import { type Command, isGroup, longFlag } from '../../commands/define.ts';
import { loadEntry, namesInBatch } from '../../commands/registry.ts';
import { dealIdOf, type TypedIntent } from '../../domain/action-intent.ts';
import { isActionName, takesWholeSide } from '../../domain/action-table.ts';
import { hintText, inOneLine, say, shell } from '../../domain/hint.ts';
import { quotedName } from '../../domain/quoted.ts';
import { sanitize } from '../../domain/sanitize.ts';
import { type Sentence, UsageError } from '../../errors.ts';
import { nextTurn } from '../../platform/clock.ts';
import { type BatchLine, batchKeys, requestText } from '../../runs/batch.ts';
import { readCommandLine } from '../command-line.ts';
import { wordsOfObject } from '../command-object.ts';
import { scanGlobalOptions } from '../global-options.ts';
import { readWords } from './shell-words.ts';

/** A line that can run. */
export interface ParsedLine extends BatchLine {
  command: Command;
  words: readonly string[];
  raw: RawInput;
  intent: TypedIntent | undefined;
  resumes: ResumeIntent | undefined;
  /** Written as a JSON object. */
  isObject: boolean;
}

type BatchOptions = Pick<BatchIntent, 'name' | 'yes' | 'dryRun'>;

const MOST_LINES = 10_000;
const LONGEST_LINE_BYTES = 65_536;
/** Lines between two checks for a signal. */
const LINES_PER_TURN = 50;

/** Those of the keys that were sent before; asked only where an equal line has a key or deal ID of its own. */
type SentBefore = (keys: readonly string[]) => Promise<ReadonlySet<string>>;

const NONE_SENT: SentBefore = async () => new Set();

/** @throws UsageError that names the wrong lines; the reason of `signal`. */
export async function readBatchLines(
  text: string,
  options: BatchOptions,
  signal?: AbortSignal,
  sentBefore = NONE_SENT,
): Promise<readonly ParsedLine[]> {
  const read: ParsedLine[] = [];
  const wrong: InvalidLine[] = [];
  for (const [index, each] of linesIn(text).entries()) {
    if (index % LINES_PER_TURN === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const number = index + 1;
    try {
      if (Buffer.byteLength(each) > LONGEST_LINE_BYTES) throw tooLong();
      const isObject = each.trimStart().startsWith('{');
      const words = isObject ? await wordsOfJson(each) : readWords(each);
      if (words.length > 0) read.push({ ...(await readLine(number, words, options)), isObject });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      wrong.push({ number, error });
    }
  }
  rejectInvalidLines([...wrong, ...repeated(read), ...doubled(read)]);
  return withKeys(read, options.name, sentBefore);
}

/** @throws UsageError for too many lines. */
function linesIn(text: string): readonly string[] {
  const lines = text
    .replace(/^\u{feff}/u, '')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
  if (lines.length <= MOST_LINES) return lines;
  throw new UsageError(
    `The batch has ${lines.length.toString()} lines, more than ${MOST_LINES.toString()}. No line has run and nothing was sent.`,
    'Split it into several files, each with a --name of its own.',
  );
}

const tooLong = (): UsageError =>
  new UsageError(
    `The line is longer than ${LONGEST_LINE_BYTES.toString()} bytes.`,
    'Write one command on each line.',
  );

async function readLine(
  number: number,
  typed: readonly string[],
  options: BatchOptions,
): Promise<Omit<ParsedLine, 'isObject'>> {
  const words = typed[0] === 'hedge' ? typed.slice(1) : typed;
  const read = await readCommandLine(words, { width: 0 });
  if (read.kind === 'text') throw new UsageError('Help does not run in a batch.', 'Run it on its own.');
  const { command, globals } = read;
  const { inBatch: kind } = command;
  if (kind === undefined)
    throw new UsageError(
      `hedge ${command.name} does not run in a batch.`.replace('  ', ' '),
      `These do: ${await namesInBatch()}.`,
    );
  const { output, quiet, verbose } = globals;
  const { form, query, wide, columns } = output;
  const isShaped = form !== 'table' || query !== undefined || wide || columns !== undefined;
  const shownOtherwise = isShaped || quiet || verbose || scanGlobalOptions(words).noColor;
  if (globals.profile !== undefined || globals.expectEnv !== undefined || shownOtherwise)
    throw new UsageError(
      'Profile, environment and output options are the same for every line.',
      say`Give --profile, --expect-env, --json, -q and -v once, after ${shell`hedge batch`}.`,
    );
  const raw = withBatchOptions(read.raw, command, options);
  command.prepare(raw);
  if ((await command.watch(raw)) !== undefined)
    throw new UsageError('--watch does not run in a batch.', 'Leave it out.');
  const intent = isActionName(command.name) ? readAction(command.name, raw) : undefined;
  const resumes = command.name === 'resume' ? readResumeIntent(raw) : undefined;
  return { number, kind, command, words, raw, intent, resumes };
}

/** Options of the batch, in each line that takes them. A deal ID makes its line safe to run again. */
function withBatchOptions(
  raw: RawInput,
  { options: specs }: Command,
  { yes, dryRun }: BatchOptions,
): RawInput {
  const takes = (flag: string): boolean => specs.some(({ flags }) => longFlag(flags) === flag);
  const { options } = raw;
  const ensured =
    takes('--ensure') && options['dealId'] !== undefined && options['idempotencyKey'] === undefined;
  return {
    operands: raw.operands,
    options: {
      ...options,
      ...(yes && takes('--yes') ? { yes } : {}),
      ...(dryRun && takes('--dry-run') ? { dryRun } : {}),
      ...(ensured ? { ensure: true } : {}),
    },
  };
}

/** Two lines with one deal ID or key would silently be one action. */
function repeated(lines: readonly ParsedLine[]): readonly InvalidLine[] {
  const seen = new Map<string, number>();
  return lines.flatMap(({ number, intent }) =>
    namesOf(intent).flatMap((name) => {
      const before = seen.get(name);
      seen.set(name, before ?? number);
      if (before === undefined) return [];
      const what = `${quotedName(name)} is already used on line ${before.toString()}.`;
      return [{ number, error: new UsageError(what, 'Each action needs its own deal ID or key.') }];
    }),
  );
}

/** The same action twice is an error unless allowed: a duplicate check would stop it only within a minute. */
function doubled(lines: readonly ParsedLine[]): readonly InvalidLine[] {
  const seen = new Map<string, number>();
  return lines.flatMap(({ number, intent }) => {
    if (intent === undefined || takesWholeSide(intent) || namesOf(intent).length > 0) return [];
    const request = requestText(intent);
    const before = seen.get(request);
    seen.set(request, before ?? number);
    if (before === undefined || intent.allowDuplicate) return [];
    const hint = `If both are meant: --allow-duplicate on this line${'dealId' in intent ? ', or a deal ID for each' : ''}.`;
    return [{ number, error: new UsageError(`It is the same as line ${before.toString()}.`, hint) }];
  });
}

const namesOf = (intent: TypedIntent | undefined): readonly string[] =>
  intent === undefined
    ? []
    : [dealIdOf(intent), intent.options.idempotencyKey].filter((name) => name !== undefined);

/** Actions without a key or deal ID get a key that follows from the batch. */
async function withKeys(
  lines: readonly ParsedLine[],
  name: string | undefined,
  sentBefore: SentBefore,
): Promise<readonly ParsedLine[]> {
  const left = await keysLeft(
    lines.flatMap(({ intent }) => intent ?? []),
    name,
    sentBefore,
  );
  return lines.map((line) => {
    const { intent, raw, command } = line;
    if (intent === undefined || !isActionName(command.name) || namesOf(intent).length > 0) return line;
    const idempotencyKey = left.get(requestText(intent))?.shift();
    if (idempotencyKey === undefined) return line;
    const keyed = { ...raw, options: { ...raw.options, idempotencyKey } };
    return { ...line, raw: keyed, intent: readAction(command.name, keyed) };
  });
}

/**
 * By request: the keys of its lines, in order. A line with a key or deal ID of its own leaves one over, and may be new or have
 * had any of them: those that were sent are kept.
 */
async function keysLeft(
  intents: readonly TypedIntent[],
  name: string | undefined,
  sentBefore: SentBefore,
): Promise<ReadonlyMap<string, string[]>> {
  const unnamed = intents.map((intent) => ('dealId' in intent ? { ...intent, dealId: undefined } : intent));
  const equal = new Map<string, { keys: string[]; named: number }>();
  for (const [at, key] of batchKeys(unnamed, name).entries()) {
    const intent = unnamed[at];
    if (intent === undefined) continue;
    const known = equal.get(requestText(intent)) ?? { keys: [], named: 0 };
    known.keys.push(key);
    if (namesOf(intents[at]).length > 0) known.named += 1;
    equal.set(requestText(intent), known);
  }
  const mixed = [...equal.values()].filter(({ keys, named }) => named > 0 && named < keys.length);
  const sent = mixed.length === 0 ? new Set() : await sentBefore(mixed.flatMap(({ keys }) => keys));
  for (const group of mixed) {
    const sentFirst = group.keys.toSorted((one, other) => Number(sent.has(other)) - Number(sent.has(one)));
    const over = sentFirst.slice(group.keys.length - group.named);
    group.keys = group.keys.filter((key) => !over.includes(key));
  }
  return new Map([...equal].map(([request, { keys }]) => [request, keys]));
}

/** @throws UsageError that names the wrong field or command. */
export async function wordsOfJson(text: string): Promise<readonly string[]> {
  const { command: name, ...fields } = parseUserObject(text, 'Write each object on one line.');
  const command = typeof name === 'string' ? await load(name) : undefined;
  if (typeof name !== 'string' || command?.inBatch === undefined)
    throw new UsageError(
      name === undefined
        ? 'The field "command" is missing.'
        : 'The field "command" does not name a batch command.',
      `Use one of ${await namesInBatch()}.`,
    );
  return [name, ...wordsOfObject(command, fields)];
}

async function load(name: string): Promise<Command | undefined> {
  const entry = await loadEntry(name);
  return entry !== undefined && isGroup(entry) ? entry.main : entry;
}

export interface InvalidLine {
  number: number;
  error: UsageError;
}

/** The others are counted. */
const MOST_LISTED = 50;

/** @throws UsageError that lists the first of them. */
export function rejectInvalidLines(wrong: readonly InvalidLine[]): void {
  if (wrong.length === 0) return;
  const lines = wrong.length === 1 ? '1 line is' : `${wrong.length.toString()} lines are`;
  const { words, details } = listInvalidLines(wrong);
  throw new UsageError(
    `${lines} invalid. No line of the batch has run and nothing was sent.`,
    words,
    details,
  );
}

export function listInvalidLines(wrong: readonly InvalidLine[]) {
  const shown = wrong.toSorted((one, other) => one.number - other.number).slice(0, MOST_LISTED);
  const others = wrong.length - shown.length;
  return {
    words: [
      ...shown.map(wrongInWords),
      ...(others === 0 ? [] : [`and ${others.toString()} more invalid ${others === 1 ? 'line' : 'lines'}.`]),
    ],
    details: { lines: shown.map(wrongDetails), ...(others === 0 ? {} : { others }) },
  };
}

/** `line 3: "up" is not a side. The side is buy or sell.` */
const wrongInWords = ({ number, error: { what, hint = [] } }: InvalidLine): Sentence =>
  inOneLine([`line ${number.toString()}: ${sanitize(what)}`, ...hint]);

const wrongDetails = ({ number, error: { what, hint } }: InvalidLine) => ({
  line: number,
  message: what,
  ...(hint === undefined ? {} : { hint: hintText(hint) }),
});

/**
 * The text of a batch to its lines, each the same as if it had been typed: all of them, or one error that names
 * every wrong one. What the batch says for all its lines is put into each; nothing runs here.
 */
import type { Command } from '../../commands/define.ts';
import { quotedName } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { batchKeys, requestText } from '../../flow/batch/batch-keys.ts';
import type { BatchLine } from '../../flow/batch/run-batch.ts';
import type { ActionIntent } from '../../intent/action-intent.ts';
import { type ResumeIntent, readResumeIntent } from '../../intent/after-intents.ts';
import type { BatchIntent } from '../../intent/batch-intent.ts';
import type { RawInput } from '../../intent/raw-input.ts';
import { readAction } from '../../intent/read-action.ts';
import { readWords } from '../../intent/shell-words.ts';
import { nextTurn } from '../../platform/clock.ts';
import { readCommandLine } from '../command-line.ts';
import { glanceAt } from '../global-options.ts';
import { COMMANDS_IN_BATCH, isAction, kindInBatch } from './allowed.ts';
import { wordsOfJson } from './json-line.ts';
import { refuseWrong, type WrongLine } from './wrong-lines.ts';

/** A line that can run. */
export interface Line extends BatchLine {
  command: Command;
  words: readonly string[];
  raw: RawInput;
  /** Of an action. */
  intent: ActionIntent | undefined;
  /** Of a resume. */
  resumes: ResumeIntent | undefined;
  /** Written as a JSON object, and not as it would be typed. */
  isObject: boolean;
}

type Terms = Pick<BatchIntent, 'name' | 'yes' | 'dryRun'>;

const MOST_LINES = 10_000;
const LONGEST_LINE_BYTES = 65_536;
/** Lines that are read between two looks for a signal: a few milliseconds. */
const AT_ONCE = 50;

/** `signal` ends the reading with its own reason. @throws UsageError naming the lines that are wrong. */
export async function readLines(text: string, terms: Terms, signal?: AbortSignal): Promise<readonly Line[]> {
  const read: Line[] = [];
  const wrong: WrongLine[] = [];
  for (const [index, each] of linesIn(text).entries()) {
    if (index % AT_ONCE === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const number = index + 1;
    try {
      if (Buffer.byteLength(each) > LONGEST_LINE_BYTES) throw tooLong();
      const isObject = each.trimStart().startsWith('{');
      const words = isObject ? await wordsOfJson(each) : readWords(each);
      if (words.length > 0) read.push({ ...(await readLine(number, words, terms)), isObject });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      wrong.push({ number, error });
    }
  }
  refuseWrong([...wrong, ...repeated(read), ...doubled(read)]);
  return withKeys(read, terms.name);
}

/** @throws UsageError when there are more than a batch may have; a line end at the very end begins none. */
function linesIn(text: string): readonly string[] {
  const lines = text
    .replace(/^\u{feff}/u, '')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
  if (lines.length <= MOST_LINES) return lines;
  throw new UsageError(
    `The batch has ${lines.length.toString()} lines, more than ${MOST_LINES.toString()}. None has run and nothing was sent.`,
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
  terms: Terms,
): Promise<Omit<Line, 'isObject'>> {
  const words = typed[0] === 'hedge' ? typed.slice(1) : typed;
  const said = await readCommandLine(words, { width: 0 });
  if (said.kind === 'text')
    throw new UsageError(
      'A line of a batch is one command, and this asks for help.',
      'Ask for it at a prompt.',
    );
  const { command, globals } = said;
  const kind = kindInBatch(command.name);
  if (kind === undefined)
    throw new UsageError(
      `hedge ${command.name} does not run in a batch.`.replace('  ', ' '),
      `These do: ${COMMANDS_IN_BATCH.join(', ')}.`,
    );
  const { output, quiet, verbose, noColor } = glanceAt(words);
  const shownOtherwise = output.form !== 'table' || output.query !== undefined || quiet || verbose || noColor;
  if (globals.profile !== undefined || globals.expectEnv !== undefined || shownOtherwise)
    throw new UsageError(
      'Profile, environment and how results are shown are the same for every line.',
      'Say --profile, --expect-env, -q and -v once, after hedge batch; documents come by themselves.',
    );
  const raw = withTerms(said.raw, command, terms);
  command.prepare(raw);
  if ((await command.watch(raw)) !== undefined)
    throw new UsageError('A line of a batch is read once.', 'Leave out --watch.');
  const intent = isAction(command.name) ? readAction(command.name, raw) : undefined;
  const resumes = command.name === 'resume' ? readResumeIntent(raw) : undefined;
  return { number, kind, command, words, raw, intent, resumes };
}

/** What the batch says for all its lines, in each that takes it. A deal id makes its line safe to run again. */
function withTerms(raw: RawInput, { options: specs }: Command, { yes, dryRun }: Terms): RawInput {
  const takes = (flag: string): boolean => specs.some(({ flags }) => flags.split(/[ ,]+/).includes(flag));
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

/** A deal id or a key that stands in two lines that deal would make one deal of them, silently. */
function repeated(lines: readonly Line[]): readonly WrongLine[] {
  const seen = new Map<string, number>();
  return lines.flatMap(({ number, intent }) =>
    namesOf(intent).flatMap((name) => {
      const before = seen.get(name);
      seen.set(name, before ?? number);
      if (before === undefined) return [];
      const what = `${quotedName(name)} names line ${before.toString()} already.`;
      return [
        { number, error: new UsageError(what, 'Each line that deals needs a deal id or key of its own.') },
      ];
    }),
  );
}

/**
 * The same deal twice is a slip unless it is said: within a minute it would be stopped as a double, and when the
 * batch is run again after that it would be dealt.
 */
function doubled(lines: readonly Line[]): readonly WrongLine[] {
  const seen = new Map<string, number>();
  return lines.flatMap(({ number, intent }) => {
    if (intent === undefined || intent.action === 'close' || namesOf(intent).length > 0) return [];
    const request = requestText(intent);
    const before = seen.get(request);
    seen.set(request, before ?? number);
    if (before === undefined || intent.allowDuplicate) return [];
    const hint = `If it is meant twice: --allow-duplicate on this line${intent.action === 'open' ? ', or a deal id for each' : ''}.`;
    return [{ number, error: new UsageError(`It asks for the same as line ${before.toString()}.`, hint) }];
  });
}

const namesOf = (intent: ActionIntent | undefined): readonly string[] =>
  intent === undefined
    ? []
    : [dealIdOf(intent), intent.options.idempotencyKey].filter((name) => name !== undefined);

const dealIdOf = (intent: ActionIntent): string | undefined =>
  intent.action === 'open' ? intent.dealId : undefined;

/** Every action that has neither a key nor a deal id of its own gets the key that follows from the batch. */
function withKeys(lines: readonly Line[], name: string | undefined): readonly Line[] {
  const keys = batchKeys(
    lines.flatMap(({ intent }) => intent ?? []),
    name,
  ).values();
  return lines.map((line) => {
    const { intent, raw, command } = line;
    if (intent === undefined || !isAction(command.name)) return line;
    const idempotencyKey = keys.next().value;
    if (namesOf(intent).length > 0 || idempotencyKey === undefined) return line;
    const keyed = { ...raw, options: { ...raw.options, idempotencyKey } };
    return { ...line, raw: keyed, intent: readAction(command.name, keyed) };
  });
}

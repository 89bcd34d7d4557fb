/**
 * A batch from its file to lines that are ready to run: read, found right, and said enough for where they deal.
 * Nothing of it has run, and nothing was sent, when this returns.
 */
import type { Batch, Desk, RunnableLine } from '../../commands/desk.ts';
import type { Shown } from '../../commands/shown.ts';
import { spelledName } from '../../domain/clean.ts';
import { quoted } from '../../domain/quoted.ts';
import { UsageError } from '../../errors.ts';
import { goneInWords, goneLines } from '../../flow/batch/gone-lines.ts';
import type { BatchIntent } from '../../intent/batch-intent.ts';
import { readGivenFile } from '../../platform/given-file.ts';
import { readStandardInput } from '../../terminal/standard-input.ts';
import { errorOf, notLongAfterSignal } from '../ending.ts';
import { codeOfLine } from '../exit-codes.ts';
import { checkLines } from './attendance.ts';
import { deskOfLine, type LineTerms } from './line-desk.ts';
import { narrate } from './narrator.ts';
import { type Line, readLines } from './read-lines.ts';

const LARGEST_BYTES = 4 * 1_024 * 1_024;

export interface BatchWorld {
  desk: Desk;
  input: NodeJS.ReadableStream;
  signal: AbortSignal;
  /** The command line of the batch. */
  argv: readonly string[];
}

/** @throws UsageError naming every line that is wrong; CredentialError and the like for where it would deal. */
export async function openBatch(intent: BatchIntent, world: BatchWorld): Promise<Batch> {
  const { desk, signal } = world;
  const fromInput = intent.file === undefined;
  const lines = await readLines(await textOf(intent, world), intent, signal);
  if (lines.length === 0) desk.note('The batch has no lines: nothing to do.');
  await refuseUnattended(lines, desk, fromInput);
  await tellOfGone(lines, intent, desk);
  const { named } = await desk.vantage();
  const { bar, tell } = narrate(lines, { ...desk, named });
  return {
    lines: lines.map((line) => ({
      number: line.number,
      kind: line.kind,
      command: line.command.name,
      run: () => runLine(line, { fromInput, bar }, world),
    })),
    signal,
    metaOf: ({ line, error }) => ({ line: line.number, exit_code: codeOfLine(error) }),
    tell,
  };
}

async function runLine(
  { command, raw, words, number, kind }: Line,
  voice: Pick<LineTerms, 'fromInput' | 'bar'>,
  { desk, signal, argv }: BatchWorld,
): ReturnType<RunnableLine['run']> {
  const dealt = (): boolean => kind !== 'reading';
  const place = `line ${number.toString()}:`;
  const name = spelledName([place, ...words].join(' '));
  const own = deskOfLine(desk, { ...voice, name, argv: [...argv, place, ...words] });
  own.progress.start(name);
  try {
    let shown: Shown | undefined;
    const running = command.prepare(raw)(own, async (emitted) => {
      shown = emitted;
    });
    const result = (await notLongAfterSignal(running, { signal, clock: desk.clock, dealt })) ?? shown;
    return { result, error: result?.finding };
  } catch (thrown) {
    return { result: undefined, error: errorOf(thrown, signal, dealt()) };
  }
}

async function textOf({ file }: BatchIntent, { input, signal }: BatchWorld): Promise<string> {
  if (file === undefined) return readStandardInput(input, LARGEST_BYTES, signal);
  const given = readGivenFile(file, { maxBytes: LARGEST_BYTES });
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

/** What each line would be stopped for at its turn, found before the first one runs. */
async function refuseUnattended(lines: readonly Line[], desk: Desk, fromInput: boolean): Promise<void> {
  if (!lines.some(({ kind, resumes }) => kind === 'action' || resumes !== undefined)) return;
  const { environment, expected, attended } = await desk.dealing();
  checkLines(lines, { environment, expected, attended: attended && !fromInput });
  await desk.show([]);
}

/** Told also with --quiet: what was dealt before and left out of the file since. */
async function tellOfGone(lines: readonly Line[], { file, name }: BatchIntent, desk: Desk): Promise<void> {
  const intents = lines.flatMap(({ intent }) => intent ?? []);
  if (intents.length === 0) return;
  const { journal, identity, clock } = await desk.looking();
  const batch = { file, name, intents, identity, nowMs: clock.now() };
  for (const line of goneInWords(goneLines(journal.read().actions, batch))) desk.progress.note(line);
}

/** What `hedge batch` was asked: where its lines come from, and how they are to run. Reads no line. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { optionGiven, optionText, type RawInput } from './operands.ts';
export interface BatchIntent {
  /** A path; undefined: standard input. */
  file: string | undefined;
  /** How many readings may run at once; actions never do. */
  parallel: number;
  /** Goes on after an unknown outcome, and while the service cannot be reached. */
  keepGoing: boolean;
  /** Tells one batch from another of the same lines; part of every key that is derived. */
  name: string | undefined;
  /** For every line that takes it. */
  yes: boolean;
  dryRun: boolean;
}

const MOST_PARALLEL = 16;
const LONGEST_NAME = 128;

export function readBatchIntent(raw: RawInput): BatchIntent {
  const [file = ''] = raw.operands;
  if (file === '')
    throw new UsageError('The name of the file is empty.', 'Name a file, or - for standard input.');
  const parallel = optionText(raw, 'parallel');
  const name = optionText(raw, 'name');
  return {
    file: file === '-' ? undefined : file,
    parallel: parallel === undefined ? 1 : readParallel(parallel),
    keepGoing: optionGiven(raw, 'keepGoing'),
    name: name === undefined ? undefined : readName(name),
    yes: optionGiven(raw, 'yes'),
    dryRun: optionGiven(raw, 'dryRun'),
  };
}

function readParallel(text: string): number {
  const count = /^[1-9]\d?$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_PARALLEL)
    throw new UsageError(
      `${quoted(text)} is not a number of readings at once.`,
      `Write 1 to ${MOST_PARALLEL.toString()}: --parallel 4. Actions run one after the other all the same.`,
    );
  return count;
}

function readName(text: string): string {
  if (text.trim() === '' || text.length > LONGEST_NAME)
    throw new UsageError(
      `${quoted(text)} is not a name for a batch.`,
      `Write 1 to ${LONGEST_NAME.toString()} characters: --name "payouts 2026-11-21"`,
    );
  return text;
}

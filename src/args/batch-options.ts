/** Reads the arguments of `hedge batch`. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { optionGiven, optionText, type RawInput } from './operands.ts';

export interface BatchIntent {
  /** A path; undefined: standard input. */
  file: string | undefined;
  /** How many readings may run in parallel; actions never do. */
  parallel: number;
  /** Continues after an unknown outcome or an unreachable service. */
  keepGoing: boolean;
  /** Part of every derived idempotency key, so that two batches with the same lines differ. */
  name: string | undefined;
  /** Applies to every line with this option. */
  yes: boolean;
  dryRun: boolean;
}

const MOST_PARALLEL = 16;
const LONGEST_NAME = 128;

export function readBatchIntent(raw: RawInput): BatchIntent {
  const [file = ''] = raw.operands;
  if (file === '') throw new UsageError('The file name is empty.', 'Give a file, or - for standard input.');
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
      `${quoted(text)} is not a number of parallel readings.`,
      `Use 1 to ${MOST_PARALLEL.toString()}: --parallel 4. Actions always run one after the other.`,
    );
  return count;
}

function readName(text: string): string {
  if (text.trim() === '' || text.length > LONGEST_NAME)
    throw new UsageError(
      `${quoted(text)} is not a batch name.`,
      `Use 1 to ${LONGEST_NAME.toString()} characters: --name "payouts 2026-11-21"`,
    );
  return text;
}

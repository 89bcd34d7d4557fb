/** Reads the arguments of `hedge batch`. */
import { UsageError } from '../errors.ts';
import { isNot } from './operands.ts';
import { type RawInput, readOptions } from './option.ts';

export const BATCH_OPTIONS = {
  name: { flags: '--name <text>', summary: 'batch name; part of its idempotency keys', read: readName },
  parallel: {
    flags: '--parallel <count>',
    summary: 'readings at once, 1 to 16 (default 1); actions never overlap',
    read: readParallel,
  },
  keepGoing: { flags: '--keep-going', summary: 'continue after an unknown outcome or without connection' },
  yes: { flags: '-y, --yes', summary: 'confirm every line' },
  dryRun: { flags: '--dry-run', summary: 'check every action as if those before it had filled; send none' },
} as const;

/** `file`: a path; undefined: standard input. `parallel`: readings at once; actions never overlap. */
export type BatchIntent = ReturnType<typeof readBatchIntent>;

const MOST_PARALLEL = 16;
const LONGEST_NAME = 128;

export function readBatchIntent(raw: RawInput) {
  const [file = ''] = raw.operands;
  if (file === '') throw new UsageError('The file name is empty.', 'Give a file, or - for standard input.');
  const given = readOptions(BATCH_OPTIONS, raw);
  return { ...given, file: file === '-' ? undefined : file, parallel: given.parallel ?? 1 };
}

function readParallel(text: string): number {
  const count = /^[1-9]\d?$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_PARALLEL)
    throw isNot(
      text,
      'a number of parallel readings',
      `Use 1 to ${MOST_PARALLEL}: --parallel 4. Actions always run one after the other.`,
    );
  return count;
}

function readName(text: string): string {
  if (text.trim() === '' || text.length > LONGEST_NAME)
    throw isNot(text, 'a batch name', `Use 1 to ${LONGEST_NAME} characters: --name "payouts 2026-11-21"`);
  return text;
}

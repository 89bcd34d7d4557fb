/** What `hedge history` was asked: which closed hedges, and how they are summed. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { type Narrowing, readNarrowing } from './narrowing.ts';
import { optionText, type RawInput } from './raw-input.ts';

export const SUM_BY = ['day', 'week', 'month', 'market', 'side'] as const;
export type SumBy = (typeof SUM_BY)[number];

export interface HistoryIntent {
  narrowing: Narrowing;
  /** Undefined: record by record. */
  by: SumBy | undefined;
}

export function readHistoryIntent(raw: RawInput): HistoryIntent {
  const by = optionText(raw, 'by');
  return { narrowing: readNarrowing(raw), by: by === undefined ? undefined : readSumBy(by) };
}

function readSumBy(text: string): SumBy {
  const by = SUM_BY.find((each) => each === text.toLowerCase());
  if (by === undefined)
    throw new UsageError(`History is not summed by ${quoted(text)}.`, `--by takes ${SUM_BY.join(', ')}.`);
  return by;
}

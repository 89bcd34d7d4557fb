/** What `hedge history` was asked: which closed hedges, and how they are summed. */
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { type Narrowing, readNarrowing } from './narrowing.ts';
import { optionGiven, optionText, type RawInput } from './raw-input.ts';

export const SUM_BY = ['day', 'week', 'month', 'market', 'side'] as const;
export type SumBy = (typeof SUM_BY)[number];

export interface HistoryIntent {
  narrowing: Narrowing;
  /** Undefined: record by record. */
  by: SumBy | undefined;
  /** Net P&L added up from record to record, drawn. */
  chart: boolean;
}

export function readHistoryIntent(raw: RawInput): HistoryIntent {
  const by = optionText(raw, 'by');
  const chart = optionGiven(raw, 'chart');
  if (chart && by !== undefined)
    throw new UsageError('A chart adds up record by record, and --by sums.', 'Give one of them.');
  return { narrowing: readNarrowing(raw), by: by === undefined ? undefined : readSumBy(by), chart };
}

function readSumBy(text: string): SumBy {
  const by = SUM_BY.find((each) => each === text.toLowerCase());
  if (by === undefined)
    throw new UsageError(`History is not summed by ${quoted(text)}.`, `--by takes ${SUM_BY.join(', ')}.`);
  return by;
}

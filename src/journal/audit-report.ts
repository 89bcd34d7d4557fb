/** What an audit of the journal found. */
import type { Checkpoint } from './checkpoint.ts';
import type { CutLine, JournalChange } from './follow-chain.ts';

export interface AuditedSegment {
  name: string;
  /** `not_read`: archived and not found. `skipped`: only the active one was asked for. */
  state: 'read' | 'not_read' | 'skipped' | 'missing';
  /** Undefined when it is in the journal's own folder. */
  folder: string | undefined;
  lines: number;
  bytes: number;
  /** ISO 8601 UTC of the first and the last record; null when unknown. */
  from: string | null;
  to: string | null;
}

export interface JournalHead {
  segment: string;
  lines: number;
  /** Up to the end of the last line that is not cut. */
  bytes: number;
  hash: string;
}

export interface CheckpointComparison {
  checkpoint: Checkpoint;
  /** `not_read`: its segment is archived and was not read. */
  result: 'continued' | 'cut_off' | 'rewritten' | 'not_read';
  /** A line before its last one was changed. */
  changedBefore: boolean;
}

export interface AuditReport {
  /** False: a journal of an earlier version, without a chain. */
  chained: boolean;
  segments: readonly AuditedSegment[];
  /** The first of them, in order. */
  changes: readonly JournalChange[];
  changeCount: number;
  /** Lines that a crash cut: damage, not a change. */
  cutLines: readonly CutLine[];
  cutCount: number;
  /** Undefined for an empty journal. */
  head: JournalHead | undefined;
  comparison: CheckpointComparison | undefined;
}

/** `no_chain`: an earlier version wrote it. `partly_unchanged`: archived segments were not read. */
export type AuditVerdict = 'unchanged' | 'partly_unchanged' | 'no_chain' | 'changed';

export function verdictOf({ chained, segments, changeCount, comparison }: AuditReport): AuditVerdict {
  if (changeCount > 0 || comparison?.result === 'cut_off' || comparison?.result === 'rewritten')
    return 'changed';
  if (!chained) return 'no_chain';
  return segments.every(({ state }) => state === 'read') ? 'unchanged' : 'partly_unchanged';
}

/** The findings of an audit of the journal. */
import type { Checkpoint } from './checkpoint.ts';
import { timeInWords } from './describe.ts';
import type { JournalHead } from './store/record-rows.ts';
import type { JournalTrouble } from './trouble.ts';

/** A place where the journal is not as it was written. */
export interface JournalChange {
  /** Name of the file. */
  file: string;
  /** Number of the record; undefined for a line of an export that has none. */
  seq: number | undefined;
  /** ID of the record; undefined for one that is missing. */
  id: string | undefined;
  /** An `edited` record, a removed one and one before it whose hash was made again can look alike. */
  kind: 'edited' | 'removed' | 'inserted' | 'unreadable';
  /** The rest of a sentence: `was inserted`. */
  found: string;
}

/** `Record 118 of journal.sqlite (ID 7c1e00000000000a) was inserted: record 119 continues the one before it.` */
export const changeInWords = ({ file, seq, id, found }: JournalChange): string =>
  seq === undefined
    ? `${file} ${found}.`
    : `Record ${seq.toString()} of ${file}${id === undefined ? '' : ` (ID ${id})`} ${found}.`;

export interface CheckpointComparison {
  checkpoint: Checkpoint;
  /** `not_compared`: the export begins after its record. */
  result: 'continued' | 'cut_off' | 'rewritten' | 'not_compared';
  /** A record before it was changed. */
  changedBefore: boolean;
}

/** A person accepted that records may be lost (`hedge journal accept-loss`). */
export interface AcceptedLoss {
  seq: number;
  /** ISO 8601 UTC. */
  at: string;
  who: string;
}

/** Result of comparing the copy of a desk's log with that log. */
export interface LogComparison {
  desk: string;
  /** Compared; undefined where the log could not be read, or differs. */
  records: number | undefined;
  trouble: JournalTrouble | undefined;
}

export interface AuditReport {
  /** Records read. */
  records: number;
  /** Number of the first record read; an export may begin later than 1. */
  first: number;
  /** Size of the files. */
  bytes: number;
  /** ISO 8601 UTC of the first and the last record; null without one. */
  from: string | null;
  to: string | null;
  /** The last record; undefined without one. */
  head: JournalHead | undefined;
  /** The first of them, in order. */
  changes: JournalChange[];
  changeCount: number;
  /** A sentence if written records are missing. Undefined if not, and where there is no witness to compare with. */
  rewound: string | undefined;
  /** Damage apart from the chain: sentences. */
  damage: string[];
  /** Records that wait in `pending.sqlite`. */
  pending: number;
  losses: AcceptedLoss[];
  comparison: CheckpointComparison | undefined;
}

/** Result for this machine's own journal, which is another one than its desk's. */
export interface OwnReport {
  path: string;
  report: AuditReport;
}

export type AuditVerdict = 'unchanged' | 'damaged' | 'changed';

export function verdictOf({ changeCount, rewound, damage, comparison }: AuditReport): AuditVerdict {
  const isOther = comparison?.result === 'cut_off' || comparison?.result === 'rewritten';
  if (changeCount > 0 || rewound !== undefined || isOther) return 'changed';
  return damage.length > 0 ? 'damaged' : 'unchanged';
}

/** `made`: the time of the checkpoint in words. */
export function comparisonInWords(
  { checkpoint, result, changedBefore }: CheckpointComparison,
  { head, first }: Pick<AuditReport, 'head' | 'first'>,
  made = timeInWords(checkpoint.at),
): string {
  const place = `record ${checkpoint.seq}`;
  switch (result) {
    case 'continued':
      return changedBefore
        ? `The last record of the checkpoint of ${made} is there (${place}), but records before it were changed.`
        : `It continues the checkpoint of ${made} (${place}).`;
    case 'cut_off':
      return `Its end was removed: the checkpoint of ${made} has ${place}, and the last one now is ${head === undefined ? 'none' : head.seq}.`;
    case 'rewritten':
      return `It was written again: ${place} is not the one of the checkpoint of ${made}.`;
    case 'not_compared':
      return `Not compared with the checkpoint of ${made}: ${place} was not read${first > checkpoint.seq ? `, for the first one here is ${first}` : ''}.`;
    default:
      return result satisfies never;
  }
}

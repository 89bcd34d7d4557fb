/** Records of a copy with their stamps, by a query that selects `seq, record, stamp`. */

import type { JournalRecord } from '../journal/records.ts';
import { readStamp, type Stamp } from '../journal/stamp.ts';
import { type JournalDatabase, numberOf, textOf } from '../journal/store/journal-database.ts';
import { recordOfLog } from '../journal/store/record-rows.ts';

export interface StampedRow {
  seq: number;
  record: JournalRecord;
  stamp: Stamp | undefined;
}

export function stampedRows(
  db: JournalDatabase,
  sql: string,
  ...binds: readonly string[]
): readonly StampedRow[] {
  return db.all(sql, ...binds).map((row) => ({
    seq: numberOf(row, 'seq', db.path),
    record: recordOfLog(textOf(row, 'record', db.path)),
    stamp: readStamp(textOf(row, 'stamp', db.path)),
  }));
}

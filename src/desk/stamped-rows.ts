/** Records of a copy with their stamps, by a query that selects `seq, record, stamp`. */

import type { JournalRecord } from '../journal/records.ts';
import { readStamp, type Stamp } from '../journal/stamp.ts';
import type { JournalDatabase } from '../journal/store/journal-database.ts';
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
  return db.all(sql, ...binds).flatMap((row): StampedRow[] => {
    const { seq, record, stamp } = row;
    const isRow = typeof seq === 'number' && typeof record === 'string' && typeof stamp === 'string';
    return isRow ? [{ seq, record: recordOfLog(record), stamp: readStamp(stamp) }] : [];
  });
}

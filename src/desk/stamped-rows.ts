/** Records of a copy with their stamps, by a query that selects `seq, record, stamp`. */

import { readStamp } from '../journal/stamp.ts';
import { type JournalDatabase, numberOf, textOf } from '../journal/store/journal-database.ts';
import { recordOfLog } from '../journal/store/record-rows.ts';
import type { NumberedRecord } from '../journal/summary.ts';

export const stampedRows = (db: JournalDatabase, sql: string): readonly NumberedRecord[] =>
  db.all(sql).map((row) => ({
    seq: numberOf(row, 'seq', db.path),
    record: recordOfLog(textOf(row, 'record', db.path)),
    stamp: readStamp(textOf(row, 'stamp', db.path)),
  }));

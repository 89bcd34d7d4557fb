/** Who follows the log of a desk: a login at a machine. */
import type { DeskJoin } from '../journal/records.ts';
import type { JournalDatabase } from '../journal/store/journal-database.ts';
import type { NumberedRecord } from '../journal/summary.ts';
import { stampedRows } from './stamped-rows.ts';

export interface Member extends NumberedRecord {
  record: DeskJoin;
}

/** In the order in which they joined; those that left are not there. */
export function membersOf(db: JournalDatabase): readonly Member[] {
  const members = new Map<string, Member>();
  for (const { seq, record, stamp } of stampedRows(
    db,
    "SELECT seq, record, stamp FROM records INDEXED BY records_kind WHERE kind IN ('desk_join', 'desk_leave') ORDER BY seq",
  )) {
    if (record.kind !== 'desk_join' && record.kind !== 'desk_leave') continue;
    const member = `${stamp?.login ?? ''} ${record.who}`;
    if (record.kind === 'desk_join') members.set(member, { seq, record, stamp });
    else members.delete(member);
  }
  return [...members.values()];
}

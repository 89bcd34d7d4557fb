/** Records of a copy with their stamps: who follows the log, and decisions that count for nothing. */
import { quoted } from '../domain/quoted.ts';
import { timeInWords } from '../journal/describe.ts';
import { type DeskLimitName, type DeskLimits, limitsAfter, raisedBy } from '../journal/desk-limits.ts';
import type { DeskJoin } from '../journal/records.ts';
import { mayRelax, readStamp } from '../journal/stamp.ts';
import { type JournalDatabase, numberOf, textOf } from '../journal/store/journal-database.ts';
import { recordOfLog } from '../journal/store/record-rows.ts';
import type { NumberedRecord } from '../journal/summary.ts';

/** `sql` selects `seq, record, stamp`. */
export const stampedRows = (db: JournalDatabase, sql: string): readonly NumberedRecord[] =>
  db.all(sql).map((row) => ({
    seq: numberOf(row, 'seq', db.path),
    record: recordOfLog(textOf(row, 'record', db.path)),
    stamp: readStamp(textOf(row, 'stamp', db.path)),
  }));

/** A login at a machine. */
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

/** A lifted halt or a raised limit that its login may not give. */
export interface Ignored {
  /** By the database's time. */
  at: string;
  login: string | undefined;
  kind: 'unhalt' | 'desk_limit';
  /** Limits that stay as they were. */
  limits: readonly DeskLimitName[];
  /** A sentence. */
  what: string;
}

/** In order, after the record `since`. */
export function ignoredIn(db: JournalDatabase, since = 0): readonly Ignored[] {
  const found: Ignored[] = [];
  let limits: DeskLimits = {};
  for (const { seq, record, stamp } of stampedRows(
    db,
    "SELECT seq, record, stamp FROM records INDEXED BY records_kind WHERE kind IN ('unhalt', 'desk_limit') ORDER BY seq",
  )) {
    if (record.kind !== 'unhalt' && record.kind !== 'desk_limit') continue;
    const raised = record.kind === 'desk_limit' ? raisedBy(limits, record) : [];
    const isIgnored = !mayRelax(stamp) && (record.kind === 'unhalt' || raised.length > 0);
    const { at, login } = { at: stamp?.at ?? record.at, login: stamp?.login };
    if (isIgnored && seq > since)
      found.push({ at, login, kind: record.kind, limits: raised, what: inWords(record.kind, at, login) });
    if (record.kind === 'desk_limit') limits = limitsAfter(limits, record, stamp);
  }
  return found;
}

function inWords(kind: Ignored['kind'], at: string, login: string | undefined): string {
  const by = `${timeInWords(at)} by login ${quoted(login ?? 'unknown')}`;
  return kind === 'unhalt'
    ? `The unhalt of ${by} was ignored: that login may not lift a halt of the desk.`
    : `The raised limit of ${by} was ignored: that login may not raise a limit of the desk.`;
}

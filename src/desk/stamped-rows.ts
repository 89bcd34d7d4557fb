/** Records of a copy with their stamps: who follows the log, and decisions that count for nothing. */
import { quoted } from '../domain/quoted.ts';
import { timeInWords } from '../journal/describe.ts';
import { type DeskLimitName, type DeskLimits, limitsAfter, raisedBy } from '../journal/desk-limits.ts';
import type { JournalRecord } from '../journal/records.ts';
import { mayRelax, readStamp } from '../journal/stamp.ts';
import { type JournalDatabase, numberOf, textOf } from '../journal/store/journal-database.ts';
import { recordOfLog } from '../journal/store/record-rows.ts';
import type { NumberedRecord } from '../journal/summary.ts';

/** `which`: the rest of the SQL. */
export const stampedRows = (db: JournalDatabase, which: string): readonly NumberedRecord[] =>
  db.all(`SELECT seq, record, stamp FROM records ${which}`).map((row) => ({
    seq: numberOf(row, 'seq', db.path),
    record: recordOfLog(textOf(row, 'record', db.path)),
    stamp: readStamp(textOf(row, 'stamp', db.path)),
  }));

type OfKind<Kind> = NumberedRecord & { record: Extract<JournalRecord, { kind: Kind }> };

/** Those of some kinds, in order. */
export function stampedOfKind<Kind extends JournalRecord['kind']>(
  db: JournalDatabase,
  ...kinds: readonly Kind[]
): readonly OfKind<Kind>[] {
  const isMeant = (each: NumberedRecord): each is OfKind<Kind> =>
    kinds.some((kind) => kind === each.record.kind);
  const listed = kinds.map((kind) => `'${kind}'`).join(', ');
  return stampedRows(db, `INDEXED BY records_kind WHERE kind IN (${listed}) ORDER BY seq`).filter(isMeant);
}

/** A login at a machine, as it joined last. */
type Member = OfKind<'desk_join'> & {
  /** By the database's time; undefined for one that follows the log. */
  leftAt?: string;
};

/** In the order in which they joined first, also those that have left. */
export function membersOf(db: JournalDatabase): readonly Member[] {
  const members = new Map<string, Member>();
  for (const { seq, record, stamp } of stampedOfKind(db, 'desk_join', 'desk_leave')) {
    const name = `${stamp?.login ?? ''} ${record.who}`;
    const joined = members.get(name);
    if (record.kind === 'desk_join') members.set(name, { seq, record, stamp });
    else if (joined !== undefined) members.set(name, { ...joined, leftAt: stamp?.at ?? record.at });
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
  for (const { seq, record, stamp } of stampedOfKind(db, 'unhalt', 'desk_limit')) {
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

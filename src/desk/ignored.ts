/** Lifted halts and raised limits that count for nothing, since their login may not do that. */
import { quoted } from '../domain/quoted.ts';
import { timeInWords } from '../journal/describe.ts';
import { type DeskLimitName, type DeskLimits, limitsAfter, raisedBy } from '../journal/desk-limits.ts';
import { mayRelax } from '../journal/stamp.ts';
import type { JournalDatabase } from '../journal/store/journal-database.ts';
import { stampedRows } from './stamped-rows.ts';

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

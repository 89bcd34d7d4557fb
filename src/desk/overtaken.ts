/**
 * Decisions that are pending here and that the log has overtaken: a limit that would raise by now the one of the desk, and the outcome of
 * an action that was recorded manually, or a roll that was dropped, before later records of it were seen; and an action that was given
 * up, as the log did not say whether it took its record, and that a colleague has sent since.
 */
import { fieldsIn } from '../domain/fields.ts';
import { unless } from '../errors.ts';
import { operatorInWords, timeInWords } from '../journal/describe.ts';
import { DESK_LIMITS, type DeskLimits, raisedBy } from '../journal/desk-limits.ts';
import type { DeskLimitRecord, JournalRecord } from '../journal/records.ts';
import { JournalDamage, type JournalDatabase } from '../journal/store/journal-database.ts';
import { notIn, type Pending, type PendingRecord } from '../journal/store/pending-records.ts';
import { recordOfLog, type StoredRecord, storedRecords } from '../journal/store/record-rows.ts';
import { RecordSource } from '../journal/store/record-source.ts';

/**
 * Stamp of a pending decision: the records of its action or roll that were seen when it was made. By ID, as a number means another
 * record once the log was put back.
 */
export const decidedOn = (decision: JournalRecord, copy: () => JournalDatabase | undefined): string =>
  JSON.stringify({ seen: unless(JournalDamage, () => sameAs(decision, copy()).map(({ id }) => id)) ?? [] });

/** The records of the same action or roll. @throws JournalDamage */
function sameAs(record: JournalRecord, copy: JournalDatabase | undefined): readonly StoredRecord[] {
  if (copy === undefined) return [];
  return copy.reading(() => {
    const lookups = new RecordSource(copy);
    const seqs =
      record.kind === 'settled' || record.kind === 'not_sent'
        ? lookups.found('action_id', record.action_id)
        : record.kind === 'roll_end'
          ? lookups.found('chain_id', record.chain_id)
          : [];
    return seqs.flatMap((seq) => [...storedRecords(copy, { from: seq, to: seq })]);
  });
}

/** By later records of the same action or roll. */
export const mayBeOvertaken = (record: JournalRecord): boolean =>
  record.kind === 'settled' || (record.kind === 'roll_end' && record.as === 'dropped');

export const haveDecision = (all: Pending): boolean =>
  all.some(({ read }) => ['desk_limit', 'not_sent'].includes(read.kind) || mayBeOvertaken(read));

export interface MeantPending {
  /** Those that the copy lacks, with only what still holds. */
  waiting: Pending;
  /** In sentences: each names a decision that is not delivered. */
  overtaken: readonly string[];
  /** IDs of actions that were not sent from here, and that colleagues have sent since. */
  resumed: readonly string[];
}

/** `all`: every pending record. @throws JournalDamage of the copy */
export function meantOf(all: Pending, copy: JournalDatabase | undefined): MeantPending {
  const waiting = notIn(copy, all);
  if (copy === undefined || !haveDecision(waiting)) return { waiting, overtaken: [], resumed: [] };
  return copy.reading(() => {
    const { limits } = new RecordSource(copy).summary();
    const own = new Set(all.flatMap(({ id, stamp }) => [id, fieldsIn(stamp)['uses']]));
    const overtaken: string[] = [];
    const resumed: string[] = [];
    const meant = waiting.flatMap((each): Pending => {
      const { read } = each;
      const holds = read.kind === 'desk_limit' ? lowering(read, limits) : read;
      const later = laterThan(each, copy, own);
      const isLate = later.length > 0;
      if (holds !== read || isLate) overtaken.push(inWords(read, later));
      if (isLate && read.kind === 'not_sent') resumed.push(read.action_id);
      if (holds === undefined || isLate) return [];
      return holds === read ? [each] : [{ ...each, record: JSON.stringify(holds), read: holds }];
    });
    return { waiting: meant, overtaken: [...new Set(overtaken)], resumed };
  });
}

/** The record without the limits that it would raise; undefined when no other is left. */
function lowering(record: DeskLimitRecord, limits: DeskLimits): DeskLimitRecord | undefined {
  const raised = raisedBy(limits, record);
  if (raised.length === 0) return record;
  const lowered = { ...record };
  for (const name of raised) delete lowered[name];
  return DESK_LIMITS.some((name) => lowered[name] !== undefined) ? lowered : undefined;
}

/** Records of the action or the roll in the copy that nobody here had seen, and that are not of this machine. */
function laterThan(
  { read: record, stamp }: PendingRecord,
  copy: JournalDatabase,
  own: ReadonlySet<unknown>,
): readonly JournalRecord[] {
  const { seen, uses } = fieldsIn(stamp);
  const known = typeof uses === 'string' ? [] : seen;
  if (!Array.isArray(known)) return [];
  return sameAs(record, copy)
    .filter(({ id }) => !own.has(id) && !known.includes(id))
    .map((each) => recordOfLog(each.record))
    .filter(({ kind }) => record.kind !== 'not_sent' || kind === 'sending');
}

const inWords = (record: JournalRecord, [later]: readonly JournalRecord[]): string =>
  record.kind === 'not_sent'
    ? `Action ${record.action_id}, which was not sent from here, was sent by ${later?.operator === undefined ? 'a colleague' : operatorInWords(later.operator)} since. Do not enter it again: hedge check ${record.action_id}`
    : record.kind === 'roll_end'
      ? `Roll ${record.chain_id}, which was dropped here at ${timeInWords(record.at)}, is not dropped: the desk has later records of it.`
      : record.kind === 'settled'
        ? `The outcome of action ${record.action_id} that was recorded here at ${timeInWords(record.at)} is not delivered: the desk has later records of it.`
        : `The limit that was set here at ${timeInWords(record.at)} is not delivered where it would raise the one of the desk.`;

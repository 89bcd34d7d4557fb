/** The journal's questions over records in memory, each answered by looking at every record: what its database is held to. */
import { expect } from 'vitest';
import { exactInstant } from '../../src/domain/instants.ts';
import { haltFrom } from '../../src/journal/halt.ts';
import { lastNotionals, openedOn } from '../../src/journal/queries.ts';
import {
  isOfAction,
  isOfHalt,
  isOfRoll,
  type JournalRecord,
  type RollPlan,
} from '../../src/journal/records.ts';
import { type Action, type IsRunning, isEnded, replayRecords } from '../../src/journal/replay.ts';
import { foundBy, type JournalSpan, type JournalState } from '../../src/journal/state.ts';
import type { JournalDatabase } from '../../src/journal/store/journal-database.ts';
import { journalReader } from '../../src/journal/store/journal-reader.ts';
import type { Pending } from '../../src/journal/store/pending-records.ts';

/** How long an action that has ended stays among the current ones. */
const CURRENT_MS = 10 * 60_000;

/** Of records in memory, oldest first. */
export function stateOf(
  records: readonly JournalRecord[],
  {
    isRunning,
    nowMs,
    ...about
  }: Pick<JournalState, 'path' | 'trouble'> & { isRunning: IsRunning; nowMs: number },
): JournalState {
  const actions = replayRecords(records, isRunning, nowMs);
  const steps = records.filter(isOfAction);
  const latest = new Map<string, string>();
  for (const { action_id: id, at } of steps) if (at > (latest.get(id) ?? '')) latest.set(id, at);
  const recentFrom = exactInstant(nowMs - CURRENT_MS);
  const hasRecordSince = ({ id }: Action, at: string): boolean => (latest.get(id) ?? '') >= at;
  const isCurrent = (action: Action): boolean => !isEnded(action) || hasRecordSince(action, recentFrom);
  const entriesAfter = (id: string | undefined): readonly Action[] => {
    if (id === undefined) return actions;
    const first = records.findIndex(
      (each) => (isOfAction(each) && each.action_id === id) || ('chain_id' in each && each.chain_id === id),
    );
    const entered = records
      .slice(first + 1)
      .flatMap((each) => (each.kind === 'intent' ? each.action_id : []));
    return first < 0 ? [] : actions.filter((each) => entered.includes(each.id));
  };
  const halts = records.filter(isOfHalt);
  return {
    ...about,
    desk: undefined,
    limits: {},
    halt: haltFrom(halts),
    count: actions.length,
    get current() {
      return actions.filter(isCurrent);
    },
    find: (terms) => foundBy(actions, terms),
    since: (at) => actions.filter((action) => isCurrent(action) || hasRecordSince(action, at)),
    openedOn: (identity, day, except) => openedOn(without(actions, except), identity, day),
    lastNotionals: (identity, except) => lastNotionals(without(actions, except), identity),
    recordsOf: (id) => steps.filter((each) => each.action_id === id),
    latestSince(id) {
      const first = records.findIndex((each) => isOfAction(each) && each.action_id === id);
      if (first === -1) return undefined;
      return records.slice(first).reduce((last, { at }) => (at > last ? at : last), '');
    },
    newest: (span, isMeant = () => true) =>
      entriesAfter(span?.after)
        .filter(({ intent }) => isIn(intent, span) && isMeant(intent))
        .toReversed(),
    halts: (span) => halts.filter((each) => isIn(each, span)).toReversed(),
    get rolls() {
      return openRolls(records);
    },
    rollRecords: (span) =>
      records
        .filter(isOfRoll)
        .filter((each) => isIn(each, span))
        .toReversed(),
    snapshots: (span) =>
      records
        .flatMap((record) => (record.kind === 'snapshot' && isIn(record, span) ? [record] : []))
        .toReversed()
        .map((record) => ({ record, hash: undefined })),
    hashOf: () => undefined,
  };
}

/** The plans that no record ends, in the order of their plans. */
function openRolls(records: readonly JournalRecord[]): readonly RollPlan[] {
  const plans = new Map<string, RollPlan>();
  for (const record of records.filter(isOfRoll)) {
    plans.delete(record.chain_id);
    if (record.kind === 'roll') plans.set(record.chain_id, record);
  }
  return [...plans.values()];
}

const without = (actions: readonly Action[], except: string | undefined): readonly Action[] =>
  except === undefined ? actions : actions.filter(({ id }) => id !== except);

const isIn = ({ at }: { at: string }, { from = '', until }: JournalSpan = {}): boolean =>
  at >= from && (until === undefined || at < until);

/** The same questions of a database that is not damaged. */
export const readerOf = (
  db: JournalDatabase,
  at: { isRunning: IsRunning; nowMs: number },
  waiting: Pending = [],
): JournalState =>
  journalReader({
    path: db.path,
    db,
    waiting,
    trouble: undefined,
    readable: () => expect.fail('the journal is damaged'),
    ...at,
  });

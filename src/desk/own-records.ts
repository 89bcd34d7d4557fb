/** Records of a desk's account in a machine's own journal: delivered when it joins, with the exact texts. */
import { type AccountIdentity, type Relation, relationOf } from '../journal/account-identity.ts';
import { isOfAction, isOfRoll, type JournalRecord } from '../journal/records.ts';
import { readStamp } from '../journal/stamp.ts';
import { openJournal } from '../journal/store/journal.ts';
import { type JournalDatabase, whileBusy } from '../journal/store/journal-database.ts';
import type { NewRecord } from '../journal/store/new-records.ts';
import { allPending, notIn, type Pending } from '../journal/store/pending-records.ts';
import { headOf, recordOfLog, recordsBetween, storedRecords } from '../journal/store/record-rows.ts';
import { RecordSource } from '../journal/store/record-source.ts';
import { databaseFile, openJournalFile, pendingFile } from '../journal/store/schema.ts';
import { type JournalTrouble, troubleError } from '../journal/trouble.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import type { Follower } from './follower.ts';
import type { LogSession } from './log-session.ts';
import type { Membership } from './membership.ts';
import { stampedOfKind } from './stamped-rows.ts';

export interface OwnRecords {
  /** In order. */
  records: readonly NewRecord[];
  /** Intents among them. */
  actions: number;
  /** Actions of a key of which it is not known whether it is of the account: they are not delivered. */
  unclear: number;
  /** The last number that was looked at. */
  last: number;
}

/**
 * Actions of the account with all their records, its rolls, and these halts, after the record `from`, and among those that wait. Never an
 * `unhalt`.
 * @throws DamagedFileError
 */
export function ownRecords(
  db: JournalDatabase,
  {
    from,
    identity,
    haltIds,
    waiting = [],
  }: { from: number; identity: AccountIdentity; haltIds: readonly string[]; waiting?: Pending },
): OwnRecords {
  const source = new RecordSource(db);
  const meant = new Map<string, Relation>();
  const accountOf = (record: JournalRecord): Relation => {
    if (isOfAction(record)) return judge('action_id', record.action_id, record);
    if (isOfRoll(record)) return judge('chain_id', record.chain_id, record);
    return record.kind === 'halt' && haltIds.includes(record.halt_id) ? 'same' : 'other';
  };
  /** By the intent, or the plan, that began it. */
  const judge = (name: 'action_id' | 'chain_id', id: string, record: JournalRecord) => {
    const known = meant.get(id);
    if (known !== undefined) return known;
    const first =
      'identity' in record ? record : source.records(source.found(name, id).slice(0, 1))[0]?.record;
    const judged =
      first !== undefined && 'identity' in first ? relationOf(first.identity, identity) : 'other';
    meant.set(id, judged);
    return judged;
  };
  const records: NewRecord[] = [];
  let [actions, unclear] = [0, 0];
  const add = (read: JournalRecord, row: NewRecord | undefined): void => {
    const of = accountOf(read);
    if (of === 'same' && row !== undefined)
      records.push({ id: row.id, record: row.record, stamp: row.stamp ?? '' });
    if (read.kind !== 'intent') return;
    if (of === 'same') actions += 1;
    if (of === 'unclear') unclear += 1;
  };
  const { seq: last } = headOf(db);
  for (let first = from + 1; first <= last; first += PAGE) {
    const to = Math.min(last, first + PAGE - 1);
    const stored = [...storedRecords(db, { from: first, to })];
    for (const [at, { record }] of recordsBetween(db, first, to).entries()) add(record, stored[at]);
  }
  for (const each of waiting) add(each.read, each);
  return { records, actions, unclear, last };
}

const PAGE = 256;

export const intentsIn = (records: readonly NewRecord[]): number =>
  records.filter(({ record }) => recordOfLog(record).kind === 'intent').length;

const wasEarlier = ({ stamp = '' }: NewRecord): boolean => readStamp(stamp)?.isEarlier !== false;

/**
 * Records in order, each with those after it that are like it: `isEarlier` for those that a machine wrote while it followed no log, or
 * was said of in the log that they come from. Any machine may go on with the others.
 */
export function* inRuns(
  records: readonly NewRecord[],
): Generator<{ isEarlier: boolean; run: readonly NewRecord[] }> {
  for (let from = 0; from < records.length; ) {
    const [first, ...rest] = records.slice(from);
    if (first === undefined) return;
    const isEarlier = wasEarlier(first);
    const other = rest.findIndex((each) => wasEarlier(each) !== isEarlier);
    const run = other === -1 ? [first, ...rest] : [first, ...rest.slice(0, other)];
    yield { isEarlier, run };
    from += run.length;
  }
}

/** A journal of this machine, and which of its records are meant. */
export interface JournalOfAccount {
  places: Paths;
  identity: AccountIdentity;
  /** IDs of the halts that are meant. */
  haltIds: () => readonly string[];
}

const NONE: OwnRecords = { records: [], actions: 0, unclear: 0, last: 0 };

/**
 * Those after `from`, and those that wait there, without what `isKnown`. They are read while nobody else can append to the journal;
 * `work` is done with them before anybody can. @throws DamagedFileError
 */
export async function ownRecordsNow(
  { places: { state }, identity, haltIds }: JournalOfAccount,
  machine: Machine,
  {
    from = 0,
    isKnown = () => false,
    work,
  }: { from?: number; isKnown?: (id: string) => boolean; work?: (own: OwnRecords) => void } = {},
): Promise<OwnRecords> {
  const db = openJournalFile(databaseFile(state), machine.host);
  const read = (): OwnRecords => {
    const all =
      db === undefined
        ? NONE
        : ownRecords(db, { from, identity, haltIds: haltIds(), waiting: waitingIn(state, db, machine) });
    const own = { ...all, records: all.records.filter(({ id }) => !isKnown(id)) };
    work?.(own);
    return own;
  };
  try {
    return db === undefined ? read() : await whileBusy(machine, () => db.writing(read));
  } finally {
    db?.close();
  }
}

/**
 * Delivers those after `from` until the log has all of them; `end` is done before anybody can append another one. `last`: the last
 * number that was looked at. Returns how many actions were delivered. @throws DeskTrouble, DamagedFileError
 */
export async function deliverOwn(
  journal: JournalOfAccount,
  { session, follower, machine }: { session: LogSession; follower: Follower; machine: Machine },
  { from: first = 0, end }: { from?: number; end: (last: number) => void },
): Promise<number> {
  let actions = 0;
  for (let from = first; ; ) {
    const { records, last } = await ownRecordsNow(journal, machine, {
      from,
      isKnown: (id) => follower.has(id),
      work(own) {
        if (own.records.length === 0) end(own.last);
      },
    });
    if (records.length === 0) return actions;
    for (const { isEarlier, run } of inRuns(records)) await session.deliver(run, { isEarlier });
    actions += intentsIn(records);
    from = last;
  }
}

/** Pending records of the journal in that folder, which takes them with its next append. @throws DamagedFileError */
function waitingIn(state: string, db: JournalDatabase, machine: Machine): Pending {
  const pending = openJournalFile(pendingFile(state), machine.host);
  try {
    return pending === undefined ? [] : notIn(db, allPending(pending));
  } finally {
    pending?.close();
  }
}

/** The account of a profile with the keys that it had on this machine when that joined. */
export const accountOf = (
  { keys: joined }: Pick<Membership, 'keys'>,
  identity: AccountIdentity,
): AccountIdentity => ({
  ...identity,
  keys: { get: (key) => (joined.includes(key) ? 'same' : identity.keys?.get(key)) },
});

/** IDs of the halts in force. @throws DamagedFileError for a journal that is not whole. */
export function haltsIn(places: Paths, machine: Machine): readonly string[] {
  const { inForce, trouble } = haltsNow(places, machine);
  if (trouble !== undefined) throw troubleError(trouble, 'Nothing was changed.');
  return inForce;
}

/** IDs of the halts that a copy has; `lifted`: those that hold no more. */
export function haltsOfCopy(
  places: Paths,
  machine: Machine,
): { known: readonly string[]; lifted: readonly string[] } {
  const db = openJournalFile(databaseFile(places.state), machine.host);
  if (db === undefined) return { known: [], lifted: [] };
  const known = stampedOfKind(db, 'halt').map(({ record }) => record.halt_id);
  db.close();
  const { inForce } = haltsNow(places, machine);
  return { known, lifted: known.filter((id) => !inForce.includes(id)) };
}

/** IDs of those in force, and whether a limit of a desk is. */
export function haltsNow(
  places: Paths,
  machine: Machine,
): { inForce: readonly string[]; hasLimits: boolean; trouble: JournalTrouble | undefined } {
  const journal = openJournal({ places, machine });
  try {
    const { halt, limits, trouble } = journal.read();
    return { inForce: halt?.ids ?? [], hasLimits: Object.keys(limits).length > 0, trouble };
  } finally {
    journal.close();
  }
}

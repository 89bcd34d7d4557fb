/** The journal: read at one moment, and appended to durably by one process at a time. */
import { enlarges, takesWholeSide } from '../../domain/action-table.ts';
import type { ClockReadings } from '../../domain/instants.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import { checkFolder, ensureFolder } from '../../platform/atomic-file.ts';
import type { Machine } from '../../platform/host.ts';
import type { Paths } from '../../platform/paths.ts';
import type { IntentRecord, JournalRecord, RollPlan } from '../records.ts';
import type { IsRunning } from '../replay.ts';
import { actionById, type JournalState } from '../state.ts';
import { type JournalTrouble, troubleError } from '../trouble.ts';
import { errorForRecords, StoppedByGuard } from './append-error.ts';
import { refuseEarlierFiles } from './earlier-files.ts';
import { JournalBusy, JournalDamage, type JournalDatabase, whileBusy } from './journal-database.ts';
import { journalReader } from './journal-reader.ts';
import { insertRecords, newRecords } from './new-records.ts';
import { clearPending, notIn, type Pending, pendingNow } from './pending-records.ts';
import { headOf, type JournalHead } from './record-rows.ts';
import { salvagedRecords } from './salvage.ts';
import { databaseFile, inodeOf, KeptOpen, pendingFile } from './schema.ts';
import {
  beginWitness,
  followBefore,
  followHead,
  type LastWritten,
  lossOf,
  lostPending,
  readLastWritten,
  writePendingMark,
} from './witness.ts';

export interface Journal {
  readonly path: string;
  /** Takes no lock and creates nothing; each question is asked when it is needed. @throws DamagedFileError when there is one that cannot be read at all. */
  read(): JournalState;
  /** The same, with a desk after the new records of its log were pulled, if that can be reached. */
  latest(): Promise<JournalState>;
  /**
   * Appends the records in one transaction, on disk on return, and returns the new state. `guard` checks the state inside
   * it: its error stops the append and is rethrown. While the journal is damaged, rewound or in use, what must not wait is
   * kept in `pending.sqlite` instead. @throws DamagedFileError when nothing could be appended.
   */
  append(
    records: readonly [JournalRecord, ...JournalRecord[]],
    guard?: (state: JournalState) => void,
  ): Promise<JournalState>;
  /** Set with a desk only: the journal for the legs of a roll. The second one goes on if the log goes away between them. */
  admitting?(plan: RollPlan): Journal;
  /** Set with a desk only: when the last intent or sending of an action was about to be committed; its first send is soon after that, or never. */
  sendBy?(actionId: string): ClockReadings | undefined;
  /** Closes its files. A state that was read before cannot be asked any more. */
  close(): void;
}

export interface JournalOptions {
  places: Paths;
  machine: Machine;
  /** How long to wait for other writers. */
  busyMs?: number;
  /** The desk that this machine has left: this is its copy. */
  leftDesk?: string;
}

/** The files of the journal as they are now. */
interface Files {
  /** Undefined: there is none, or it cannot be opened. */
  db: JournalDatabase | undefined;
  trouble: JournalTrouble | undefined;
  waiting: Pending;
  witness?: JournalHead | undefined;
}

export function openJournal({ places, machine, busyMs, leftDesk }: JournalOptions): Journal {
  const { state } = places;
  const { host, clock, random } = machine;
  const path = databaseFile(state);
  const isRunning: IsRunning = (writer) => host.judge(writer) === 'running';
  const [own, pending] = [new KeptOpen(path, host), new KeptOpen(pendingFile(state), host)];

  function database(): JournalDatabase | undefined {
    checkFolder(state, host);
    const db = own.database();
    if (db === undefined) refuseEarlierFiles(state, host);
    return db;
  }

  const look = (): Files => twice(lookOnce);

  /** Witness and pending records are read before the journal: records written in between are no trouble, and not lost. */
  function lookOnce(): Files {
    const [written, kept] = [readLastWritten(state, host), pendingNow(pending)];
    try {
      const db = database();
      const files = (): Files => filesOf(db, written, kept);
      return db === undefined ? files() : db.reading(files);
    } catch (error) {
      if (!(error instanceof JournalDamage)) throw error;
      return { db: undefined, trouble: error.trouble, waiting: kept.all };
    }
  }

  /** In the caller's transaction. */
  function filesOf(
    db: JournalDatabase | undefined,
    written: LastWritten,
    kept: ReturnType<typeof pendingNow>,
  ): Files {
    // A damaged page comes before a missing witness.
    headOf(db);
    const { witness } = written;
    return { db, trouble: lossOf(state, written, db, kept), waiting: notIn(db, kept.all), witness };
  }

  const viewOf = ({ db, trouble, waiting }: Files): JournalState =>
    journalReader({
      path,
      db,
      waiting,
      trouble,
      leftDesk,
      isRunning,
      nowMs: clock.now(),
      readable: () => salvagedRecords(state, host),
    });

  /** @throws JournalDamage, JournalBusy, NotTaken */
  function intoJournal(records: readonly JournalRecord[], guard: Guard): void {
    const db = database() ?? created(records, guard);
    const { waiting } = db.writing(() => {
      // A repair may have put another database in its place before this one was locked.
      if (database() !== db) throw new JournalBusy(path);
      // Nobody else writes: the witness is none of a later record.
      const files = twice(() => filesOf(db, readLastWritten(state, host), pendingNow(pending)));
      const view = viewOf(files);
      check(view, records, guard);
      for (const trouble of [files.trouble, view.trouble]) refuseWith(trouble);
      const follow = (): void => followBefore(db, files.witness, machine);
      if (needsWholeJournal(records, view)) follow();
      else unless(DamagedFileError, follow);
      insertRecords(db, [...files.waiting, ...newRecords(records, db, random)]);
      return files;
    });
    if (database() === db) followHead(db, state, machine);
    // Records that are in both count once.
    if (waiting.length > 0)
      unless(DamagedFileError, () => clearPending(state, host, { pending: pending.database(), journal: db }));
  }

  function created(records: readonly JournalRecord[], guard: Guard): JournalDatabase {
    const files = look();
    if (files.trouble !== undefined) check(viewOf(files), records, guard);
    refuseWith(files.trouble);
    beginWitness(state, machine);
    return own.made(machine);
  }

  /** Not while its file lacks records, or has damage that was found by the guard's questions. */
  function refuseWith(trouble: JournalTrouble | undefined): void {
    if (trouble?.kind === 'rewound' || (trouble?.kind === 'damaged' && trouble.path === path))
      throw new NotTaken(trouble);
  }

  /** `reason`: what keeps the journal from taking them; undefined when it is in use. */
  function intoPending(
    records: readonly JournalRecord[],
    guard: Guard,
    reason?: { trouble: JournalTrouble; inode: number | undefined },
  ): void {
    const db = pending.made(machine);
    const { added, of } = db.writing(() => {
      // It was repaired or put back meanwhile, and takes them again; or pending.sqlite itself was.
      if (reason !== undefined && inodeOf(path) !== reason.inode) throw new RepairedMeanwhile();
      if (pending.database() !== db) throw new JournalBusy(db.path);
      const files = look();
      if (reason?.trouble.kind === 'rewound' && files.trouble?.kind !== 'rewound')
        throw new RepairedMeanwhile();
      check(viewOf({ ...files, trouble: reason?.trouble ?? files.trouble }), records, guard);
      const fresh = newRecords(records, undefined, random);
      insertRecords(db, fresh);
      return { added: fresh, of: files.db };
    });
    markPending(added.at(-1)?.id, of);
  }

  /** They are kept already: a mark that cannot be compared, or whose record is lost, stays as it is. */
  function markPending(id: string | undefined, db: JournalDatabase | undefined): void {
    const isLost = unless(DamagedFileError, () => {
      const [{ mark }, { all }] = [readLastWritten(state, host), pendingNow(pending)];
      return lostPending(state, mark, { all, db }) !== undefined;
    });
    if (isLost === false) writePendingMark(state, host, id);
  }

  async function append(records: readonly JournalRecord[], guard: Guard): Promise<void> {
    try {
      await whileBusy(machine, () => intoJournal(records, guard), busyMs);
    } catch (error) {
      const trouble = error instanceof JournalDamage || error instanceof NotTaken ? error.trouble : undefined;
      const isBusy = error instanceof JournalBusy && isUrgent(records, journal.read());
      if (trouble === undefined && !isBusy) throw error;
      const reason = trouble && { trouble, inode: inodeOf(path) };
      try {
        await whileBusy(machine, () => intoPending(records, guard, reason), busyMs);
      } catch (again) {
        if (again instanceof JournalDamage) throw again.with({ meaning: 'Nothing was sent.' });
        if (!(again instanceof RepairedMeanwhile)) throw again;
        await append(records, guard);
      }
    }
  }

  const journal: Journal = {
    path,
    read: () => viewOf(look()),
    // It rejects, and never throws: a reading that was started at the same time would have no one to wait for it.
    latest: async () => journal.read(),
    async append(records, guard) {
      try {
        ensureFolder(state, host);
        await append(records, guard);
        return journal.read();
      } catch (error) {
        if (error instanceof StoppedByGuard) throw error.reason;
        throw errorForRecords(error, records);
      }
    },
    close() {
      own.close();
      pending.close();
    },
  };
  return journal;
}

type Guard = ((state: JournalState) => void) | undefined;

/** @throws StoppedByGuard; DamagedFileError for an open or add while something is wrong with the journal. */
function check(view: JournalState, records: readonly JournalRecord[], guard: Guard): void {
  try {
    guard?.(view);
  } catch (error) {
    throw new StoppedByGuard(error);
  }
  const { trouble } = view;
  if (trouble !== undefined && needsWholeJournal(records, view)) throw troubleError(trouble);
}

/** The journal takes the records again. */
class RepairedMeanwhile extends Error {}

/** A copy that lacks records, or is damaged, takes no more: they would be lost once a newer one is put back. */
class NotTaken extends Error {
  readonly trouble: JournalTrouble;
  constructor(trouble: JournalTrouble) {
    super(trouble.what);
    this.trouble = trouble;
  }
}

/** Once more before an alarm: another process may have begun the journal meanwhile, or be writing the witness. */
function twice(look: () => Files): Files {
  const files = look();
  return files.trouble?.kind === 'rewound' ? look() : files;
}

/** Whatever makes a position larger: a record that it depends on may be missing. */
const needsWholeJournal = (records: readonly JournalRecord[], view: JournalState): boolean =>
  records.some((record) => {
    const intent = intentOf(record, records, view);
    return record.kind === 'roll' || (intent !== undefined && enlarges(intent));
  });

/** Halts, whatever happened already, and closes: a program that holds the journal does not keep a position open. */
const isUrgent = (records: readonly JournalRecord[], view: JournalState): boolean =>
  records.every((record) => {
    const intent = intentOf(record, records, view);
    // The first leg of a roll waits: its second would be stopped.
    if (intent !== undefined) return takesWholeSide(intent) && intent.chain_id === undefined;
    return !CAN_WAIT.includes(record.kind);
  });

/** `sending`: without its intent. */
const CAN_WAIT: readonly JournalRecord['kind'][] = ['roll', 'unhalt', 'loss', 'sending'];

/** Set for an intent and a sending: the action that is to be sent. */
function intentOf(
  record: JournalRecord,
  records: readonly JournalRecord[],
  view: JournalState,
): IntentRecord | undefined {
  if (record.kind === 'intent') return record;
  if (record.kind !== 'sending') return undefined;
  const own = records.find((each) => each.kind === 'intent' && each.action_id === record.action_id);
  return own?.kind === 'intent' ? own : actionById(view, record.action_id)?.intent;
}

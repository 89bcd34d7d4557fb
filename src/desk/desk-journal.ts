/**
 * The journal of an account with a desk: the copy of its log, and what is pending. What may enlarge a position is appended under the
 * log's lock, after the guard was asked of a copy that has every record, and is in the copy too before it is sent. A close, and
 * what happened already, is kept here where the log cannot be reached.
 */
import { enlarges } from '../domain/action-table.ts';
import { type ClockReadings, durationInWords, exactInstant, MAX_CLOCK_SKEW_MS } from '../domain/instants.ts';
import { DamagedFileError, StoppedError } from '../errors.ts';
import { timeInWords } from '../journal/describe.ts';
import { raisedBy } from '../journal/desk-limits.ts';
import { recordsInMemory } from '../journal/record-source.ts';
import { type JournalRecord, mintId, type RollPlan, SCHEMA } from '../journal/records.ts';
import type { IsRunning } from '../journal/replay.ts';
import { rollChain } from '../journal/roll-chains.ts';
import { actionById, type JournalState } from '../journal/state.ts';
import { errorForRecords, StoppedByGuard } from '../journal/store/append-error.ts';
import { found } from '../journal/store/derived-tables.ts';
import type { NewRecord } from '../journal/store/insert-records.ts';
import type { Journal } from '../journal/store/journal.ts';
import { JournalDamage } from '../journal/store/journal-database.ts';
import { journalReader } from '../journal/store/journal-reader.ts';
import { newRecords } from '../journal/store/new-records.ts';
import { salvagedRecords } from '../journal/store/salvage.ts';
import { type JournalTrouble, troubleError } from '../journal/trouble.ts';
import { readClocks } from '../platform/clock.ts';
import type { Host } from '../platform/host.ts';
import { Follower } from './follower.ts';
import { LogSession, type SessionParts } from './log-session.ts';
import { delivered, PendingFile } from './pending-file.ts';
import { DeskTrouble, NotCopied } from './trouble-of-log.ts';

export interface DeskJournal extends Journal {
  /** Whether the database's time is known. */
  isTimed(): boolean;
  /** As `latest`, before any other reading of a command: its clock is the database's from then on. */
  begin(): Promise<void>;
  /** Whether all is in the log that was recorded here. Never throws for the log. */
  deliver(): Promise<boolean>;
}

export interface DeskJournalParts extends Omit<SessionParts, 'follower'> {
  /** Of the desk. */
  folder: string;
  /** Whether this machine still follows the log. */
  isFollowed(): boolean;
  /** Whether this machine sent an action before it joined. */
  sentHere(actionId: string): boolean;
  /** What this machine has recorded in its own journal since it joined: a process was running then. */
  laterRecords(): LaterRecords;
}

export interface LaterRecords {
  records: readonly NewRecord[];
  /** They are in the log. */
  done(): void;
}

/** What was pulled is new enough for so long: whoever appends pulls again under the lock. */
const FRESH_MS = 1_000;
/** Another machine's action is under way until so long after its last record. */
const UNDER_WAY_MS = 2 * 60_000;

export function openDeskJournal(parts: DeskJournalParts): DeskJournal {
  const { folder, machine, name } = parts;
  const { host, clock, random } = machine;
  const follower = new Follower(folder, machine, parts.isFollowed);
  const pending = new PendingFile(folder, machine);
  const session = new LogSession({ ...parts, follower });
  const isRunning: IsRunning = (writer, lastAt) => runs(writer, lastAt, { host, nowMs: clock.now() });
  let pulledAt = Number.NEGATIVE_INFINITY;
  /** When an intent, or a further sending, was about to be committed to the log. By the ID of the action. */
  const committing = new Map<string, ClockReadings>();

  /** `asked`: what is known of the log, where the session does not know it yet. */
  function view(asked: { trouble: JournalTrouble | undefined; isReached: boolean } = session): JournalState {
    const rest = pending.read();
    let damage: JournalTrouble | undefined;
    const copy = (() => {
      try {
        return follower.database();
      } catch (error) {
        if (!(error instanceof JournalDamage)) throw error;
        damage = { kind: 'damaged', path: error.path, what: error.what };
        return undefined;
      }
    })();
    const waiting = rest(copy);
    const { contact } = session;
    return journalReader({
      path: follower.path,
      db: copy,
      waiting,
      trouble: damage ?? (asked.trouble && untilWhen(asked.trouble, contact?.asOf)),
      desk: {
        name,
        isReached: asked.isReached,
        asOf: contact?.asOf,
        login: contact?.login,
        isApprover: contact?.isApprover === true,
        pending: waiting.stored.length,
      },
      isRunning,
      nowMs: clock.now(),
      readable: () => recordsInMemory(salvagedRecords(folder, host)),
    });
  }

  const waitingNow = () => {
    const rest = pending.read();
    return rest(follower.database());
  };

  /** @throws StoppedByGuard */
  function check(state: JournalState, records: readonly JournalRecord[], guard: Guard): void {
    try {
      if (!parts.isFollowed()) throw leftMeanwhile(name);
      for (const record of records) checkSender(record, state);
      guard?.(state);
    } catch (error) {
      throw new StoppedByGuard(error);
    }
  }

  /** @throws StoppedError for an action of a machine that joined later, whose clock and key this one does not know. */
  function checkSender(record: JournalRecord, state: JournalState): void {
    if (record.kind !== 'sending') return;
    const { onlyFrom } = actionById(state, record.action_id) ?? {};
    if (onlyFrom === undefined || parts.sentHere(record.action_id)) return;
    throw new StoppedError({
      code: 'not_alone',
      what: `It was sent from ${onlyFrom} before that machine joined desk ${name}: only that machine sends it again.`,
      book: 'Nothing was sent.',
      hint: 'On that machine: hedge resume. Here: hedge check looks it up.',
    });
  }

  /** Ages and days go by the database's clock: an open is not decided by another one. @throws StoppedError */
  function checkClock(): void {
    const apartMs = Math.abs((session.contact?.offsetMs ?? 0) - clock.shiftMs);
    if (apartMs <= MAX_CLOCK_SKEW_MS) return;
    throw new StoppedError({
      code: 'clock_changed',
      what: `The clock of this machine was set since its last command, by ${durationInWords(apartMs)}.`,
      book: 'Nothing was sent.',
      hint: 'Run the same command again.',
      retry: 'later',
    });
  }

  /** The records as they were last made: with the same IDs they are appended once. */
  async function underLock(records: readonly JournalRecord[], guard: Guard): Promise<void> {
    const made: { records: readonly NewRecord[] } = { records: [] };
    const make = () => {
      const state = view({ trouble: undefined, isReached: true });
      check(state, records, (now) => {
        if (records.some((record) => needsLog(record, now))) checkClock();
        guard?.(now);
      });
      made.records = newRecords(records, follower.database(), random);
      noteCommit(records);
      return made.records;
    };
    try {
      await session.deliver(delivered(waitingNow(), follower));
      await session.appendUnderLock(make);
    } catch (error) {
      if (!(error instanceof DeskTrouble) || !error.mayBeAppended) throw error;
      await settled(records, guard, { made: made.records, lost: error });
    }
    pending.tidy(follower.database());
  }

  /**
   * The answer to the commit was lost: the same records are appended again, which is once. `lost` is thrown again where that
   * cannot be done, and then their IDs are used up.
   */
  async function settled(
    records: readonly JournalRecord[],
    guard: Guard,
    { made, lost }: { made: readonly NewRecord[]; lost: DeskTrouble },
  ): Promise<void> {
    session.forgetFailure();
    try {
      await session.appendUnderLock(() => {
        noteCommit(records);
        if (made.every(({ id }) => follower.has(id))) return [];
        check(view({ trouble: undefined, isReached: true }), records, guard);
        return made;
      });
    } catch (error) {
      throw new Unsettled(error instanceof DeskTrouble ? lost : error, made);
    }
  }

  function noteCommit(records: readonly JournalRecord[]): void {
    for (const record of records)
      if (record.kind === 'intent' || record.kind === 'sending')
        committing.set(record.action_id, readClocks(clock));
  }

  /** Nothing is sent for records that may be in the log, or may still arrive there. */
  async function giveUp(records: readonly JournalRecord[], made: readonly NewRecord[]): Promise<void> {
    const given = records.flatMap((record, at) => {
      const undone = undoing(record, exactInstant(clock.now()));
      const id = made[at]?.id;
      return undone === undefined || id === undefined ? [] : [{ undone, id }];
    });
    if (given.length === 0) return;
    await pending.keep(
      given.map(({ undone }) => ({ id: mintId(random), record: JSON.stringify(undone) })),
      given.map(({ id }) => id),
    );
    await deliverRest();
  }

  /** False where the log cannot take it. */
  async function deliverRest(): Promise<boolean> {
    const waiting = waitingNow();
    const later = parts.laterRecords();
    try {
      await session.deliver(delivered(waiting, follower));
      await session.deliver(later.records, { isEarlier: true });
    } catch (error) {
      if (error instanceof DeskTrouble) return false;
      throw error;
    }
    if (waiting.stored.length > 0) pending.tidy(follower.database());
    later.done();
    return true;
  }

  /** Only with the log. @throws StoppedError `desk_unreachable` and the like. */
  async function withLog(records: readonly JournalRecord[], guard: Guard): Promise<void> {
    try {
      await underLock(records, guard);
    } catch (error) {
      if (error instanceof Unsettled) {
        await giveUp(records, error.made);
        throw thrown(error.cause);
      }
      if (error instanceof NotCopied) await undoNow(records);
      throw thrown(error);
    }
  }

  /** It is in the log, and was not sent, for the copy could not be written. */
  async function undoNow(records: readonly JournalRecord[]): Promise<void> {
    const undone = records.flatMap((record) => undoing(record, exactInstant(clock.now())) ?? []);
    const given = undone.map((each) => ({ id: mintId(random), record: JSON.stringify(each) }));
    await session.deliver(given).catch(() => undefined);
  }

  async function appended(
    records: readonly JournalRecord[],
    how: () => Promise<void>,
  ): Promise<JournalState> {
    try {
      await how();
      return view();
    } catch (error) {
      if (error instanceof StoppedByGuard) throw error.reason;
      throw error instanceof DamagedFileError ? errorForRecords(error, records) : error;
    }
  }

  /**
   * The log has the roll, its first leg is closed, and the log is gone since: the second leg goes on, so that nobody is left
   * without the hedge.
   */
  function isAdmitted(plan: RollPlan): boolean {
    const { trouble } = session;
    if (plan.when !== 'now' || trouble?.code !== 'desk_unreachable') return false;
    const copy = follower.database();
    const isInLog = copy !== undefined && found(copy, 'chain_id', plan.chain_id).length > 0;
    const { state } = rollChain(plan, { state: view(), nowMs: clock.now() });
    return isInLog && (state === 'flat_open_due' || state === 'opening');
  }

  const admittedView = (plan: RollPlan): JournalState =>
    isAdmitted(plan) ? view({ trouble: undefined, isReached: false }) : view();

  /** With the log's lock where it can be reached, and without it where not. `here`: what the guard is asked of then. */
  async function withLogOrHere(
    records: readonly JournalRecord[],
    guard: Guard,
    here: () => JournalState = view,
  ): Promise<void> {
    try {
      await underLock(records, guard);
    } catch (error) {
      if (error instanceof Unsettled && error.cause instanceof DeskTrouble) return pending.keep(error.made);
      if (!(error instanceof DeskTrouble)) throw thrown(error instanceof Unsettled ? error.cause : error);
      check(here(), records, guard);
      await pending.keep(newRecords(records, undefined, random));
    }
  }

  /** What happened already: wherever the log ends. */
  async function anywhere(records: readonly JournalRecord[], guard: Guard): Promise<void> {
    check(view(), records, guard);
    const made = newRecords(records, follower.database(), random);
    try {
      await session.deliver([...delivered(waitingNow(), follower), ...made]);
    } catch (error) {
      if (!(error instanceof DeskTrouble)) throw error;
      await pending.keep(made);
      return;
    }
    pending.tidy(follower.database());
  }

  /** In effect here at once. */
  async function hereFirst(records: readonly JournalRecord[], guard: Guard): Promise<void> {
    check(view(), records, guard);
    await pending.keep(newRecords(records, undefined, random));
    await deliverRest();
  }

  const journal: DeskJournal = {
    path: follower.path,
    read: () => view(),
    async latest() {
      const nowMs = clock.monotonic();
      if (nowMs - pulledAt < FRESH_MS && session.trouble === undefined) return view();
      try {
        await session.pull();
        await deliverRest();
        pulledAt = nowMs;
      } catch (error) {
        if (!(error instanceof DeskTrouble)) throw error;
      }
      return view();
    },
    isTimed: () => session.contact !== undefined,
    async begin() {
      await journal.latest();
      clock.shiftMs = session.contact?.offsetMs ?? clock.shiftMs;
    },
    append(records, guard) {
      const state = view();
      const how = records.some((record) => needsLog(record, state))
        ? withLog
        : records.some(({ kind }) => kind === 'halt')
          ? hereFirst
          : records.some(({ kind }) => LOCKED.includes(kind))
            ? withLogOrHere
            : anywhere;
      return appended(records, () => how(records, guard));
    },
    admitting: (plan) => ({
      ...journal,
      read: () => admittedView(plan),
      async latest() {
        await journal.latest();
        return admittedView(plan);
      },
      async append(records, guard) {
        const isLeg = records.some((each) => each.kind === 'intent' && each.chain_id === plan.chain_id);
        if (!isLeg || !isAdmitted(plan)) return journal.append(records, guard);
        return appended(records, () => withLogOrHere(records, guard, () => admittedView(plan)));
      },
    }),
    sendBy: (actionId) => committing.get(actionId),
    async deliver() {
      session.forgetFailure();
      pulledAt = Number.NEGATIVE_INFINITY;
      const { desk } = await journal.latest();
      return desk?.isReached === true && desk.pending === 0;
    },
    close() {
      session.close();
      follower.close();
      pending.close();
    },
  };
  return journal;
}

type Guard = ((state: JournalState) => void) | undefined;

/** Whether the records are in the log is not known. `cause`: why they were not appended again. */
class Unsettled extends Error {
  readonly made: readonly NewRecord[];
  constructor(cause: unknown, made: readonly NewRecord[]) {
    super('not settled', { cause });
    this.made = made;
  }
}

const thrown = (error: unknown): unknown =>
  error instanceof DeskTrouble
    ? troubleError(error.trouble)
    : error instanceof NotCopied
      ? error.cause
      : error;

/** Another process is judged by itself where this machine can see it, since its start. */
function runs(
  writer: Parameters<IsRunning>[0],
  lastAt: string | undefined,
  { host, nowMs }: { host: Host; nowMs: number },
): boolean {
  const isOfThisStart = writer.boot !== null && writer.boot === host.self.boot;
  const judged = isOfThisStart ? host.judge(writer) : 'unknown';
  if (judged !== 'unknown') return judged === 'running';
  return lastAt !== undefined && Math.abs(nowMs - Date.parse(lastAt)) < UNDER_WAY_MS;
}

/** Whatever makes a position larger, or relaxes what stops it. */
function needsLog(record: JournalRecord, state: JournalState): boolean {
  switch (record.kind) {
    case 'roll':
    case 'unhalt':
      return true;
    case 'desk_limit':
      return raisedBy(state.limits, record).length > 0;
    case 'intent':
      return enlarges(record);
    case 'sending': {
      const intent = actionById(state, record.action_id)?.intent;
      return intent === undefined || enlarges(intent);
    }
    default:
      return false;
  }
}

/** Appended under the lock where the log can be reached. */
const LOCKED: readonly JournalRecord['kind'][] = ['intent', 'sending', 'settled', 'desk_limit'];

/** What says that the step was not taken. */
function undoing(record: JournalRecord, at: string): JournalRecord | undefined {
  const signed = {
    schema: SCHEMA,
    at,
    ...(record.operator === undefined ? {} : { operator: record.operator }),
    ...(record.version === undefined ? {} : { version: record.version }),
  } as const;
  const why = 'the log of the desk did not say in time whether it took the record';
  if (record.kind === 'sending') return { ...signed, kind: 'not_sent', action_id: record.action_id, why };
  if (record.kind === 'intent') return { ...signed, kind: 'not_sent', action_id: record.action_id, why };
  if (record.kind === 'roll')
    return { ...signed, kind: 'roll_end', chain_id: record.chain_id, as: 'dropped', note: why };
  return undefined;
}

/** Each screen that shows the trouble says what the copy has. */
function untilWhen(trouble: JournalTrouble, asOf: string | undefined): JournalTrouble {
  if (trouble.code !== 'desk_unreachable') return trouble;
  const known =
    asOf === undefined
      ? 'no record of it is known here'
      : `this machine has its records as of ${timeInWords(asOf)}`;
  return { ...trouble, what: `${trouble.what.replace(/\.$/, '')}; ${known}.` };
}

const leftMeanwhile = (name: string): StoppedError =>
  new StoppedError({
    code: 'desk_left',
    what: `This machine has left desk ${name} meanwhile.`,
    book: 'Nothing was sent.',
    hint: 'Run the same command again.',
  });

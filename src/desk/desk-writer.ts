/**
 * Appends to a desk: what may enlarge a position, or relaxes what stops it, only under the log's lock; a close also there, and a
 * roll that is dropped, or here where the log cannot be reached; what happened already wherever the log ends. Each record is in the
 * log, or pending here, before anything is sent for it.
 */

import { enlarges } from '../domain/action-table.ts';
import { say, shell, step } from '../domain/hint.ts';
import { type ClockReadings, durationInWords, exactInstant, MAX_CLOCK_SKEW_MS } from '../domain/instants.ts';
import { DamagedFileError, HedgeError, nothingSent, OutcomeUnknownError, unless } from '../errors.ts';
import { raisedBy } from '../journal/desk-limits.ts';
import { type JournalRecord, SCHEMA } from '../journal/records.ts';
import { actionById, type JournalState } from '../journal/state.ts';
import { errorForRecords, StoppedByGuard } from '../journal/store/append-error.ts';
import { JournalDamage } from '../journal/store/journal-database.ts';
import type { NewRecord } from '../journal/store/new-records.ts';
import { newRecord, newRecords } from '../journal/store/new-records.ts';
import { type JournalTrouble, troubleError } from '../journal/trouble.ts';
import { readClocks, type ShiftedClock } from '../platform/clock.ts';
import { type Machine, userAt } from '../platform/host.ts';
import type { Follower } from './follower.ts';
import { inPages } from './log.ts';
import type { LogSession } from './log-session.ts';
import { leftMeanwhile } from './membership.ts';
import { decidedOn, haveDecision, mayBeOvertaken, meantOf } from './overtaken.ts';
import { delivered, type PendingFile, usingUp } from './pending-file.ts';
import { DeskTrouble, NotCopied } from './trouble-of-log.ts';

type Guard = ((state: JournalState) => void) | undefined;

/** The state that the guard checks where the log cannot be reached; undefined: then nothing is recorded. Asked only then. */
type Here = () => JournalState | undefined;

/** How it is with the log, where the session does not know it yet. */
export interface LogNow {
  trouble: JournalTrouble | undefined;
  isReached: boolean;
}

export interface WriterParts {
  name: string;
  machine: Machine & { clock: ShiftedClock };
  follower: Follower;
  pending: PendingFile;
  session: LogSession;
  view: (asked?: LogNow) => JournalState;
  /** Whether this machine still follows the log. */
  isFollowed: () => boolean;
  /** Says what was not delivered. */
  note: (text: string) => void;
  /** Whether this machine sent an action before it joined. */
  sentHere: (actionId: string) => boolean;
  /** Records that this machine wrote to its own journal after it joined: a process was running then. */
  laterRecords: () => LaterRecords;
}

export interface LaterRecords {
  records: readonly NewRecord[];
  /** Why they cannot be read; then there are none. */
  trouble?: JournalTrouble | undefined;
  /** They are in the log. */
  done(): void;
}

/** While the log is locked, and was read to its end. */
const LOCKED: LogNow = { trouble: undefined, isReached: true };

export class DeskWriter {
  readonly #parts: WriterParts;
  /** When an intent, or a further sending, was about to be committed to the log. By the ID of the action. */
  readonly #committing = new Map<string, ClockReadings>();
  /** Why this machine's own journal could not be read when it was asked last. */
  ownTrouble: JournalTrouble | undefined;
  /** IDs of actions that were not sent from here, and that colleagues have sent since: seen when that was to be delivered. */
  readonly resumed = new Set<string>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** `here`: set for the leg of a roll, which may go on without the log. @throws StoppedError, DamagedFileError, or what the guard throws. */
  async append(records: readonly JournalRecord[], guard: Guard, here?: Here): Promise<void> {
    const { view, isFollowed } = this.#parts;
    try {
      if (here !== undefined || needsLog(records, view())) await this.#withLog(records, guard, here);
      else if (records.some(({ kind }) => kind === 'halt')) await this.#hereFirst(records, guard);
      else if (records.some((each) => DECIDED.includes(each.kind) || (mayBeOvertaken(each) && isFollowed())))
        await this.#withLog(records, guard, view);
      else await this.#anywhere(records, guard);
    } catch (error) {
      if (error instanceof StoppedByGuard) throw error.reason;
      throw errorForRecords(error, records);
    }
  }

  sendBy(actionId: string): ClockReadings | undefined {
    return this.#committing.get(actionId);
  }

  /** Delivers the records that are pending here. False where the log cannot take it. */
  async deliverRest(): Promise<boolean> {
    const { session, laterRecords } = this.#parts;
    try {
      await this.#deliver();
      const later = laterRecords();
      this.ownTrouble = later.trouble;
      await session.deliver(later.records, { isEarlier: true });
      later.done();
    } catch (error) {
      if (error instanceof DeskTrouble) return false;
      throw error;
    }
    return true;
  }

  /** The records that are pending here, and more; decisions among those under the lock, as the log may have overtaken them. @throws DeskTrouble */
  async #deliver(made: readonly NewRecord[] = []): Promise<void> {
    const { session, follower, pending } = this.#parts;
    const all = await pending.whole();
    if (haveDecision(all)) {
      await this.#deliverDecided();
      await session.deliver(made);
    } else {
      // The log passes over what it has, and builds a damaged copy again.
      const meant =
        unless(JournalDamage, () => delivered(meantOf(all, follower.database()), follower)) ??
        delivered({ waiting: all }, { has: () => false });
      await session.deliver([...meant, ...made]);
    }
    if (all.length > 0) pending.tidy(unless(JournalDamage, () => follower.database()));
  }

  async #deliverDecided(): Promise<void> {
    const { session, follower, pending, note } = this.#parts;
    let notes: readonly string[] = [];
    let left = 0;
    try {
      await session.appendUnderLock(() => {
        const meant = meantOf(pending.read().all, follower.database());
        const [page = [], ...more] = inPages(delivered(meant, follower));
        notes = meant.overtaken;
        for (const id of meant.resumed) this.resumed.add(id);
        left = more.length;
        return page;
      });
    } catch (error) {
      throw error instanceof NotCopied ? error.cause : error;
    }
    if (left > 0) return this.#deliverDecided();
    for (const each of notes) note(each);
  }

  /** @throws StoppedByGuard */
  #check(state: JournalState, records: readonly JournalRecord[], guard: Guard): void {
    const { isFollowed, name } = this.#parts;
    try {
      if (!isFollowed() && !records.every(isOver)) throw leftMeanwhile(name);
      for (const record of records) this.#checkSender(record, state);
      guard?.(state);
    } catch (error) {
      throw new StoppedByGuard(error);
    }
  }

  /** @throws StoppedError for an action of a machine that joined later, whose clock and key this one does not know. */
  #checkSender(record: JournalRecord, state: JournalState): void {
    if (record.kind !== 'sending') return;
    const { onlyFrom, intent } = actionById(state, record.action_id) ?? {};
    if (onlyFrom === undefined || this.#parts.sentHere(record.action_id)) return;
    // Its own journal does not have what it sent after it had left a desk.
    const { user, host } = userAt(this.#parts.machine.host);
    if (intent?.operator?.user === user && intent.operator.host === host) return;
    throw nothingSent({
      code: 'other_machine',
      what: `It was sent from ${onlyFrom} before that machine joined desk ${this.#parts.name}: only that machine sends it again.`,
      hint: say`On that machine: ${shell`hedge resume`}. Here, to look it up: ${shell`hedge check`}`,
    });
  }

  /** Ages and days go by the database's clock: an open is not decided by another one. @throws StoppedError */
  #checkClock(): void {
    const { session, machine } = this.#parts;
    const apartMs = Math.abs((session.contact?.offsetMs ?? 0) - machine.clock.shiftMs);
    if (apartMs <= MAX_CLOCK_SKEW_MS) return;
    throw nothingSent({
      code: 'clock_changed',
      what: `The clock of this machine was set since its last command, by ${durationInWords(apartMs)}.`,
      hint: 'Run the same command again.',
      retry: 'later',
    });
  }

  /** The records as they were last made: with the same IDs they are appended once. */
  async #underLock(records: readonly JournalRecord[], guard: Guard): Promise<void> {
    const { session, follower, machine, view } = this.#parts;
    let made: readonly NewRecord[] = [];
    const make = (): readonly NewRecord[] => {
      this.#check(view(LOCKED), records, (now) => {
        if (needsLog(records, now)) this.#checkClock();
        guard?.(now);
      });
      made = newRecords(records, follower.database(), machine.random);
      this.#noteCommit(records);
      return made;
    };
    await this.#deliver();
    try {
      await session.appendUnderLock(make);
    } catch (error) {
      if (!(error instanceof DeskTrouble) || !error.mayBeAppended) throw error;
      await this.#again(records, guard, { made, lost: error });
    }
  }

  /**
   * The answer to the commit was lost: the same records are appended again, which is once. `lost` is thrown again where that
   * cannot be done, and then their IDs are used up.
   */
  async #again(
    records: readonly JournalRecord[],
    guard: Guard,
    { made, lost }: { made: readonly NewRecord[]; lost: DeskTrouble },
  ): Promise<void> {
    const { session, follower, view } = this.#parts;
    session.forgetFailure();
    try {
      await session.appendUnderLock(() => {
        this.#noteCommit(records);
        if (made.every(({ id }) => follower.has(id))) return [];
        this.#check(view(LOCKED), records, guard);
        return made;
      });
    } catch (error) {
      throw new MayBeAppended(error instanceof DeskTrouble ? lost : error, made);
    }
  }

  #noteCommit(records: readonly JournalRecord[]): void {
    for (const record of records)
      if (record.kind === 'intent' || record.kind === 'sending')
        this.#committing.set(record.action_id, readClocks(this.#parts.machine.clock));
  }

  /** Under the log's lock; without the log only as `here` says. @throws StoppedError `desk_unreachable` and the like. */
  async #withLog(
    records: readonly JournalRecord[],
    guard: Guard,
    here: Here = () => undefined,
  ): Promise<void> {
    const { pending, machine } = this.#parts;
    try {
      await this.#underLock(records, guard);
    } catch (error) {
      const isLost = error instanceof MayBeAppended;
      const state = (isLost ? error.cause : error) instanceof DeskTrouble ? here() : undefined;
      if (state === undefined) {
        if (isLost) await this.#giveUp(records, error);
        if (error instanceof NotCopied) await this.#undo(records);
        throw causeOf(error);
      }
      if (!isLost) this.#check(state, records, guard);
      const made = isLost ? error.made : newRecords(records, undefined, machine.random);
      await pending.keep(this.#stamped(made, records));
    }
  }

  /** An outcome that was recorded manually, or a roll that was dropped, with what was known of it. */
  #stamped(made: readonly NewRecord[], records: readonly JournalRecord[]): readonly NewRecord[] {
    const { follower } = this.#parts;
    return made.map((each, at) => {
      const record = records.at(at);
      return record !== undefined && mayBeOvertaken(record)
        ? { ...each, stamp: decidedOn(record, () => follower.database()) }
        : each;
    });
  }

  /**
   * Nothing is sent for records that may be in the log, or may still arrive there.
   * @throws OutcomeUnknownError while the log does not have that, or a colleague has sent the action meanwhile.
   */
  async #giveUp(records: readonly JournalRecord[], lost: MayBeAppended): Promise<void> {
    const { pending, machine, name } = this.#parts;
    const { made } = lost;
    const undone = records.flatMap((record, at) => {
      const instead = undoing(record, exactInstant(machine.clock.now()));
      const id = made[at]?.id;
      return instead === undefined || id === undefined
        ? []
        : [{ ...newRecord(instead, machine.random), stamp: usingUp(id) }];
    });
    if (undone.length === 0) return;
    await pending.keep(undone);
    const isDelivered = await this.deliverRest();
    const intent = records.find(({ kind }) => kind === 'intent');
    if (intent?.kind === 'intent' && !(isDelivered && !this.resumed.has(intent.action_id)))
      throw mayBeResumed(intent.action_id, name, causeOf(lost));
  }

  /** They are in the log, and nothing is sent, for the copy could not be written. */
  async #undo(records: readonly JournalRecord[]): Promise<void> {
    const { session, machine } = this.#parts;
    const at = exactInstant(machine.clock.now());
    const undone = records.flatMap((record) => undoing(record, at) ?? []);
    await session.deliver(undone.map((each) => newRecord(each, machine.random))).catch(() => undefined);
  }

  /** Records of past events: appended wherever the log ends. */
  async #anywhere(records: readonly JournalRecord[], guard: Guard): Promise<void> {
    const { pending, machine, view, isFollowed } = this.#parts;
    this.#check(view(), records, guard);
    const made = newRecords(records, undefined, machine.random);
    // After leaving, it belongs to the journal of this machine alone.
    if (!isFollowed()) return pending.keep(made);
    try {
      await this.#deliver(made);
    } catch (error) {
      if (!(error instanceof DeskTrouble) && isFollowed()) throw error;
      return pending.keep(made);
    }
  }

  /** In effect here at once. */
  async #hereFirst(records: readonly JournalRecord[], guard: Guard): Promise<void> {
    const { session, pending, machine, view, isFollowed } = this.#parts;
    this.#check(view(), records, guard);
    const made = newRecords(records, undefined, machine.random);
    try {
      await pending.keep(made);
    } catch (error) {
      if (!(error instanceof DamagedFileError && isFollowed())) throw error;
      // The other machines halt all the same.
      return session.deliver(made).catch((away: unknown) => {
        throw away instanceof DeskTrouble ? error : away;
      });
    }
    if (isFollowed()) await this.deliverRest();
  }
}

/** Whether the records are in the log is not known. `cause`: why they were not appended again. */
class MayBeAppended extends Error {
  readonly made: readonly NewRecord[];
  constructor(cause: unknown, made: readonly NewRecord[]) {
    super('may be in the log', { cause });
    this.made = made;
  }
}

function mayBeResumed(id: string, name: string, cause: unknown): OutcomeUnknownError {
  const why = cause instanceof HedgeError ? cause.what : '';
  return new OutcomeUnknownError({
    what: `Action ${id} was not sent from here, but desk ${name} may have its record. ${why}`.trim(),
    meaning: 'It may execute: a colleague may resume it. Do not enter it again.',
    hint: step(shell`hedge check ${id}`, 'once the log is reached'),
    details: { action_id: id, desk: name },
  });
}

function causeOf(error: unknown): unknown {
  if (error instanceof DeskTrouble) return troubleError(error.trouble);
  return error instanceof MayBeAppended || error instanceof NotCopied ? causeOf(error.cause) : error;
}

/** Records that enlarge a position, or relax a halt or a limit. */
const needsLog = (records: readonly JournalRecord[], state: JournalState): boolean =>
  records.some((record) => {
    if (record.kind === 'roll' || record.kind === 'unhalt') return true;
    if (record.kind === 'desk_limit') return raisedBy(state.limits, record).length > 0;
    if (record.kind === 'intent') return enlarges(record);
    if (record.kind !== 'sending') return false;
    const { action_id: id } = record;
    const own = records.find((each) => each.kind === 'intent' && each.action_id === id);
    const intent = own?.kind === 'intent' ? own : actionById(state, id)?.intent;
    return intent === undefined || enlarges(intent);
  });

/** Appended under the lock where the log can be reached. */
const DECIDED: readonly JournalRecord['kind'][] = ['intent', 'sending', 'settled', 'desk_limit'];

/** A halt, and what happened already. */
const isOver = ({ kind }: JournalRecord): boolean =>
  !(DECIDED.includes(kind) || kind === 'roll' || kind === 'unhalt');

/** The record that says that the step was not taken. */
function undoing(record: JournalRecord, at: string): JournalRecord | undefined {
  const signed = {
    schema: SCHEMA,
    at,
    ...(record.operator === undefined ? {} : { operator: record.operator }),
    ...(record.version === undefined ? {} : { version: record.version }),
  } as const;
  const why = 'the log of the desk did not say in time whether it took the record';
  if (record.kind === 'sending' || record.kind === 'intent')
    return { ...signed, kind: 'not_sent', action_id: record.action_id, why };
  if (record.kind === 'roll')
    return { ...signed, kind: 'roll_end', chain_id: record.chain_id, as: 'dropped', note: why };
  return undefined;
}

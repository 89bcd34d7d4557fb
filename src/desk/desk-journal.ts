/** The journal of an account with a desk: questions are asked of the copy of its log with the records that are pending here. */
import type { LogComparison } from '../journal/audit-report.ts';
import { timeInWords } from '../journal/describe.ts';
import type { RollPlan } from '../journal/records.ts';
import { type IsRunning, mayBeUnderWay, UNDER_WAY_MS } from '../journal/replay.ts';
import { rollChain } from '../journal/roll-chains.ts';
import type { JournalState } from '../journal/state.ts';
import type { Journal } from '../journal/store/journal.ts';
import { JournalDamage, type JournalDatabase } from '../journal/store/journal-database.ts';
import { journalReader } from '../journal/store/journal-reader.ts';
import { salvagedRecords } from '../journal/store/salvage.ts';
import type { JournalTrouble } from '../journal/trouble.ts';
import { type Host, userAt } from '../platform/host.ts';
import { DeskWriter, type LogNow, type WriterParts } from './desk-writer.ts';
import { Follower } from './follower.ts';
import { LogSession, type SessionParts } from './log-session.ts';
import { leftMeanwhile } from './membership.ts';
import { meantOf } from './overtaken.ts';
import { PendingFile } from './pending-file.ts';
import { DeskTrouble } from './trouble-of-log.ts';

export interface DeskJournal extends Journal {
  /** Whether the database's time is known. */
  isTimed(): boolean;
  /** The first `latest` of a command, before any other reading: its clock is the database's from then on. */
  begin(): Promise<void>;
  /** Compares the whole copy with the log. Never throws for the log. */
  compareWithLog(): Promise<LogComparison>;
  /** Whether all is in the log that was recorded here. Never throws for the log. */
  deliver(): Promise<boolean>;
  /** Ends the connection to the log. The files stay open: a state that was read may still be asked. */
  disconnect(): void;
}

export interface DeskJournalParts
  extends Omit<SessionParts, 'follower'>,
    Pick<WriterParts, 'isFollowed' | 'sentHere' | 'laterRecords'> {
  /** Folder of the desk. */
  folder: string;
}

/** A pull is new enough for so long: every append that needs the log pulls again under its lock. */
const FRESH_MS = 1_000;

export function openDeskJournal(parts: DeskJournalParts): DeskJournal {
  const { folder, machine, name } = parts;
  const { host, clock } = machine;
  const follower = new Follower(folder, machine, () => {
    if (!parts.isFollowed()) throw leftMeanwhile(name);
  });
  const pending = new PendingFile(folder, machine, parts);
  const session = new LogSession({ ...parts, follower });
  const isRunning: IsRunning = (writer, lastAt) => runs(writer, lastAt, { host, nowMs: clock.now() });
  let pulledAt = Number.NEGATIVE_INFINITY;

  function view(asked: LogNow = session): JournalState {
    const { all, damage } = pending.read();
    let waiting = all;
    let copy: JournalDatabase | undefined;
    let asOf: string | undefined;
    let copyTrouble: JournalTrouble | undefined;
    try {
      const db = follower.database();
      ({ waiting } = meantOf(all, db));
      ({ asOf } = session);
      copy = db;
    } catch (error) {
      if (!(error instanceof JournalDamage)) throw error;
      copyTrouble = untilReached(error.trouble, name);
    }
    const { contact } = session;
    return journalReader({
      path: follower.path,
      db: copy,
      waiting,
      trouble:
        copyTrouble ??
        damage?.trouble ??
        writer.ownTrouble ??
        (asked.trouble && untilWhen(asked.trouble, asOf)),
      desk: {
        name,
        isReached: asked.isReached,
        asOf,
        login: contact?.login,
        isApprover: contact?.isApprover === true,
        resumed: [...writer.resumed],
        // A file that cannot be read has at least one.
        pending: waiting.length + (damage === undefined ? 0 : 1),
      },
      own: { ...userAt(host), login: contact?.login },
      isRunning,
      nowMs: clock.now(),
      readable: () => salvagedRecords(folder, host),
    });
  }

  const writer = new DeskWriter({ ...parts, follower, pending, session, view });

  /**
   * The state in which leg 2 goes on without the log, so that nobody is left without the hedge: only in the process that closed
   * leg 1 under the log's lock, moments after it saw the log. Whatever runs the roll later cannot know that the desk has not
   * halted, or given the roll up, meanwhile.
   */
  function admitted(plan: RollPlan): JournalState | undefined {
    const isGone = session.trouble?.code === 'desk_unreachable' && session.silentMs < UNDER_WAY_MS;
    if (plan.when !== 'now' || !isGone) return undefined;
    const { state, close } = rollChain(plan, { state: view(), nowMs: clock.now() });
    const isBetween = state === 'flat_open_due' || state === 'opening';
    if (!isBetween || close === undefined || writer.sendBy(close.id) === undefined) return undefined;
    return view({ trouble: undefined, isReached: false });
  }

  const admittedView = (plan: RollPlan): JournalState => admitted(plan) ?? view();

  const journal: DeskJournal = {
    path: follower.path,
    read: () => view(),
    async latest() {
      const nowMs = clock.monotonic();
      if (nowMs - pulledAt < FRESH_MS && session.trouble === undefined) return view();
      try {
        await session.pull();
        await writer.deliverRest();
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
    async append(records, guard) {
      await writer.append(records, guard);
      return view();
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
        await writer.append(records, guard, isLeg ? () => admitted(plan) : undefined);
        return view();
      },
    }),
    sendBy: (actionId) => writer.sendBy(actionId),
    async deliver() {
      session.forgetFailure();
      pulledAt = Number.NEGATIVE_INFINITY;
      const { desk } = await journal.latest();
      return desk?.isReached === true && desk.pending === 0;
    },
    async compareWithLog() {
      session.forgetFailure();
      try {
        return { desk: name, records: await session.compare(), trouble: undefined };
      } catch (error) {
        if (!(error instanceof DeskTrouble)) throw error;
        return { desk: name, records: undefined, trouble: error.trouble };
      }
    },
    disconnect: () => session.close(),
    close() {
      session.close();
      follower.close();
      pending.close();
    },
  };
  return journal;
}

/** Another process is judged by itself where this machine can see it, since its start. */
function runs(
  writer: Parameters<IsRunning>[0],
  lastAt: string | undefined,
  { host, nowMs }: { host: Host; nowMs: number },
): boolean {
  const isOfThisStart = writer.boot !== null && writer.boot === host.self.boot;
  const judged = isOfThisStart ? host.judge(writer) : 'unknown';
  if (judged !== 'unknown') return judged === 'running';
  return lastAt !== undefined && mayBeUnderWay(lastAt, nowMs);
}

/** No repair makes the copy again, but the log does. */
const untilReached = (trouble: JournalTrouble, name: string): JournalTrouble => ({
  ...trouble,
  code: 'desk_unreachable',
  what: `${trouble.what} This copy of desk ${name} is built again by the next command that reaches its log.`,
});

/** Each screen that shows the trouble says what the copy has. */
function untilWhen(trouble: JournalTrouble, asOf: string | undefined): JournalTrouble {
  if (trouble.code !== 'desk_unreachable') return trouble;
  const known =
    asOf === undefined
      ? 'no record of it is known here'
      : `this machine has its records as of ${timeInWords(asOf)}`;
  return { ...trouble, what: `${trouble.what.replace(/\.$/, '')}; ${known}.` };
}

/** The work of one command with the log: it pulls new records into the copy, which checks them, compares both, and appends. */
import { exactInstant } from '../domain/instants.ts';
import { DamagedFileError } from '../errors.ts';
import { JournalDamage } from '../journal/store/journal-database.ts';
import type { Signature } from '../journal/store/new-records.ts';
import type { JournalHead, StoredRecord } from '../journal/store/record-rows.ts';
import type { DeskTroubleCode } from '../journal/trouble.ts';
import type { ShiftedClock } from '../platform/clock.ts';
import type { Machine } from '../platform/host.ts';
import { withLock } from '../platform/lock.ts';
import { compareWhole, nameChange } from './compare-log.ts';
import { type LogConnection, LogFailure } from './connection.ts';
import type { Contact, ContactFile } from './contact.ts';
import { type Follower, NotNext } from './follower.ts';
import {
  appendAnywhere,
  appendLocked,
  type GivenRecord,
  inPages,
  lockAndPull,
  NOTHING_NEW,
  PAGE_MS,
  type Pulled,
  pullLog,
  unlock,
} from './log.ts';
import { type ConversationParts, LogConversation } from './log-conversation.ts';
import { MIGRATIONS } from './log-schema.ts';
import { beyondLog, haltOfRewound, rewoundInWords } from './rewound.ts';
import { ignoredIn } from './stamped-rows.ts';
import { builtAgain, DeskTrouble, NotCopied, troubleOfLog } from './trouble-of-log.ts';

export interface SessionParts extends Pick<ConversationParts, 'name' | 'login' | 'reachMs'> {
  machine: Machine & { clock: ShiftedClock };
  /** Version of hedge. */
  version: string;
  /** For the halt of a log that was put back. */
  signature: () => Signature;
  follower: Follower;
  contacts: ContactFile;
  /** Says what was done about the copy. */
  note: (text: string) => void;
}

/** A conversation with a desk's log, and the copy of that, for a change of who follows it. */
export interface DeskTalk {
  /** Name of the desk, from its log. */
  name: string;
  machine: Machine & { clock: ShiftedClock };
  session: LogSession;
  follower: Follower;
  signature: Signature;
}

const LEAST_MS = 100;
/** Records that are compared with the log at each pull, from a random place of a longer one. */
const COMPARED = 500;
const TRIES = 4;

export class LogSession extends LogConversation {
  readonly #parts: SessionParts;
  #pulling: Promise<void> | undefined;
  #contact: Contact | undefined;

  constructor(parts: SessionParts) {
    const { machine, follower, ...log } = parts;
    super({ ...log, clock: machine.clock, path: follower.path });
    this.#parts = parts;
    this.#contact = parts.contacts.read();
  }

  /** The last one, perhaps of an earlier command. */
  get contact(): Contact | undefined {
    return this.#contact;
  }

  /**
   * The copy has every record up to this time, by the database's clock. An older copy may have been put in its place since it had
   * all: then that of its last record. @throws JournalDamage
   */
  get asOf(): string | undefined {
    const { follower } = this.#parts;
    const { lastAt } = follower;
    const whole = this.#contact?.whole;
    if (whole === undefined || follower.hashAt(whole.seq) !== whole.hash) return lastAt;
    return lastAt !== undefined && lastAt > whole.asOf ? lastAt : whole.asOf;
  }

  /** Pulls the new records. @throws DeskTrouble; DamagedFileError where the copy cannot be written. */
  pull(): Promise<void> {
    this.#pulling ??= this.#work((connection) => this.#pullAll(connection)).finally(() => {
      this.#pulling = undefined;
    });
    return this.#pulling;
  }

  /** Reads the whole log, and returns how many records are the same. @throws DeskTrouble */
  compare(): Promise<number> {
    return this.#work(async (connection) => {
      await this.#pullAll(connection);
      const { seq } = this.#parts.follower.head;
      await compareWhole(connection, this.#parts.follower, seq);
      return seq;
    });
  }

  #work<T>(work: (connection: LogConnection) => Promise<T>): Promise<T> {
    return this.talk(async () => {
      const seq = this.#lastSeq();
      const result = await this.#again(work);
      if (seq > 0) this.#nameIgnored(seq);
      return result;
    });
  }

  /** 0 for a copy that cannot be read: the conversation builds it again. */
  #lastSeq(): number {
    try {
      return this.#parts.follower.head.seq;
    } catch (error) {
      if (error instanceof JournalDamage) return 0;
      throw error;
    }
  }

  #nameIgnored(since: number): void {
    const { follower, note } = this.#parts;
    const db = follower.database();
    if (db === undefined || this.#lastSeq() === since) return;
    for (const each of ignoredIn(db, since)) note(each.what);
  }

  /** The copy may be built again by another process, or be damaged: then the log is compared with it once more. */
  async #again<T>(work: (connection: LogConnection) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1)
      try {
        return await work(await this.connection());
      } catch (error) {
        const isMoved = error instanceof LogFailure && error.kind === 'moved';
        const isDamaged = error instanceof JournalDamage;
        if (tries === TRIES || !(isMoved || isDamaged || error instanceof NotNext)) throw error;
        if (isMoved) this.close();
        if (isDamaged) this.#buildAgain('damaged', 'It could not be read');
        else await this.#pullAll(await this.connection());
      }
  }

  #buildAgain(why: 'damaged' | 'replaced', because: string): void {
    const { follower, name, note } = this.#parts;
    note(
      `${because}: the copy of desk ${name} is built again. The old one: ${follower.putAside(why) ?? 'gone'}`,
    );
  }

  async #pullAll(connection: LogConnection): Promise<void> {
    const { follower, contacts } = this.#parts;
    for (let isFirst = true; ; isFirst = false) {
      const copy = follower.head;
      const compared = isFirst && copy.seq > 0 ? this.#comparedRange(copy.seq) : undefined;
      const own = compared && follower.digest(compared);
      const withinMs = Math.min(PAGE_MS, Math.max(LEAST_MS, this.reachLeftMs));
      const known = this.#contact?.changes;
      const pulled = await this.#asked(connection, { copy, digestOf: compared, withinMs, isFirst });
      if (copy.seq > 0 && pulled.atCopy !== copy.hash) {
        await this.#compareRewound(connection, copy.hash);
        continue;
      }
      if (compared !== undefined && own !== pulled.digest) await nameChange(connection, follower, compared);
      if (copy.seq > COMPARED && known !== pulled.changes) await compareWhole(connection, follower, copy.seq);
      if (this.#contact !== undefined) this.#contact = { ...this.#contact, changes: pulled.changes };
      await follower.take(pulled.records);
      if (follower.head.seq < pulled.head.seq) continue;
      if (this.#contact !== undefined)
        this.#contact = { ...this.#contact, whole: { asOf: exactInstant(pulled.nowMs), ...pulled.head } };
      break;
    }
    this.#checkWitness();
    if (this.#contact !== undefined) contacts.write(this.#contact);
  }

  #comparedRange(last: number): { from: number; to: number } {
    const from = 1 + Math.floor(this.#parts.machine.random.fraction() * Math.max(1, last - COMPARED + 1));
    return { from, to: Math.min(last, from + COMPARED - 1) };
  }

  /** @throws DeskTrouble for a log that this version does not follow. */
  async #asked(connection: LogConnection, question: Parameters<typeof pullLog>[1]): Promise<Pulled> {
    const { name, version, machine } = this.#parts;
    const { clock } = machine;
    const beforeMs = clock.now() - clock.shiftMs;
    const pulled = await pullLog(connection, question);
    this.answered();
    const isNewer = pulled.schemaVersion > MIGRATIONS.length || isOlder(version, pulled.oldestClient);
    if (isNewer)
      throw this.#asTrouble(
        'desk_newer',
        `Desk ${name} needs hedge ${pulled.oldestClient} or later: this is ${version}, for schema ${MIGRATIONS.length.toString()} and not ${pulled.schemaVersion.toString()}.`,
      );
    if (pulled.name !== name) throw new LogFailure('no_desk', `the database has desk ${pulled.name}`);
    const offsetMs = Math.round(pulled.nowMs - (beforeMs + clock.now() - clock.shiftMs) / 2);
    this.#contact = {
      whole: this.#contact?.whole,
      offsetMs,
      login: pulled.login,
      isApprover: pulled.isApprover,
      changes: this.#contact?.changes,
    };
    return pulled;
  }

  /** The log is not the one that the copy continues: an older database was put back. `seen`: the end of that copy. */
  async #compareRewound(connection: LogConnection, seen: string): Promise<void> {
    const { follower, name, machine, signature } = this.#parts;
    const lock = `${follower.path}.lock`;
    const compare = async (): Promise<void> => {
      // Another process was first.
      if (follower.head.hash !== seen) return;
      const beyond = await beyondLog(connection, follower);
      if (beyond.missing.length > 0) {
        const nowMs = machine.clock.now();
        const halt = haltOfRewound({ ...beyond, name }, { ...signature(), nowMs });
        await this.#haltOnce(connection, halt);
        throw this.#asTrouble('desk_rewound', rewoundInWords(name, beyond));
      }
      this.#buildAgain(
        'replaced',
        `The log of desk ${name} was put back, and has every record of this machine`,
      );
      for (let end = -1; follower.head.seq < end || end < 0; ) {
        const { records, head } = await pullLog(connection, { copy: follower.head });
        await follower.take(records);
        end = head.seq;
      }
    };
    await withLock(lock, machine, compare).catch((error: unknown) => {
      const isBusy = error instanceof DamagedFileError && error.path === lock && error.retry === 'later';
      if (!isBusy) throw error;
      throw this.#asTrouble('desk_unreachable', builtAgain(name), { cause: error });
    });
  }

  /** The others stop too. A log that takes no records stops them by itself. */
  async #haltOnce(connection: LogConnection, halt: GivenRecord): Promise<void> {
    try {
      await appendAnywhere(connection, [halt], { copy: NOTHING_NEW });
    } catch (error) {
      if (!(error instanceof LogFailure)) throw error;
      this.close();
    }
  }

  /** The copy was put back or lost, and the log lacks what this machine has seen. */
  #checkWitness(): void {
    const { follower, name } = this.#parts;
    const { lacking } = follower;
    if (lacking === undefined) return;
    const what = `The log of desk ${name} lacks record ${lacking.seq.toString()}, which this machine has seen: an older database was put in its place.`;
    throw this.#asTrouble('desk_rewound', what);
  }

  /**
   * Appends under the lock, in two round trips. `make` sees the copy with every record of the log; what it throws stops the append.
   * @throws DeskTrouble
   */
  appendUnderLock(make: () => readonly GivenRecord[]): Promise<void> {
    return this.#work(async (connection) => {
      const { follower } = this.#parts;
      const locked = await lockAndPull(connection, follower.head);
      if (locked === undefined) throw new NotNext();
      let given: readonly GivenRecord[];
      let copy: JournalHead;
      try {
        await follower.take(locked);
        const asked = follower.database();
        ({ head: copy } = follower);
        given = make();
        // Another process has put it aside: what was asked of it may be asked of nothing.
        if (follower.database() !== asked) throw new NotNext();
      } catch (error) {
        await unlock(connection).catch(() => this.close());
        throw error;
      }
      await this.#copied(given, await this.#committed(connection, given, copy));
    });
  }

  /** Takes what was appended into the copy, also one that another process is building again. @throws NotCopied */
  async #copied(given: readonly GivenRecord[], appended: readonly StoredRecord[]): Promise<void> {
    const { follower, name } = this.#parts;
    try {
      await follower.take(appended).catch(async (error: unknown) => {
        if (!(error instanceof NotNext)) throw error;
        await this.#again(async (connection) => {
          await this.#pullAll(connection);
          if (!given.every(({ id }) => follower.has(id))) throw new NotNext();
        });
      });
    } catch (error) {
      throw new NotCopied('', { cause: troubleOfLog(error, { name, path: follower.path }) ?? error });
    }
  }

  async #committed(
    connection: LogConnection,
    given: readonly GivenRecord[],
    copy: JournalHead,
  ): Promise<readonly StoredRecord[]> {
    try {
      return await appendLocked(connection, given, copy);
    } catch (error) {
      if (!(error instanceof LogFailure) || error.kind !== 'no_answer') throw error;
      const lost = `The log of desk ${this.#parts.name} did not say whether it took the record: ${error.why}.`;
      throw this.#asTrouble('desk_unreachable', lost, { cause: error, mayBeAppended: true });
    }
  }

  /** Appends what happened already, wherever the log ends, in one round trip. `isEarlier`: before this machine joined. @throws DeskTrouble */
  async deliver(
    records: readonly GivenRecord[],
    { isEarlier = false, after }: { isEarlier?: boolean; after?: (delivered: number) => void } = {},
  ): Promise<void> {
    const { follower } = this.#parts;
    let count = 0;
    for (const given of inPages(records)) {
      await this.#work(async (connection) => {
        await follower.take(await appendAnywhere(connection, given, { copy: follower.head, isEarlier }));
        if (!given.every(({ id }) => follower.has(id))) await this.#pullAll(connection);
      });
      count += given.length;
      after?.(count);
    }
  }

  #asTrouble(
    code: DeskTroubleCode,
    what: string,
    options?: ConstructorParameters<typeof DeskTrouble>[1],
  ): DeskTrouble {
    return new DeskTrouble({ path: this.#parts.follower.path, code, what }, options);
  }
}

/** `0.9.0` is older than `0.10.0`. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((each) =>
    each.split('.').map((part) => Number.parseInt(part, 10) || 0),
  );
  for (let at = 0; at < 3; at += 1) {
    const difference = (one?.[at] ?? 0) - (other?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * The connection of one command to the log: made once, asked one thing at a time, and made again where it died in silence. A log
 * that cannot be reached, or is not the one that this machine knows, is trouble, and is not asked again for a while.
 */
import { type ClockReadings, elapsedOver } from '../domain/instants.ts';
import { HedgeError } from '../errors.ts';
import type { JournalTrouble } from '../journal/trouble.ts';
import { readClocks, type ShiftedClock } from '../platform/clock.ts';
import { connectToLog, type LogConnection, LogFailure, type LogLogin } from './connection.ts';
import { type DeskTrouble, troubleOfLog } from './trouble-of-log.ts';

export interface ConversationParts {
  /** The desk. */
  name: string;
  /** The copy of the log. */
  path: string;
  clock: ShiftedClock;
  login: () => Promise<LogLogin>;
  /** How long to wait for the connection and the first answer. */
  reachMs: number;
}

/** After it could not be reached, the log is not asked for so long. */
const GIVEN_UP_MS = 10_000;
/** A connection that has answered within so long is there. */
const SILENT_MS = 5_000;

export class LogConversation {
  readonly #parts: ConversationParts;
  #connection: Promise<LogConnection> | undefined;
  /** The end of what was said last. */
  #said: Promise<unknown> = Promise.resolve();
  #failed: { error: DeskTrouble; at: number } | undefined;
  #isReached = false;
  /** When the log did last what it was asked; undefined before. */
  #heard: ClockReadings | undefined;
  /** By the monotonic clock; undefined once it has answered. */
  #reachUntil: number | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** Undefined while all is well, and before the log was asked. */
  get trouble(): JournalTrouble | undefined {
    return this.#failed?.error.trouble;
  }

  get isReached(): boolean {
    return this.#isReached && this.#failed === undefined;
  }

  /** Since the log answered last, by the clock that counts the longest, as this machine may have slept. Infinite before. */
  get silentMs(): number {
    return this.#heard === undefined
      ? Infinity
      : elapsedOver([this.#heard, readClocks(this.#parts.clock)]).ms;
  }

  /** Milliseconds until the first answer is late; infinite once it has come. */
  protected get reachLeftMs(): number {
    return (this.#reachUntil ?? Infinity) - this.#parts.clock.monotonic();
  }

  /** One after the other: nothing else is said on the connection while `work` holds the lock. @throws DeskTrouble */
  protected talk<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#said.then(() => this.#talkNow(work));
    this.#said = turn.catch(() => undefined);
    return turn;
  }

  /** One failure ends the conversation for a while. */
  async #talkNow<T>(work: () => Promise<T>): Promise<T> {
    const { clock, name, path } = this.#parts;
    const failed = this.#failed;
    if (failed !== undefined && clock.monotonic() - failed.at < GIVEN_UP_MS) throw failed.error;
    try {
      await this.#checkSilent();
      const result = await work();
      this.#heard = readClocks(clock);
      this.#failed = undefined;
      this.#isReached = true;
      return result;
    } catch (error) {
      const trouble = troubleOfLog(error, { name, path });
      if (trouble === undefined) throw error;
      this.close();
      this.#isReached = false;
      this.#failed = { error: trouble, at: clock.monotonic() };
      throw trouble;
    }
  }

  /**
   * While a person thinks, a connection may die in silence, or be ended by the server: then another one is made, both within the time
   * to reach the log. @throws LogFailure
   */
  async #checkSilent(): Promise<void> {
    const { clock, reachMs } = this.#parts;
    const now = clock.monotonic();
    if (this.#connection === undefined || this.silentMs < SILENT_MS) return;
    try {
      await (await this.#connection).run('SELECT 1', reachMs / 2);
    } catch (error) {
      if (!(error instanceof LogFailure)) throw error;
      this.close();
      this.#connection = this.#connect(now + reachMs - clock.monotonic());
    }
  }

  /** @throws LogFailure */
  connection(): Promise<LogConnection> {
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #connect(withinMs = this.#parts.reachMs): Promise<LogConnection> {
    const { login, clock } = this.#parts;
    try {
      const known = await login();
      const password = async (user: string): Promise<string | undefined> => {
        const text = await known.password(user);
        // A person may have been asked for it.
        this.#reachUntil = clock.monotonic() + withinMs;
        return text;
      };
      return await connectToLog({ ...known, password }, { clock, withinMs });
    } catch (error) {
      if (!(error instanceof HedgeError)) throw error;
      throw new LogFailure('refused', error.what.replace(/\.$/, ''), error);
    }
  }

  /** It has answered: a later question has its own time. */
  protected answered(): void {
    this.#reachUntil = undefined;
  }

  /** After a lost answer the next question is asked at once. */
  forgetFailure(): void {
    this.#failed = undefined;
  }

  close(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    void connection?.then((each) => each.close()).catch(() => undefined);
  }
}

/** The ports for reading positions and the journal. */
import type { HedgeApi } from '../client/hedge-api.ts';
import type { AccountIdentity } from '../journal/account-identity.ts';
import type { Journal } from '../journal/store/journal.ts';
import type { Clock } from '../platform/clock.ts';

/** Progress on standard error. */
export interface ProgressReporter {
  /** Starts waiting, or changes the text: one line in a pipe. */
  start(text: string): void;
  /** Updates the spinner; silent in a pipe. */
  update(text: string): void;
  /** A line that stays; silent with --quiet. */
  note(line: string): void;
  /** A line that is shown even with --quiet. */
  news(line: string): void;
  stop(): void;
}

export interface ReadContext {
  api: HedgeApi;
  journal: Journal;
  clock: Clock;
  identity: AccountIdentity;
  /** Aborts at Ctrl-C, TERM or HUP; its reason is the InterruptedError. */
  signal: AbortSignal;
  progress: ProgressReporter;
  /** A recent time in milliseconds since the epoch, as `10:07:58` in the operator's zone; with its day unless it is today. */
  timeOfDay: (ms: number) => string;
  /** Nobody sees its progress: what it finds out in passing is left to the next command. */
  isUnseen?: boolean | undefined;
  /** IANA zone of the profile; undefined: UTC. */
  zone?: string | undefined;
}

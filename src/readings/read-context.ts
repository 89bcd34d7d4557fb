/** What reading the book and the journal needs: ports only. */
import type { HedgeApi } from '../client/hedge-api.ts';
import type { AccountIdentity } from '../journal/account-identity.ts';
import type { Journal } from '../journal/store.ts';
import type { Clock } from '../platform/clock.ts';
/** The operator's sight of what goes on, on standard error. */
export interface ProgressReporter {
  /** Waiting begins, or is about something else now: one line in a pipe. */
  start(text: string): void;
  /** How long it has been: for the spinner alone; silent in a pipe. */
  update(text: string): void;
  /** A line that stays; silent with --quiet. */
  note(line: string): void;
  /** The same of what nobody asked about and everybody must know: always told. */
  news(line: string): void;
  stop(): void;
}

/** What the service and this machine lend to anything that looks at actions. */
export interface ReadContext {
  api: HedgeApi;
  journal: Journal;
  clock: Clock;
  identity: AccountIdentity;
  /** Aborts at Ctrl-C, TERM or HUP; its reason is the InterruptedError. */
  signal: AbortSignal;
  watch: ProgressReporter;
  /** An instant of about now, in milliseconds since the epoch, on the operator's clock: `10:07:58`. */
  timeOfDay: (ms: number) => string;
}

/** The ways in which what is watched leaves the program; which of them it is, is decided once (run-watch.ts). */
import type { Shown } from '../../commands/shown.ts';
import type { HedgeError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Terminal } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';

export interface WatchBody {
  /** A reading that came. */
  reading(shown: Shown): Promise<void>;
  /** One that failed; it is read on. */
  failure(error: HedgeError): Promise<void>;
  /** Called each second. */
  tick(): void;
  /** The watch is over, and how: on its own terms, or by a signal. Never throws. */
  close(): Promise<void>;
}

export interface BodyPorts {
  terminal: Terminal;
  clock: Clock;
  /** Milliseconds from one reading to the next. */
  everyMs: number;
  /** Aborts at a signal. */
  signal: AbortSignal;
  quiet: boolean;
  context: () => Context;
  /** What else stands on the window goes: a spinner. */
  clear: () => void;
  /** Ends the watch, and well. */
  quit: () => void;
}

/** The options of an API call, and the record of each attempt. */
import type { ClockReadings } from '../domain/instants.ts';

/** When the readings were made that an action was decided on, and the time limit for sending it. */
export interface AttemptDecision {
  at: ClockReadings;
  withinMs: number;
}

/** The outcome of one attempt. `unclear`: sent, and it is unknown whether the service acted. */
export interface AttemptRecord {
  number: number;
  became: 'answered' | 'refused' | 'never_sent' | 'unclear';
  /** The HTTP status, if any. */
  status: number | undefined;
  /** The service's `error.code`, if any. */
  code: string | undefined;
}

export interface CallOptions {
  /** Stops the call and its waits; it rejects with the signal's reason unless the outcome is unknown. */
  signal?: AbortSignal | undefined;
  /** Called as each attempt ends. */
  onAttempt?: ((record: AttemptRecord) => void) | undefined;
  /** Called when the call waits that many milliseconds for a rate limit of its key. */
  onHeldBack?: ((ms: number) => void) | undefined;
  /** Of an action: it is not sent after that time, or when the clocks disagree about it. */
  decided?: AttemptDecision | undefined;
}

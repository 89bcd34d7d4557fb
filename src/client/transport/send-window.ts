/**
 * How long an action may be sent, and sent again, judged at the very moment at which its bytes would leave: by then the
 * machine may have slept, or a clock been set, in any wait before. What leaves too late is done a second time by a
 * service that has forgotten its key, or is done on a book that nobody looked at.
 */
import {
  type ClockReadings,
  disagrees,
  durationInWords,
  type Elapsed,
  elapsedOver,
} from '../../domain/elapsed.ts';
import { type Clock, readClocks } from '../../platform/clock.ts';
import type { Decided } from '../hedge-api.ts';
import { Failure, type FailureParts } from './failure.ts';
import { TOTAL_MS } from './retry-policy.ts';

export interface SendWindow {
  /** Why it may not leave now; undefined when it leaves. */
  mayLeave: () => Failure | undefined;
  /** An attempt has failed: its answer may have had a Date. */
  failed: (parts: FailureParts) => void;
}

/** From the readings that it was decided on to each send, and from its first send here to each other one. */
export function sendWindow(clock: Clock, decided: Decided | undefined): SendWindow {
  const answers: ClockReadings[] = [];
  let first: ClockReadings | undefined;
  return {
    mayLeave() {
      const now = readClocks(clock);
      const reason =
        (decided &&
          whyNot(elapsedOver([decided.at, ...answers, now]), decided.withinMs, 'the position was read')) ??
        (first && whyNot(elapsedOver([first, ...answers, now]), TOTAL_MS, 'the first attempt'));
      first ??= now;
      return reason;
    },
    failed({ clocks }) {
      if (clocks !== undefined) answers.push(clocks);
    },
  };
}

function whyNot(elapsed: Elapsed, withinMs: number, since: string): Failure | undefined {
  if (disagrees(elapsed)) {
    const apart = durationInWords(elapsed.apartMs);
    return withheld(
      `the clocks differ by ${apart} on the time since ${since} (the machine slept, or a clock was set)`,
    );
  }
  return elapsed.ms < withinMs ? undefined : withheld(`${durationInWords(elapsed.ms)} passed since ${since}`);
}

const withheld = (says: string): Failure => new Failure({ phase: 'never_sent', kind: 'withheld', says });

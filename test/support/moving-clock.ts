/**
 * Time shared by a program and the service it talks to, in one process: a sleep moves it and costs nothing, and a
 * deadline fires when it has come. Knows neither of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/platform/clock.ts';

export interface MovingClock extends Clock {
  /** Moves time and fires what is due by then. */
  pass(ms: number): void;
}

/** A Tuesday morning in UTC, far from the end of a month: figures and widths are those of every other run. */
export const TUESDAY = Date.UTC(2026, 10, 24, 9);

export function movingClock(start = TUESDAY): MovingClock {
  let now = start;
  const waiting = new Set<{ due: number; fire: () => void }>();
  const pass = (ms: number): void => {
    now += ms;
    const due = [...waiting].filter((each) => each.due <= now).toSorted((a, b) => a.due - b.due);
    for (const each of due) {
      waiting.delete(each);
      each.fire();
    }
  };
  return {
    now: () => now,
    monotonic: () => now,
    pass,
    async sleep(ms, signal) {
      await nextTurn();
      if (signal?.aborted !== true) pass(ms);
    },
    after(ms, then) {
      const entry = { due: now + ms, fire: then };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
  };
}

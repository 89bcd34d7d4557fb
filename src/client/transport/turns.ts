/**
 * Who may use a connection now. Requests that run at the same time take turns on one while it answers at once,
 * as shaking hands costs more than waiting for a quick answer; whoever has waited too long opens another.
 */
import type { Clock } from '../../platform/clock.ts';

/** Less than anybody sees, and longer than a service beside us takes for several answers. */
export const PATIENCE_MS = 25;

export interface Turns {
  /** Calls `start` at its turn, maybe at once. Gives back what leaves the line, or ends the turn: once, and late. */
  take(start: () => void): () => void;
}

export function makeTurns(clock: Clock): Turns {
  const waiting: (() => void)[] = [];
  let allowed = 1;
  let running = 0;

  const goOn = (): void => {
    while (running < allowed) {
      const start = waiting.shift();
      if (start === undefined) return;
      running += 1;
      start();
    }
  };

  return {
    take(start) {
      const left = new AbortController();
      let over = false;
      waiting.push(start);
      goOn();
      if (waiting.includes(start)) void beImpatient(start, left.signal);
      return () => {
        if (over) return;
        over = true;
        left.abort();
        const place = waiting.indexOf(start);
        if (place === -1) running -= 1;
        else waiting.splice(place, 1);
        goOn();
      };
    },
  };

  async function beImpatient(start: () => void, left: AbortSignal): Promise<void> {
    await clock.sleep(PATIENCE_MS, left);
    if (left.aborted || !waiting.includes(start)) return;
    allowed += 1;
    goOn();
  }
}

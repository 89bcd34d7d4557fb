/**
 * Who may use a connection now. Requests that run at the same time take turns on one while it answers at once,
 * as shaking hands costs more than waiting for a quick answer. Once somebody has waited for so long, now or in turns
 * that are over, there is a connection for each who waits.
 */
import type { Clock } from '../../platform/clock.ts';

/** Less than anybody sees, and longer than a service beside us takes for the answers to one command. */
export const PATIENCE_MS = 25;

export interface Turns {
  /** Calls `start` at its turn, maybe at once. Gives back what leaves the line, or ends the turn: once, and late. */
  take(start: () => void): () => void;
}

export function makeTurns(clock: Clock): Turns {
  const line: (() => void)[] = [];
  let allowed = 1;
  let running = 0;
  let waited = 0;
  let endWaiting: (() => void) | undefined;

  const goOn = (): void => {
    while (running < allowed) {
      const start = line.shift();
      if (start === undefined) break;
      running += 1;
      start();
    }
    if (line.length > 0) endWaiting ??= wait();
    else endWaiting?.();
  };
  const wait = (): (() => void) => {
    const since = clock.monotonic();
    const cancel = clock.after(Math.max(0, PATIENCE_MS - waited), () => {
      endWaiting = undefined;
      waited = 0;
      allowed += line.length;
      goOn();
    });
    return () => {
      endWaiting = undefined;
      waited += clock.monotonic() - since;
      cancel();
    };
  };

  return {
    take(start) {
      let over = false;
      line.push(start);
      goOn();
      return () => {
        if (over) return;
        over = true;
        const place = line.indexOf(start);
        if (place === -1) running -= 1;
        else line.splice(place, 1);
        goOn();
      };
    },
  };
}

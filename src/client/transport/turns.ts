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

interface Waiting {
  start(): void;
  calm(): void;
}

export function makeTurns(clock: Clock): Turns {
  const line: Waiting[] = [];
  let allowed = 1;
  let running = 0;

  const goOn = (): void => {
    while (running < allowed) {
      const next = line.shift();
      if (next === undefined) return;
      next.calm();
      running += 1;
      next.start();
    }
  };
  const beImpatient = (): void => {
    allowed += 1;
    goOn();
  };

  return {
    take(start) {
      const patience = clock.deadline(PATIENCE_MS);
      const calm = (): void => {
        patience.cancel();
        patience.signal.removeEventListener('abort', beImpatient);
      };
      const waiting = { start, calm };
      let over = false;
      patience.signal.addEventListener('abort', beImpatient, { once: true });
      line.push(waiting);
      goOn();
      return () => {
        if (over) return;
        over = true;
        const place = line.indexOf(waiting);
        if (place === -1) running -= 1;
        else line.splice(place, 1);
        calm();
        goOn();
      };
    },
  };
}

/**
 * One request a turn of the event loop, first come, first served. A turn takes one new connection and reads from those
 * that are open: were all that was read dealt with before the next turn, hundreds who ask without a pause would keep
 * newcomers waiting for minutes. Knows no request.
 */

/** Resolves at the caller's turn. */
export type Turn = () => Promise<void>;

/** Once `closing` there are no newcomers any more: all who wait go on together. */
export function makeTurns(closing: AbortSignal): Turn {
  const waiting: (() => void)[] = [];
  let running = false;
  const next = (): void => {
    for (const goOn of waiting.splice(0, closing.aborted ? waiting.length : 1)) goOn();
    running = waiting.length > 0;
    if (running) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (running) return;
      running = true;
      setImmediate(next);
    });
}

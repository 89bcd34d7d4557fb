/** Waits for what another process does, without a limit that a busy machine could exceed. */
import { setTimeout as pause } from 'node:timers/promises';

const LIMIT_MS = 300_000;
const POLL_MS = 5;

export async function eventually(holds: () => boolean): Promise<void> {
  for (const until = performance.now() + LIMIT_MS; !holds(); ) {
    if (performance.now() > until)
      throw new Error(`still not true after ${LIMIT_MS} ms: ${holds.toString()}`);
    await pause(POLL_MS);
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

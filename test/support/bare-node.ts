/** How slow this machine is now, by what a bare Node takes to start and end: limits of time grow with it. */
import { execFileSync } from 'node:child_process';

const BARE_MS = 50;

/** What takes `ms` where a bare Node takes BARE_MS may take that long here. */
export function onThisMachine(ms: number): number {
  const began = performance.now();
  execFileSync(process.execPath, ['-e', '0']);
  return ms * Math.max(1, (performance.now() - began) / BARE_MS);
}

/** How far a run of many lines is, as text for a line of progress: plain characters, whatever the terminal. */

const CELLS = 20;

/** `[##########----------] 15/30, 1 failed`. `done` of `total`, which is above 0. */
export function barOf({ done, failed, total }: { done: number; failed: number; total: number }): string {
  const full = Math.floor((CELLS * done) / total);
  const counted = `${done.toString()}/${total.toString()}`;
  const bad = failed === 0 ? '' : `, ${failed.toString()} failed`;
  return `[${'#'.repeat(full)}${'-'.repeat(CELLS - full)}] ${counted}${bad}`;
}

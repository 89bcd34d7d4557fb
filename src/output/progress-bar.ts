/** A progress bar in characters, for work on many lines or rows. */

const CELLS = 20;

/** `[##########----------] 15/30, 1 failed`. `total` is above 0. */
export function progressBar({
  done,
  failed,
  total,
}: {
  done: number;
  failed: number;
  total: number;
}): string {
  const full = Math.floor((CELLS * done) / total);
  const counted = `${done}/${total}`;
  const bad = failed === 0 ? '' : `, ${failed} failed`;
  return `[${'#'.repeat(full)}${'-'.repeat(CELLS - full)}] ${counted}${bad}`;
}

/** The commands of a hint: one per line, with aligned descriptions. Pure. */
const APART = 4;

export function commandLines(rows: readonly (readonly [line: string, does: string])[]): string {
  const width = Math.max(0, ...rows.map(([line]) => line.length)) + APART;
  return rows.map(([line, does]) => `${line.padEnd(width)}${does}`).join('\n');
}

/** Exposures and a policy in a folder of the running test file, and the line that reads them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const DAY_MS = 86_400_000;
const BAND = { min_pct: 60, target_pct: 80, max_pct: 100 };

/** Due in five days, and in twenty: one with a single leg or two, one with rolls. */
export function coverLine(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-exposures-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  const files = { exposures: join(folder, 'exposures.csv'), policy: join(folder, 'policy.json') };
  writeFileSync(
    files.exposures,
    `id,due,ngn,direction,certainty\nA,${inDays(5)},25m,receive,firm\nB,${inDays(20)},40m,pay,forecast\n`,
  );
  writeFileSync(
    files.policy,
    JSON.stringify({
      buckets: [
        { from_days: 0, to_days: 7, ...BAND },
        { from_days: 8, to_days: 40, ...BAND },
      ],
      before_days: 1,
      after_days: 1,
      forecast_weight_pct: 50,
    }),
  );
  return `cover ${files.exposures} --policy ${files.policy}`;
}

/** Exposures with a policy, and deals, in a folder of the running test file, and the lines that read them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const DAY_MS = 86_400_000;
const BAND = { min_pct: 60, target_pct: 80, max_pct: 100 };

/** `2026-12-24`, so many days from now. */
export const dayIn = (days: number, nowMs = Date.now()): string =>
  new Date(nowMs + days * DAY_MS).toISOString().slice(0, 10);

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-exposures-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Two deals, one of them in naira. `name`: begins their deal IDs. */
export function dealsFile(name: string, folder = ownFolder()): string {
  const path = join(folder, `${name}.csv`);
  writeFileSync(
    path,
    `deal_id,side,notional_usd,ngn,tenor_days,max_cost_bps\n${name}-1,buy,1000,,3,300\n${name}-2,sell,,2m,1,300\n`,
  );
  return path;
}

/** Due in five days, and in twenty: one with a single leg or two, one with rolls. */
export function coverLine(): string {
  const folder = ownFolder();
  const files = { exposures: join(folder, 'exposures.csv'), policy: join(folder, 'policy.json') };
  writeFileSync(
    files.exposures,
    `id,due,ngn,direction,certainty\nA,${dayIn(5)},25m,receive,firm\nB,${dayIn(20)},40m,pay,forecast\n`,
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

/** The lines of a treasurer's day, in the order in which each has something to show. */
export const treasuryLines = (): readonly string[] => [
  'maturities',
  'what-if --move +10%',
  coverLine(),
  'quote USDTNGN buy --ngn 15m --tenor 3',
  'quote USDTNGN --sizes 5k,10k --tenor all',
  `deals check ${dealsFile('DAY')}`,
  `deals run ${dealsFile('DAY')} --yes --no-wait`,
];

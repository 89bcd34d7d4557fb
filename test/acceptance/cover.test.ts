/**
 * From the exposures to open hedges on the built program: cover writes the deals, they are checked and opened, and cover
 * finds every bucket inside its band, or names what keeps it outside.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsv } from '../support/csv.ts';
import { dayIn } from '../support/exposure-files.ts';
import { isStarted, runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';

interface Bucket {
  from_days: number;
  status: string;
  status_after: string;
  constraint: string | null;
  deals_usd: number;
}
interface Covered {
  data: { derived: { buckets: readonly Bucket[]; deals: readonly unknown[] } };
  error: { code: string } | null;
}

const bucket = (from: number, to: number, [min, target, max]: readonly [number, number, number]) => ({
  from_days: from,
  to_days: to,
  min_pct: min,
  target_pct: target,
  max_pct: max,
});
const POLICY = {
  buckets: [
    bucket(0, 4, [60, 80, 100]),
    bucket(5, 9, [40, 60, 90]),
    bucket(10, 20, [50, 50, 80]),
    bucket(21, 40, [30, 50, 80]),
  ],
  before_days: 1,
  after_days: 1,
  forecast_weight_pct: 50,
};

let served: ServedBook;
beforeAll(async () => {
  // In this process waiting takes no time, in which a fill would have to come.
  const seconds = isStarted ? 0.2 : 0;
  served = await servedBook({ fill_seconds: { min: seconds, max: seconds } });
});
afterAll(() => served.close());

function aDesk(exposures: readonly string[]) {
  const home = temporaryFolder();
  const [list, policy, deals] = [
    join(home, 'exposures.csv'),
    join(home, 'policy.json'),
    join(home, 'out.csv'),
  ];
  writeFileSync(list, ['id,due,ngn,direction,certainty', ...exposures, ''].join('\n'));
  writeFileSync(policy, JSON.stringify(POLICY));
  const env = served.way(home);
  const run = (...words: readonly string[]) => runHedge(words, { env });
  return {
    deals,
    run,
    async cover() {
      const ran = await run('cover', list, '--policy', policy, '--deals', deals, '--json');
      const document: Covered = JSON.parse(ran.out);
      return { code: ran.code, ...document.data.derived, error: document.error };
    },
  };
}

describe('from cover to open hedges', () => {
  it('opens what cover writes, and every bucket is inside its band after that', async () => {
    await served.reset();
    const { run, cover, deals } = aDesk([
      `INV-1,${dayIn(2)},"15,000,000.00",receive,firm`,
      `INV-2,${dayIn(3)},30m,receive,forecast`,
      `PAY-1,${dayIn(7)},12000000,pay,firm`,
      `INV-3,${dayIn(14)},45m,receive,firm`,
      `INV-4,${dayIn(33)},60m,receive,firm`,
    ]);
    const before = await cover();
    expect([before.code, before.error]).toEqual([0, null]);
    expect(before.buckets.map(({ status }) => status)).toEqual(['below', 'below', 'below', 'below']);
    expect(before.buckets.map(({ status_after: after }) => after)).toEqual(Array(4).fill('inside'));
    const rows = readCsv(readFileSync(deals, 'utf8'));
    expect(rows).toHaveLength(before.deals.length);

    const checked = await run('deals', 'check', deals);
    expect([checked.code, checked.err]).toEqual([0, '']);
    const ran = await run('deals', 'run', deals, '--yes', '--csv');
    expect(ran.code).toBe(0);
    expect(readCsv(ran.out).map(({ deal_id: id, outcome }) => [id, outcome])).toEqual(
      rows.map(({ deal_id: id }) => [id, 'filled']),
    );

    const after = await cover();
    expect([after.code, after.buckets.map(({ status }) => status)]).toEqual([0, Array(4).fill('inside')]);
    expect(after.deals).toEqual([]);
    // Nothing is missing: the file has a header alone, and running it is no error.
    const none = await run('deals', 'run', deals, '--yes', '--json');
    expect([none.code, JSON.parse(none.out).data.deals]).toEqual([0, []]);
    expect(served.acted('/hedges')).toBe(rows.length);
  });

  it('names what keeps a bucket outside, also after its deals are open', async () => {
    await served.reset();
    const { run, cover, deals } = aDesk([
      `INV-1,${dayIn(2)},300m,receive,firm`,
      `PAY-1,${dayIn(7)},2400m,pay,firm`,
    ]);
    const before = await cover();
    expect([before.code, before.error?.code]).toEqual([11, 'cover_incomplete']);
    expect(before.buckets[1]).toMatchObject({ status_after: 'below', constraint: 'headroom' });
    const ran = await run('deals', 'run', deals, '--yes', '--json');
    expect(ran.code).toBe(0);
    const after = await cover();
    expect([after.code, after.buckets.map(({ status }) => status)]).toEqual([
      11,
      ['inside', 'below', 'nothing_due', 'nothing_due'],
    ]);
    expect(after.buckets[1]?.constraint).toBe('headroom');
    expect(readCsv(readFileSync(deals, 'utf8'))).toEqual([]);
  });
});

/** The due date of cover that a second leg may miss. */
import { expect, it } from 'vitest';
import { pastDueDate } from '../../../src/runs/rolls/plan-roll.ts';
import { aRoll } from '../../journal/records.ts';

it.each<[1 | 3 | 7, string, string]>([
  [3, '2026-11-25', 'allows it; --tenor 1 matures 1 day before it.'],
  [7, '2026-11-29', 'allows it.'],
  [7, '2026-11-26', 'allows it; --tenor 3 matures on that date.'],
  [1, '2026-11-23', 'allows it.'],
])('a leg 2 of %s days for %s names a shorter tenor only where that matures as close', (tenor, due, says) => {
  const plan = aRoll({
    when: 'maturity',
    deal_id: `COVER-${due.replaceAll('-', '')}-BUY-3f9a21.r2`,
    tenor_days: tenor,
    maturity_at: '2026-11-23T08:00:00.000Z',
  });
  const [finding] = pastDueDate(plan, {}, { zone: 'UTC' });
  expect(finding?.hint).toBe(`It still counts as cover if after_days of the policy ${says}`);
});

it.each([
  ['UTC', 'COVER-20261124-BUY-3f9a21.r2', undefined],
  [undefined, 'COVER-20261124-BUY-3f9a21.r2', undefined],
  ['Africa/Lagos', 'COVER-20261124-BUY-3f9a21.r2', '2026-11-25, 1 day after 2026-11-24'],
  ['Africa/Lagos', 'COVER-20261125-BUY-3f9a21.r2', undefined],
  ['UTC', 'COVER-20261120-BUY-3f9a21.r2', '2026-11-24, 4 days after 2026-11-20'],
  ['UTC', 'PAY-20261120-1.r2', undefined],
])('a leg 2 that matures at 23:30 UTC is late by the days of %s: %s', (zone, dealId, says) => {
  const plan = aRoll({
    when: 'maturity',
    deal_id: dealId,
    tenor_days: 1,
    maturity_at: '2026-11-23T23:30:00.000Z',
  });
  const [finding] = pastDueDate(plan, {}, { zone });
  if (says === undefined) expect(finding).toBeUndefined();
  else expect(finding?.message).toContain(says);
});

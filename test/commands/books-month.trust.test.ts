/**
 * A month as a treasurer lives it, on practice with a clock that moves when told: 20 exposures, cover, deals, rolls and reduces,
 * and a snapshot each night. At its end three commands answer the three questions. Every day a part of the month is tried.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beancountBalances, hledgerBalances } from '../support/accounting-tools.ts';
import { aBooksDesk, dataOf, sumOf } from '../support/books-desk.ts';
import { readCsv } from '../support/csv.ts';
import { dayIn } from '../support/exposure-files.ts';
import { IN_FULL } from '../support/goal.ts';
import { needs } from '../support/tools.ts';

const DAYS = IN_FULL ? 29 : 5;
const DUE = [2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 15, 16, 17, 18, 20, 22, 23, 25, 26, 28];
const BAND = { min_pct: 60, target_pct: 80, max_pct: 120 };
const POLICY = {
  buckets: [
    { from_days: 0, to_days: 7, ...BAND },
    { from_days: 8, to_days: 40, min_pct: 20, target_pct: 40, max_pct: 80 },
  ],
  before_days: 1,
  after_days: 1,
  forecast_weight_pct: 50,
};

async function aMonth() {
  const desk = await aBooksDesk();
  const { hedge, run, home, hours } = desk;
  const [exposures, policy] = [join(home, 'exposures.csv'), join(home, 'policy.json')];
  const rows = DUE.map((days, index) => {
    const direction = index % 5 === 4 ? 'pay' : 'receive';
    return `INV-${(index + 1).toString()},${dayIn(days, desk.clock.now())},${(20 + ((index * 37) % 60)).toString()}m,${direction},firm`;
  });
  writeFileSync(exposures, ['id,due,ngn,direction,certainty', ...rows, ''].join('\n'));
  writeFileSync(policy, JSON.stringify(POLICY));
  await hedge('snapshot');
  const done = { deals: 0, rolls: 0, reduces: 0 };
  for (let day = 0; day < DAYS; day += 1) {
    const deals = join(home, `deals-${day.toString()}.csv`);
    const covered = await run(['cover', exposures, '--policy', policy, '--deals', deals]);
    expect([0, 11]).toContain(covered.code);
    const ids = readCsv(readFileSync(deals, 'utf8')).map((row) => row['deal_id'] ?? '');
    if (ids.length > 0)
      done.deals += (await run(['deals', 'run', deals, '--yes'])).code === 0 ? ids.length : 0;
    const open = readCsv((await hedge('hedges --status open --csv')).out);
    const [first] = open;
    if (first !== undefined && day % 3 === 1) {
      const rolled = await run(
        `roll ${first['client_reference'] ?? ''} --tenor 3 --at maturity --max-cost-bps 200 --yes`,
      );
      done.rolls += rolled.code === 0 ? 1 : 0;
    }
    if (open.some((row) => row['side'] === 'buy') && day % 4 === 2)
      done.reduces += (await run('reduce USDTNGN buy --by 25% --yes')).code === 0 ? 1 : 0;
    hours(12);
    await hedge('snapshot -q');
    hours(12);
    await run('roll run --due --yes');
  }
  return { ...desk, done };
}

describe('a month of a treasurer', () => {
  it('is answered in three commands', needs('hledger', 'bean-check', 'bean-query'), async () => {
    const { hedge, run, home, day, account, done } = await aMonth();
    expect([done.deals > DAYS, done.rolls > 0, done.reduces > 0]).toEqual([true, true, true]);

    // What did we make, and why.
    const page = join(home, 'month.html');
    const reported = await run(['report', '--since', day, '--html', page, '--json']);
    expect(reported.code).toBe(0);
    const { bridge, groups, total } = dataOf(reported).derived;
    const { value, balance, margin } = await account();
    const { net_asset_value_usdc: opening } = bridge.opening;
    expect(sumOf([opening, bridge.realized_usd, bridge.unrealized_usd, bridge.unexplained_usd])).toBe(value);
    expect(sumOf(groups.map((each: { net_usd: number }) => each.net_usd))).toBe(sumOf([total.net_usd]));
    // Only reduces of hedges that are still open are known as they were sent.
    expect(Math.abs(bridge.unexplained_usd)).toBeLessThan(25);
    expect(readFileSync(page, 'utf8').match(/<svg /g)).toHaveLength(3);

    // Do we agree.
    expect((await hedge(`reconcile --since ${day}`)).out).toContain('All agree.');

    // What finance gets.
    const wanted = expect.objectContaining({
      'Assets:Hedge:Balance': balance,
      'Assets:Hedge:Margin': margin,
    });
    expect(hledgerBalances((await hedge('export --format hledger')).out)).toEqual(wanted);
    expect(beancountBalances((await hedge('export --format beancount --no-save')).out)).toEqual(wanted);
  });
});

/**
 * A treasurer's week on the built program, from cover to roll: exposures become deals, the deals are opened, their
 * maturities are in a calendar, and each hedge that ends before its exposure is due is rolled. The practice clock is moved.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Big } from 'big.js';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { createBook } from '../practice/support/practice-service.ts';
import { readCsv } from '../support/csv.ts';
import { dayIn } from '../support/exposure-files.ts';
import { runHedge } from '../support/in-process.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const sum = (amounts: readonly (string | number)[]): string =>
  amounts.reduce((all: Big, each) => all.plus(each), new Big(0)).toFixed();

const EXPOSURES = [
  'id,due,ngn,direction,certainty',
  `INV-7,${dayIn(6)},300m,receive,firm`,
  `SAL-11,${dayIn(6)},120m,pay,firm`,
  `INV-9,${dayIn(16)},"200,000,000.00",receive,firm`,
  '',
].join('\n');
const POLICY = {
  buckets: [
    { from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 },
    { from_days: 8, to_days: 30, min_pct: 30, target_pct: 50, max_pct: 70 },
  ],
  before_days: 1,
  after_days: 0,
  forecast_weight_pct: 50,
};
/** The rate does not move, so that every figure follows from the quotes. */
const SETTINGS = {
  fill_seconds: { min: 0, max: 0 },
  markets: { USDTNGN: { base_rate: 1_530, swing: 0, drift_yearly_pct: 0 } },
};

async function aDesk() {
  const home = temporaryFolder();
  const file = (name: string): string => join(home, name);
  await createBook(file('state/practice'), SETTINGS);
  writeFileSync(file('exposures.csv'), EXPOSURES);
  writeFileSync(file('policy.json'), JSON.stringify(POLICY));
  const env = { HEDGE_HOME: home, HEDGE_PROFILE: 'practice' };
  const run = (line: string) => runHedge(line.split(' '), { env });
  /** The document of a line that ends with 0. */
  const shown = async (line: string) => {
    const ran = await run(`${line} --json`);
    expect([line, ran.code, ran.code === 0 ? '' : ran.err]).toEqual([line, 0, '']);
    return JSON.parse(ran.out);
  };
  const cover = async (deals: string) => {
    const { data } = await shown(
      `cover ${file('exposures.csv')} --policy ${file('policy.json')} --deals ${file(deals)}`,
    );
    return data.derived;
  };
  return { file, run, shown, cover };
}

const statuses = ({ buckets }: { buckets: readonly { status: string }[] }): readonly string[] =>
  buckets.map(({ status }) => status);

describe('a week of a treasurer', () => {
  it('goes from uncovered exposures to rolled hedges, and each deal is opened once', async () => {
    const { file, run, shown, cover } = await aDesk();

    const before = await cover('deals.csv');
    expect(statuses(before)).toEqual(['below', 'below']);
    const [soon, late] = before.deals;
    // No tenor reaches a date 16 days away: the first leg, and the dates of the rolls.
    expect(late.rolls.length).toBeGreaterThan(0);
    const rows = readCsv(readFileSync(file('deals.csv'), 'utf8'));
    const ids = rows.map(({ deal_id: id = '' }) => id);
    expect(rows.map(({ notional_usd: size }) => size)).toEqual(
      [soon, late].map((deal) => String(deal.notional_usd)),
    );

    const checked = await shown(`deals check ${file('deals.csv')}`);
    expect(checked.data.deals).toHaveLength(2);
    expect((await shown('hedges')).data).toEqual([]);
    const opened = await run(`deals run ${file('deals.csv')} --yes --csv`);
    expect([opened.code, readCsv(opened.out).map(({ outcome }) => outcome)]).toEqual([
      0,
      ['filled', 'filled'],
    ]);
    const again = await run(`deals run ${file('deals.csv')} --yes --csv`);
    expect(again.code).toBe(0);
    expect(readCsv(again.out).map(({ earlier }) => earlier)).toEqual(['true', 'true']);
    expect((await shown('hedges')).data).toHaveLength(2);
    const covered = await cover('more.csv');
    expect([statuses(covered), covered.deals]).toEqual([['inside', 'inside'], []]);

    const { data: projected } = await shown('what-if --rate 1600');
    expect(projected.derived).toMatchObject({ payoff: 'confirmed' });
    const [at] = projected.derived.scenarios;
    expect(sum(at.hedges.map((each: { payoff_usd: number }) => each.payoff_usd))).toBe(String(at.payoff_usd));
    await shown(`maturities --ics ${file('desk.ics')}`);
    const calendar = new ICAL.Component(ICAL.parse(readFileSync(file('desk.ics'), 'utf8')));
    const uids = calendar.getAllSubcomponents('vevent').map((each) => new ICAL.Event(each).uid);
    expect(uids).toHaveLength(2);

    const [soonId = '', lateId = ''] = ids;
    await shown(`roll ${soonId} --tenor ${soon.rolls[0].tenor_days} --at maturity --max-cost-bps 150 --yes`);
    await shown(`roll ${lateId} --tenor ${late.rolls[0].tenor_days} --at maturity --max-cost-bps 150 --yes`);
    expect((await shown('roll run --due --yes')).data).toEqual([]);
    expect((await shown('maturities')).meta.unfinished_rolls).toHaveLength(2);

    // Cron opens each second leg on the day that its first leg settles.
    await shown(`practice advance ${String(soon.tenor_days * 24)}h`);
    expect((await shown('roll run --due --yes')).data).toMatchObject([
      { state: 'done', to_deal_id: `${soonId}.r2` },
    ]);
    await shown(`practice advance ${String((late.tenor_days - soon.tenor_days) * 24)}h`);
    expect((await shown('roll run --due --yes')).data).toMatchObject([
      { state: 'done', to_deal_id: `${lateId}.r2` },
    ]);
    expect((await shown('roll run --due --yes')).data).toEqual([]);

    const chains: readonly { chain_id: string }[] = (await shown('roll show')).data;
    expect(chains).toHaveLength(2);
    for (const { chain_id: id } of chains) {
      const { derived } = (await shown(`roll show ${id}`)).data;
      expect(derived.missing).toEqual([]);
      expect(sum(derived.legs.map((leg: { cost_usdc: number }) => leg.cost_usdc))).toBe(
        String(derived.cost_usdc),
      );
    }
    const { data: all } = await shown('hedges');
    expect(all.map((each: { client_reference: string }) => each.client_reference).toSorted()).toEqual(
      ids.flatMap((id) => [id, `${id}.r2`]).toSorted(),
    );

    // The exposure that is still ahead is covered by the second leg, under the deal ID of the first one.
    const rolled = await cover('later.csv');
    expect([statuses(rolled), rolled.deals]).toEqual([['nothing_due', 'inside'], []]);
    const { data: actions } = await shown('journal');
    expect(actions.map((each: { chain_id: string | null }) => each.chain_id !== null)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect((await shown('audit verify')).error).toBeNull();
  });
});

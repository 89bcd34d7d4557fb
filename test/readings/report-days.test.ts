/** Random days: the parts of a report add up to its total, and the bridge closes to the last micro-USDC on the parts that are known. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { REPORT_BY, type ReportBy } from '../../src/args/report-options.ts';
import type { DealLife } from '../../src/domain/deal-pnl.ts';
import { totalValue } from '../../src/domain/net-asset-value.ts';
import { netPnl, PNL_PARTS } from '../../src/domain/pnl-parts.ts';
import { type ReportReading, readReport } from '../../src/readings/read-report.ts';
import { readWholeAccount, saveSnapshot } from '../../src/readings/take-snapshot.ts';
import { howMany } from '../support/goal.ts';
import { ModelAccount } from '../support/model-account.ts';
import { DAY, HOUR, type ModelCut } from '../support/model-service.ts';
import { type DayKind, kindOf, liveDay } from '../support/random-day.ts';

/** Fewer would not have every kind of day. */
const DAYS = Math.max(100, howMany(500, 2_000));

async function takeSnapshot(account: ModelAccount): Promise<void> {
  const context = account.context();
  const { record } = await readWholeAccount(context, { profile: 'desk' });
  expect(await saveSnapshot(context, record)).toBeUndefined();
}

/** From the opening snapshot to now. */
async function reportOf(
  account: ModelAccount,
  fromMs: number,
  by: ReportBy = 'deal',
  untilMs?: number,
): Promise<ReportReading> {
  const until = untilMs === undefined ? undefined : ({ kind: 'instant', ms: untilMs } as const);
  const asked = { kind: 'span', since: { kind: 'instant', ms: fromMs }, until } as const;
  const intent = { asked, by, html: undefined, saves: false, note: undefined };
  return readReport(account.context(), intent, { zone: 'Africa/Lagos', profile: 'desk' });
}

/** The referee: what own hedges made between two moments. */
function expectedOf(opening: ModelCut, closing: ModelCut): Big {
  return [...closing.own].reduce(
    (sum, [id, value]) => sum.plus(value).minus(opening.own.get(id) ?? 0),
    new Big(0),
  );
}

const sum = (amounts: readonly Big[]): Big => amounts.reduce((all, each) => all.plus(each), new Big(0));

/** In words; empty when all adds up. */
function wrongIn(report: ReportReading, { account, opening, closing, kind }: Day): readonly string[] {
  const wrong: string[] = [];
  const mustBe = (what: string, found: Big, wanted: Big, within: Big | number = 0): void => {
    if (found.minus(wanted).abs().gt(within))
      wrong.push(`${what}: ${found.toFixed()}, not ${wanted.toFixed()}`);
  };
  const { bridge, total, groups, deals } = report;
  if (bridge === undefined) return ['no bridge'];
  mustBe('opening', totalValue(bridge.opening), opening.netAssetValue);
  mustBe('closing', totalValue(bridge.closing), closing.netAssetValue);
  const parts = [netPnl(bridge.realized), netPnl(bridge.unrealized), bridge.unexplained];
  mustBe('the bridge', totalValue(bridge.opening).plus(sum(parts)), totalValue(bridge.closing));
  const made = expectedOf(opening, closing);
  // Each event and share is rounded once; beside others the time held, of whole seconds, splits the carry.
  const rounding = new Big('0.000001')
    .times(20 + 6 * deals.length)
    .plus(kind === 'with a colleague' ? '0.0005' : 0);
  mustBe('made by hedges of this machine', total.net, made, rounding);
  const change = closing.netAssetValue.minus(opening.netAssetValue);
  mustBe('unexplained', bridge.unexplained, change.minus(made), rounding);
  if (kind !== 'with a colleague' && isAllKnown(account))
    mustBe('unexplained, where all is known', bridge.unexplained, new Big(0));
  mustBe('the groups', sum(groups.map(({ net }) => net)), total.net);
  for (const group of [total, ...groups]) {
    mustBe('the parts', sum(PNL_PARTS.map((part) => group.parts[part])), group.net);
    const unrealized = group.unrealized ? netPnl(group.unrealized) : 0;
    mustBe('realized and unrealized', netPnl(group.realized).plus(unrealized), group.net);
  }
  return wrong;
}

/** No reduce, which fills at another rate than it was sent at, and a quote for each open. */
const isAllKnown = ({ records }: ModelAccount): boolean =>
  !records.some(
    (each) => each.kind === 'intent' && (each.action === 'reduce' || (each.action === 'open' && !each.quote)),
  );

interface Day {
  account: ModelAccount;
  opening: ModelCut;
  closing: ModelCut;
  kind: DayKind;
}

describe('random days', () => {
  it('add up in their parts, and their bridge closes', async () => {
    const wrong: string[] = [];
    const seen = { events: 0, unexplained: 0, split: 0, known: 0, wild: 0 };
    for (let seed = 0; seed < DAYS; seed += 1) {
      const { account, openedMs, opening } = await liveDay(seed, takeSnapshot);
      const day = { account, opening, closing: account.cut(), kind: kindOf(seed) };
      const others = REPORT_BY.filter((by) => by !== 'deal');
      for (const by of ['deal', others[seed % others.length] ?? 'day'] as const) {
        const report = await reportOf(account, openedMs, by);
        for (const each of wrongIn(report, day))
          wrong.push(`day ${seed.toString()} (${day.kind}), by ${by}: ${each}`);
        if (by !== 'deal') continue;
        seen.events += report.deals.reduce((count, deal) => count + deal.events.length, 0);
        seen.unexplained += report.bridge?.unexplained.eq(0) === true ? 0 : 1;
        seen.split += report.total.parts.impact_usd.eq(0) ? 0 : 1;
        seen.known += isAllKnown(account) ? 1 : 0;
        seen.wild += report.deals.some(({ deal }) => isBeyondMargin(deal)) ? 1 : 0;
      }
    }
    expect(wrong).toEqual([]);
    // The days had something to add up.
    expect(seen.events).toBeGreaterThan(DAYS * 5);
    expect(seen.unexplained).toBeGreaterThan(DAYS / 4);
    expect(seen.split).toBeGreaterThan(DAYS / 4);
    expect(seen.known).toBeGreaterThan(DAYS / 20);
    expect(seen.wild).toBeGreaterThan(0);
  });
});

describe('a list by day', () => {
  /** Snapshots at 18:00 in Lagos; one hedge is open over the first night, and settles in the evening of the next day. */
  async function threeEvenings(change: (account: ModelAccount) => void = () => undefined) {
    const account = new ModelAccount({ seed: 11 });
    account.pass(9 * HOUR);
    await takeSnapshot(account);
    const openedMs = account.nowMs;
    account.pass(3 * HOUR);
    account.ownOpen('buy', 20_000, { tenor: 1, dealId: 'PAY-1' });
    account.ownOpen('sell', 5_000, { tenor: 7, dealId: 'SAL-1' });
    for (const evening of [1, 2]) {
      account.pass(openedMs + evening * DAY - account.nowMs);
      await takeSnapshot(account);
      if (evening === 1) change(account);
    }
    account.pass(4 * HOUR);
    return { account, openedMs };
  }
  const midnightAfter = (ms: number): number => Math.floor((ms + HOUR) / DAY) * DAY + DAY - HOUR;

  it('has in each day what a report of the day has, also where a hedge settles between its snapshot and midnight', async () => {
    const { account, openedMs } = await threeEvenings();
    const { days, total } = await reportOf(account, openedMs, 'day');
    expect(sum(days.map(({ net }) => net)).toFixed()).toBe(total.net.toFixed());
    const midnights = [0, 1, 2].map((night) => midnightAfter(openedMs) + night * DAY);
    for (const [at, fromMs] of midnights.slice(0, 2).entries()) {
      const alone = await reportOf(account, fromMs, 'deal', midnights[at + 1]);
      expect([at, days[at + 1]?.net.toFixed()]).toEqual([at, alone.total.net.toFixed()]);
    }
  });

  it('realizes a hedge that a reduce emptied on that day, also where no record has its time', async () => {
    const account = new ModelAccount({ seed: 7 });
    account.spelled = ({ closed_at: _none, ...record }) => record;
    account.ownOpen('buy', 10_000, { tenor: 7 });
    account.pass(HOUR);
    await takeSnapshot(account);
    const [openedMs, opening] = [account.nowMs, account.cut()];
    account.pass(HOUR);
    account.ownReduce('buy', 1);
    account.pass(HOUR);
    const report = await reportOf(account, openedMs);
    expect(report.deals[0]?.events.map(({ kind }) => kind)).toEqual(['close']);
    expect(wrongIn(report, { account, opening, closing: account.cut(), kind: 'own' })).toEqual([]);
  });

  it('adds up to its total where a snapshot lacks the figures of a side, and says which day lacks them', async () => {
    const { account, openedMs } = await threeEvenings(({ records }) => {
      const last = records.at(-1);
      if (last?.kind !== 'snapshot') throw new Error('no snapshot');
      const positions = last.positions.map(({ gross_pnl_usd: gross, ...rest }) =>
        rest['side'] === 'sell' ? rest : { ...rest, gross_pnl_usd: gross ?? null },
      );
      records[records.length - 1] = { ...last, positions };
    });
    const { days, total } = await reportOf(account, openedMs, 'day');
    expect(sum(days.map(({ net }) => net)).toFixed()).toBe(total.net.toFixed());
    expect(days.map(({ isPartial }) => isPartial)).toEqual([false, true, false]);
  });
});

/** It lost more than its margin. */
const isBeyondMargin = ({ events }: DealLife): boolean =>
  events.some(
    ({ kind, pnl, margin }) =>
      kind === 'close' && pnl !== undefined && margin !== undefined && netPnl(pnl).lt(margin),
  );

/** Random books with one break planted in each: it is found as its own class, and nothing is found on a clean one. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { FinanceDeal } from '../../src/args/reconcile-options.ts';
import type { BreakClass } from '../../src/readings/breaks.ts';
import { type ReconcileReading, readReconcile, reconcileFinding } from '../../src/readings/read-reconcile.ts';
import { howMany } from '../support/goal.ts';
import { ModelAccount } from '../support/model-account.ts';
import { DAY, type Fields, HOUR, type ModelHedge } from '../support/model-service.ts';
import { anEvent } from '../support/random-day.ts';

/** Twice as many as kinds of breaks, at least. */
const BOOKS = Math.max(24, howMany(200, 2_000));
const MINUTE = 60_000;

const reconciled = (
  account: ModelAccount,
  {
    finance,
    words = [],
    note,
    hours = 30 * 24,
  }: { finance?: readonly FinanceDeal[]; words?: readonly string[]; note?: string; hours?: number } = {},
): Promise<ReconcileReading> =>
  readReconcile(
    account.context(),
    {
      words,
      since: { kind: 'ago', unit: 'hours', count: hours },
      against: finance === undefined ? undefined : 'finance.csv',
      tolerance: { usd: new Big('0.01'), rate: new Big('0.01') },
      saves: note !== undefined,
      compares: [],
      note,
    },
    { zone: 'UTC', profile: 'desk', finance: finance && { path: 'finance.csv', deals: finance } },
  );

/** A week of one person, at rest: settled, and with a few open hedges. */
function aBook(seed: number): ModelAccount {
  const account = new ModelAccount({ seed: seed + 1, aheadMs: seed % 2 === 0 ? 0 : 5 * DAY });
  const ours = seed - (seed % 5);
  for (let left = 12; left > 0; left -= 1) {
    anEvent(account, ours);
    account.pass(account.draw(0.2, 9) * HOUR);
  }
  // One of each for what is planted.
  account.ownOpen('sell', 900, { tenor: 1, dealId: 'PAY-SETTLED' });
  account.pass(DAY + HOUR);
  account.ownOpen('buy', 1_500, { tenor: 7, dealId: 'PAY-OPEN' });
  account.pass(HOUR);
  return account;
}

const under = ({ hedges }: ModelAccount, dealId: string): ModelHedge =>
  hedges.find(({ reference }) => reference === dealId) ?? expect.fail(`no hedge of ${dealId}`);

interface Planted {
  class: BreakClass;
  /** Deal ID or hedge ID; undefined: it is of a list or a side. */
  of?: string;
  exit?: 'breaks' | 'unresolved' | 'none';
}

/** Each by the name under which a treasurer knows it. */
const BREAKS: Readonly<Record<string, (account: ModelAccount) => Planted>> = {
  "a colleague's deal"(account) {
    const { id } = account.othersOpen('sell', 2_500);
    return { class: 'not_ours', of: id };
  },
  'a lost answer'(account) {
    account.ownOpen('sell', 3_000, { dealId: 'PAY-LOST', isLost: true });
    account.pass(10 * MINUTE);
    return { class: 'status', of: 'PAY-LOST', exit: 'unresolved' };
  },
  'a missing hedge'(account) {
    account.hidden.add(under(account, 'PAY-SETTLED').id);
    return { class: 'not_at_venue', of: 'PAY-SETTLED' };
  },
  'a missing record'(account) {
    account.unrecorded.add(under(account, 'PAY-SETTLED').id);
    return { class: 'not_at_venue', of: 'PAY-SETTLED' };
  },
  'a cut page'(account) {
    while (account.hedges.length <= 5) account.ownOpen('buy', 700);
    account.page = 5;
    return { class: 'page_may_be_cut' };
  },
  'another notional'(account) {
    const { id, notional } = under(account, 'PAY-SETTLED');
    account.changed.set(id, { notional_usd: notional.plus('0.01') });
    return { class: 'notional', of: 'PAY-SETTLED' };
  },
  'another rate'(account) {
    const { id, struck } = under(account, 'PAY-OPEN');
    account.changed.set(id, { struck_rate: struck.plus('0.00000001') });
    return { class: 'rate', of: 'PAY-OPEN' };
  },
  'a late settlement'(account) {
    account.settles = false;
    const { maturesMs } = under(account, 'PAY-OPEN');
    for (const each of account.hedges)
      if (each.status === 'filled') each.maturesMs = Math.max(each.maturesMs, maturesMs + HOUR);
    under(account, 'PAY-OPEN').maturesMs = maturesMs;
    account.pass(maturesMs + 16 * MINUTE - account.nowMs);
    return { class: 'unsettled_past_maturity', of: 'PAY-OPEN' };
  },
  'a settlement of a minute ago'(account) {
    account.settles = false;
    for (const each of account.hedges) if (each.status === 'filled') each.maturesMs += 9 * DAY;
    under(account, 'PAY-OPEN').maturesMs = account.nowMs;
    account.pass(MINUTE);
    return { class: 'timing', of: 'PAY-OPEN', exit: 'none' };
  },
  'an order under way'(account) {
    account.ownPending('sell', 400);
    account.pass(MINUTE);
    return { class: 'timing', exit: 'none' };
  },
  'a failed order'(account) {
    account.changed.set(under(account, 'PAY-SETTLED').id, { status: 'failed' });
    return { class: 'status', of: 'PAY-SETTLED' };
  },
  'a position of another size'(account) {
    account.positionOff = 100;
    return { class: 'position_sum' };
  },
};

describe('random books', () => {
  const names = Object.keys(BREAKS);

  it('that are clean have no break, and a planted break is found as its own class', async () => {
    const found = new Map<string, number>();
    for (let seed = 0; seed < BOOKS; seed += 1) {
      const account = aBook(seed);
      const clean = await reconciled(account);
      expect([seed, clean.breaks, reconcileFinding(clean)]).toEqual([seed, [], undefined]);

      const name = names[seed % names.length] ?? '';
      const planted = BREAKS[name]?.(account) ?? expect.fail();
      const reading = await reconciled(account);
      const what = `book ${seed.toString()}: ${name}`;
      expect([what, [...new Set(reading.breaks.map((each) => each.class))]]).toEqual([what, [planted.class]]);
      const subjects = reading.breaks.flatMap(({ dealId, hedgeId }) => [dealId, hedgeId]);
      if (planted.of !== undefined)
        expect([what, subjects]).toEqual([what, expect.arrayContaining([planted.of])]);
      const { exit = 'breaks' } = planted;
      const code = { breaks: 'breaks_found', unresolved: 'outcome_unknown', none: undefined }[exit];
      expect([what, reconcileFinding(reading)?.code]).toEqual([what, code]);
      found.set(name, (found.get(name) ?? 0) + 1);
    }
    expect([...found.keys()].toSorted()).toEqual(names.toSorted());
  });

  it('agree with a list of finance that has them, and a difference in it is found as its own class', async () => {
    for (let seed = 0; seed < Math.ceil(BOOKS / 4); seed += 1) {
      const account = aBook(seed);
      const deals = account.hedges.map(({ reference, notional, struck }, index) => ({
        line: index + 2,
        dealId: reference,
        notional,
        rate: struck.round(2),
      }));
      expect((await reconciled(account, { finance: deals })).breaks).toEqual([]);
      const [first, second, third, ...rest] = deals;
      if (first === undefined || second === undefined || third === undefined) continue;
      const wrong = [
        { ...first, notional: first.notional.plus('0.011') },
        { ...second, rate: second.rate.plus('0.1') },
        { ...third, dealId: 'PAY-NOBODY' },
        ...rest,
      ];
      const { breaks } = await reconciled(account, { finance: wrong });
      expect(new Set(breaks.map((each) => `${each.dealId ?? ''}: ${each.class}, ${each.against}`))).toEqual(
        new Set([
          `${first.dealId}: notional, finance`,
          `${second.dealId}: rate, finance`,
          'PAY-NOBODY: not_at_venue, finance',
          `${third.dealId}: not_at_finance, finance`,
        ]),
      );
    }
  });

  it("compare a deal of finance's list with its hedge also where that failed, or is older than the period", async () => {
    const account = aBook(2);
    const { struck } = under(account, 'PAY-SETTLED');
    const deal = { line: 2, dealId: 'PAY-SETTLED', notional: new Big(900), rate: struck };
    const ofDeal = async (finance: FinanceDeal, hours: number) =>
      (await reconciled(account, { finance: [finance], hours })).breaks
        .filter((each) => each.against === 'finance' && each.dealId === 'PAY-SETTLED')
        .map((each) => [each.class, each.finance, each.service]);
    expect(await ofDeal(deal, 1)).toEqual([]);
    expect(await ofDeal({ ...deal, notional: new Big(950) }, 1)).toEqual([['notional', '950', '900']]);
    account.changed.set(under(account, 'PAY-SETTLED').id, { status: 'failed' });
    for (const hours of [1, 720]) expect(await ofDeal(deal, hours)).toEqual([['status', '900', 'failed']]);
  });

  it('do not take a hedge that was closed early for an unsettled one where the service still lists it as filled', async () => {
    for (const shownBy of ['an absent side', 'the size of the position', 'its record'] as const) {
      const account = aBook(2);
      account.ownClose('sell');
      const { id } = account.othersOpen('sell', 2_500);
      account.pass(HOUR);
      account.othersReduce('sell', 2_500);
      account.changed.set(id, { status: 'filled' });
      if (shownBy !== 'its record') account.unrecorded.add(id);
      account.pass(4 * DAY);
      if (shownBy !== 'an absent side') account.ownOpen('sell', 700, { tenor: 7 });
      // A position of another size would be a break of its own.
      if (shownBy === 'its record') account.positionOff = 100;
      const { breaks } = await reconciled(account);
      expect([shownBy, breaks.map((each) => each.class)]).toEqual([
        shownBy,
        expect.not.arrayContaining(['unsettled_past_maturity']),
      ]);
      // A colleague's hedge, as before.
      expect(breaks).toContainEqual(expect.objectContaining({ class: 'not_ours', hedgeId: id }));
    }
  });

  it('a break that a person explained counts no more, nor after the hedge has settled', async () => {
    const account = aBook(3);
    const { id } = account.othersOpen('sell', 2_500);
    const noted = await reconciled(account, { note: 'dealt by phone', words: [id] });
    expect(noted.breaks).toMatchObject([{ class: 'not_ours', explained: { note: 'dealt by phone' } }]);
    account.pass(HOUR);
    const later = await reconciled(account);
    expect(later.breaks).toMatchObject([{ hedgeId: id, explained: { note: 'dealt by phone' } }]);
    expect(reconcileFinding(later)).toBeUndefined();
    account.pass(4 * DAY);
    const settled = await reconciled(account);
    expect(settled.breaks).toMatchObject([
      { hedgeId: id, service: 'closed', explained: { note: 'dealt by phone' } },
    ]);
    expect(reconcileFinding(settled)).toBeUndefined();
  });

  it('have no break after an add, a reduce or a close that a person recorded as executed', async () => {
    const account = new ModelAccount({ seed: 5 });
    account.isTold = true;
    account.ownOpen('buy', 10_000, { tenor: 7 });
    for (const change of ['add', 'reduce', 'close'] as const) {
      account.pass(HOUR);
      if (change === 'add') account.ownAdd('buy', 5_000);
      if (change === 'reduce') account.ownReduce('buy', 0.4);
      if (change === 'close') account.ownClose('buy');
      expect([change, (await reconciled(account)).breaks]).toEqual([change, []]);
    }
    // Of several hedges it does not say which was changed.
    account.ownOpen('sell', 1_000, { tenor: 7 });
    account.ownOpen('sell', 2_000, { tenor: 7 });
    account.ownAdd('sell', 500);
    expect((await reconciled(account)).breaks.map((each) => each.class)).toEqual(['notional', 'rate']);
  });

  it('have a break where a position has no hedge in the list at all', async () => {
    const account = new ModelAccount({ seed: 5 });
    account.hidden.add(account.othersOpen('buy', 50_000).id);
    expect((await reconciled(account)).breaks).toMatchObject([
      { class: 'position_sum', market: 'USDTNGN', side: 'buy', service: 'hedges 0, position 50000' },
    ]);
  });

  it('are found whatever the names and times of a record are', async () => {
    const inSeconds = ({ closed_at: at }: Fields): Big => new Big(Math.floor(Date.parse(String(at)) / 1_000));
    const spellings: readonly ((record: Fields) => Fields)[] = [
      ({ id, ...record }) => ({ ...record, hedge_id: id }),
      ({ id, ...record }) => ({ ...record, hedge_id: id, id: `rec_${String(id)}` }),
      (record) => ({ ...record, closed_at: inSeconds(record) }),
      (record) => ({ ...record, closed_at: String(record['closed_at']).slice(0, 10) }),
      ({ closed_at: _none, ...record }) => record,
    ];
    for (const [at, spelled] of spellings.entries()) {
      const account = aBook(3);
      account.spelled = spelled;
      expect([at, (await reconciled(account)).breaks]).toEqual([at, []]);
    }
  });

  it('an order under way is a break when it has not landed after five minutes', async () => {
    const account = aBook(4);
    account.ownPending('sell', 400);
    account.pass(MINUTE);
    const [timing] = (await reconciled(account)).breaks;
    expect(timing).toMatchObject({ class: 'timing' });
    account.pass((timing?.breakAfterMs ?? 0) - account.machineMs);
    expect((await reconciled(account)).breaks).toMatchObject([{ class: 'status', journal: 'pending' }]);
  });
});

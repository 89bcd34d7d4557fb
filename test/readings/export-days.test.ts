/** Random days as double entry: balanced, equal to the account of the service at each snapshot, and append-only. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { ExportFormat } from '../../src/args/export-options.ts';
import { USUAL_ACCOUNTS } from '../../src/domain/postings.ts';
import { exportText } from '../../src/output/views/export.ts';
import { type ExportReading, readExport } from '../../src/readings/read-export.ts';
import { readWholeAccount, saveSnapshot } from '../../src/readings/take-snapshot.ts';
import { type Balances, beancountBalances, hledgerBalances } from '../support/accounting-tools.ts';
import { howMany } from '../support/goal.ts';
import { ModelAccount } from '../support/model-account.ts';
import { DAY, type Fields, HOUR } from '../support/model-service.ts';
import { kindOf, liveDay } from '../support/random-day.ts';
import { needs } from '../support/tools.ts';

const DAYS = howMany(200, 1_000);
/** One in so many is given to hledger and to beancount, each a process. */
const ONE_OF = 10;

async function takeSnapshot(account: ModelAccount): Promise<void> {
  const context = account.context();
  const { record } = await readWholeAccount(context, { profile: 'desk' });
  expect(await saveSnapshot(context, record)).toBeUndefined();
}

interface Span {
  since?: number;
  until?: number;
}

const exported = (
  account: ModelAccount,
  { since, until }: Span = {},
  saves = false,
): Promise<ExportReading> =>
  readExport(
    account.context(),
    {
      format: 'hledger',
      file: undefined,
      since: since === undefined ? undefined : { kind: 'instant', ms: since },
      until: until === undefined ? undefined : { kind: 'instant', ms: until },
      accounts: undefined,
      saves,
    },
    { zone: 'Africa/Lagos', profile: 'desk' },
  );

const dateOf = (ms: number): string => new Date(ms + 3_600_000).toISOString().slice(0, 10);
const textOf = (reading: ExportReading, format: ExportFormat): string =>
  exportText({ reading, names: USUAL_ACCOUNTS, dateOf, profile: 'desk' }, format) ?? '';

/** Balances after the entries, by account. */
function balancesOf({ entries }: Pick<ExportReading, 'entries'>): Balances {
  const sums = new Map<string, Big>();
  for (const { postings } of entries)
    for (const { account, amount } of postings)
      sums.set(USUAL_ACCOUNTS[account], (sums.get(USUAL_ACCOUNTS[account]) ?? new Big(0)).plus(amount));
  return Object.fromEntries([...sums].map(([name, sum]) => [name, sum.toFixed()]));
}

const ofAccount = ({ balance, hedges }: ModelAccount) => ({
  [USUAL_ACCOUNTS.balance]: balance.toFixed(),
  [USUAL_ACCOUNTS.margin]: hedges.reduce((sum, { margin }) => sum.plus(margin), new Big(0)).toFixed(),
});

const withZeros = (balances: Balances): Balances => ({
  [USUAL_ACCOUNTS.margin]: '0',
  [USUAL_ACCOUNTS.balance]: '0',
  ...balances,
});

/** A day with snapshots in it, each with the text that was exported then. */
async function exportedDay(seed: number) {
  const texts: string[] = [];
  const cuts: { ms: number; account: Balances }[] = [];
  const noted = (account: ModelAccount): void => {
    cuts.push({ ms: Math.floor(account.nowMs / 1_000) * 1_000, account: ofAccount(account) });
  };
  const { account, openedMs } = await liveDay(seed, takeSnapshot, async (of) => {
    if (of.draw(0, 1) < 0.6) return;
    await takeSnapshot(of);
    noted(of);
    texts.push(textOf(await exported(of), 'hledger'));
  });
  const last = await exported(account, {}, true);
  noted(account);
  return { account, openedMs, last, texts, cuts };
}

describe('double entry of random days', () => {
  it('is balanced, has the balances of the service at the end, and later exports only add to earlier ones', async () => {
    const seen = { entries: 0, prefixes: 0, unexplained: 0, rounding: 0 };
    for (let seed = 0; seed < DAYS; seed += 1) {
      const { account, last, texts } = await exportedDay(seed);
      const what = `day ${seed.toString()} (${kindOf(seed)})`;
      for (const { postings } of last.entries) {
        const sum = postings.reduce((all, { amount }) => all.plus(amount), new Big(0));
        expect([what, sum.toFixed()]).toEqual([what, '0']);
        expect(postings.length).toBeGreaterThan(0);
        for (const { amount } of postings) expect(amount.round(6).eq(amount)).toBe(true);
      }
      expect([what, withZeros(balancesOf(last))]).toEqual([
        what,
        expect.objectContaining(ofAccount(account)),
      ]);
      const whole = textOf(last, 'hledger');
      for (const earlier of texts) expect([what, whole.startsWith(earlier.trimEnd())]).toEqual([what, true]);
      // Exported again, from the journal alone.
      expect(textOf(await exported(account), 'hledger')).toBe(whole);
      seen.entries += last.entries.length;
      seen.prefixes += texts.length;
      for (const { account: each } of last.entries.flatMap(({ postings }) => postings)) {
        if (each === 'unexplained') seen.unexplained += 1;
        if (each === 'rounding') seen.rounding += 1;
      }
    }
    expect(seen.entries).toBeGreaterThan(DAYS * 5);
    expect(seen.prefixes).toBeGreaterThan(DAYS);
    expect(seen.unexplained).toBeGreaterThan(DAYS / 3);
    expect(seen.rounding).toBeGreaterThan(0);
  });

  it('of a period begins with the balances that the one before it ended with', async () => {
    for (let seed = 0; seed < Math.ceil(DAYS / 4); seed += 1) {
      const { account, openedMs } = await exportedDay(seed);
      const middle = Math.floor((openedMs + account.nowMs) / 2_000) * 1_000;
      const [before, after, whole] = [
        await exported(account, { until: middle }),
        await exported(account, { since: middle }),
        await exported(account),
      ];
      const [opening, ...rest] = after.entries;
      const held = withZeros(balancesOf(before));
      const opened = withZeros(balancesOf({ entries: opening === undefined ? [] : [opening] }));
      for (const name of [USUAL_ACCOUNTS.balance, USUAL_ACCOUNTS.margin])
        expect(opened[name]).toBe(held[name]);
      expect([...before.entries, ...rest]).toEqual(whole.entries);
    }
  });

  it(
    'is accepted by hledger and by beancount, whose balances are those of the service',
    needs('hledger', 'bean-check', 'bean-query'),
    async () => {
      for (let seed = 0; seed < DAYS; seed += ONE_OF) {
        const { account, last } = await exportedDay(seed);
        const wanted = expect.objectContaining(ofAccount(account));
        expect([seed, withZeros(hledgerBalances(textOf(last, 'hledger')))]).toEqual([seed, wanted]);
        expect([seed, withZeros(beancountBalances(textOf(last, 'beancount')))]).toEqual([seed, wanted]);
      }
    },
  );

  it('books an outcome that became known late after the snapshots that were there', async () => {
    const account = new ModelAccount({ seed: 7 });
    await takeSnapshot(account);
    account.pass(HOUR);
    account.ownOpen('buy', 10_000, { dealId: 'PAY-LOST', isLost: true });
    account.pass(HOUR);
    await takeSnapshot(account);
    const until = Math.floor(account.nowMs / 1_000) * 1_000;
    const before = textOf(await exported(account, { until }), 'beancount');
    expect(before).not.toContain('PAY-LOST');

    account.pass(DAY);
    account.findLost();
    await takeSnapshot(account);
    expect(textOf(await exported(account, { until }), 'beancount')).toBe(before);
    const whole = textOf(await exported(account), 'beancount');
    expect(whole.startsWith(before.trimEnd())).toBe(true);
    expect(whole).toMatch(
      /Open buy USDTNGN \(hedge now 10000\.00 USD\)"\n {2}deal: "PAY-LOST"\n.*\n {2}at: "2026-11-02T09:00:02.*\n {2}booked: "2026-11-02T10:/,
    );
  });

  it('books an add once, also when a colleague adds to the same hedge minutes after it', async () => {
    const account = new ModelAccount({ seed: 7 });
    await takeSnapshot(account);
    account.ownOpen('buy', 10_000, { dealId: 'PAY-1' });
    account.pass(HOUR);
    account.ownAdd('buy', 5_000);
    await takeSnapshot(account);
    account.othersAdd('buy', 2_000);
    account.pass(60_000);
    await takeSnapshot(account);
    account.pass(HOUR);
    await takeSnapshot(account);
    const text = textOf(await exported(account), 'hledger');
    expect(text.match(/Add buy USDTNGN \(hedge now 15000\.00 USD\)/g)).toHaveLength(1);
  });

  it('books the result of a settled hedge whose record has no time, or one in seconds', async () => {
    const spellings: readonly ((record: Fields) => Fields)[] = [
      (record) => record,
      (record) => ({
        ...record,
        closed_at: new Big(Date.parse(String(record['closed_at']))).div(1_000).round(),
      }),
      ({ closed_at: _none, ...record }) => record,
    ];
    const booked = spellings.map(async (spelled) => {
      const account = new ModelAccount({ seed: 7 });
      account.spelled = spelled;
      account.ownOpen('buy', 10_000, { dealId: 'PAY-1', tenor: 1 });
      await takeSnapshot(account);
      account.pass(DAY + HOUR);
      await takeSnapshot(account);
      account.pass(DAY);
      return [balancesOf(await exported(account, {}, true)), ofAccount(account)];
    });
    const [plain, ...others] = await Promise.all(booked);
    expect(plain?.[0]).toMatchObject({ [USUAL_ACCOUNTS.carry]: expect.stringMatching(/[1-9]/) });
    for (const each of others) expect(each).toEqual(plain);
  });

  it('books a hedge once that one list of the service lacks', async () => {
    const account = new ModelAccount({ seed: 7 });
    await takeSnapshot(account);
    const { id } = account.ownOpen('buy', 10_000, { dealId: 'PAY-1' });
    account.pass(HOUR);
    for (const isListed of [true, false, true]) {
      if (isListed) account.hidden.delete(id);
      else account.hidden.add(id);
      await takeSnapshot(account);
      account.pass(HOUR);
    }
    const whole = await exported(account);
    expect(textOf(whole, 'hledger').match(/Open buy USDTNGN/g)).toHaveLength(1);
    const middle = account.nowMs - 1.5 * HOUR;
    const [, ...after] = (await exported(account, { since: middle })).entries;
    expect(after).toEqual(whole.entries.filter(({ ms }) => ms >= middle));
  });
});

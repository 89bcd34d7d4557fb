/** Thirty processes deal on one journal at the same moment: deal ids and limits hold, and nothing is lost. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isUnresolved } from '../../src/journal/replay.ts';
import { actionsIn } from '../journal/records.ts';
import { type BuiltRun, HEDGE, runBuilt, runProgram, runShell } from '../support/built.ts';
import { expectHeld, SOAKING } from '../support/goal.ts';
import { journalAt } from '../support/kill-case.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { needs } from '../support/tools.ts';
import { readRecords } from '../support/written-journal.ts';

const PROCESSES = 30;
/** Longer than thirty take on a busy machine. */
const IN_TIME = '--timeout 600 --yes --json';
const SEEDS = SOAKING ? [1, 2, 3] : [1];

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook();
});
afterAll(() => served.close());
beforeEach(() => served.reset());

/** All of them begun together; the n-th with the words of `line(n)`. */
const atOnce = (env: Readonly<Record<string, string>>, line: (n: number) => string): Promise<BuiltRun[]> =>
  Promise.all(Array.from({ length: PROCESSES }, (_, n) => runBuilt(line(n).split(' '), { env })));

/** How often each exit code came, and the errors' own codes. */
function ends(runs: readonly BuiltRun[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, out, err } of runs) {
    const document: { error: { code: string } | null } = JSON.parse(out || `"${err}"`);
    const end = `${code ?? 'killed'} ${document.error?.code ?? 'well'}`;
    counts[end] = (counts[end] ?? 0) + 1;
  }
  return counts;
}

function expectWhole(home: string, entries: number): void {
  const journal = journalAt(home);
  const state = journal.read();
  const actions = actionsIn(state);
  expect({ entries: actions.length, trouble: state.trouble }).toEqual({ entries, trouble: undefined });
  expect(readRecords(home).filter(({ kind }) => kind === 'intent')).toHaveLength(entries);
  expect(new Set(actions.map(({ intent }) => intent.idempotency_key)).size).toBe(entries);
  expectHeld('R8 thirty processes on one journal', { runs: PROCESSES, wrong: [] });
}

describe('thirty processes at once', () => {
  it('under thirty deal IDs are thirty hedges, each in the journal with its end', async () => {
    const home = temporaryFolder();
    const runs = await atOnce(
      served.way(home),
      (n) => `open USDTNGN buy 1000 -t 3 --deal-id PAY-${n} ${IN_TIME}`,
    );
    expect(ends(runs)).toEqual({ '0 well': PROCESSES });
    expect([served.acted('/hedges'), await served.openOn('buy')]).toEqual([PROCESSES, PROCESSES * 1_000]);
    expectWhole(home, PROCESSES);
    expect(new Set(actionsIn(journalAt(home).read()).map(({ state }) => state))).toEqual(new Set(['done']));
  });

  it('under one deal ID are one hedge; the others are stopped', async () => {
    const home = temporaryFolder();
    const runs = await atOnce(
      served.way(home),
      () => `open USDTNGN buy 1000 -t 3 --deal-id PAY-1 ${IN_TIME}`,
    );
    expect(ends(runs)).toEqual({ '0 well': 1, '10 deal_id_used': PROCESSES - 1 });
    expect([served.changes().length, await served.openOn('buy')]).toEqual([1, 1_000]);
    expectWhole(home, 1);
  });

  it('that ensure one deal ID all end well, with one hedge', async () => {
    const home = temporaryFolder();
    const runs = await atOnce(
      served.way(home),
      () => `open USDTNGN buy 1000 -t 3 --deal-id PAY-1 --ensure ${IN_TIME}`,
    );
    expect(ends(runs)).toEqual({ '0 well': PROCESSES });
    const ids = runs.map(({ out }) => JSON.parse(out).data.receipt.hedge_id as unknown);
    expect(new Set(ids).size).toBe(1);
    expect([served.acted('/hedges'), await served.openOn('buy')]).toEqual([1, 1_000]);
    expectWhole(home, 1);
  });

  it('open no more together than the profile allows in a day', async () => {
    const home = temporaryFolder();
    const { HEDGE_API_KEY: stdin, ...way } = served.way(home);
    const words = `profile add desk --base-url ${way['HEDGE_BASE_URL'] ?? ''} --ca-file ${way['HEDGE_CA_FILE'] ?? ''} --key-stdin --max-daily-notional 9500`;
    const env = { HEDGE_HOME: home };
    expect(
      await runBuilt(words.split(' '), { env, ...(stdin === undefined ? {} : { stdin }) }),
    ).toMatchObject({
      code: 0,
    });
    const runs = await atOnce(
      { ...env, HEDGE_PROFILE: 'desk' },
      (n) => `open USDTNGN buy 1000 -t 3 --deal-id PAY-${n} ${IN_TIME}`,
    );
    expect(ends(runs)).toEqual({ '0 well': 9, '10 limit_exceeded': PROCESSES - 9 });
    expect([served.acted('/hedges'), await served.openOn('buy')]).toEqual([9, 9_000]);
    expectWhole(home, 9);
  });
});

describe('thirty processes at once on an open side', () => {
  it.each([
    ['add', '/hedges/add', 1_000],
    ['reduce', '/hedges/reduce', -1_000],
  ] as const)(
    'each %s is done once, and none is called done that cannot be distinguished from the others',
    async (name, path, step) => {
      const home = temporaryFolder();
      await served.opened('buy', 50_000);
      const runs = await atOnce(
        served.way(home),
        () => `${name} USDTNGN buy 1000 --allow-duplicate --timeout 5 --yes --json`,
      );
      const counts = ends(runs);
      for (const end of Object.keys(counts)) expect(end).toMatch(/^(0 well|7 |8 pending|10 unresolved)/);
      const actions = actionsIn(journalAt(home).read());
      const acted = served.acted(path);
      expect(actions.filter(({ state }) => !['prepared', 'not_sent'].includes(state))).toHaveLength(acted);
      expect(await served.openOn('buy')).toBe(50_000 + acted * step);
      expectWhole(home, actions.length);
      // What one process saw as its own change, no other did.
      expect(counts['0 well'] ?? 0).toBeLessThanOrEqual(acted);
    },
  );

  it('resume one lost open: it is sent by them under one key, and done once', async () => {
    const home = temporaryFolder();
    const env = served.way(home);
    await served.desk.service.admin.setFaults({ lost_before: 1, only: 'open' });
    expect(await runBuilt('open USDTNGN buy 1000 -t 3 --yes --json'.split(' '), { env })).toMatchObject({
      code: 7,
    });
    await served.desk.service.admin.clearFaults();
    const runs = await atOnce(env, () => `resume --resend ${IN_TIME}`);
    const counts = ends(runs);
    expect(Object.keys(counts)).toContain('0 well');
    expect([served.acted('/hedges'), await served.openOn('buy')]).toEqual([1, 1_000]);
    expect(new Set(served.changes().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expectWhole(home, 1);
    expect(actionsIn(journalAt(home).read())).toMatchObject([{ state: 'done' }]);
  });
});

describe('thirty processes that are killed at random', needs('timeout'), () => {
  it.each(SEEDS)('leave a whole journal, and each deal ID is one hedge in the end: seed %i', async (seed) => {
    const home = temporaryFolder();
    const env = served.way(home);
    const { fraction } = seededRandom(seed);
    const line = (n: number): readonly string[] =>
      `open USDTNGN buy 1000 -t 3 --deal-id PAY-${n} --ensure ${IN_TIME}`.split(' ');
    const runs = await Promise.all(
      Array.from({ length: PROCESSES }, (_, n) =>
        runProgram('timeout', ['-s', 'KILL', (1 + fraction() * 9).toFixed(2), ...HEDGE, ...line(n)], {
          env,
        }),
      ),
    );
    // Neither none nor all: otherwise nothing was tried.
    const ended = runs.filter(({ code }) => code === 0).length;
    expect(ended).toBeLessThan(PROCESSES);
    const state = journalAt(home).read();
    expect(state.trouble).toBeUndefined();
    const kept = new Set(actionsIn(state).map(({ intent }) => intent.idempotency_key));
    expect(served.changes().filter(({ idempotencyKey: key = '' }) => !kept.has(key))).toEqual([]);
    expect((await runBuilt(['check', '--json'], { env })).code).not.toBe(78);
    for (const action of actionsIn(journalAt(home).read()).filter(isUnresolved))
      await runBuilt(['resume', action.id, '--yes', '--resend', '--json'], { env });
    expect(ends(await atOnce(env, (n) => line(n).join(' ')))).toEqual({ '0 well': PROCESSES });
    expect([served.acted('/hedges'), await served.openOn('buy')]).toEqual([PROCESSES, PROCESSES * 1_000]);
    const keys = new Set(served.changes().map(({ idempotencyKey }) => idempotencyKey));
    expect(keys.size).toBe(PROCESSES);
    expect(journalAt(home).read().trouble).toBeUndefined();
  });
});

describe('a loop of ten opens without waiting', () => {
  it('opens ten hedges, and the journal has them all', needs('bash'), async () => {
    const home = temporaryFolder();
    await served.desk.service.admin.setFaults({ slow_fills_seconds: 3_600 });
    const loop =
      'for n in 1 2 3 4 5 6 7 8 9 10; do hedge open USDTNGN buy 1000 -t 3 --deal-id "PAY-$n" --no-wait --yes --json; done';
    const ran = await runShell(loop, { env: served.way(home) });
    expect(ran).toMatchObject({ code: 0 });
    const outcomes = ran.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).data.outcome as unknown);
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => 'submitted'));
    expect(served.acted('/hedges')).toBe(10);
    expectWhole(home, 10);
  });
});

/** The journal with several processes: limits hold, no record is lost, and disk errors are reported. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { openAudit } from '../../src/journal/verify.ts';
import { moduleArgs } from '../support/built.ts';
import { aQuarter, IN_FULL } from '../support/goal.ts';
import { runModule, temporaryFolder, testMachine } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';
import { journalAt, placesIn } from './journal-at.ts';
import { ACCEPTED, actionsIn, anIntent, idOf, NOON, step } from './records.ts';

const journalIn = (home: string) => journalAt(home, () => NOON);

const expectWhole = async (home: string): Promise<void> => {
  const report = await openAudit({ places: placesIn(home), machine: testMachine() }).verify();
  expect([report.changes, report.damage, report.rewound]).toEqual([[], [], undefined]);
};

/** `template` is an intent; each process writes actions with their own IDs. */
const CHILD = `
  import { existsSync, writeSync } from 'node:fs';
  import { usedDealId } from 'dist/journal/queries.js';
  import { mintId } from 'dist/journal/records.js';
  import { openJournal } from 'dist/journal/store/journal.js';
  import { systemClock } from 'dist/platform/clock.js';
  import { hostOf } from 'dist/platform/host.js';
  import { systemRandom } from 'dist/platform/random.js';
  const [home, template, ...words] = process.argv.slice(1);
  const now = () => Date.parse(JSON.parse(template).at);
  const machine = { clock: { ...systemClock, now }, random: systemRandom, host: hostOf(process) };
  const places = { config: home, state: home + '/state', cache: home };
  const journal = openJournal({ places, machine, busyMs: 120_000 });
  const intent = (parts = {}) => ({
    ...JSON.parse(template), action_id: mintId(machine.random), writer: machine.host.self, ...parts,
  });
  const errorText = (error) => JSON.stringify({ code: error.code, what: error.what, meaning: error.meaning, effect: error.effect });
`;
const template = JSON.stringify(anIntent());

/** Appends records until it is stopped; prints each ID when its append has returned. */
const APPENDING = `${CHILD}
  for (;;) {
    const next = intent({ deal_id: 'x'.repeat(Number(words[0])) });
    await journal.append([next]);
    writeSync(1, next.action_id + '\\n');
  }
`;

/** Opens with five deal IDs and once without one, after a common start; prints the result of each. */
const TRADING = `${CHILD}
  const { identity } = JSON.parse(template);
  const unique = (dealId) => (state) => {
    const actions = state.find({ dealIds: [dealId] });
    if (usedDealId(actions, identity, dealId) !== undefined) throw new Error(dealId + ' taken');
  };
  const limit = (state) => {
    if (state.openedOn(identity, '2026-11-20').plus('10000').gt('95000')) throw new Error('limit');
  };
  // Gives another process time between the check and the write.
  const linger = () => { for (const end = Date.now() + 2; Date.now() < end; ); };
  const opens = ['A', 'B', 'C', 'D', 'E'].map((id) => [{ deal_id: id }, unique(id)]);
  writeSync(1, 'ready\\n');
  while (!existsSync(home + '/go')) await systemClock.sleep(1);
  for (const [parts, check] of [...opens, [{}, limit]]) {
    const next = intent(parts);
    try {
      await journal.append([next], (state) => {
        if (state.trouble !== undefined) throw new Error(state.trouble.what);
        check(state);
        linger();
      });
      const same = { schema: 3, action_id: next.action_id, at: next.at };
      await journal.append([{ ...same, kind: 'sending', attempt: 1, writer: next.writer }]);
      await journal.append([{ ...same, kind: 'accepted', by: 'answer' }]);
      writeSync(1, (parts.deal_id ?? 'opened') + '\\n');
    } catch (error) {
      writeSync(1, error.message + '\\n');
    }
  }
`;

const TRADERS = IN_FULL ? 20 : 8;

describe('many processes at once', () => {
  it('processes: all together stay within the daily limit and use each deal ID once', async () => {
    const home = temporaryFolder();
    const traders = Array.from({ length: TRADERS }, () => runModule(TRADING, [home, template]));
    await Promise.all(
      traders.map(({ child }) => new Promise((resolve) => child.stdout?.once('data', resolve))),
    );
    writeFileSync(join(home, 'go'), '');
    const ends = await Promise.all(traders.map(({ ended }) => ended));
    expect(ends.map(({ err }) => err).join('')).toBe('');
    const words = ends.flatMap(({ out }) => out.trim().split('\n'));
    const count = (word: string) => words.filter((each) => each === word).length;
    for (const id of ['A', 'B', 'C', 'D', 'E'])
      expect([count(id), count(`${id} taken`)]).toEqual([1, TRADERS - 1]);
    // Five with a deal ID on the same day, and four more: 90,000 of 95,000.
    expect([count('opened'), count('limit')]).toEqual([4, TRADERS - 4]);
    const journal = journalIn(home).read();
    const actions = actionsIn(journal);
    const records = actions.flatMap(({ id }) => journal.recordsOf(id));
    expect([journal.trouble, records.length]).toEqual([undefined, 9 * 3]);
    expect(actions.map(({ state }) => state)).toEqual(Array.from({ length: 9 }, () => 'accepted'));
  });
});

describe('kill -9', () => {
  it.each([
    { writers: 4, sizes: ['10', '5000', '60000'] },
    { writers: aQuarter(30), sizes: ['100'] },
  ])('kill -9: of $writers writers at once loses no record that was reported', async ({ writers, sizes }) => {
    const home = temporaryFolder();
    const written: string[] = [];
    for (const size of sizes) {
      const all = Array.from({ length: writers }, () => runModule(APPENDING, [home, template, size]));
      await Promise.all(
        all.map(async ({ child, ended }, at) => {
          let lines = 0;
          child.stdout?.on('data', (chunk: Buffer) => {
            lines += chunk.toString().split('\n').length - 1;
            if (lines > at % 7) child.kill('SIGKILL');
          });
          const { out, err, signal } = await ended;
          expect([err, signal]).toEqual(['', 'SIGKILL']);
          written.push(...out.trim().split('\n'));
        }),
      );
    }
    const state = journalIn(home).read();
    const actions = actionsIn(state);
    const ids = actions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(written.filter((id) => !ids.includes(id))).toEqual([]);
    expect(state.trouble).toBeUndefined();
    // No process is left that could send them.
    expect(actions.filter(({ underway }) => underway)).toEqual([]);
    expect((await journalIn(home).append([step(ACCEPTED)])).trouble).toBeUndefined();
    await expectWhole(home);
    expect(readdirSync(join(home, 'state')).filter((name) => name.startsWith('pending'))).toEqual([]);
  });

  it('kill -9: an action is under way only while its process runs', async () => {
    const home = temporaryFolder();
    const { child, ended } = runModule(
      `${CHILD}
      await journal.append([intent()]);
      writeSync(1, 'written');
      setInterval(() => {}, 1_000);`,
      [home, template],
    );
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    expect(actionsIn(journalIn(home).read())).toMatchObject([{ state: 'prepared', underway: true }]);
    child.kill('SIGKILL');
    await ended;
    expect(actionsIn(journalIn(home).read())).toMatchObject([{ state: 'prepared', underway: false }]);
  });
});

const errorText = z.object({
  error: z.object({ code: z.string(), what: z.string(), meaning: z.string(), effect: z.string() }),
  kept: z.tuple([z.number(), z.number(), z.boolean()]),
});

const UNSHARE = 'unshare';

/** The output of a child that runs with a private `mount` over its home (`$1`). */
function underMount(mount: string, script: string, home: string): string {
  const node = [process.execPath, ...moduleArgs(script), '--', home, template];
  const words = ['-rm', 'sh', '-c', `${mount} && shift && exec "$@"`, 'sh', home, ...node];
  return execFileSync(UNSHARE, words, { encoding: 'utf8' });
}

describe('a disk that cannot be written', () => {
  const FILLING = `${CHILD}
    let added = 0;
    try {
      for (; added < 1_000; added += 1) await journal.append([intent({ deal_id: 'x'.repeat(3_000) })]);
    } catch (error) {
      const { count, trouble } = journal.read();
      const kept = [added, count, trouble !== undefined];
      writeSync(1, JSON.stringify({ error: JSON.parse(errorText(error)), kept }));
    }
  `;
  const expectKept = (out: string): void => {
    const { error, kept } = errorText.parse(JSON.parse(out));
    expect(error).toMatchObject({ code: 'damaged_file', meaning: 'Nothing was sent.', effect: 'none' });
    expect(error.what).toMatch(/^Cannot read or write \/.*: (?:the disk is full|disk error) \(\w+\)\.$/);
    const [added, ...rest] = kept;
    expect(added).toBeGreaterThan(0);
    expect(rest).toEqual([added, false]);
  };

  it('disk: at the file size limit the error says so, and the journal is unchanged', async () => {
    const home = temporaryFolder();
    const { out, err } = await runModule(FILLING, [home, template], { fileKb: 1_000 }).ended;
    expect(err).toBe('');
    expectKept(out);
    await expectWhole(home);
  });

  it('disk: when it is full the error says so, and the journal is unchanged', needs('unshare'), () => {
    const home = temporaryFolder();
    expectKept(underMount('mount -t tmpfs -o size=1m,mode=700 tmpfs "$1"', FILLING, home));
  });

  // Root can write to a folder without write permission.
  const isRoot = process.getuid?.() === 0;
  it('disk: when it is read-only the error says so', isRoot ? needs('unshare') : {}, async () => {
    const home = temporaryFolder();
    const journal = journalIn(home);
    await journal.append([anIntent()]);
    const script = `${CHILD}
      try { await journal.append([intent()]); } catch (error) { writeSync(1, errorText(error)); }
    `;
    const answer = isRoot
      ? underMount('mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"', script, home)
      : await readOnly(home, script);
    expect(JSON.parse(answer)).toMatchObject({
      code: 'damaged_file',
      meaning: 'Nothing was sent.',
      effect: 'none',
    });
    expect(actionsIn(journal.read())).toMatchObject([{ id: idOf('7c1e') }]);
  });

  async function readOnly(home: string, script: string): Promise<string> {
    chmodSync(join(home, 'state'), 0o500);
    const { out } = await runModule(script, [home, template]).ended;
    chmodSync(join(home, 'state'), 0o700);
    return out;
  }
});

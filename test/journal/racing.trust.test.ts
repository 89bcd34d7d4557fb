/** Processes that read, write and die at the same time: no deal ID is used twice, nobody sees an alarm or waits for a reader. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Journal, openJournal } from '../../src/journal/store/journal.ts';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { openAudit } from '../../src/journal/verify.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { IN_FULL } from '../support/goal.ts';
import { runModule, temporaryFolder, testMachine } from '../support/own-folder.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { placesIn } from './journal-at.ts';
import { ACCEPTED, actionsIn, anIntent, DESK, FILLED, HALT, idOf, SENDING, step } from './records.ts';

const machine = testMachine(systemClock);
const opened = (home: string, busyMs = 60_000): Journal =>
  openJournal({ places: placesIn(home), machine, busyMs });
const template = JSON.stringify(anIntent());
const TODAY = '2026-11-20';

/** `words` are given by the test; `intent` is a new open, or what `parts` make of it. */
const CHILD = `
  import { existsSync, writeSync } from 'node:fs';
  import { usedDealId } from 'dist/journal/queries.js';
  import { mintId } from 'dist/journal/records.js';
  import { openJournal } from 'dist/journal/store/journal.js';
  import { systemClock } from 'dist/platform/clock.js';
  import { hostOf } from 'dist/platform/host.js';
  import { systemRandom } from 'dist/platform/random.js';
  const machine = { clock: systemClock, random: systemRandom, host: hostOf(process) };
  const [home, template, ...words] = process.argv.slice(1);
  const places = { config: home, state: home + '/state', cache: home };
  const journal = openJournal({ places, machine, busyMs: 120_000 });
  const { identity } = JSON.parse(template);
  const intent = (parts = {}) => {
    const id = mintId(machine.random);
    return { ...JSON.parse(template), action_id: id, idempotency_key: id, writer: machine.host.self, ...parts };
  };
  const say = (text) => writeSync(1, text + '\\n');
  const until = async (name) => { while (!existsSync(home + '/' + name)) await systemClock.sleep(2); };
`;

const lines = (out: string): readonly string[] => out.split('\n').filter((line) => line !== '');

async function expectWhole(home: string): Promise<void> {
  const report = await openAudit({ places: placesIn(home), machine }).verify();
  expect([report.changes, report.damage, report.rewound]).toEqual([[], [], undefined]);
}

/** A child, and what it said so far. */
function started(script: string, home: string, words: readonly string[] = []) {
  const { child, ended } = runModule(`${CHILD}${script}`, [home, template, ...words]);
  const said: string[] = [];
  const waiting: (() => void)[] = [];
  child.stdout?.on('data', (chunk: Buffer) => {
    said.push(...lines(chunk.toString()));
    for (const look of waiting) look();
  });
  const hasSaid = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (said.length >= count) resolve();
      };
      waiting.push(look);
      look();
    });
  return { child, ended, said, hasSaid };
}

const PROCESSES = IN_FULL ? 30 : 9;
const WRITES = IN_FULL ? 25 : 8;

describe('processes with guards, killed at random', () => {
  const TRADING = `
    const taken = (id) => (state) => {
      if (state.trouble !== undefined) throw new Error('alarm: ' + state.trouble.what);
      if (usedDealId(state.find({ dealIds: [id] }), identity, id) !== undefined) throw new Error(id + ' taken');
      if (state.openedOn(identity, '${TODAY}').plus('10000').gt('155000')) throw new Error(id + ' limit');
    };
    say('ready');
    await until('go');
    const from = Number(words[0]);
    for (let at = 0; at < 20; at += 1) {
      const id = 'D' + ((from + at * 7) % 20);
      const next = intent({ deal_id: id });
      const rest = { schema: 3, action_id: next.action_id, at: next.at };
      try {
        await journal.append([next, { ...rest, kind: 'sending', attempt: 1, writer: next.writer }], taken(id));
        say(id + ' won');
        await journal.append([{ ...rest, kind: 'accepted', by: 'answer' }]);
      } catch (error) {
        say(error.message);
      }
    }
  `;

  it('use each deal ID once, stay within the limit, and lose nothing that they reported', async () => {
    const home = temporaryFolder();
    const { fraction } = seededRandom(7);
    const all = Array.from({ length: PROCESSES }, (_, index) => started(TRADING, home, [index.toString()]));
    await Promise.all(all.map(({ hasSaid }) => hasSaid(1)));
    writeFileSync(join(home, 'go'), '');
    const ends = await Promise.all(
      all.map(async ({ child, ended, hasSaid }, index) => {
        // Two in three die, most of them while they write.
        if (index % 3 !== 0) void hasSaid(2 + Math.floor(fraction() * 6)).then(() => child.kill('SIGKILL'));
        return ended;
      }),
    );
    expect(ends.map(({ err }) => err).join('')).toBe('');
    expect(ends.filter(({ signal }) => signal === 'SIGKILL').length).toBeGreaterThan(PROCESSES / 3);
    const said = ends.flatMap(({ out }) => lines(out));
    expect(said.filter((each) => each.startsWith('alarm'))).toEqual([]);
    const won = said.filter((each) => each.endsWith(' won')).map((each) => each.split(' ')[0] ?? '');
    const state = opened(home).read();
    const deals = actionsIn(state).map(({ intent }) => intent.deal_id ?? '');
    expect(new Set(deals).size).toBe(deals.length);
    expect(won.filter((each) => !deals.includes(each))).toEqual([]);
    expect([state.openedOn(DESK, TODAY).toFixed(), deals.length]).toEqual(['150000', 15]);
    expect(state.trouble).toBeUndefined();
    await expectWhole(home);
  });
});

describe('readers beside writers', () => {
  const WRITING = `
    say('ready');
    await until('go');
    for (let at = 0; at < ${WRITES.toString()}; at += 1) {
      const next = intent({ deal_id: 'W' + words[0] + '-' + at });
      const rest = { schema: 3, action_id: next.action_id, at: next.at };
      const halt_id = mintId(machine.random);
      await journal.append([next, { ...rest, kind: 'sending', attempt: 1, writer: next.writer }]);
      await journal.append([{ schema: 3, kind: 'halt', at: next.at, halt_id, who: 'x', why: 'y' }]);
      await journal.append([{ ...rest, kind: 'accepted', by: 'answer', hedge_id: 'h' + next.action_id }]);
      await journal.append([{ ...rest, kind: 'outcome', outcome: 'filled', facts: {} }]);
      if (at % 3 === 0) await journal.append([{ ...rest, kind: 'outcome', outcome: 'not_told', facts: { not_ours: 'x' } }]);
      await journal.append([{ schema: 3, kind: 'unhalt', at: next.at, halt_ids: [halt_id] }]);
    }
    say('done');
  `;
  const READING = `
    say('ready');
    await until('go');
    let asked = 0;
    while (!existsSync(home + '/stop')) {
      // A process of its own, or one that runs for long. The library keeps two descriptors of each until its statements are collected.
      const reader = asked % 2 === 0 || asked > 200 ? journal : openJournal({ places, machine });
      const state = reader.read();
      const before = state.count;
      const actions = [...state.newest()];
      const seen = [state.halt, state.current, state.rolls, [...state.halts()], state.since('2026-01-01T00:00:00.000Z')];
      for (const { id, intent: { deal_id: deal } } of actions.slice(0, 5)) {
        if (state.find({ ids: [id] }).length !== 1 || state.find({ dealIds: [deal] }).length !== 1) say('lost ' + deal);
        if (state.recordsOf(id).length === 0 || state.latestSince(id) === undefined) say('no records of ' + deal);
      }
      const sum = Number(state.openedOn(identity, '${TODAY}')) / 10000;
      const counts = [before, actions.length, seen[4].length, sum, state.count];
      // Each question is answered of the moment when it is asked.
      if (counts.some((count, index) => count < (counts[index - 1] ?? 0))) say('counts ' + counts);
      state.lastNotionals(identity);
      if (state.trouble !== undefined) say('alarm: ' + state.trouble.what);
      asked += 1;
      if (reader !== journal) reader.close();
      // Readers that never rest take the cores from the writers that they are to meet.
      await systemClock.sleep(5);
    }
    say('asked ' + asked);
  `;

  it('see no alarm and no half append, from the first record on', async () => {
    const home = temporaryFolder();
    const writers = [0, 1, 2].map((index) => started(WRITING, home, [index.toString()]));
    const readers = [0, 1, 2].map(() => started(READING, home));
    await Promise.all([...writers, ...readers].map(({ hasSaid }) => hasSaid(1)));
    writeFileSync(join(home, 'go'), '');
    const written = await Promise.all(writers.map(({ ended }) => ended));
    writeFileSync(join(home, 'stop'), '');
    const read = await Promise.all(readers.map(({ ended }) => ended));
    expect([...written, ...read].map(({ err }) => err).join('')).toBe('');
    expect(written.map(({ out }) => lines(out))).toEqual(writers.map(() => ['ready', 'done']));
    expect(read.flatMap(({ out }) => lines(out)).filter((each) => !/^(ready|asked \d+)$/.test(each))).toEqual(
      [],
    );
    expect(opened(home).read()).toMatchObject({ count: 3 * WRITES, halt: undefined, trouble: undefined });
    await expectWhole(home);
  });

  it('that take long never block a writer, and the log does not grow for them', async () => {
    const home = temporaryFolder();
    const journal = opened(home, 1_000);
    for (let more = 0; more < 120; more += 1)
      await journal.append([
        anIntent({ action_id: idOf((0xa000 + more).toString(16)), idempotency_key: `k-${more.toString()}` }),
      ]);
    const slow = started(
      `
      const reader = journal.read();
      let taken = 0;
      for (const action of reader.newest()) {
        taken += 1;
        if (taken === 60) { say('half'); await until('more'); }
      }
      say(taken + ' ' + reader.count + ' ' + (reader.trouble === undefined));
    `,
      home,
    );
    await slow.hasSaid(1);
    const log = `${journal.path}-wal`;
    for (let more = 0; more < 120; more += 1)
      await journal.append([{ ...HALT, halt_id: idOf((0xb000 + more).toString(16)) }]);
    expect(statSync(log).size).toBeLessThan(12_000_000);
    writeFileSync(join(home, 'more'), '');
    expect((await slow.ended).err).toBe('');
    expect(slow.said.at(-1)).toBe('120 120 true');
  });
});

describe('a process that stands still while it writes', () => {
  it('does not keep the desk from being halted, and the next open finds the halt', async () => {
    const home = temporaryFolder();
    await opened(home).append([anIntent(), step(SENDING), step(ACCEPTED), step(FILLED)]);
    const holder = started(
      `await journal.append([intent()], () => { say('held'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
      home,
    );
    await holder.hasSaid(1);
    const from = performance.now();
    const state = await opened(home, 300).append([HALT]);
    expect([state.halt?.why, state.trouble]).toEqual([HALT.why, undefined]);
    expect(performance.now() - from).toBeLessThan(20_000);
    await expect(opened(home, 300).append([anIntent({ action_id: idOf('beef') })])).rejects.toThrow(
      'is in use',
    );
    holder.child.kill('SIGKILL');
    await holder.ended;
    const stopped = opened(home).append([anIntent({ action_id: idOf('beef') })], ({ halt }) => {
      if (halt !== undefined) throw new Error(`halted: ${halt.why}`);
    });
    await expect(stopped).rejects.toThrow(`halted: ${HALT.why}`);
    expect(opened(home).read().count).toBe(1);
    await expectWhole(home);
  });
});

describe('closes at once while the journal is damaged', () => {
  const CLOSING = `
    say('ready');
    await until('go');
    const { notional_usd: _usd, tenor_days: _days, ...next } = intent({ action: 'close' });
    try {
      await journal.append([next], (state) => {
        if (state.trouble?.kind !== 'damaged') throw new Error('no alarm');
        if (state.current.some((each) => each.intent.action === 'close')) throw new Error('closed already');
      });
      say('closed');
    } catch (error) {
      say(error.message);
    }
  `;

  it('are one, and the others see it', async () => {
    const home = temporaryFolder();
    const journal = opened(home);
    await journal.append([anIntent(), step(SENDING), step(ACCEPTED), step(FILLED)]);
    const mark = (value: number): void => {
      const db = openJournalDatabase(journal.path, machine.host);
      db?.exec(`PRAGMA application_id = ${value.toString()}`);
      db?.close();
    };
    mark(7);
    const all = Array.from({ length: 8 }, () => started(CLOSING, home));
    await Promise.all(all.map(({ hasSaid }) => hasSaid(1)));
    writeFileSync(join(home, 'go'), '');
    const ends = await Promise.all(all.map(({ ended }) => ended));
    expect(ends.map(({ err }) => err).join('')).toBe('');
    expect(
      ends.map(({ out }) => lines(out)[1] ?? '').toSorted((one, other) => one.localeCompare(other)),
    ).toEqual(['closed', ...Array.from({ length: 7 }, () => 'closed already')]);
    mark(0x6864674a);
    expect(opened(home).read()).toMatchObject({ count: 2, trouble: undefined });
    await opened(home).append([HALT]);
    await expectWhole(home);
  });
});

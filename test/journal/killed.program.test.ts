/**
 * The journal killed at every change of a file: while it begins, appends, migrates, seals, archives, merges its lookups, and
 * makes its index and lookups again; with and without a power cut. `npm test` takes a spread of the points, `npm run test:full` all of them.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MergedLookup } from '../../src/journal/merged-lookup.ts';
import { type JournalRecord, recordSchema } from '../../src/journal/records.ts';
import { readLayout } from '../../src/journal/segments.ts';
import { stateOf } from '../../src/journal/state.ts';
import { expectHeld, IN_FULL, spread } from '../support/goal.ts';
import { type Kill, killsOf, numbering, type Point, pointsIn, pointText } from '../support/kill-points.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { chainOf } from './chain-of.ts';
import { journalAt } from './journal-at.ts';
import { ACCEPTED, actionAt, actionsIn, anIntent, FILLED, idOf, SENDING, step, UNKNOWN } from './records.ts';

const MONTHS = ['2026-07', '2026-08', '2026-09'];
const NOW = '2026-11-20T12:00:00.000Z';
const { host } = testMachine();

const folderOf = (home: string): string => join(home, 'state', 'journal');

const opened = (home: string, at: string) => journalAt(home, () => Date.parse(at), { mostLookups: 0 });

/** An action of the month: ended, and one whose outcome is unknown. */
const ofMonth = (month: string, index: number): readonly (readonly [JournalRecord, ...JournalRecord[]])[] => {
  const at = `${month}-10T12:00:00.000Z`;
  const [ended, lost] = [`${index.toString()}aaa`, `${index.toString()}bbb`];
  const dated = (id: string, parts: Parameters<typeof step>[0]) => ({ ...step(parts, id), at });
  return [
    actionAt(at, ended, SENDING),
    [dated(ended, ACCEPTED), dated(ended, FILLED)],
    actionAt(at, lost, SENDING),
    [dated(lost, UNKNOWN)],
  ];
};

/** Three months, of which the last one is active; unknown outcomes in the last one only when `open` is `last`. */
async function months(home: string, all = MONTHS, open: 'each' | 'last' = 'each'): Promise<void> {
  for (const [index, month] of all.entries()) {
    const journal = opened(home, `${month}-10T12:00:00.000Z`);
    const isOpen = open === 'each' || index === all.length - 1;
    for (const records of ofMonth(month, index).slice(0, isOpen ? 4 : 2)) await journal.append(records);
  }
}

/** The same, and the lookups of the first two are merged. */
async function merged(home: string, open?: 'each' | 'last'): Promise<void> {
  await months(home, MONTHS, open);
  await opened(home, `${MONTHS.at(-1) ?? ''}-10T12:00:00.000Z`).prepare();
}

function ofEarlierVersion(home: string): void {
  const lines = MONTHS.flatMap((month, index) => ofMonth(month, index).flat());
  mkdirSync(join(home, 'state'), { mode: 0o700 });
  const text = lines.map((record) => `${JSON.stringify({ ...record, schema: 2 })}\n`).join('');
  writeFileSync(join(home, 'state', 'journal.jsonl'), text, { mode: 0o600 });
}

interface Work {
  what: string;
  prepare(home: string): Promise<void> | void;
  /** What is killed; the default appends an intent with its send. */
  does?: 'archive' | 'merge';
}

const derived = (home: string, end: RegExp): void => {
  for (const name of readdirSync(folderOf(home))) if (end.test(name)) rmSync(join(folderOf(home), name));
};

const WORK: readonly Work[] = [
  { what: 'begins', prepare: () => undefined },
  { what: 'appends', prepare: (home) => months(home, ['2026-11']) },
  { what: 'migrates', prepare: ofEarlierVersion },
  { what: 'seals', prepare: (home) => merged(home) },
  {
    what: 'seals after a line that was cut',
    async prepare(home) {
      await months(home);
      appendFileSync(join(folderOf(home), '0003-2026-09.jsonl'), '{"schema":3,"kin');
    },
  },
  {
    what: 'makes its index again',
    async prepare(home) {
      await months(home);
      derived(home, /^active/);
    },
  },
  {
    what: 'makes its lookups again',
    async prepare(home) {
      await merged(home);
      derived(home, /lookup$/);
    },
  },
  { what: 'merges its lookups', prepare: (home) => months(home), does: 'merge' },
  {
    what: 'merges a lookup with those before it',
    async prepare(home) {
      await merged(home);
      await opened(home, '2026-10-10T12:00:00.000Z').append(ofMonth('2026-10', 3)[0] ?? [INTENT]);
    },
    does: 'merge',
  },
  { what: 'archives', prepare: (home) => merged(home, 'last'), does: 'archive' },
];

const INTENT = anIntent({
  action_id: idOf('7c1e'),
  schema: 3,
  at: NOW,
  idempotency_key: 'k-new',
  deal_id: 'PAY-NEW',
});

const CHILD = `
  import { openJournal } from 'dist/journal/store.js';
  import { systemClock } from 'dist/platform/clock.js';
  import { hostOf } from 'dist/platform/host.js';
  import { systemRandom } from 'dist/platform/random.js';
  const [home, given, at, does] = process.argv.slice(1);
  const clock = { ...systemClock, now: () => Date.parse(at) };
  const machine = { clock, random: systemRandom, host: hostOf(process) };
  const places = { config: home, state: home + '/state', cache: home };
  const journal = openJournal({ places, machine, mostLookups: 0 });
  if (does === 'merge') await journal.prepare();
  else if (does === 'archive') await journal.archive({ before: '2026-09', folder: home + '/archive', operator: 'ada@desk' });
  else {
    const intent = { ...JSON.parse(given), writer: machine.host.self };
    const sending = { schema: 3, action_id: intent.action_id, at, kind: 'sending', attempt: 1, writer: intent.writer };
    await journal.append([intent, sending]);
  }
`;

async function run(
  home: string,
  work: Work,
  kill?: Kill,
): Promise<{ signal: string | null; err: string; points: readonly Point[] }> {
  const trace = join(home, '..', `trace-${Math.random().toString(16).slice(2)}`);
  const dist = new URL('../../dist/', import.meta.url).href;
  const { NODE_EXTRA_CA_CERTS: _dropped, ...env } = process.env;
  const script = CHILD.replaceAll("'dist/", `'${dist}`);
  const words = [
    '--input-type=module',
    '-e',
    script,
    '--',
    home,
    JSON.stringify(INTENT),
    NOW,
    work.does ?? '',
  ];
  const child = spawn(process.execPath, words, {
    env: { ...env, ...numbering(trace, home, { kill }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const signal = await new Promise<string | null>((resolve) => {
    child.on('close', (_code, by) => resolve(by));
  });
  const points = pointsIn(trace);
  rmSync(trace);
  return { signal, err, points };
}

/** Every record on disk, in order, by reading the files alone. */
function onDisk(home: string): readonly JournalRecord[] {
  const state = join(home, 'state');
  const folders = [folderOf(home), join(home, 'archive')];
  const files = new Map(
    folders.flatMap((folder) => {
      try {
        return readdirSync(folder)
          .filter((name) => name.endsWith('.jsonl'))
          .map((name) => [name, join(folder, name)] as const);
      } catch {
        return [];
      }
    }),
  );
  const single = readFileSync(join(state, 'journal.jsonl'), 'utf8');
  const paths = single.includes('"segments"')
    ? [...files].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, path]) => path)
    : [join(state, 'journal.jsonl')];
  return paths.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .filter((line) => !line.endsWith('\u0018'))
      .map((line): JournalRecord => recordSchema.parse(JSON.parse(line))),
  );
}

async function wrongAfter(work: Work, kill: Kill): Promise<readonly string[]> {
  const home = temporaryFolder(() => undefined);
  const wrong: string[] = [];
  const at = `${work.what}, killed ${kill.how} ${pointText(kill.at)}, losing ${kill.loses}`;
  const must = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(`${at}: ${what}`);
  };
  try {
    await work.prepare(home);
    const before = actionsIn(opened(home, NOW).read());
    const { signal, err } = await run(home, work, kill);
    must(signal === 'SIGKILL', `it was not killed: ${signal ?? ''} ${err}`);
    const next = anIntent({ action_id: idOf('cafe'), schema: 3, at: NOW, idempotency_key: 'k-next' });
    const seen = opened(home, NOW).read();
    must(seen.damage.length === 0 && seen.orphans.length === 0, `damage: ${JSON.stringify(seen.damage)}`);
    const after = await opened(home, NOW).append([next]);
    const ids = actionsIn(after).map(({ id }) => id);
    const expected = [...before.map(({ id }) => id), next.action_id];
    const mine = ids.filter((id) => id === INTENT.action_id).length;
    must(mine <= 1, `it has the action ${mine.toString()} times`);
    must(
      JSON.stringify(ids.filter((id) => id !== INTENT.action_id)) === JSON.stringify(expected),
      `other actions: ${ids.join()}`,
    );
    must(after.find({ dealIds: ['PAY-NEW'] }).length === mine, 'its deal ID says another thing');
    const records = onDisk(home);
    const told = stateOf(
      { records, damage: [], damageAt: 0, cutTail: false, path: '', bytes: 0 },
      { isRunning: (writer) => host.judge(writer) === 'running', nowMs: Date.parse(NOW) },
    );
    for (const state of [after, opened(home, NOW).read()]) {
      // The names of a record are in the order in which it was written, or in that of its schema.
      const [byIndex, byRecords]: unknown[] = [state, told].map((each) =>
        JSON.parse(JSON.stringify([each.count, each.current, actionsIn(each)])),
      );
      must(isDeepStrictEqual(byIndex, byRecords), 'the index says another thing than the records');
    }
    must(
      work.does === 'archive' || chainOf(join(home, 'state')).length === 0,
      `the chain: ${chainOf(join(home, 'state')).join()}`,
    );
    if (work.does === 'archive') {
      await opened(home, NOW).archive({
        before: '2026-09',
        folder: join(home, 'archive'),
        operator: 'ada@desk',
      });
      must(
        actionsIn(opened(home, NOW).read()).length === ids.length,
        'actions are missing after it was archived',
      );
      must(
        readdirSync(join(home, 'archive')).filter((name) => name.endsWith('.jsonl')).length === 2,
        'it was not archived',
      );
    }
    const isFound = (): boolean => {
      const state = opened(home, NOW).read();
      return before.every(({ id, intent }) => {
        const byName = [state.find({ ids: [id] }), state.find({ dealIds: [intent.deal_id ?? ''] })];
        return byName.every((found) => found.map((each) => each.id).join() === id);
      });
    };
    must(isFound(), 'an action is not found');
    await opened(home, NOW).prepare();
    must(isFound(), 'an action is not found in the merged lookup');
    const { segments } = readLayout(join(home, 'state'), host);
    const all = MergedLookup.open(folderOf(home), host);
    must(
      segments.slice(0, -1).every(({ number }) => all?.covers(number)) && all?.fits(segments) !== false,
      'the lookups are not merged',
    );
    const left = readdirSync(folderOf(home)).filter(
      (name) => !/\.(jsonl|lookup|index|terms|json|all)$/.test(name),
    );
    must(
      left.every((name) => name.endsWith('.tmp')),
      `other files: ${left.join()}`,
    );
    return wrong;
  } catch (error) {
    return [...wrong, `${at}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

describe('a journal that is killed', () => {
  it.each(WORK)('while it $what loses nothing, doubles nothing, and goes on by itself', async (work) => {
    const home = temporaryFolder();
    await work.prepare(home);
    const { points, err } = await run(home, work);
    expect(err).toBe('');
    const all = killsOf(points, 'state').filter(({ at }) => at.call !== 'say');
    expect(all.length).toBeGreaterThan(20);
    const kills = IN_FULL ? all : spread(all, 5, 3);
    const found = await inLanes([1, 2], kills, (_lane, kill) => wrongAfter(work, kill));
    expectHeld('R1 journal, killed at every change of a file', { runs: kills.length, wrong: found.flat() });
  });
});

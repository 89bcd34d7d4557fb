/**
 * What changes the journal's files, killed at every system call, with and without the power, and then done again: nothing is
 * lost or doubled. `npm test` tries a few of the calls, `npm run test:full` a tenth, `npm run sweep` all of them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EarlierChain, earlierLineIn } from '../../src/journal/import/earlier-chain.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { type EarlierJournal, linesOf, segmentsOf, writeEarlierJournal } from '../support/earlier-journal.ts';
import { expectHeld } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { copiedJournal } from '../support/journal-copy.ts';
import { chosenKills, type Kill, killsOf, killText, runKilled, tracedHedge } from '../support/kill-case.ts';
import { inLanes } from '../support/lanes.ts';
import { runModule, temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';
import { damageJournal, journalFile, rewindJournal, writeJournal } from '../support/written-journal.ts';
import { ACCEPTED, aRoll, at, BY_ADA, FILLED, HALT, recordsOf, SENDING, UNKNOWN } from './records.ts';

interface Work {
  what: string;
  /** `home` is empty. */
  prepare(home: string): Promise<void> | void;
  words: (home: string) => readonly string[];
  /** Done again it adds the same once more. */
  repeats?: boolean;
}

const ENDED = recordsOf('7c1e', { idempotency_key: 'k-1', deal_id: 'PAY-1' }, SENDING, ACCEPTED, FILLED);
const LOST = recordsOf('8d2f', { idempotency_key: 'k-2', deal_id: 'PAY-2' }, SENDING, UNKNOWN);
const PREPARED = recordsOf('9e3a', { idempotency_key: 'k-3', deal_id: 'PAY-3' });
/** Changes nothing. */
const UNHALT: JournalRecord = { schema: 3, kind: 'unhalt', at: at(50), halt_ids: [], ...BY_ADA };
const ALL: readonly JournalRecord[] = [...ENDED, ...LOST, ...PREPARED, aRoll({ at: at(40) })];
const HALT_JSON = `${JSON.stringify({ schema: 1, who: HALT.who, at: HALT.at, why: HALT.why })}\n`;
const HALTING = () => ['halt', 'venue down', '--json'];
const IMPORTING = () => ['journal', 'import', '--yes', '--json'];
const EXPORT = 'export.jsonl';
const BACKUP = 'copy.sqlite';

const imports = (what: string, earlier: EarlierJournal): Work => ({
  what: `imports ${what}`,
  prepare: (home) => writeEarlierJournal(join(home, 'state'), earlier),
  words: IMPORTING,
});

const WORK: readonly Work[] = [
  { what: 'begins', prepare: () => undefined, words: HALTING, repeats: true },
  { what: 'appends', prepare: (home) => void writeJournal(home, ALL), words: HALTING, repeats: true },
  {
    what: 'appends, and its log is copied into the database',
    prepare: withFullLog,
    words: HALTING,
    repeats: true,
  },
  { what: 'takes over pending records', prepare: withPending, words: HALTING, repeats: true },
  imports('one file of format 1', { single: linesOf(1, ALL), halt: HALT_JSON }),
  imports('one file of format 2', { single: linesOf(2, ALL) }),
  imports('one file of format 3 with a line that was cut', { single: `${linesOf(3, ALL)}{"schema":3,"kin` }),
  imports('segments', {
    segments: segmentsOf(
      { '2026-10': ENDED, '2026-11': LOST, '2026-12': PREPARED },
      linesOf(2, ALL.slice(-1)),
    ),
    halt: HALT_JSON,
  }),
  { what: 'imports an export', prepare: withExport, words: (home) => [...IMPORTING(), join(home, EXPORT)] },
  {
    what: 'is repaired',
    async prepare(home) {
      writeJournal(home, ALL);
      damageJournal(home, (record) => record.includes('"accepted"'));
      await done(['halt', 'while it is damaged'], home);
    },
    words: () => ['journal', 'repair', '--json'],
  },
  {
    what: 'goes on after a loss was accepted',
    prepare(home) {
      writeJournal(home, ALL);
      rewindJournal(home, 2);
    },
    words: () => ['journal', 'accept-loss', '--note', 'backup put back', '--yes', '--json'],
  },
  {
    what: 'is backed up',
    prepare: (home) => void writeJournal(home, ALL),
    words: (home) => ['journal', 'backup', join(home, BACKUP), '--json'],
  },
];

/** Runs `hedge` to its end. */
async function done(words: readonly string[], home: string): Promise<void> {
  const run = await runHedge(words, { env: { HEDGE_HOME: home } });
  if (run.code !== 0) throw new Error(`${words.join(' ')}: ${run.out} ${run.err}`);
}

const FULL_LOG = `
  import { lstatSync } from 'node:fs';
  import { insertRecords } from 'dist/journal/store/new-records.js';
  import { openJournalFile } from 'dist/journal/store/schema.js';
  import { systemClock } from 'dist/platform/clock.js';
  import { hostOf } from 'dist/platform/host.js';
  import { systemRandom } from 'dist/platform/random.js';
  const [path, count, record] = process.argv.slice(1);
  const machine = { clock: systemClock, random: systemRandom, host: hostOf(process) };
  const db = openJournalFile(path, machine.host);
  db.exec('PRAGMA wal_autocheckpoint = 0');
  for (let index = 0; ; index += 1) {
    db.writing(() => insertRecords(db, [{ id: 'more-' + index, record }]));
    if (lstatSync(path + '-wal').size > Number(count) * 4120) process.kill(process.pid, 'SIGKILL');
  }
`;

/** From 1,000 pages on SQLite copies the log into the database. */
const PAGES = 1_000;

async function withFullLog(home: string): Promise<void> {
  const path = writeJournal(home, ALL);
  const { signal, err } = await runModule(FULL_LOG, [path, PAGES.toString(), JSON.stringify(UNHALT)]).ended;
  if (signal !== 'SIGKILL') throw new Error(err);
}

async function withPending(home: string): Promise<void> {
  const damaged = temporaryFolder();
  for (const each of [home, damaged]) writeJournal(each, ALL);
  damageJournal(damaged);
  await done(['halt', 'while it is damaged'], damaged);
  for (const name of readdirSync(join(damaged, 'state')).filter((each) => each.startsWith('pending.sqlite')))
    execFileSync('cp', ['-a', join(damaged, 'state', name), join(home, 'state')]);
}

async function withExport(home: string): Promise<void> {
  const other = temporaryFolder();
  writeJournal(other, ALL);
  await done(['journal', 'export', join(home, EXPORT)], other);
}

/** All that must be the same in the end, however often it was killed. */
interface Content {
  records: readonly string[];
  /** Records of the halts that were asked for. */
  asked: number;
  files: Readonly<Record<string, string>>;
  wrong: readonly string[];
}

function contentOf(home: string): Content {
  const { stored, pending, rewound, wrong } = copiedJournal(home);
  const records = [...stored, ...pending].map(({ record }) => plain(record, home));
  const found = [...wrong, ...oldChain(stored), ...(rewound === undefined ? [] : [rewound])];
  if (pending.length > 0) found.push(`${pending.length.toString()} records are pending`);
  const isAsked = (record: string): boolean => record.includes('"why":"venue down"');
  return {
    records: records.filter((each) => !isAsked(each)),
    asked: records.filter(isAsked).length,
    files: Object.fromEntries(filesBelow(home, home)),
    wrong: found,
  };
}

/** Without what is new each time. */
const plain = (record: string, home: string): string =>
  record.includes('"imported"')
    ? record
    : record
        .replaceAll(home, '')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.-]+Z+/g, 'TIME')
        .replace(/"halt_id":"\w+"/, '');

/** Earlier files with their content, databases by their names. Not what a program that dies leaves behind, which does no harm. */
const filesBelow = (folder: string, home: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return path === join(home, 'cache') ? [] : filesBelow(path, home);
    const name = relative(home, path).replaceAll(/\d{4}-\d\d-\d\dT[\w-]+Z-\w+/g, 'TIME');
    if (/-(wal|shm)$|^config\/|\.(new|tmp)(-journal)?$|\.lock$/.test(name)) return [];
    return [[name, /jsonl|json/.test(name) ? readFileSync(path, 'utf8') : '']];
  });

function oldChain(stored: readonly { record: string }[]): readonly string[] {
  const chain = new EarlierChain();
  return stored.flatMap(({ record }) => {
    const from = earlierLineIn(record);
    const finding = from && chain.add(from.file, from.line, from.ended);
    return finding === undefined ? [] : [`${from?.file ?? ''}: ${finding}`];
  });
}

/** A home of its own that is like `template`. */
async function inCopy<T>(template: string, body: (home: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder(() => undefined);
  const home = join(folder, 'home');
  try {
    execFileSync('cp', ['-a', template, home]);
    return await body(home);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function wrongAfter(
  { words, repeats = false }: Work,
  { kill, template, expected }: { kill: Kill; template: string; expected: Content },
): Promise<readonly string[]> {
  return inCopy(template, async (home) => {
    const env = { HEDGE_HOME: home };
    const { run, killedAt, others } = await runKilled(words(home), { env, kill });
    const wrong: string[] = [];
    const must = (holds: boolean, what: string): void => {
      if (!holds) wrong.push(`${killText({ at: killedAt ?? kill.at, loses: kill.loses })}: ${what}`);
    };
    must(run.signal === (killedAt === undefined ? null : 'SIGKILL'), `it ended so: ${run.out} ${run.err}`);
    must(others.length === 0, `strace did not see how these were changed: ${others.join()}`);

    const looked = await runHedge(['journal', '--limit', 'all', '--json'], { env });
    must([0, 78].includes(looked.code ?? -1), `hedge journal ended so: ${looked.out} ${looked.err}`);
    const before = repeats ? contentOf(home).asked : 0;
    const isReported =
      killedAt === undefined || killedAt.call === 'exit_group' || killedAt.on === 'the output';
    must(!isReported || !repeats || before === expected.asked, 'it was reported, and is not there');
    const backup = join(home, BACKUP);
    if (existsSync(backup)) {
      must(isWholeOrRefused(backup, expected), 'the copy is not whole, and nothing says so');
      rmSync(backup);
    }

    const again = await runHedge(words(home), { env });
    const isOver = again.code === 2 && again.out.includes('There is no journal of an earlier version');
    must(again.code === 0 || isOver, `done again it ended so: ${again.out} ${again.err}`);
    const content = contentOf(home);
    for (const what of content.wrong) must(false, what);
    const asked = repeats ? before + 1 : expected.asked;
    must(content.asked === asked, `it was done ${content.asked.toString()} times`);
    must(
      isDeepStrictEqual(content.records, expected.records),
      `other records: ${content.records.join('\n')}`,
    );
    must(
      isDeepStrictEqual(content.files, expected.files),
      `other files: ${Object.keys(content.files).join()}`,
    );
    return wrong;
  });
}

/** A copy that a kill left: all records, or a file that is no journal. */
function isWholeOrRefused(backup: string, { records }: Content): boolean {
  const folder = temporaryFolder(() => undefined);
  try {
    mkdirSync(join(folder, 'state'), { mode: 0o700 });
    execFileSync('cp', ['-a', backup, journalFile(folder)]);
    const { stored, wrong } = copiedJournal(folder);
    return stored.length === (wrong.length === 0 ? records.length : 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('a journal that is killed', needs('strace'), () => {
  it.each(WORK)('while it $what loses nothing and doubles nothing, and is done again', async (work) => {
    const template = temporaryFolder();
    await work.prepare(template);
    const { all, expected } = await inCopy(template, async (home) => {
      const traced = await tracedHedge(work.words(home), { env: { HEDGE_HOME: home } });
      expect(traced.run).toMatchObject({ code: 0 });
      return { all: killsOf(traced), expected: contentOf(home) };
    });
    expect(expected.wrong).toEqual([]);
    expect(all.length).toBeGreaterThan(50);
    const kills = chosenKills(all);
    const found = await inLanes([1, 2], kills, (_lane, kill) =>
      wrongAfter(work, { kill, template, expected }),
    );
    process.stderr.write(
      `${work.what}: killed in ${kills.length.toString()} of ${all.length.toString()} ways\n`,
    );
    expectHeld('R1 journal, killed at every system call', { runs: kills.length, wrong: found.flat() });
  });
});

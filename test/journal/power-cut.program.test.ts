/**
 * The power is cut while a process appends: every record that it was told is written is there, whatever else of the files is
 * left, and a journal that lacks one says so. Also while SQLite copies its log into the database.
 */
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moduleArgs } from '../support/built.ts';
import type { Survival } from '../support/disk-model.ts';
import { expectHeld, howMany, oneOfEach } from '../support/goal.ts';
import { type CopiedJournal, copiedJournal, journalAfter, journalIn } from '../support/journal-copy.ts';
import { seededRandom } from '../support/steady-clock.ts';
import { type PlacedCall, placeText, runTraced, type TracedRun } from '../support/system-calls.ts';
import { needs } from '../support/tools.ts';
import { actionAt, at, SENDING } from './records.ts';

/** Appends, each of an intent and its sending. More than fit into the log without a checkpoint. */
const APPENDS = 130;
const RECORDS_EACH = 2;
/** After so many, at first, the log is copied into the database and begun again from its start. Later SQLite does so itself. */
const CHECKPOINT_EACH = 17;
const CHECKPOINTS_UNTIL = 2 * CHECKPOINT_EACH;

/** Prints the number of each append when it has returned. Is killed at the end, so that the log stays. */
const WRITER = `
  import { readFileSync, writeSync } from 'node:fs';
  import { openJournal } from 'dist/journal/store/journal.js';
  import { openJournalFile } from 'dist/journal/store/schema.js';
  import { systemClock } from 'dist/platform/clock.js';
  import { hostOf } from 'dist/platform/host.js';
  import { systemRandom } from 'dist/platform/random.js';
  const [home, appends, each, until] = process.argv.slice(1);
  const machine = { clock: systemClock, random: systemRandom, host: hostOf(process) };
  const journal = openJournal({ places: { config: home, state: home + '/state', cache: home }, machine });
  for (const [index, records] of JSON.parse(readFileSync(appends, 'utf8')).entries()) {
    await journal.append(records);
    writeSync(1, index + '\\n');
    if ((index + 1) % each === 0 && index < until)
      openJournalFile(journal.path, machine.host).exec('PRAGMA wal_checkpoint(RESTART)');
  }
  process.kill(process.pid, 'SIGKILL');
`;

/** The writer, its home, and the IDs of all records in order. */
interface Written {
  run: TracedRun;
  home: string;
  ids: readonly string[];
}

let folder: string;
let written: Written;
beforeAll(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'hedge-power-'));
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const appends = Array.from({ length: APPENDS }, (_, index) =>
    actionAt(at(index), `${index.toString(16).padStart(2, '0')}aa`, SENDING),
  );
  writeFileSync(join(folder, 'appends'), JSON.stringify(appends));
  const words = [home, join(folder, 'appends'), CHECKPOINT_EACH.toString(), CHECKPOINTS_UNTIL.toString()];
  const run = await runTraced([process.execPath, ...moduleArgs(WRITER), '--', ...words], {
    env: {},
    folder: home,
    log: join(folder, 'log'),
  });
  if (run.run.signal !== 'SIGKILL') throw new Error(run.run.err);
  written = { run, home, ids: copiedJournal(home).stored.map(({ id }) => id) };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isCheckpoint = ({ call, on }: PlacedCall): boolean =>
  call === 'pwrite64' && on === 'state/journal.sqlite';
const isReport = ({ on }: PlacedCall): boolean => on === 'the output';

/** What is wrong with the journal that is left, when the power is cut just before one of these calls. */
function wrongAt(calls: ReadonlySet<PlacedCall>, survivals: readonly Survival[]): readonly string[] {
  const { run, ids } = written;
  let reported = 0;
  const wrong: string[] = [];
  for (const { call, disk } of run.moments()) {
    if (calls.has(call))
      for (const survival of survivals) {
        const what = typeof survival === 'string' ? survival : 'some of it';
        for (const each of wrongWith(() => journalAfter(disk, survival), { ids, reported }))
          wrong.push(`${placeText(call)}, ${reported.toString()} reported, there is still ${what}: ${each}`);
      }
    if (isReport(call)) reported += 1;
  }
  return wrong;
}

function wrongWith(
  open: () => CopiedJournal,
  { ids, reported }: { ids: readonly string[]; reported: number },
): readonly string[] {
  try {
    const { stored, rewound, wrong } = open();
    const found = [...wrong];
    if (stored.some(({ id }, index) => id !== ids[index]))
      found.push('these are not the first records in order');
    if (stored.length % RECORDS_EACH !== 0) found.push('a part of an append is there');
    if (stored.length < reported * RECORDS_EACH)
      found.push(`only ${stored.length.toString()} records are there`);
    if (rewound !== undefined) found.push(rewound);
    return found;
  } catch (error) {
    return [String(error)];
  }
}

const some = (seed: number): Survival => seededRandom(seed).fraction;

describe('a process that appends', needs('strace'), () => {
  it('writes all that the test needs', () => {
    const { run, ids } = written;
    expect(ids).toHaveLength(APPENDS * RECORDS_EACH);
    expect(run.others).toEqual([]);
    expect(run.calls.filter(isReport)).toHaveLength(APPENDS);
    const checkpoints = run.calls.filter(
      (call, index, all) => isCheckpoint(call) && !isCheckpoint(all[index - 1] ?? call),
    );
    expect(checkpoints.length).toBeGreaterThan(2);
  });

  it('has each record that it reported on the disk, synced, and each that is left in order', () => {
    const { calls } = written.run;
    // Nothing else changes what is certain, or what it was told.
    const kept = calls.filter((_, index) =>
      calls
        .slice(Math.max(0, index - 1), index)
        .some((before) => before.call.endsWith('sync') || isReport(before)),
    );
    const tried = oneOfEach(kept, Math.ceil(kept.length / howMany(100, 400)));
    expectHeld('R1 power cut, what was synced', {
      runs: tried.length,
      wrong: wrongAt(new Set(tried), ['synced']),
    });
  });

  it('loses none when some of what was not synced is left', () => {
    const { calls } = written.run;
    const tried = oneOfEach(calls, Math.ceil(calls.length / howMany(100, 400)));
    const wrong = wrongAt(new Set(tried), ['everything', some(1), some(2)]);
    expectHeld('R1 power cut, some of what was not synced', { runs: 3 * tried.length, wrong });
  });

  it('loses none in the middle of a checkpoint', () => {
    const during = written.run.calls.filter(isCheckpoint);
    const tried = oneOfEach(during, Math.ceil(during.length / howMany(40, 400)));
    const wrong = wrongAt(new Set(tried), ['everything', 'synced', some(3)]);
    expectHeld('R1 power cut, in a checkpoint', { runs: 3 * tried.length, wrong });
  });
});

const WAL_HEADER = 32;
const FRAME = 24 + 4_096;

describe('a log that is cut', needs('strace'), () => {
  it('at any frame, or in the middle of one, is a journal with the first records, and is called rewound', () => {
    const { home, ids } = written;
    const frames = Math.floor(
      (lstatSync(join(home, 'state', 'journal.sqlite-wal')).size - WAL_HEADER) / FRAME,
    );
    const cuts = Array.from({ length: frames * 2 }, (_, half) => WAL_HEADER + Math.floor((half * FRAME) / 2));
    const tried = [0, ...oneOfEach(cuts, Math.ceil(cuts.length / howMany(200, 2_000)))];
    let short = 0;
    const wrong = tried.flatMap((length) => {
      const copy = join(folder, 'cut');
      execFileSync('cp', ['-a', join(home, 'state'), copy]);
      try {
        truncateSync(join(copy, 'journal.sqlite-wal'), length);
        const { stored, rewound, ...more } = journalIn(copy);
        const found = [...more.wrong];
        if (stored.some(({ id }, index) => id !== ids[index]))
          found.push('these are not the first records in order');
        if (stored.length % RECORDS_EACH !== 0) found.push('a part of an append is there');
        if (stored.length < ids.length) short += 1;
        if (stored.length < ids.length !== (rewound !== undefined))
          found.push(`${stored.length.toString()} records are there, and it says ${rewound ?? 'nothing'}`);
        return found.map((what) => `cut after ${length.toString()} bytes: ${what}`);
      } finally {
        rmSync(copy, { recursive: true });
      }
    });
    expect(short).toBeGreaterThan(tried.length / 4);
    expectHeld('R1 a log that is cut', { runs: tried.length, wrong });
  });
});

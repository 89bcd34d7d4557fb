/**
 * A disk that takes no more from any byte on: each append is on disk, or ends with 78 that names a file, and then nothing of it
 * is in the journal; what was there stays, and when there is room again it goes on.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { openAudit } from '../../src/journal/verify.ts';
import { expectHeld, spread } from '../support/goal.ts';
import { runModule, temporaryFolder, testMachine } from '../support/own-folder.ts';
import { journalAt, placesIn } from './journal-at.ts';
import { deskRecords } from './questions.ts';
import { actionsIn, anIntent, HALT, idOf, NOON } from './records.ts';

/** An open, a close and a halt. */
const RECORDS = [
  anIntent({
    action_id: idOf('b001'),
    idempotency_key: 'k-b001',
    deal_id: 'PAY-b001',
    note: 'x'.repeat(9_000),
  }),
  anIntent({ action: 'close', action_id: idOf('c001'), idempotency_key: 'k-c001' }),
  { ...HALT, halt_id: idOf('4a17') },
];

/** Appends each of them; says how each append ended. */
const APPENDING = `
  import { writeSync } from 'node:fs';
  import { openJournal } from 'dist/journal/store/journal.js';
  import { systemClock } from 'dist/platform/clock.js';
  import { hostOf } from 'dist/platform/host.js';
  import { systemRandom } from 'dist/platform/random.js';
  const [home, records] = process.argv.slice(1);
  const machine = { clock: { ...systemClock, now: () => ${NOON.toString()} }, random: systemRandom, host: hostOf(process) };
  const journal = openJournal({ places: { config: home, state: home + '/state', cache: home }, machine });
  const ends = [];
  for (const record of JSON.parse(records)) {
    try {
      await journal.append([record]);
      ends.push({ end: 'appended' });
    } catch ({ name, code, effect, message, path }) {
      ends.push({ end: code ?? name, effect, message, path });
    }
  }
  writeSync(1, JSON.stringify(ends));
`;
const ends = z.array(
  z.object({
    end: z.string(),
    effect: z.optional(z.string()),
    message: z.optional(z.string()),
    path: z.optional(z.string()),
  }),
);

const opened = (home: string) => journalAt(home, () => NOON);
let desk: string;
let actions: number;

beforeAll(async () => {
  desk = temporaryFolder(afterAll);
  const journal = opened(desk);
  for (const records of deskRecords({ isHalted: false, count: 8 })) await journal.append(records);
  actions = journal.read().count;
  // Its log begins anew, so that it grows through all sizes.
  const db = openJournalDatabase(journal.path, testMachine().host);
  db?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db?.close();
  journal.close();
});

const hasRecord = (home: string, at: number): boolean => {
  const state = opened(home).read();
  const ids = actionsIn(state).map(({ id }) => id);
  return (
    [ids.includes(idOf('b001')), ids.includes(idOf('c001')), state.halt?.ids.includes(idOf('4a17')) === true][
      at
    ] === true
  );
};

async function wrongAt(fileKb: number, isNew: boolean): Promise<readonly string[]> {
  const home = temporaryFolder(() => undefined);
  const wrong: string[] = [];
  const must = (holds: boolean, what: string): void => {
    if (!holds)
      wrong.push(`${isNew ? 'a new' : 'a'} journal, files of at most ${fileKb.toString()} KB: ${what}`);
  };
  try {
    if (!isNew) execFileSync('cp', ['-a', placesIn(desk).state, placesIn(home).state]);
    const before = isNew ? 0 : actions;
    const { out, err } = await runModule(APPENDING, [home, JSON.stringify(RECORDS)], { fileKb }).ended;
    must(err === '', err);
    const told = ends.parse(JSON.parse(out));
    for (const [at, { end, effect, message = '', path = '' }] of told.entries()) {
      must(
        hasRecord(home, at) === (end === 'appended'),
        `append ${at.toString()} ended with ${end}, and this is not so`,
      );
      if (end === 'appended') continue;
      must(
        end === 'damaged_file' && effect === 'none',
        `append ${at.toString()} ended with ${end}: ${message}`,
      );
      must(path.startsWith(home) && message.includes(path), `no file is named: ${message}`);
    }
    const appended = told.filter(({ end }) => end === 'appended').length;
    const state = opened(home).read();
    must(state.trouble === undefined, state.trouble?.what ?? '');
    const after = opened(home);
    await after.append([anIntent({ action_id: idOf('d001'), idempotency_key: 'k-d001' })]);
    const halts = hasRecord(home, 2) ? 1 : 0;
    must(after.read().count === before + appended - halts + 1, 'its count is another one');
    const report = await openAudit({ places: placesIn(home), machine: testMachine() }).verify();
    must(
      report.changes.length + report.damage.length === 0 && report.rewound === undefined,
      JSON.stringify(report),
    );
    after.close();
    return wrong;
  } catch (error) {
    must(false, error instanceof Error ? (error.stack ?? error.message) : String(error));
    return wrong;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

describe('a disk that takes no more', () => {
  it.each([true, false])('takes an append whole or not at all (a new journal: %s)', async (isNew) => {
    const sizes = Array.from({ length: 150 }, (_, at) => at * 4);
    const tried = spread(sizes, 2);
    const wrong: string[] = [];
    for (const size of tried) wrong.push(...(await wrongAt(size, isNew)));
    expectHeld('R3 journal on a disk that takes no more', { runs: tried.length, wrong });
  });

  it('leaves no part of a checkpoint, so that the same command can be repeated', async () => {
    const path = join(temporaryFolder(), 'head.json');
    const script = `
      import { checkpointOf, writeCheckpoint } from 'dist/journal/checkpoint.js';
      const why = writeCheckpoint(process.argv[1], checkpointOf({ seq: 1, hash: '', records: 1, at: '', operator: '' }));
      process.stderr.write(why ?? 'written');
    `;
    const { err } = await runModule(script, [path], { fileKb: 0 }).ended;
    expect(err).toContain('EFBIG');
    expect(existsSync(path)).toBe(false);
  });
});

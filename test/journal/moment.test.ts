/** The database answers what the same records answer in memory. */
import { rmSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/journal/records.ts';
import type { IsRunning } from '../../src/journal/replay.ts';
import type { JournalState } from '../../src/journal/state.ts';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { storedRecords } from '../../src/journal/store/record-rows.ts';
import { databaseFile } from '../../src/journal/store/schema.ts';
import { aQuarter } from '../support/goal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { anyJournal, expectAlike, type JournalAppend } from './alike.ts';
import { stateOf } from './in-memory.ts';
import { journalAt, placesIn } from './journal-at.ts';
import { anIntent, aSnapshot, FILLED, idOf, NOON, SENDING, step } from './records.ts';

const machine = testMachine();
const isRunning: IsRunning = (writer) => machine.host.judge(writer) === 'running';
const RUNS = aQuarter(60);

describe('the journal in its database', () => {
  it('answers every question as the same records do in memory', async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(anyJournal(machine.host.self), async (appends) => {
        await withJournal(appends, ({ read, expected, records }) => {
          expectAlike(read, expected, records);
          asked += 1;
        });
      }),
      { numRuns: RUNS, seed: 20_261_124, endOnFailure: true },
    );
    expect(asked).toBe(RUNS);
  });
});

it('knows the place of a deal and of a snapshot in the chain', async () => {
  const home = temporaryFolder();
  const journal = journalAt(home, () => NOON);
  await journal.append([anIntent({ action_id: idOf('aa01') }), step(SENDING, 'aa01')]);
  await journal.append([aSnapshot()]);
  await journal.append([step(FILLED, 'aa01')]);
  const db = openJournalDatabase(databaseFile(placesIn(home).state), machine.host) ?? expect.fail();
  const hashes = [...storedRecords(db)].map(({ hash }) => hash);
  db.close();
  const state = journal.read();
  // The first record of a deal: what is recorded of it later does not change it.
  expect(state.hashOf(idOf('aa01'))).toBe(hashes[0]);
  expect([...state.snapshots()].map(({ hash }) => hash)).toEqual([hashes[2]]);
  expect(state.hashOf(idOf('bb01'))).toBeUndefined();
  journal.close();
});

const UNSTORABLE: JournalRecord = { ...aSnapshot(), at: 'no time' };

interface States {
  records: readonly JournalRecord[];
  read: JournalState;
  expected: JournalState;
}

async function withJournal(appends: readonly JournalAppend[], look: (states: States) => void): Promise<void> {
  const home = temporaryFolder(() => undefined);
  let nowMs = NOON;
  const [journal, other] = [journalAt(home, () => nowMs), journalAt(home, () => nowMs)];
  try {
    for (const [index, { atMs, records }] of appends.entries()) {
      nowMs = atMs;
      // What it reads now must not be what it answers when another process wrote more, or an append was undone.
      journal.read().find({ ids: ['7c1e', '7c1f', 'aaaa'] });
      const undone = journal.append([...records, UNSTORABLE]);
      await expect(undone).rejects.toThrow('cannot be stored');
      await (index % 2 === 0 ? journal : other).append(records);
    }
    const db = openJournalDatabase(databaseFile(placesIn(home).state), machine.host);
    // As they were written: with their short IDs.
    const records = (db?.all('SELECT record FROM records ORDER BY seq') ?? []).map(
      ({ record }): JournalRecord => JSON.parse(String(record)),
    );
    expect(records.length).toBe(appends.reduce((sum, each) => sum + each.records.length, 0));
    const expected = stateOf(records, { path: journal.path, trouble: undefined, isRunning, nowMs });
    look({ records, read: journal.read(), expected });
    db?.close();
  } finally {
    for (const each of [journal, other]) each.close();
    rmSync(home, { recursive: true, force: true });
  }
}

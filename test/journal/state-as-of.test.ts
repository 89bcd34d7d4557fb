/** The database tells what the same records tell in memory: as of its head, and as of any record before it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/journal/records.ts';
import { type JournalState, stateOf } from '../../src/journal/state.ts';
import { headOf } from '../../src/journal/store/insert-records.ts';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { databaseFile } from '../../src/journal/store/schema.ts';
import { stateAsOf } from '../../src/journal/store/state-as-of.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { anyJournal, expectAlike, type JournalAppend } from './alike.ts';
import { journalAt, placesIn } from './journal-at.ts';
import { NOON } from './records.ts';

const machine = testMachine();
const isRunning: Parameters<typeof stateOf>[1]['isRunning'] = (writer) =>
  machine.host.judge(writer) === 'running';
const RUNS = 60;

describe('the journal in its database', () => {
  it('answers every question as the same records do in memory, also as of an earlier record', async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(anyJournal(machine.host.self), fc.nat(), async (appends, earlier) => {
        await withJournal(appends, (states) => {
          expectAlike(states.read, states.expected, states.records);
          expectAlike(states.asOf(earlier).state, states.asOf(earlier).expected, states.records);
          asked += 1;
        });
      }),
      { numRuns: RUNS, seed: 20_261_124, endOnFailure: true },
    );
    expect(asked).toBe(RUNS);
  });
});

interface States {
  records: readonly JournalRecord[];
  /** Of the last append. */
  read: JournalState;
  expected: JournalState;
  /** After some of the appends, asked when all were made. */
  asOf(which: number): { state: JournalState; expected: JournalState };
}

async function withJournal(appends: readonly JournalAppend[], look: (states: States) => void): Promise<void> {
  const home = temporaryFolder(() => undefined);
  try {
    let nowMs = NOON;
    const journal = journalAt(home, () => nowMs);
    const written: JournalRecord[] = [];
    const heads: { seq: number; nowMs: number }[] = [];
    for (const { atMs, records } of appends) {
      nowMs = atMs;
      await journal.append(records);
      written.push(...records);
      heads.push({ seq: written.length, nowMs });
    }
    const path = databaseFile(placesIn(home).state);
    const db = openJournalDatabase(path, machine.host);
    // As they were written: with their short IDs.
    const stored = (db?.all('SELECT record FROM records ORDER BY seq') ?? []).map(
      ({ record }): JournalRecord => JSON.parse(String(record)),
    );
    expect(stored.length).toBe(written.length);
    const memory = (records: readonly JournalRecord[], at: number): JournalState =>
      stateOf(records, { path: journal.path, trouble: undefined, isRunning, nowMs: at });
    look({
      records: stored,
      read: journal.read(),
      expected: memory(stored, nowMs),
      asOf(which) {
        const head = heads[which % Math.max(1, heads.length)] ?? { seq: 0, nowMs };
        const records = stored.slice(0, head.seq);
        const state =
          db === undefined ? memory([], nowMs) : stateAsOf(db, head.seq, { isRunning, nowMs: head.nowMs });
        return { state, expected: memory(records, head.nowMs) };
      },
    });
    if (db !== undefined) expect(headOf(db).seq).toBe(stored.length);
    db?.close();
    expect(join(home, 'state', 'journal.sqlite')).toBe(journal.path);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

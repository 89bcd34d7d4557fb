/**
 * Other processes append between any two queries of one question: it is answered as of the moment of its reading, and nothing
 * seems damaged or lost.
 */
import { rmSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/journal/records.ts';
import { stateOf } from '../../src/journal/state.ts';
import { headOf } from '../../src/journal/store/insert-records.ts';
import { type JournalDatabase, openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { stateAsOf } from '../../src/journal/store/state-as-of.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { anyJournal, expectAlike, recordsIn } from './alike.ts';
import { journalAt } from './journal-at.ts';
import { NOON } from './records.ts';

const { host } = testMachine();
const isRunning: Parameters<typeof stateOf>[1]['isRunning'] = (writer) => host.judge(writer) === 'running';

/** The database, and what happens after each of its queries. */
const busy = (db: JournalDatabase, meanwhile: () => void): JournalDatabase => ({
  ...db,
  get(sql, ...binds) {
    const row = db.get(sql, ...binds);
    meanwhile();
    return row;
  },
  all(sql, ...binds) {
    const rows = db.all(sql, ...binds);
    meanwhile();
    return rows;
  },
});

describe('a question while others append', () => {
  it('is answered as of the record of its reading', async () => {
    let raced = 0;
    await fc.assert(
      fc.asyncProperty(anyJournal(host.self), fc.nat(30), async (appends, before) => {
        const home = temporaryFolder(() => undefined);
        let nowMs = NOON;
        const journal = journalAt(home, () => nowMs);
        try {
          for (const { atMs, records } of appends.slice(0, before)) {
            nowMs = atMs;
            await journal.append(records);
          }
          const db = openJournalDatabase(journal.path, host);
          if (db === undefined) return;
          const rest = appends.slice(before).values();
          let queries = 0;
          const meanwhile = (): void => {
            queries += 1;
            if (queries % 11 !== 0) return;
            const { value } = rest.next();
            // It has appended when it returns.
            if (value !== undefined) void journal.append(value.records);
            raced += value === undefined ? 0 : 1;
          };
          const read = db.all('SELECT record FROM records ORDER BY seq');
          const records = read.map(({ record }): JournalRecord => JSON.parse(String(record)));
          const at = { isRunning, nowMs };
          const memory = stateOf(records, { ...at, path: journal.path, trouble: undefined });
          expectAlike(stateAsOf(busy(db, meanwhile), headOf(db).seq, at), memory, [
            ...records,
            ...recordsIn(appends.slice(before)).filter(({ kind }) => kind !== 'intent'),
          ]);
          db.close();
        } finally {
          journal.close();
          rmSync(home, { recursive: true, force: true });
        }
      }),
      { numRuns: 15, seed: 20_261_124, endOnFailure: true },
    );
    expect(raced).toBeGreaterThan(150);
  });
});

/** Other processes append between any two queries of one question: it is answered of one moment, and nothing seems damaged or lost. */
import { rmSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/journal/records.ts';
import type { IsRunning } from '../../src/journal/replay.ts';
import { type JournalDatabase, openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { headOf } from '../../src/journal/store/record-rows.ts';
import { aQuarter } from '../support/goal.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { anyJournal } from './alike.ts';
import { readerOf, stateOf } from './in-memory.ts';
import { journalAt } from './journal-at.ts';
import { questions } from './questions.ts';
import { NOON } from './records.ts';

const { host } = testMachine();
const isRunning: IsRunning = (writer) => host.judge(writer) === 'running';

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

/** Those that are read page by page are of several moments. */
const isOfOneMoment = (what: string): boolean =>
  !['all, newest first', 'those of some hours', 'those until a time', 'the first three'].includes(what);

const RUNS = aQuarter(15);

describe('a question while others append', () => {
  it('is answered of one moment', async () => {
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
          const at = { isRunning, nowMs };
          let head = 0;
          const racing = busy(db, meanwhile);
          const reading: JournalDatabase['reading'] = (work) =>
            db.reading(() => {
              head = headOf(db).seq;
              return work();
            });
          const asked = readerOf({ ...racing, reading }, at);
          for (const [what, ask] of questions()) {
            const answer = ask(asked);
            const read = db
              .all('SELECT record FROM records WHERE seq <= ? ORDER BY seq', head)
              .map(({ record }): JournalRecord => JSON.parse(String(record)));
            const expected = stateOf(read, { ...at, path: journal.path, trouble: undefined });
            if (isOfOneMoment(what)) expect([what, answer]).toEqual([what, ask(expected)]);
          }
          db.close();
        } finally {
          journal.close();
          rmSync(home, { recursive: true, force: true });
        }
      }),
      { numRuns: RUNS, seed: 20_261_125, endOnFailure: true },
    );
    expect(raced).toBeGreaterThan(10 * RUNS);
  });
});

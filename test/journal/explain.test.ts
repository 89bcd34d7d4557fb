/** Each statement that the store sends is answered from an index: none reads every record, however long the journal is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '../../src/journal/records.ts';
import { type JournalDatabase, openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { insertRecords, newRecords } from '../../src/journal/store/new-records.ts';
import { allPending, emptyPending, notIn } from '../../src/journal/store/pending-records.ts';
import { hashAt, headOf, numberedAt } from '../../src/journal/store/record-rows.ts';
import { createJournalFile } from '../../src/journal/store/schema.ts';
import { rewoundFrom } from '../../src/journal/store/witness.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { sourceFiles } from '../support/source-files.ts';
import { readerOf } from './in-memory.ts';
import { deskRecords, questions, SNAPSHOTS, UNRESOLVED } from './questions.ts';
import {
  ACCEPTED,
  anIntent,
  aRoll,
  at,
  FILLED,
  HALT,
  idOf,
  NOON,
  recordFrom,
  SENDING,
  step,
  UNKNOWN,
  WRITER,
} from './records.ts';

const machine = testMachine();
const ACTIONS = 1_500;

/** What reads more than it answers, and why that is right. */
const MAY: readonly { sql: RegExp; plan: RegExp; why: string }[] = [
  { sql: /pragma_|sqlite_schema/, plan: /^SCAN (pragma_\w+|sqlite_schema)/, why: 'they have a few rows' },
  {
    sql: /^SELECT seq FROM .* BETWEEN \? AND \? ORDER BY seq$/,
    plan: /^USE TEMP B-TREE FOR ORDER BY$/,
    why: 'all of them are the answer: actions since a time, or of a prefix',
  },
  { sql: /^DELETE FROM \w+$/, plan: /^SCAN \w+/, why: 'of pending.sqlite, which becomes empty' },
  {
    sql: /^INSERT INTO records /,
    plan: /^(SCAN \d+ CONSTANT ROW|CO-ROUTINE|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|SCAN \(subquery-\d+\)|SCAN CONSTANT ROW)/,
    why: 'the columns of the record itself',
  },
  {
    sql: /max\(seq\).* FROM lookup WHERE name = 'kind'$/,
    plan: /^SEARCH lookup/,
    why: 'a damaged journal is salvaged',
  },
];

let db: JournalDatabase;
let pending: JournalDatabase;
const sent = new Set<string>();

/** Notes what it is asked. */
const watched = (of: JournalDatabase): JournalDatabase => ({
  ...of,
  get: (sql, ...binds) => of.get((sent.add(sql), sql), ...binds),
  all: (sql, ...binds) => of.all((sent.add(sql), sql), ...binds),
  lists: (sql, ...binds) => of.lists((sent.add(sql), sql), ...binds),
  run: (sql, ...binds) => of.run((sent.add(sql), sql), ...binds),
  exec(sql) {
    sent.add(sql);
    of.exec(sql);
  },
});

function made(name: string): JournalDatabase {
  const path = `${temporaryFolder(afterAll)}/${name}`;
  createJournalFile(path, machine);
  return openJournalDatabase(path, machine.host) ?? expect.fail('no database');
}

const append = (to: JournalDatabase, records: readonly JournalRecord[]): void => {
  to.writing(() => insertRecords(to, newRecords(records, to, machine.random)));
};

/** Of a minute each. */
const manyActions = (): readonly JournalRecord[] =>
  Array.from({ length: ACTIONS }, (_, index) => {
    const id = `${index.toString(16).padStart(6, '0')}0000000000`;
    const time = at(-60 * (ACTIONS - index) - 90_000);
    const [intent, ...steps] = [
      anIntent({ action_id: id, at: time, idempotency_key: `k${id}`, deal_id: `D-${id}` }),
      ...[SENDING, { ...ACCEPTED, hedge_id: `h-${id}` }, FILLED].map((each) =>
        recordFrom(each, { action_id: id, at: time, writer: WRITER }),
      ),
    ];
    return [intent, ...steps];
  }).flat();

/** Every question and an append, with and without later records, and what is pending. */
function askEverything(): void {
  const asked = watched(db);
  const about = { isRunning: (): boolean => false, nowMs: NOON };
  const before = headOf(asked).seq;
  for (const ask of questions().values()) ask(readerOf(asked, about));
  append(asked, [
    anIntent({ action_id: idOf('fed1'), at: at(-3), deal_id: 'PAY-FED' }),
    step(SENDING, 'fed1', -2),
    step(ACCEPTED, 'fed1', -1),
    step(UNKNOWN, 'dead', -1),
    { ...HALT, halt_id: 'aa00000000000007', at: at(-1) },
    aRoll({ chain_id: '0c0c0c01', at: at(-1) }),
  ]);
  // An account of its own, a deal that ended, and one that turns out not to have.
  append(asked, [
    anIntent({
      action_id: idOf('fed2'),
      identity: { environment: 'practice', base_url: 'practice:x', key_fingerprint: null },
    }),
    step(SENDING, 'fed2'),
    step(FILLED, 'fed2'),
    step(FILLED, 'fed1'),
  ]);
  append(asked, [step({ kind: 'outcome', outcome: 'not_told', facts: { not_ours: 'hdg_1' } }, 'fed1')]);
  for (const ask of questions().values()) ask(readerOf(asked, about));
  readerOf(asked, about).hashOf(UNRESOLVED);
  numberedAt(asked, before);
  hashAt(asked, before);
  rewoundFrom({ seq: before, hash: 'ab'.repeat(32) }, asked, db.path);
  const waiting = watched(pending);
  append(waiting, [{ ...HALT, halt_id: 'aa00000000000008' }]);
  notIn(asked, allPending(waiting));
  const taken = notIn(asked, allPending(waiting));
  asked.writing(() => insertRecords(asked, taken));
  emptyPending(waiting, (all) => notIn(asked, all));
}

const planOf = (sql: string): readonly string[] =>
  db.all(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => String(detail));

/** `SCAN` of a table, an index read from its beginning to its end, and sorting. */
const isLong = (line: string): boolean =>
  /\bSCAN\b|TEMP B-TREE/.test(line) ||
  /^SEARCH lookup USING (?:COVERING INDEX|PRIMARY KEY) \(name=\?\)$/.test(line);

const longIn = (sql: string): readonly string[] =>
  planOf(sql)
    .filter(isLong)
    .filter((line) => !MAY.some((may) => may.sql.test(sql) && may.plan.test(line)))
    .map((line) => `${sql}: ${line}`);

const isExplained = (sql: string): boolean => /^(SELECT|INSERT|UPDATE|DELETE)\b/.test(sql);

beforeAll(() => {
  db = made('journal.sqlite');
  pending = made('pending.sqlite');
  append(db, manyActions());
  for (const records of [...deskRecords({ isHalted: true }), ...SNAPSHOTS]) append(db, records);
  askEverything();
});
afterAll(() => {
  db.close();
  pending.close();
});

describe('the statements of the store', () => {
  it('are seen: those of the questions, of an append and of what is pending', () => {
    expect(headOf(db).seq).toBeGreaterThan(4 * ACTIONS);
    expect([...sent].filter(isExplained).length).toBeGreaterThan(30);
  });

  it.each(['without', 'with'])('are answered from an index, %s statistics of the tables', (how) => {
    if (how === 'with') db.exec('ANALYZE');
    expect([...sent].filter(isExplained).flatMap(longIn)).toEqual([]);
  });

  it('that find the bounds of a list are asked once for it, however many pages it has', () => {
    const asked: string[] = [];
    const all: JournalDatabase['all'] = (sql, ...binds) => {
      asked.push(sql);
      return db.all(sql, ...binds);
    };
    const state = readerOf({ ...db, all }, { isRunning: () => false, nowMs: NOON });
    const found = [...state.newest({ from: at(-60 * 200 - 90_000), until: at(-80_000) })];
    expect(found.length).toBeGreaterThan(100);
    expect(asked.filter((sql) => sql.includes('min(seq)'))).toHaveLength(2);
  });

  it('would be found if they read every record', () => {
    const long = [
      'SELECT count(*) FROM records',
      "SELECT seq FROM records WHERE json_extract(record, '$.kind') = 'intent'",
      "SELECT seq FROM lookup WHERE name = 'kind'",
      'SELECT seq FROM records WHERE stamp = ?',
      'SELECT seq FROM records WHERE deal_id = ? ORDER BY hash',
    ];
    for (const sql of long) expect([sql, longIn(sql).length]).toEqual([sql, 1]);
  });

  it('are all that its source has, but those of what reads every record in order', () => {
    const others = /(repair|salvage|backup|accept-loss|examine-database)\.ts$/;
    const files = sourceFiles().filter(({ name }) => name.startsWith('journal/store/') && !others.test(name));
    const inSource = files.flatMap(({ text }) =>
      [...text.matchAll(/(['"`])((?:SELECT|INSERT|UPDATE|DELETE) (?:(?!\1)[^\\])*)\1/g)].map(
        (match) => match[2] ?? '',
      ),
    );
    expect(inSource.length).toBeGreaterThan(20);
    const unseen = inSource.filter((text) => {
      const parts = text.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      const pattern = new RegExp(`^${parts.join('.*')}$`, 's');
      return ![...sent].some((sql) => pattern.test(sql));
    });
    // Of a trigger, of opening a file, and of a damaged one.
    expect(unseen.toSorted()).toEqual([
      "SELECT '${name}' AS name, NEW.${name} AS value",
      'SELECT application_id, user_version FROM pragma_application_id, pragma_user_version',
      "SELECT max(seq) AS seq FROM lookup WHERE name = 'kind'",
      'SELECT max(seq) AS seq FROM records',
      'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL',
    ]);
  });
});

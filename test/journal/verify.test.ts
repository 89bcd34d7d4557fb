/** An audit of the journal: where its chain, its witness, its derived tables or its imported lines do not agree. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type AuditReport,
  changeInWords,
  comparisonInWords,
  verdictOf,
} from '../../src/journal/audit-report.ts';
import { NO_RECORD, recordHash } from '../../src/journal/chain.ts';
import { type Checkpoint, checkpointOf, parseCheckpoint } from '../../src/journal/checkpoint.ts';
import { importJournal } from '../../src/journal/import/import-journal.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { readSummary, writeSummary } from '../../src/journal/store/derived-tables.ts';
import { insertRecords } from '../../src/journal/store/new-records.ts';
import { headOf, type StoredRecord, storedRecords } from '../../src/journal/store/record-rows.ts';
import { databaseFile, openJournalFile, pendingFile, witnessFile } from '../../src/journal/store/schema.ts';
import { Summary } from '../../src/journal/summary.ts';
import { type AuditOptions, openAudit } from '../../src/journal/verify.ts';
import { linesOf, segmentsOf, writeEarlierJournal } from '../support/earlier-journal.ts';
import { damagedFileError, temporaryFolder, testMachine } from '../support/own-folder.ts';
import { replaceRows, storeJournal, storePending, withRows } from '../support/stored-journal.ts';
import {
  ACCEPTED,
  actionAt,
  anIntent,
  aRoll,
  at,
  BY_ADA,
  DONE,
  FAILED,
  FILLED,
  HALT,
  idOf,
  NOT_SENT,
  NOT_TOLD,
  NOTHING,
  SENDING,
  step,
  UNKNOWN,
} from './records.ts';

const machine = testMachine();
const { host } = machine;

const RECORDS: readonly JournalRecord[] = [
  ...actionAt(at(), 'aaaa', SENDING, ACCEPTED, FILLED),
  ...actionAt(at(60), 'bbbb', SENDING, UNKNOWN),
  HALT,
  aRoll(),
];

const stored = (records = RECORDS): { state: string; rows: readonly StoredRecord[] } => {
  const state = temporaryFolder();
  return { state, rows: storeJournal(state, records) };
};

const verify = (state: string, options?: AuditOptions): Promise<AuditReport> =>
  openAudit({ places: { state }, machine }).verify(options);

const words = ({ changes }: AuditReport): readonly string[] => changes.map(changeInWords);

/** With these rows instead; the witness fits. */
async function changed(
  change: (rows: readonly StoredRecord[]) => readonly StoredRecord[],
): Promise<AuditReport> {
  const { state, rows } = stored();
  replaceRows(state, change(rows), { witness: true });
  const report = await verify(state);
  expect(verdictOf(report)).toBe('changed');
  return report;
}

const numbered = (rows: readonly StoredRecord[]): readonly StoredRecord[] =>
  rows.map((row, index) => ({ ...row, seq: index + 1 }));

const edited = (row: StoredRecord | undefined): StoredRecord => {
  if (row === undefined) throw new Error('no such record');
  return { ...row, record: row.record.replace('"attempt":1', '"attempt":2') };
};

/** All hashes made again. */
function chained(rows: readonly StoredRecord[]): readonly StoredRecord[] {
  let prev = NO_RECORD;
  return rows.map((row) => {
    prev = recordHash(prev, row);
    return { ...row, hash: prev };
  });
}

describe('an audit of the journal', () => {
  it('reads every record, and says from when to when and where it ends', async () => {
    const { state, rows } = stored();
    const last = rows.at(-1);
    expect(await verify(state)).toMatchObject({
      records: 9,
      first: 1,
      from: at(),
      to: at(),
      head: { seq: 9, hash: last?.hash },
      changes: [],
      changeCount: 0,
      damage: [],
      rewound: undefined,
      pending: 0,
      losses: [],
    });
  });

  it('finds nothing in an empty folder, and refuses the journal of an earlier version', async () => {
    expect(await verify(temporaryFolder())).toMatchObject({ records: 0, head: undefined, changes: [] });
    const state = temporaryFolder();
    writeEarlierJournal(state, { single: linesOf(2, RECORDS) });
    await expect(verify(state)).rejects.toMatchObject({ code: 'journal_earlier' });
  });

  it('names an edited record, and no other', async () => {
    const report = await changed((rows) => rows.with(1, edited(rows[1])));
    expect(report.changes).toMatchObject([
      { file: 'journal.sqlite', seq: 2, id: '0000000000000001', kind: 'edited' },
    ]);
    expect(words(report)).toEqual([
      'Record 2 of journal.sqlite (ID 0000000000000001) does not match its hash: it was edited, or record 1 was, or records before it were removed.',
    ]);
  });

  it('names a record whose hash alone was edited once', async () => {
    const report = await changed((rows) =>
      rows.map((row) => (row.seq === 4 ? { ...row, hash: NO_RECORD } : row)),
    );
    expect(report.changes).toMatchObject([{ seq: 4, kind: 'edited' }]);
  });

  it('names the next record when the hash of an edited one was made again', async () => {
    const report = await changed((rows) => {
      const one = edited(rows[1]);
      return rows.with(1, { ...one, hash: recordHash(rows[0]?.hash ?? NO_RECORD, one) });
    });
    expect(report.changes).toMatchObject([{ seq: 3, kind: 'edited' }]);
  });

  it('names removed records by their numbers, also where the others were numbered again', async () => {
    const gap = await changed((rows) => rows.toSpliced(2, 2));
    expect(words(gap)).toEqual(['Record 3 of journal.sqlite is missing, and 1 after it.']);
    const closed = await changed((rows) => numbered(rows.toSpliced(2, 2)));
    expect(closed.changes).toMatchObject([{ seq: 3, id: '0000000000000004', kind: 'edited' }]);
    const first = await changed((rows) => numbered(rows.slice(1)));
    expect(words(first)[0]).toMatch(/^Record 1 .* was edited, or records before it were removed\.$/);
  });

  it('names an inserted record, with a hash of its own or another', async () => {
    for (const isHashed of [false, true]) {
      const report = await changed((rows) => {
        const copy = { ...(rows[1] ?? edited(undefined)), id: 'ffffffffffffffff' };
        const hash = isHashed ? recordHash(rows[3]?.hash ?? NO_RECORD, copy) : copy.hash;
        return numbered(rows.toSpliced(4, 0, { ...copy, hash }));
      });
      expect(words(report)).toEqual([
        'Record 5 of journal.sqlite (ID ffffffffffffffff) was inserted: record 6 continues the one before it.',
      ]);
    }
  });

  it('names numbers that hedge does not use', async () => {
    const below = await changed((rows) => [{ ...edited(rows[1]), id: 'ffffffffffffffff', seq: -4 }, ...rows]);
    expect(below.changes).toMatchObject([{ seq: -4, kind: 'inserted' }]);
    const above = await changed((rows) => rows.map((row) => (row.seq === 9 ? { ...row, seq: 12 } : row)));
    expect(words(above)).toEqual(['Record 9 of journal.sqlite is missing, and 2 after it.']);
  });

  it('names what is no record, although its hash fits', async () => {
    const report = await changed((rows) =>
      chained(rows.map((row) => (row.seq === 9 ? { ...row, record: '{}' } : row))),
    );
    expect(words(report)).toEqual([
      'Record 9 of journal.sqlite (ID 0000000000000008) is not a record of this version of hedge.',
    ]);
  });

  it('names the first twenty changes, and counts them all', async () => {
    const { state } = stored(
      Array.from({ length: 30 }, (_, index) =>
        aRoll({ chain_id: (index + 16).toString(16).padStart(8, '0') }),
      ),
    );
    withRows(databaseFile(state), (db) =>
      db.exec("UPDATE records SET record = replace(record, 'NGN', 'GHS')"),
    );
    const report = await verify(state);
    expect([report.changes.length, report.changes[0]?.seq, report.changeCount]).toEqual([20, 1, 30]);
  });

  it('checks only the last records where that is asked', async () => {
    const { state, rows } = stored();
    replaceRows(state, rows.with(1, edited(rows[1])));
    expect(await verify(state, { last: 3 })).toMatchObject({
      records: 3,
      first: 7,
      changes: [],
      head: { seq: 9 },
    });
    expect((await verify(state, { last: 8 })).changes).toMatchObject([{ seq: 2 }]);
    expect((await verify(state, { last: 100 })).changes).toMatchObject([{ seq: 2 }]);
  });

  it('raises no false alarm while another process writes', async () => {
    const many = Array.from({ length: 2_100 }, (_, index) =>
      aRoll({ chain_id: (index + 16).toString(16).padStart(8, '0') }),
    );
    const { state } = stored([...actionAt(at(), 'aaaa', SENDING, ACCEPTED, FILLED), ...many]);
    const writer = openJournalFile(databaseFile(state), host);
    let turns = 0;
    const report = await verify(state, {
      progress() {
        turns += 1;
        const late = step(FAILED, 'aaaa', 90);
        const next = actionAt(at(120), 'cccc', SENDING, ACCEPTED, FILLED);
        writer?.writing(() =>
          insertRecords(
            writer,
            [late, ...next].map((record, index) => ({
              id: `late-${index.toString()}`,
              record: JSON.stringify(record),
            })),
          ),
        );
      },
    });
    expect([turns, report.records, report.changes, report.damage]).toEqual([1, 2_109, [], []]);
  });
});

describe('the witness', () => {
  it('shows an end that was removed, another journal, and that it is missing', async () => {
    const { state, rows } = stored();
    replaceRows(state, rows.slice(0, 7));
    const cut = await verify(state);
    expect([cut.changes, verdictOf(cut)]).toEqual([[], 'changed']);
    expect(cut.rewound).toContain('lacks record 9, which was written on this machine');
    replaceRows(state, chained(rows.with(1, edited(rows[1]))));
    expect((await verify(state)).rewound).toContain('it has another one there');
    replaceRows(state, rows);
    expect((await verify(state)).rewound).toBe(undefined);
    rmSync(witnessFile(state));
    expect((await verify(state)).rewound).toContain('journal.head, is missing');
  });

  it('shows that the journal itself is missing', async () => {
    const { state } = stored();
    for (const end of ['', '-wal', '-shm']) rmSync(`${databaseFile(state)}${end}`, { force: true });
    expect((await verify(state)).rewound).toContain('is missing: it had 9 records');
  });
});

describe('a loss that a person accepted', () => {
  it('is named, with who and when', async () => {
    const loss: JournalRecord = {
      schema: 3,
      kind: 'loss',
      at: at(99),
      who: 'Ada',
      found: 'x',
      note: 'y',
      ...BY_ADA,
    };
    const { state } = stored([...RECORDS, loss]);
    expect((await verify(state)).losses).toEqual([{ seq: 10, at: at(99), who: 'Ada' }]);
  });
});

describe('pending records', () => {
  const LATE = { id: 'f1', record: step(ACCEPTED, 'bbbb', 90) };

  it('are counted while the journal has not taken them', async () => {
    const { state } = stored();
    storePending(state, [LATE, { id: '0000000000000001', record: step(SENDING, 'aaaa') }]);
    expect(await verify(state)).toMatchObject({ pending: 1, changes: [], damage: [] });
  });

  it('have a chain of their own', async () => {
    const { state } = stored();
    storePending(state, [LATE]);
    withRows(pendingFile(state), (db) =>
      db.exec("UPDATE records SET record = replace(record, 'hdg_1', 'hdg_2')"),
    );
    expect(words(await verify(state))[0]).toMatch(
      /^Record 1 of pending\.sqlite \(ID f1\) does not match its hash/,
    );
  });
});

describe('the derived tables', () => {
  /** Every way in which an action ends, and changes after its end. */
  const ALL: readonly JournalRecord[] = [
    ...RECORDS,
    ...actionAt(at(1), 'cccc', SENDING, ACCEPTED, FAILED, FILLED),
    ...actionAt(at(2), 'dddd', NOT_SENT, SENDING, ACCEPTED, FILLED),
    ...actionAt(at(3), 'eeee', SENDING, UNKNOWN, DONE, FAILED),
    ...actionAt(at(4), 'f0f0', SENDING, UNKNOWN, NOTHING, ACCEPTED),
    ...actionAt(at(5), 'f1f1', SENDING, ACCEPTED, FILLED, NOT_TOLD, NOTHING),
    anIntent({ action_id: idOf('f2f2'), action: 'close', idempotency_key: 'k-2' }),
    step(SENDING, 'f2f2'),
    step(DONE, 'f2f2'),
    { schema: 3, kind: 'unhalt', at: at(9), halt_ids: [HALT.halt_id], ...BY_ADA },
    { schema: 3, kind: 'roll_end', at: at(9), chain_id: aRoll().chain_id, as: 'done' },
  ];

  it('agree with a replay of the records', async () => {
    const { state } = stored(ALL);
    expect(await verify(state)).toMatchObject({ changes: [], damage: [] });
  });

  it.each([
    ["UPDATE summary SET text = replace(text, 'live', 'sandbox')", 'is not what was written'],
    ['DELETE FROM summary', 'is not what was written'],
    ["DELETE FROM lookup WHERE name = 'deal_id'", 'not every record is found by what it has'],
  ])('show a change by other means: %s', async (sql, found) => {
    const { state } = stored(ALL);
    withRows(databaseFile(state), (db) => db.exec(sql));
    const report = await verify(state);
    expect([verdictOf(report), report.damage.join(' ')]).toEqual(['damaged', expect.stringContaining(found)]);
  });

  it.each([
    ['other deals', RECORDS],
    [
      'deals of another size',
      ALL.map((record) => ('deal_id' in record ? { ...record, notional_usd: '20000' } : record)),
    ],
    ['a halt more', [...ALL, HALT]],
    ['an action less', ALL.slice(1)],
  ])('show that the summary is that of another journal, with %s, sealed again', async (_what, records) => {
    const [{ state }, other] = [stored(ALL), stored(records)];
    const text = withRows(databaseFile(other.state), (db) => readSummary(db, headOf(db)).text);
    withRows(databaseFile(state), (db) => writeSummary(db, Summary.from(text), headOf(db).hash));
    const report = await verify(state);
    expect([verdictOf(report), report.damage.join(' ')]).toEqual([
      'damaged',
      expect.stringContaining('its list of open actions, rolls and halts is not what its records say'),
    ]);
  });
});

describe('a damaged database', () => {
  /** From 0. */
  function pageWith(path: string, text: string): number {
    const copy = join(temporaryFolder(), 'copy');
    execFileSync('cp', [path, copy]);
    return Math.floor(readFileSync(copy).indexOf(text) / PAGE);
  }
  /** By another process: this one would drop SQLite's locks. */
  function zeroPage(path: string, page: number): void {
    const where = [`of=${path}`, `seek=${page.toString()}`, `bs=${PAGE.toString()}`];
    execFileSync('dd', ['if=/dev/zero', ...where, 'count=1', 'conv=notrunc', 'status=none']);
  }
  const PAGE = 4_096;
  const chainId = (index: number): string => (index + 16).toString(16).padStart(8, '0');
  const ROLLS = Array.from({ length: 200 }, (_, index) => aRoll({ chain_id: chainId(index) }));

  it('is told from a changed one', async () => {
    const { state } = stored();
    const path = databaseFile(state);
    const row = withRows(path, (db) => db.get("SELECT rootpage FROM sqlite_schema WHERE name = 'lookup'"));
    zeroPage(path, Number(row?.['rootpage']) - 1);
    const report = await verify(state);
    expect([verdictOf(report), report.records]).toEqual(['damaged', 9]);
    expect(report.damage[0]).toContain('journal.sqlite is damaged');
  });

  it('is read up to the page that cannot be read, and a checkpoint behind it is not compared', async () => {
    const { state } = stored(ROLLS);
    const { head } = await verify(state);
    const path = databaseFile(state);
    zeroPage(path, pageWith(path, `"chain_id":"${chainId(100)}"`));
    const checkpoint = checkpointOf({
      seq: 199,
      hash: head?.hash ?? '',
      records: 199,
      at: at(),
      operator: 'ada@desk',
    });
    const report = await verify(state, { checkpoint });
    expect([verdictOf(report), report.changes, report.comparison?.result]).toEqual([
      'damaged',
      [],
      'not_compared',
    ]);
    expect(report.records).toBeLessThan(101);
  });

  it('is refused when it is no database', async () => {
    const state = temporaryFolder();
    writeFileSync(databaseFile(state), 'x'.repeat(5_000), { mode: 0o600 });
    const error: unknown = await verify(state).catch((thrown: unknown) => thrown);
    const { what } = damagedFileError(() => {
      throw error;
    });
    expect(what).toContain('file is not a database');
  });
});

describe('imported lines', () => {
  const MONTHS = { '2026-10': RECORDS.slice(0, 4), '2026-11': RECORDS.slice(4) };
  const SINGLE = linesOf(2, actionAt(at(-60), '9999', SENDING, ACCEPTED, FILLED));

  async function imported(change: (text: string) => string = (text) => text): Promise<AuditReport> {
    const state = temporaryFolder();
    writeEarlierJournal(state, { segments: segmentsOf(MONTHS, SINGLE) });
    await importJournal({ places: { state }, machine });
    const rows = withRows(databaseFile(state), (db) => [...storedRecords(db)]);
    replaceRows(state, chained(rows.map((row) => ({ ...row, record: change(row.record) }))), {
      witness: true,
    });
    return verify(state);
  }

  it('still have the chain of their files', async () => {
    expect(await imported()).toMatchObject({ records: 13, changes: [], damage: [] });
  });

  it('show a change that was made before the import', async () => {
    const edit = await imported((text) =>
      text.replace('\\"why\\":\\"connection reset', '\\"why\\":\\"nothing sent'),
    );
    expect(words(edit)).toEqual([
      expect.stringMatching(
        /^Record 11 .* keeps line 3 of 0002-2026-11\.jsonl, which was edited: its checksum does not match\.$/,
      ),
    ]);
    const whole = await imported((text) =>
      text.replace('\\"action_id\\":\\"9999', '\\"action_id\\":\\"9998'),
    );
    expect(words(whole)).toEqual([
      expect.stringMatching(
        /^Record 5 .* keeps line 1 of 0001-2026-10\.jsonl, which does not continue the line before it/,
      ),
    ]);
  });
});

describe('a checkpoint', () => {
  const made = { at: '2026-11-20T12:00:00.000Z', operator: 'ada@desk' };

  async function checkpointFor(state: string): Promise<Checkpoint> {
    const { head } = await verify(state);
    if (head === undefined) throw new Error('an empty journal');
    return checkpointOf({ ...head, records: head.seq, ...made });
  }

  it('is continued by a journal that has grown', async () => {
    const { state } = stored();
    const checkpoint = await checkpointFor(state);
    withRows(databaseFile(state), (db) =>
      db.writing(() => insertRecords(db, [{ id: 'next', record: JSON.stringify(step(DONE, 'bbbb', 90)) }])),
    );
    const report = await verify(state, { checkpoint });
    expect([report.head?.seq, report.comparison]).toEqual([
      10,
      { checkpoint, result: 'continued', changedBefore: false },
    ]);
  });

  it('is not called continued alone where a record before it was changed', async () => {
    const { state, rows } = stored();
    const checkpoint = await checkpointFor(state);
    replaceRows(state, rows.with(1, edited(rows[1])));
    const report = await verify(state, { checkpoint });
    const { comparison } = report;
    expect(comparison).toMatchObject({ result: 'continued', changedBefore: true });
    expect(comparison && comparisonInWords(comparison, report)).toBe(
      'The last record of the checkpoint of 2026-11-20 12:00:00 UTC is there (record 9), but records before it were changed.',
    );
  });

  it('shows an end that was removed together with the witness, and a chain that was made again', async () => {
    const { state, rows } = stored();
    const checkpoint = await checkpointFor(state);
    replaceRows(state, rows.slice(0, 7), { witness: true });
    const cut = await verify(state, { checkpoint });
    expect([cut.changes, cut.comparison?.result, verdictOf(cut)]).toEqual([[], 'cut_off', 'changed']);
    replaceRows(state, chained(rows.with(1, edited(rows[1]))), { witness: true });
    const rewritten = await verify(state, { checkpoint });
    expect([rewritten.changes, rewritten.comparison?.result, verdictOf(rewritten)]).toEqual([
      [],
      'rewritten',
      'changed',
    ]);
  });

  it('is read from a file with or without the envelope, and from no other', async () => {
    const checkpoint = await checkpointFor(stored().state);
    const enveloped = JSON.stringify({ data: checkpoint, error: null, meta: { schema: 1 } });
    expect(parseCheckpoint(JSON.stringify(checkpoint), 'head.json')).toEqual(checkpoint);
    expect(parseCheckpoint(enveloped, 'head.json')).toEqual(checkpoint);
    for (const text of [
      '',
      '{}',
      '[]',
      JSON.stringify({ ...checkpoint, hash: 'x' }),
      JSON.stringify({ ...checkpoint, schema: 1 }),
    ])
      expect(() => parseCheckpoint(text, 'head.json')).toThrow('"head.json" is not a checkpoint of hedge.');
  });
});

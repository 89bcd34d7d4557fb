/** A journal whose database is damaged: put aside and made again, also after a kill at each step. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError } from '../../src/errors.ts';
import { NO_RECORD, recordHash } from '../../src/journal/chain.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import { openJournalDatabase, type SqlValue } from '../../src/journal/store/journal-database.ts';
import { insertRecords, newRecords } from '../../src/journal/store/new-records.ts';
import { headOf, storedRecords } from '../../src/journal/store/record-rows.ts';
import { repairJournal } from '../../src/journal/store/repair.ts';
import { databaseFile, KeptOpen, openJournalFile, pendingFile } from '../../src/journal/store/schema.ts';
import { readWitness } from '../../src/journal/store/witness.ts';
import { modeOf, temporaryFolder, testMachine } from '../support/own-folder.ts';
import { journalAt, machineAt, placesIn } from './journal-at.ts';
import {
  ACCEPTED,
  ADA,
  actionAt,
  anIntent,
  at,
  FILLED,
  HALT,
  idOf,
  NOON,
  NOT_SENT,
  SENDING,
  step,
} from './records.ts';

const SIGNATURE = { who: 'Ada O. (ada@desk)', operator: ADA, version: '1.2.3' };
const { host } = testMachine();
const machine = machineAt(() => NOON + 60_000);
const stateIn = (home: string): string => join(home, 'state');

const repair = (home: string) => repairJournal({ places: placesIn(home), machine, signature: SIGNATURE });
const journalIn = (home: string) => journalAt(home, () => NOON + 60_000);

/** Four records each: `0aaa`, `1aaa`, … */
const actionOf = (index: number): readonly [JournalRecord, ...JournalRecord[]] =>
  actionAt(at(index), `${index.toString(16)}aaa`, SENDING, ACCEPTED, FILLED);

/** A home whose journal has these actions, all in its main file, and its witness. */
async function homeWith(actions = 5): Promise<string> {
  const made = temporaryFolder();
  const journal = journalIn(made);
  for (let index = 0; index < actions; index += 1) await journal.append(actionOf(index));
  openJournalFile(databaseFile(stateIn(made)), host)?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  // As it is on disk: this process has the first one open.
  const home = temporaryFolder();
  cpSync(stateIn(made), stateIn(home), { recursive: true });
  for (const end of ['-wal', '-shm']) rmSync(`${databaseFile(stateIn(home))}${end}`, { force: true });
  return home;
}

/** Runs a statement on the database, as an editor would. */
function edit(home: string, sql: string, ...binds: SqlValue[]): void {
  const db = openJournalDatabase(databaseFile(stateIn(home)), host);
  db?.run(sql, ...binds);
  db?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db?.close();
}

const editText = (home: string, seq: number): void =>
  edit(home, "UPDATE records SET record = replace(record, 'USDTNGN', 'USDTNGX') WHERE seq = ?", seq);
const remove = (home: string, seq: number): void => edit(home, 'DELETE FROM records WHERE seq = ?', seq);

function overwrite(path: string, from: number, bytes: Uint8Array): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, bytes, 0, bytes.length, from);
  closeSync(fd);
}

const rowsIn = (path: string) => {
  const db = openJournalFile(path, host);
  return db === undefined ? [] : [...storedRecords(db)];
};
const rows = (home: string) => rowsIn(databaseFile(stateIn(home)));
const kindsIn = (home: string): readonly string[] =>
  rows(home).map(({ record }) => String(JSON.parse(record).kind));

/** Its chain holds from the first record on, and its witness is its head. */
function expectWhole(home: string): void {
  const path = databaseFile(stateIn(home));
  let prev = NO_RECORD;
  for (const [index, stored] of rows(home).entries()) {
    expect(stored.seq).toBe(index + 1);
    prev = recordHash(prev, stored);
    expect(stored.hash).toBe(prev);
  }
  const db = openJournalFile(path, host);
  expect(db && headOf(db)).toEqual(readWitness(stateIn(home), host));
  expect(db?.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const state = journalIn(home).read();
  expect([state.trouble, state.count >= 0]).toEqual([undefined, true]);
  expect(modeOf(path)).toBe('600');
}

const asideIn = (home: string): readonly string[] =>
  readdirSync(stateIn(home)).filter((name) => name.includes('.damaged-'));
const strays = (home: string): readonly string[] =>
  readdirSync(stateIn(home)).filter((name) => /repaired|\.new/.test(name));

describe('journal repair', () => {
  it('finds nothing to do in a journal that is whole, an empty home and a home without a folder', async () => {
    const home = await homeWith(2);
    const before = rows(home);
    expect(await repair(home)).toEqual({ files: [], drained: 0 });
    expect(rows(home)).toEqual(before);
    expect(asideIn(home)).toEqual([]);
    expect(await repair(temporaryFolder())).toEqual({ files: [], drained: 0 });
    const empty = temporaryFolder();
    mkdirSync(stateIn(empty), { mode: 0o700 });
    expect(await repair(empty)).toEqual({ files: [], drained: 0 });
  });

  it('puts the damaged database aside, keeps what is proven with its hashes, and halts', async () => {
    const home = await homeWith();
    const before = rows(home);
    editText(home, 9);
    const { files, drained } = await repair(home);
    expect([files.length, drained]).toEqual([1, 0]);
    const [file] = files;
    expect(file).toMatchObject({
      found: expect.stringContaining('record 9 is not what its hash says'),
      missing: [{ from: 9, to: 9 }],
      why: 'journal.sqlite was repaired: record 9 is missing (it does not continue record 8: that one may have been edited instead); hashes are new from 9',
      withoutIntent: [idOf('2aaa')],
      records: 20,
    });
    expect(rows(home).slice(0, 8)).toEqual(before.slice(0, 8));
    expect(
      rows(home)
        .slice(8, 19)
        .map(({ record, id }) => ({ record, id })),
    ).toEqual(before.slice(9).map(({ record, id }) => ({ record, id })));
    expectWhole(home);
    expect(journalIn(home).read().halt).toMatchObject({ who: SIGNATURE.who, why: file?.why });
    expect(readFileSync(file?.aside ?? '').includes('USDTNGX')).toBe(true);
    expect([modeOf(file?.aside ?? ''), strays(home)]).toEqual(['600', []]);
  });

  it('finds nothing to do a second time, and adds no second halt', async () => {
    const home = await homeWith();
    remove(home, 7);
    await repair(home);
    const after = rows(home);
    expect(await repair(home)).toEqual({ files: [], drained: 0 });
    expect(rows(home)).toEqual(after);
    expect(kindsIn(home).filter((kind) => kind === 'halt')).toHaveLength(1);
  });

  it('keeps a record whose own hash was damaged, and every hash as it was', async () => {
    const home = await homeWith();
    const before = rows(home);
    edit(home, 'UPDATE records SET hash = ? WHERE seq = 6', Buffer.alloc(32, 7));
    const { files } = await repair(home);
    expect(files[0]).toMatchObject({
      missing: [],
      why: 'journal.sqlite was repaired: no record is missing',
      maybeSent: [],
    });
    expect(rows(home).slice(0, 20)).toEqual(before);
    expectWhole(home);
  });

  it('keeps a last record whose own hash was damaged when the witness names it', async () => {
    const home = await homeWith();
    const before = rows(home);
    edit(home, 'UPDATE records SET hash = ? WHERE seq = 20', Buffer.alloc(32, 7));
    expect((await repair(home)).files[0]).toMatchObject({ missing: [] });
    expect(rows(home).slice(0, 20)).toEqual(before);
  });

  it.each([
    { what: 'the first record', lost: [1], missing: [{ from: 1, to: 1 }] },
    { what: 'a record in the middle', lost: [10], missing: [{ from: 10, to: 10 }] },
    {
      what: 'records in two places',
      lost: [5, 9],
      missing: [
        { from: 5, to: 5 },
        { from: 9, to: 9 },
      ],
    },
    { what: 'the one before the last', lost: [19], missing: [{ from: 19, to: 19 }] },
    { what: 'the last record', lost: [20], missing: [{ from: 20, to: 20 }] },
    { what: 'the end', lost: [17, 18, 19, 20], missing: [{ from: 17, to: 20 }] },
  ])('names as missing $what, and keeps the others', async ({ lost, missing }) => {
    const home = await homeWith();
    const before = rows(home);
    for (const seq of lost) remove(home, seq);
    // Only removed at the end, it is whole and rewound.
    if (missing.some(({ to }) => to === 20))
      edit(home, 'UPDATE records SET hash = ? WHERE seq = 3', Buffer.alloc(32, 7));
    expect((await repair(home)).files[0]).toMatchObject({ missing });
    const kept = before.filter(({ seq }) => !lost.includes(seq)).map(({ id }) => id);
    expect(
      rows(home)
        .map(({ id }) => id)
        .slice(0, kept.length),
    ).toEqual(kept);
    expectWhole(home);
  });

  it('does not keep a record behind one that is gone unless another confirms it', async () => {
    const home = await homeWith();
    remove(home, 19);
    rmSync(join(stateIn(home), 'journal.head'));
    expect((await repair(home)).files[0]).toMatchObject({ missing: [{ from: 19, to: 20 }] });
    expect(kindsIn(home).at(-1)).toBe('halt');
  });

  it('never keeps a text that is no record behind one that is gone', async () => {
    const home = await homeWith();
    remove(home, 8);
    edit(home, "UPDATE records SET record = json_set(record, '$.kind', 'odd') WHERE seq = 9");
    expect((await repair(home)).files[0]).toMatchObject({ missing: [{ from: 8, to: 9 }] });
    expectWhole(home);
  });

  it('keeps what it can of a file with a destroyed page', async () => {
    const home = await homeWith(40);
    const before = rows(home);
    const path = databaseFile(stateIn(home));
    const page = 4_096;
    const pages = Math.floor(statSync(path).size / page);
    const leaf = [...Array(pages).keys()].slice(1).find((index) =>
      readFileSync(path)
        .subarray(index * page, (index + 1) * page)
        .includes('"deal_id":"PAY-10aaa"'),
    );
    overwrite(path, (leaf ?? 0) * page, Buffer.alloc(page, 0xa5));
    const { files } = await repair(home);
    const [file] = files;
    const lost = (file?.missing ?? []).reduce((sum, { from, to }) => sum + to - from + 1, 0);
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(60);
    const ids = new Set(before.map(({ id }) => id));
    expect(rows(home).filter(({ id }) => ids.has(id))).toHaveLength(160 - lost);
    expectWhole(home);
  });

  it('keeps nothing of a file that cannot be opened, and says so', async () => {
    const home = await homeWith();
    overwrite(databaseFile(stateIn(home)), 0, Buffer.alloc(4_096, 0xa5));
    const { files } = await repair(home);
    expect(files[0]).toMatchObject({
      missing: [{ from: 1, to: 20 }],
      records: 1,
      why: 'journal.sqlite was repaired: records 1 to 20 are missing; hashes are new from 1',
    });
    expect(kindsIn(home)).toEqual(['halt']);
    expectWhole(home);
    expect(await repair(home)).toEqual({ files: [], drained: 0 });
  });

  it('says that it does not know how many, without a witness', async () => {
    const home = await homeWith();
    overwrite(databaseFile(stateIn(home)), 0, Buffer.alloc(4_096, 0xa5));
    rmSync(join(stateIn(home), 'journal.head'));
    expect((await repair(home)).files[0]?.why).toBe(
      'journal.sqlite was repaired: it could not be read, and its records are missing',
    );
    expectWhole(home);
  });

  it.each([
    ['the summary', "UPDATE summary SET text = replace(text, '20', '21')"],
    ['a summary that is gone', 'DELETE FROM summary'],
    ['a lookup', "UPDATE lookup SET value = 'PAY-9' WHERE value = 'PAY-2aaa'"],
    ['a lookup that is gone', "DELETE FROM lookup WHERE value = 'PAY-2aaa'"],
    ['a lookup more', "INSERT INTO lookup VALUES ('deal_id', 'PAY-9', 3)"],
    ['the version', 'PRAGMA user_version = 200'],
    ['the tables', 'CREATE TABLE more (a TEXT)'],
  ])('makes a database again whose records are whole: %s', async (_what, sql) => {
    const home = await homeWith();
    const before = rows(home);
    edit(home, sql);
    expect((await repair(home)).files[0]).toMatchObject({ missing: [] });
    expect(rows(home).slice(0, 20)).toEqual(before);
    expectWhole(home);
  });

  it('makes an action unknown that seems unsent when its sending may be missing', async () => {
    const home = await homeWith(2);
    const journal = journalIn(home);
    await journal.append([anIntent({ action_id: idOf('beef'), idempotency_key: 'k-beef', at: at(20) })]);
    await journal.append([step(SENDING, 'beef', 21)]);
    await journal.append(actionOf(7));
    remove(home, 10);
    const { files } = await repair(home);
    expect(files[0]).toMatchObject({ missing: [{ from: 10, to: 10 }], maybeSent: [idOf('beef')] });
    expect(
      journalIn(home)
        .read()
        .find({ ids: ['beef'] })[0],
    ).toMatchObject({ state: 'unknown', unclear: true });
    expectWhole(home);
  });

  it('leaves an action alone that was not sent long before', async () => {
    const home = await homeWith(2);
    const journal = journalIn(home);
    await journal.append(actionAt(at(-7_200), 'dead', SENDING, NOT_SENT));
    await journal.append(actionAt(at(30), 'beef', SENDING, NOT_SENT));
    await journal.append(actionOf(7));
    remove(home, 17);
    expect((await repair(home)).files[0]).toMatchObject({ maybeSent: [idOf('beef')] });
    expect(
      journalIn(home)
        .read()
        .find({ ids: ['dead'] })[0],
    ).toMatchObject({ state: 'not_sent' });
  });

  it('is refused for a file that others can write, and changes nothing', async () => {
    const home = await homeWith();
    editText(home, 9);
    const path = databaseFile(stateIn(home));
    chmodSync(path, 0o666);
    await expect(repair(home)).rejects.toThrow(DamagedFileError);
    expect([asideIn(home), strays(home)]).toEqual([[], []]);
  });

  it('is refused for a journal of a newer version', async () => {
    const home = await homeWith();
    edit(home, 'PRAGMA user_version = 2');
    await expect(repair(home)).rejects.toThrow('newer version');
    expect(asideIn(home)).toEqual([]);
  });
});

/** Records that the journal could not take. */
function addPending(home: string, records: readonly JournalRecord[]): void {
  const kept = new KeptOpen(pendingFile(stateIn(home)), machine.host);
  const pending = kept.database() ?? kept.made(machine);
  pending.writing(() => insertRecords(pending, newRecords(records, undefined, machine.random)));
}
const pendingRows = (home: string) => rowsIn(pendingFile(stateIn(home)));
const CLOSE = anIntent({ action: 'close', action_id: idOf('c105'), idempotency_key: 'k-close', at: at(40) });

describe('journal repair: pending records', () => {
  it('go into a journal that is whole, once, and add no halt', async () => {
    const home = await homeWith(2);
    addPending(home, [CLOSE, HALT]);
    expect(await repair(home)).toEqual({ files: [], drained: 2 });
    expect(kindsIn(home).slice(8)).toEqual(['intent', 'halt']);
    expect(pendingRows(home)).toEqual([]);
    expect(await repair(home)).toEqual({ files: [], drained: 0 });
    expectWhole(home);
  });

  it('go behind the halt of the repair', async () => {
    const home = await homeWith(2);
    addPending(home, [CLOSE]);
    editText(home, 5);
    expect(await repair(home)).toMatchObject({ files: [{ missing: [{ from: 5, to: 5 }] }], drained: 1 });
    expect(kindsIn(home).slice(-2)).toEqual(['halt', 'intent']);
    expectWhole(home);
  });

  it('are all that is kept of a journal that cannot be opened', async () => {
    const home = await homeWith(2);
    addPending(home, [CLOSE]);
    overwrite(databaseFile(stateIn(home)), 0, Buffer.alloc(4_096, 0xa5));
    expect(await repair(home)).toMatchObject({ drained: 1 });
    expect(kindsIn(home)).toEqual(['halt', 'intent']);
  });

  it('are repaired when they are damaged themselves, and go into the journal with a halt', async () => {
    const home = await homeWith(2);
    addPending(home, [CLOSE]);
    addPending(home, [step(SENDING, 'c105', 41), step(ACCEPTED, 'c105', 42)]);
    const pending = openJournalFile(pendingFile(stateIn(home)), host);
    pending?.run("UPDATE records SET record = replace(record, 'attempt', 'attempd') WHERE seq = 2");
    const { files, drained } = await repair(home);
    expect(files).toMatchObject([
      { why: expect.stringContaining('pending.sqlite was repaired'), missing: [{ from: 2, to: 2 }] },
    ]);
    expect([drained, kindsIn(home).slice(8)]).toEqual([3, ['intent', 'accepted', 'halt']]);
    expect(await repair(home)).toEqual({ files: [], drained: 0 });
    expectWhole(home);
  });
});

describe('journal repair: killed', () => {
  /** The state folder before a repair, after it, and the names that it used. */
  async function halves() {
    const home = await homeWith();
    // A log with changes of its own.
    const [main, log] = [databaseFile(stateIn(home)), `${databaseFile(stateIn(home))}-wal`];
    const db = openJournalDatabase(main, host);
    db?.exec('PRAGMA wal_autocheckpoint = 0');
    db?.run("UPDATE records SET record = replace(record, 'USDTNGN', 'USDTNGX') WHERE seq = 9");
    const before = temporaryFolder();
    cpSync(stateIn(home), stateIn(before), { recursive: true });
    expect(statSync(`${databaseFile(stateIn(before))}-wal`).size).toBeGreaterThan(0);
    addPending(before, [CLOSE]);
    expect(existsSync(log)).toBe(true);
    const { files } = await repair(home);
    const aside = files[0]?.aside ?? '';
    const made = aside.replace('damaged', 'repaired').split('/').at(-1) ?? '';
    openJournalFile(main, host)?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { before, after: stateIn(home), aside: aside.split('/').at(-1) ?? '', made };
  }
  type Halves = Awaited<ReturnType<typeof halves>>;

  /** Before the drain, as the new database was made. */
  function madeIn(home: string, { after, made }: Halves): void {
    copyFileSync(join(after, 'journal.sqlite'), join(stateIn(home), made));
  }
  const moved = (home: string, { aside }: Halves): void => {
    const main = databaseFile(stateIn(home));
    linkSync(`${main}-wal`, join(stateIn(home), `${aside}-wal`));
    renameSync(main, join(stateIn(home), aside));
  };

  it.each<{ when: string; leave(home: string, of: Halves): void; isForward: boolean }>([
    {
      when: 'while the new database was made',
      leave: (home, { made }) => writeFileSync(join(stateIn(home), `${made}.0123.new`), 'half'),
      isForward: false,
    },
    { when: 'once it was made', leave: madeIn, isForward: false },
    {
      when: 'after the log was linked',
      leave(home, of) {
        madeIn(home, of);
        linkSync(`${databaseFile(stateIn(home))}-wal`, join(stateIn(home), `${of.aside}-wal`));
      },
      isForward: false,
    },
    {
      when: 'after the damaged database was moved',
      leave(home, of) {
        madeIn(home, of);
        moved(home, of);
      },
      isForward: true,
    },
    {
      when: 'after that, and a reader left an empty file',
      leave(home, of) {
        madeIn(home, of);
        moved(home, of);
        writeFileSync(databaseFile(stateIn(home)), '', { mode: 0o600 });
      },
      isForward: true,
    },
    {
      when: 'after its log was removed',
      leave(home, of) {
        madeIn(home, of);
        moved(home, of);
        for (const end of ['-wal', '-shm']) rmSync(`${databaseFile(stateIn(home))}${end}`, { force: true });
      },
      isForward: true,
    },
    {
      when: 'after the witness was replaced',
      leave(home, of) {
        madeIn(home, of);
        moved(home, of);
        for (const end of ['-wal', '-shm']) rmSync(`${databaseFile(stateIn(home))}${end}`, { force: true });
        copyFileSync(join(of.after, 'journal.head'), join(stateIn(home), 'journal.head'));
      },
      isForward: true,
    },
  ])('$when: the next one ends in the same journal, with one halt', async ({ leave, isForward }) => {
    const of = await halves();
    const home = temporaryFolder();
    cpSync(of.before, home, { recursive: true });
    leave(home, of);
    if (isForward) {
      // Nobody takes the journal for a new one in between.
      const state = journalIn(home).read();
      expect(state.trouble?.kind).toBe('damaged');
      expect(state.find({ ids: ['c105'] })).toHaveLength(1);
      await journalIn(home).append([step(SENDING, 'c105', 41)]);
      expect(existsSync(databaseFile(stateIn(home))) && statSync(databaseFile(stateIn(home))).size > 0).toBe(
        false,
      );
    }
    const { files } = await repair(home);
    expect(files).toHaveLength(1);
    expect(files[0]?.why).toContain('record 9 is missing');
    expect(kindsIn(home).filter((kind) => kind === 'halt')).toHaveLength(1);
    expect(rows(home).filter(({ record }) => record.includes(idOf('c105')))).toHaveLength(isForward ? 2 : 1);
    expect(pendingRows(home)).toEqual([]);
    expect(strays(home)).toEqual([]);
    expect(asideIn(home).filter((name) => name.endsWith('.sqlite'))).toHaveLength(1);
    expectWhole(home);
    expect(await repair(home)).toEqual({ files: [], drained: 0 });
  });
});

describe('journal repair: others at the same time', () => {
  it('two at once make one new database and one halt', async () => {
    const home = await homeWith();
    editText(home, 9);
    const both = await Promise.all([repair(home), repair(home)]);
    expect(both.flatMap(({ files }) => files)).toHaveLength(1);
    expect(kindsIn(home).filter((kind) => kind === 'halt')).toHaveLength(1);
    expectWhole(home);
  });

  it('waits for a writer, and takes what it wrote', async () => {
    const home = await homeWith();
    editText(home, 9);
    const db = openJournalDatabase(databaseFile(stateIn(home)), host);
    db?.exec('BEGIN IMMEDIATE');
    const repairing = repair(home);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(asideIn(home)).toEqual([]);
    db?.exec('COMMIT');
    expect((await repairing).files).toHaveLength(1);
    expect(NO_RECORD).toHaveLength(64);
  });
});

/**
 * A journal that lacks records which were written: an older copy was put back, the witness is lost, another machine's journal
 * is in its place, a record was changed. Opens and adds stop and say so, closes go on, and no halt is lifted without a word.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DamagedFileError } from '../../src/errors.ts';
import { NO_RECORD, recordHash } from '../../src/journal/chain.ts';
import { type JournalRecord, mintId } from '../../src/journal/records.ts';
import type { JournalState } from '../../src/journal/state.ts';
import { acceptLoss, findLoss } from '../../src/journal/store/accept-loss.ts';
import { backupJournal } from '../../src/journal/store/backup.ts';
import { type Journal, openJournal } from '../../src/journal/store/journal.ts';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { logFits } from '../../src/journal/store/log-fits.ts';
import { repairJournal } from '../../src/journal/store/repair.ts';
import { createJournalFile } from '../../src/journal/store/schema.ts';
import { openAudit } from '../../src/journal/verify.ts';
import type { Host } from '../../src/platform/host.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { journalAt, machineAt, placesIn } from './journal-at.ts';
import { deskRecords, questions, USED } from './questions.ts';
import { anIntent, at, BY_ADA, HALT, idOf, NOON } from './records.ts';

const { host, random } = testMachine();
const SIGNATURE = { who: 'Ada O. (ada@desk)', operator: BY_ADA.operator, version: '1.2.3' };
const ASKED = questions();
const MORE = 'PAY-MORE';

const opened = (home: string): Journal => journalAt(home, () => NOON);
const file = (home: string, name: string): string => join(placesIn(home).state, name);
const cp = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);
const ENDS = ['', '-wal', '-shm'] as const;

/** The database without its log, as it is after `hedge` has not run for long. */
function checkpoint(home: string): void {
  const db = openJournalDatabase(file(home, 'journal.sqlite'), host);
  db?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db?.close();
}

/** Changes the database by hand. */
function byHand(
  home: string,
  work: (sql: (text: string, ...binds: (string | number | Uint8Array)[]) => void) => void,
): void {
  const db = openJournalDatabase(file(home, 'journal.sqlite'), host);
  db?.writing(() => work((text, ...binds) => db.run(text, ...binds)));
  db?.close();
}

function backupDatabase(path: string, to: string): void {
  const db = openJournalDatabase(path, host);
  db?.run('VACUUM INTO ?', to);
  db?.close();
  chmodSync(to, 0o600);
}

async function appendAll(journal: Journal, appends: ReturnType<typeof deskRecords>): Promise<void> {
  for (const records of appends) await journal.append(records);
}

/** What was done since the copy: a deal ID was used, and the desk was halted. */
const since: readonly (readonly [JournalRecord, ...JournalRecord[]])[] = [
  [anIntent({ action_id: idOf('beef'), idempotency_key: 'k-beef', deal_id: MORE, at: at(-20) })],
  [{ ...HALT, at: at(-10) }],
];

const anOpen = (): JournalRecord =>
  anIntent({ action_id: mintId(random), idempotency_key: mintId(random), deal_id: USED });
const aClose = (): JournalRecord =>
  anIntent({ action: 'close', action_id: mintId(random), idempotency_key: mintId(random) });

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'appended',
    (error: unknown) => {
      if (error instanceof DamagedFileError && error.effect === 'none') return error.code;
      throw error;
    },
  );

const witnessIn = (home: string): string | undefined => {
  const path = file(home, 'journal.head');
  // Without the mark of what is pending.
  return existsSync(path) ? readFileSync(path, 'utf8').slice(0, 256) : undefined;
};

/** Which of the two places of the witness has the higher number. */
function placeOfLatest(places: readonly (string | undefined)[]): number {
  const seqs = places.map((each) => Number(/"seq":(\d+)/.exec(each ?? '')?.[1]));
  return seqs.indexOf(Math.max(...seqs));
}

/** Each question is asked of a journal that was just opened, as each command does. */
function readBy(home: string): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const [name, ask] of ASKED) {
    const journal = opened(home);
    const state = journal.read();
    ask(state);
    seen.add(state.trouble?.kind ?? `nothing said by ${name}`);
    journal.close();
  }
  return seen;
}

/** It is noticed by all, whatever went through in between. */
async function expectNoticed(home: string, kinds: readonly string[] = ['rewound']): Promise<void> {
  const witness = witnessIn(home);
  const codes = kinds.map((kind) => (kind === 'rewound' ? 'journal_rewound' : 'damaged_file'));
  for (const round of ['at first', 'after a close']) {
    for (const kind of readBy(home)) expect([round, kinds]).toEqual([round, expect.arrayContaining([kind])]);
    expect([round, codes]).toEqual([
      round,
      expect.arrayContaining([await codeOf(opened(home).append([anOpen()]))]),
    ]);
    expect([round, await codeOf(opened(home).append([aClose()]))]).toEqual([round, 'appended']);
    expect([round, witnessIn(home)]).toEqual([round, witness]);
  }
}

const ends: (() => void)[] = [];
const made = new Map<string, Promise<string>>();
afterAll(() => {
  for (const end of ends) end();
});

/**
 * A copy of a journal that is made once. Its files are its own: SQLite keeps what it knows of files that this process had
 * open.
 */
async function copied(
  name: string,
  make: (journal: Journal, home: string) => Promise<void>,
): Promise<string> {
  const first = async (): Promise<string> => {
    const home = temporaryFolder((end) => ends.push(end));
    const journal = opened(home);
    await make(journal, home);
    journal.close();
    return home;
  };
  const making = made.get(name) ?? first();
  made.set(name, making);
  const home = temporaryFolder();
  execFileSync('cp', ['-a', `${await making}/.`, home]);
  return home;
}

function journalCount(path: string): number {
  const db = openJournalDatabase(path, host);
  const found = Number(db?.get('SELECT max(seq) AS last FROM records')?.['last']);
  db?.close();
  return found;
}

/** The journal of another machine, with some commits more than that at `path`. */
function makeOther(other: string, path: string): void {
  createJournalFile(other, testMachine());
  const [one, its] = [path, other].map((each) => openJournalDatabase(each, host));
  const version = (Number(one?.get('PRAGMA user_version')?.['user_version']) + 20_000 * 256) | 0;
  its?.exec(`PRAGMA user_version = ${version.toString()}`);
  one?.close();
  its?.close();
}

/** A desk, and a copy of its journal from before its last appends. */
async function put(
  back: (home: string, copy: string) => void = () => undefined,
  { count = 6, gap = 0 } = {},
): Promise<string> {
  const rewound = await copied(`${count.toString()} ${gap.toString()}`, async (journal, home) => {
    await appendAll(journal, deskRecords({ isHalted: false, count }));
    const copy = join(home, 'copy');
    cp(placesIn(home).state, copy);
    backupJournal(join(copy, 'backup'), { places: placesIn(home), machine: testMachine() });
    makeOther(join(copy, 'other'), join(copy, 'journal.sqlite'));
    for (let more = 0; more < gap; more += 1) await journal.append([{ ...HALT, halt_id: mintId(random) }]);
    if (gap > 0) checkpoint(home);
    await appendAll(journal, since);
  });
  back(rewound, join(rewound, 'copy'));
  return rewound;
}

const removed = (home: string, suffixes: readonly string[] = ENDS): void => {
  for (const each of suffixes) rmSync(file(home, `journal.sqlite${each}`), { force: true });
};

describe('a journal put back to an older state', () => {
  it.each<[string, (home: string, copy: string) => void]>([
    [
      'with its log',
      (home, copy) => {
        removed(home);
        for (const end of ENDS) cp(join(copy, `journal.sqlite${end}`), file(home, `journal.sqlite${end}`));
      },
    ],
    [
      'with its log, without the index of the log',
      (home, copy) => {
        removed(home);
        for (const end of ['', '-wal'])
          cp(join(copy, `journal.sqlite${end}`), file(home, `journal.sqlite${end}`));
      },
    ],
    [
      'over the file that is there',
      (home, copy) => {
        removed(home, ['-wal', '-shm']);
        for (const end of ['', '-wal'])
          writeFileSync(
            file(home, `journal.sqlite${end}`),
            readFileSync(join(copy, `journal.sqlite${end}`)),
            { mode: 0o600 },
          );
      },
    ],
    [
      'without its log, so that nothing is in it',
      (home, copy) => {
        removed(home);
        cp(join(copy, 'journal.sqlite'), file(home, 'journal.sqlite'));
      },
    ],
    [
      'as a backup',
      (home, copy) => {
        removed(home);
        cp(join(copy, 'backup'), file(home, 'journal.sqlite'));
      },
    ],
    ['so that its log is lost', (home) => removed(home, ['-wal', '-shm'])],
    ['so that its log is cut', (home) => truncateSync(file(home, 'journal.sqlite-wal'), 40_000)],
    ['so that it is gone', (home) => removed(home)],
    ['so that only its log is there', (home) => removed(home, [''])],
  ])('%s is noticed by each reader, also after a close', async (_what, back) => {
    await expectNoticed(await put(back));
  });

  it.each([
    ['the file', 'journal.sqlite', 0, undefined],
    ['the file, of before the log began', 'journal.sqlite', 1, 'damaged'],
    ['the file, of long before the log began', 'journal.sqlite', 30, 'damaged'],
    ['a backup', 'backup', 0, 'damaged'],
    ['a backup of before the log began', 'backup', 3, 'damaged'],
    ["another machine's", 'other', 0, 'damaged'],
  ] as const)('below its newer log is whole or noticed: %s', async (_what, name, gap, kind) => {
    const home = await put(
      (to, copy) => {
        removed(to, ['', '-shm']);
        cp(join(copy, name), file(to, 'journal.sqlite'));
      },
      { gap },
    );
    const state = opened(home).read();
    expect([state.find({ dealIds: [MORE] }).length, state.trouble?.kind]).toEqual([1, kind]);
    if (kind !== undefined) await expectNoticed(home, [kind]);
  });

  const restored = (home: string) =>
    repairJournal({ places: placesIn(home), machine: machineAt(() => NOON), signature: SIGNATURE });

  it('and then to the newest one, above the log of the older one, is noticed, and repaired with every record', async () => {
    const used = await put();
    checkpoint(used);
    const home = temporaryFolder();
    execFileSync('cp', ['-a', `${used}/.`, home]);
    removed(home, ['-wal', '-shm']);
    cp(join(home, 'copy', 'journal.sqlite-wal'), file(home, 'journal.sqlite-wal'));
    const before = readFileSync(file(home, 'journal.sqlite'));
    expect(opened(home).read().trouble?.kind).toBe('damaged');
    expect(readFileSync(file(home, 'journal.sqlite'))).toEqual(before);
    const {
      files: [repaired],
    } = await restored(home);
    expect(repaired?.missing).toEqual([]);
    expect(
      opened(home)
        .read()
        .find({ dealIds: [MORE] }),
    ).toHaveLength(1);
  });

  it('below a newer log is noticed, also where that begins with a commit that is larger than the cache of SQLite', async () => {
    const home = await put(() => undefined, { gap: 1 });
    const path = file(home, 'journal.sqlite');
    const used = opened(home);
    const bulk = Array.from({ length: 1_000 }, () => ({
      ...HALT,
      halt_id: mintId(random),
      why: 'x'.repeat(4_000),
    }));
    checkpoint(home);
    await used.append([{ ...HALT, halt_id: 'aa00000000000001' }, ...bulk]);
    const other = temporaryFolder();
    execFileSync('cp', ['-a', `${home}/.`, other]);
    expect(readFileSync(`${path}-wal`).readUInt32BE(32)).not.toBe(1);
    removed(other, ['', '-shm']);
    cp(join(other, 'copy', 'journal.sqlite'), file(other, 'journal.sqlite'));
    expect(opened(other).read().trouble?.kind).toBe('damaged');
  });

  it('as a backup below its newer log is repaired with every record of the backup', async () => {
    const home = await put(() => undefined, { count: 40, gap: 3 });
    removed(home, ['', '-shm']);
    cp(join(home, 'copy', 'backup'), file(home, 'journal.sqlite'));
    const backup = journalCount(join(home, 'copy', 'backup'));
    const {
      files: [repaired],
    } = await restored(home);
    expect(repaired?.missing).toEqual([{ from: backup + 1, to: expect.any(Number) }]);
  });

  it('below its newer log is noticed, though its file got the number of one that was looked at before', async () => {
    const home = await put(() => undefined, { gap: 1 });
    const path = file(home, 'again.sqlite');
    const older = readFileSync(join(home, 'copy', 'journal.sqlite'));
    writeFileSync(path, readFileSync(file(home, 'journal.sqlite')));
    cp(file(home, 'journal.sqlite-wal'), `${path}-wal`);
    expect(logFits(path)).toBe(true);
    rmSync(path);
    writeFileSync(path, older);
    expect(logFits(path)).toBe(false);
  });

  it('gets what was recorded meanwhile once the newest copy is put back: a halt, and a close', async () => {
    const home = await put();
    const newest = join(home, 'newest');
    cp(placesIn(home).state, newest);
    removed(home);
    cp(join(home, 'copy', 'backup'), file(home, 'journal.sqlite'));
    const close = aClose();
    await opened(home).append([{ ...HALT, halt_id: 'aa00000000000009' }]);
    await opened(home).append([close]);
    const repaired = await repairJournal({
      places: placesIn(home),
      machine: machineAt(() => NOON),
      signature: SIGNATURE,
    });
    expect(repaired).toEqual({ files: [], drained: 0 });
    removed(home);
    for (const end of ENDS)
      if (existsSync(join(newest, `journal.sqlite${end}`)))
        cp(join(newest, `journal.sqlite${end}`), file(home, `journal.sqlite${end}`));
    const ids = (state: JournalState) => [
      state.trouble,
      state.halt?.ids.includes('aa00000000000009'),
      state.find({ keys: [close.kind === 'intent' ? close.idempotency_key : ''] }).length,
    ];
    expect(ids(opened(home).read())).toEqual([undefined, true, 1]);
    const journal = opened(home);
    await journal.append([{ ...HALT, halt_id: 'aa0000000000000a' }]);
    journal.close();
    rmSync(file(home, 'pending.sqlite'));
    expect(ids(opened(home).read())).toEqual([undefined, true, 1]);
  });

  it.each(['removed', 'put back to an empty one', 'put back to the record before'])(
    'is not needed for what is pending: a halt in pending.sqlite that is %s stops opens until a person accepts it',
    async (how) => {
      const home = await put();
      const older = join(home, 'older.sqlite');
      if (!how.endsWith('before')) createJournalFile(older, testMachine());
      const loss = () => findLoss({ places: placesIn(home), machine: machineAt(() => NOON) });
      // Another program writes to the journal: the halt waits beside it.
      const locked = openJournalDatabase(file(home, 'journal.sqlite'), host);
      locked?.exec('BEGIN IMMEDIATE');
      await journalAt(home, () => NOON, { busyMs: 0 }).append([{ ...HALT, halt_id: 'aa00000000000008' }]);
      if (how.endsWith('before')) backupDatabase(file(home, 'pending.sqlite'), older);
      await journalAt(home, () => NOON, { busyMs: 0 }).append([{ ...HALT, halt_id: 'aa00000000000009' }]);
      locked?.exec('ROLLBACK');
      locked?.close();
      expect([opened(home).read().trouble, loss()]).toEqual([undefined, undefined]);
      for (const end of ENDS) rmSync(file(home, `pending.sqlite${end}`), { force: true });
      if (how !== 'removed') cp(older, file(home, 'pending.sqlite'));
      await expectNoticed(home);
      // There is nothing to repair, and a repair accepts nothing.
      await repairJournal({ places: placesIn(home), machine: machineAt(() => NOON), signature: SIGNATURE });
      expect(opened(home).read().trouble?.kind).toBe('rewound');
      const audit = await openAudit({ places: placesIn(home), machine: machineAt(() => NOON) }).verify();
      expect(audit.rewound).toContain('pending.sqlite lacks a record');
      await acceptLoss(loss() ?? expect.fail('no loss'), {
        places: placesIn(home),
        machine: machineAt(() => NOON),
        signature: SIGNATURE,
        note: 'seen',
      });
      expect([opened(home).read().trouble, loss()]).toEqual([undefined, undefined]);
    },
  );

  it('is noticed by a process that had it open', async () => {
    const home = temporaryFolder();
    const journal = opened(home);
    await appendAll(journal, deskRecords({ isHalted: false, count: 2 }));
    const copy = join(home, 'copy');
    cp(placesIn(home).state, copy);
    await appendAll(journal, since);
    const before = journal.read();
    expect(before.trouble).toBeUndefined();
    removed(home);
    for (const end of ENDS) cp(join(copy, `journal.sqlite${end}`), file(home, `journal.sqlite${end}`));
    expect([journal.read().trouble?.kind, await codeOf(journal.append([anOpen()]))]).toEqual([
      'rewound',
      'journal_rewound',
    ]);
  });
});

describe('a witness', () => {
  const aDesk = () => put();

  it.each<[string, (path: string) => void]>([
    ['is lost', (path) => rmSync(path)],
    ['is empty', (path) => writeFileSync(path, '')],
    ['is no JSON', (path) => writeFileSync(path, 'seven')],
    ['is another JSON', (path) => writeFileSync(path, '{"seq":"7","hash":1}')],
    [
      'is of a record that never was',
      (path) => writeFileSync(path, `{"seq":900,"hash":"${'ab'.repeat(32)}","again":900}`),
    ],
    [
      'has another hash',
      (path) =>
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replaceAll(/(.)",/g, (_, last) => `${last === '9' ? '0' : '9'}",`),
        ),
    ],
    [
      'has a number of no record',
      (path) => writeFileSync(path, `{"seq":-1,"hash":"${'ab'.repeat(32)}","again":-1}`),
    ],
  ])('that %s is noticed, and not written again', async (_what, change) => {
    const home = await aDesk();
    change(file(home, 'journal.head'));
    await expectNoticed(home);
  });

  it('that is an older one does no harm, and follows the next append: a process was killed before it wrote it', async () => {
    const home = await aDesk();
    const last = witnessIn(home);
    const journal = opened(home);
    await journal.append([{ schema: 3, kind: 'unhalt', at: at(), halt_ids: [HALT.halt_id] }]);
    writeFileSync(file(home, 'journal.head'), last ?? '', { mode: 0o600 });
    expect([...readBy(home)]).toEqual(
      [expect.stringContaining('nothing said')].concat(
        Array.from({ length: ASKED.size - 1 }, () => expect.stringContaining('nothing said')),
      ),
    );
    expect(witnessIn(home)).toBe(last);
    expect(await codeOf(opened(home).append([anOpen()]))).toBe('appended');
    expect(witnessIn(home)).not.toBe(last);
    expect(opened(home).read().trouble).toBeUndefined();
  });

  const frozen = (path: string, how: '+i' | '-i'): boolean =>
    spawnSync('chattr', [how, path], { stdio: 'ignore' }).status === 0;
  const canFreeze = (): boolean => {
    const path = join(
      temporaryFolder(() => undefined),
      'x',
    );
    writeFileSync(path, '');
    return frozen(path, '+i') && frozen(path, '-i');
  };

  it.skipIf(!canFreeze())(
    'that cannot be written stops opens, and no close: an older journal would pass',
    async () => {
      const home = await aDesk();
      const path = file(home, 'journal.head');
      frozen(path, '+i');
      try {
        const codes = [];
        for (const record of [anOpen(), aClose(), anOpen(), aClose()])
          codes.push(await codeOf(opened(home).append([record])));
        expect(codes).toEqual(['damaged_file', 'appended', 'damaged_file', 'appended']);
      } finally {
        frozen(path, '-i');
      }
      expect(await codeOf(opened(home).append([anOpen()]))).toBe('appended');
    },
  );

  it('whose last writing stopped at any byte is the one before, or the new one', async () => {
    const home = await aDesk();
    await opened(home).append([anOpen()]);
    await opened(home).append([anOpen()]);
    const before = witnessIn(home) ?? '';
    await opened(home).append([anOpen()]);
    const after = witnessIn(home) ?? '';
    const changed = [...after].findIndex((each, place) => each !== before[place]);
    expect(after.length).toBe(256);
    for (let cut = changed; cut <= after.length; cut += 1) {
      writeFileSync(file(home, 'journal.head'), after.slice(0, cut) + before.slice(cut), { mode: 0o600 });
      expect([cut, opened(home).read().trouble]).toEqual([cut, undefined]);
    }
  });

  it('whose last writing failed half-way is the one before; with neither it is noticed', async () => {
    const home = await aDesk();
    await opened(home).append([anOpen()]);
    const path = file(home, 'journal.head');
    const text = readFileSync(path, 'utf8');
    const places = [text.slice(0, text.length / 2), text.slice(text.length / 2)];
    const latest = placeOfLatest(places);
    const half = (place: number): string => `${'x'.repeat(64)}${(places[place] ?? '').slice(64)}`;
    const written = (broken: readonly number[]): string =>
      places.map((each, place) => (broken.includes(place) ? half(place) : each)).join('');
    writeFileSync(path, written([latest]), { mode: 0o600 });
    expect(opened(home).read().trouble).toBeUndefined();
    expect(await codeOf(opened(home).append([anOpen()]))).toBe('appended');
    // The one that could not be read was written over.
    expect(witnessIn(home)).not.toContain('x');
    writeFileSync(path, written([0, 1]), { mode: 0o600 });
    await expectNoticed(home);
  });

  it('is there before the first record, so that a process that dies in its first append leaves no alarm', async () => {
    const home = temporaryFolder();
    await opened(home).append([anOpen()]);
    const first = `{"seq":0,"hash":"${NO_RECORD}","again":0}\n`;
    writeFileSync(file(home, 'journal.head'), first, { mode: 0o600 });
    expect(opened(home).read().trouble).toBeUndefined();
    expect(await codeOf(opened(home).append([anOpen()]))).toBe('appended');
  });

  it('without a database is a journal that is gone, and a witness that cannot be read is one too', async () => {
    for (const text of [undefined, 'garbage']) {
      const home = await aDesk();
      removed(home);
      if (text !== undefined) writeFileSync(file(home, 'journal.head'), text, { mode: 0o600 });
      const { trouble } = opened(home).read();
      expect(trouble).toMatchObject({ kind: 'rewound', what: expect.stringContaining('is missing') });
      expect(await codeOf(opened(home).append([anOpen()]))).toBe('journal_rewound');
      // A refused open has not begun another one.
      expect(opened(home).read().trouble?.what).toBe(trouble?.what);
      expect(existsSync(file(home, 'journal.sqlite'))).toBe(false);
      await expectNoticed(home);
    }
  });
});

describe("another machine's journal", () => {
  it.each([
    ['a shorter one', 2],
    ['a longer one', 30],
    ['one without a record', -1],
  ])('in its place is noticed: %s', async (_what, count) => {
    const home = await put();
    const other = temporaryFolder();
    const journal = opened(other);
    await appendAll(journal, count < 0 ? [[HALT]] : deskRecords({ isHalted: false, count }));
    journal.close();
    if (count < 0) removed(other, ['-wal', '-shm']);
    removed(home);
    for (const end of ENDS)
      if (existsSync(file(other, `journal.sqlite${end}`)))
        cp(file(other, `journal.sqlite${end}`), file(home, `journal.sqlite${end}`));
    await expectNoticed(home);
  });
});

/** Its text changed and its hash made again; those after it too when `all`. */
function edited(home: string, seq: number, change: (text: string) => string, { all = false } = {}): void {
  const db = openJournalDatabase(file(home, 'journal.sqlite'), host);
  const rows =
    db?.all('SELECT seq, id, record, stamp, lower(hex(hash)) AS hash FROM records ORDER BY seq') ?? [];
  db?.close();
  byHand(home, (sql) => {
    let prev = NO_RECORD;
    for (const row of rows) {
      const isIt = Number(row['seq']) === seq;
      const record = isIt ? change(String(row['record'])) : String(row['record']);
      const isAfter = all && Number(row['seq']) > seq;
      const hash =
        isIt || isAfter
          ? recordHash(prev, { id: String(row['id']), record, stamp: '' })
          : String(row['hash']);
      if (isIt || isAfter)
        sql('UPDATE records SET record = ?, hash = unhex(?) WHERE seq = ?', record, hash, Number(row['seq']));
      prev = hash;
    }
  });
}

const seqOf = (home: string, text: string): number => {
  const db = openJournalDatabase(file(home, 'journal.sqlite'), host);
  const row = db?.get('SELECT max(seq) AS seq FROM records WHERE record LIKE ?', `%${text}%`);
  db?.close();
  return Number(row?.['seq']);
};

describe('a record that was changed, and its hash made again', () => {
  const asks = (state: JournalState) => [
    state.find({ dealIds: [USED, MORE] }).length,
    state.halt?.ids.length,
    state.trouble?.kind,
  ];

  it.each<[string, string, (text: string) => string]>([
    ['frees no deal ID', `"deal_id":"${USED}"`, (text) => text.replace(USED, 'PAY-OTHER')],
    [
      'makes no filled open a failed one',
      `${idOf('5ed0')}%"outcome":"filled"`,
      (text) => text.replace('"filled"', '"failed"'),
    ],
    [
      'makes no open another account’s',
      `"deal_id":"${USED}"`,
      (text) => text.replace('partner.test', 'other.test'),
    ],
    [
      'moves no open to another day',
      `"deal_id":"${USED}"`,
      (text) => text.replaceAll('2026-11-19', '2026-11-18'),
    ],
  ])('%s', async (_what, text, change) => {
    const home = await put();
    edited(home, seqOf(home, text), change);
    const seen = readBy(home);
    expect([...seen].filter((kind) => kind === 'damaged')).toHaveLength(1);
    const journal = opened(home);
    const guarded = journal.append([anOpen()], (state) => {
      // What an open with this deal ID asks.
      state.find({ dealIds: [USED] });
    });
    expect(await codeOf(guarded)).toBe('damaged_file');
    expect(await codeOf(journal.append([aClose()]))).toBe('appended');
  });

  it('and all hashes after it too, is noticed by the witness', async () => {
    const home = await put();
    edited(home, seqOf(home, `"deal_id":"${USED}"`), (text) => text.replace(USED, 'PAY-OTHER'), {
      all: true,
    });
    await expectNoticed(home, ['rewound', 'damaged']);
  });

  it.each<[string, (text: string) => string]>([
    ['another halt', (text) => text.replaceAll(HALT.halt_id, 'aa00000000000009')],
    ['no halt', (text) => text.replace('"kind":"halt"', '"kind":"loss","found":"x","note":"y"')],
  ])('lifts no halt: it is %s', async (_what, change) => {
    const home = await put();
    const journal = opened(home);
    await journal.append([aClose()]);
    edited(home, seqOf(home, HALT.halt_id), change);
    const state = opened(home).read();
    expect(asks(state)[1] !== undefined || state.trouble !== undefined).toBe(true);
    expect(
      await codeOf(
        opened(home).append([anOpen()], ({ halt, trouble }) => {
          if (halt === undefined && trouble === undefined) throw new Error('lifted without a word');
        }),
      ),
    ).toBe('damaged_file');
  });

  it('that was deleted is noticed by whoever asks for it', async () => {
    const home = await put();
    const [seq, halted] = [seqOf(home, `"deal_id":"${USED}"`), seqOf(home, HALT.halt_id)];
    byHand(home, (sql) => {
      for (const each of [seq, halted]) sql('DELETE FROM records WHERE seq = ?', each);
    });
    await expectNoticed(home, ['rewound', 'damaged']);
  });
});

describe('a halt', () => {
  const DELETABLE: readonly (readonly string[])[] = [
    ['pending.sqlite', 'pending.sqlite-wal', 'pending.sqlite-shm'],
    ['journal.head'],
    ['journal.sqlite-wal'],
    ['journal.sqlite-shm'],
  ];
  const SETS = Array.from({ length: 2 ** DELETABLE.length }, (_, bits) =>
    DELETABLE.filter((_names, index) => (bits & (1 << index)) !== 0).flat(),
  );

  it.each([
    ['the only record', 0, false],
    ['the last record of the log', 4, false],
    ['in the database, and the log has later ones', 4, true],
  ])('that is %s is not lifted by deleting what can be deleted', async (what, count, isSettled) => {
    for (const names of SETS) {
      const home = await copied(what, async (journal, folder) => {
        if (count > 0) await appendAll(journal, deskRecords({ isHalted: false, count }));
        await journal.append([HALT]);
        if (!isSettled) return;
        checkpoint(folder);
        await journal.append([aClose()]);
      });
      for (const name of names) rmSync(file(home, name), { force: true });
      for (const ask of [
        () => undefined,
        ({ halt }: JournalState) => halt,
        ({ current }: JournalState) => current,
      ]) {
        const state = opened(home).read();
        ask(state);
        expect([names, state.halt !== undefined || state.trouble !== undefined]).toEqual([names, true]);
      }
      const open = opened(home).append([anOpen()], ({ halt }) => {
        if (halt !== undefined) throw new DamagedFileError('halted', { what: 'halted' });
      });
      expect([names, await codeOf(open)]).not.toEqual([names, 'appended']);
    }
  });
});

describe('a reader that races a writer', () => {
  /** Something is done when the user is looked up for the n-th time, as it is with each file that is opened. */
  function racing(home: string, left: number, meanwhile: () => void): Journal {
    const hooked: Host = {
      ...host,
      get uid() {
        left -= 1;
        if (left === 0) meanwhile();
        return host.uid;
      },
    };
    return openJournal({ places: placesIn(home), machine: { ...machineAt(() => NOON), host: hooked } });
  }
  const MOMENTS = Array.from({ length: 24 }, (_, index) => index + 1);

  it.each(['reads', 'appends'])(
    'of the first record %s without an alarm, whenever that one is appended',
    async (what) => {
      const raced: number[] = [];
      for (const moment of MOMENTS) {
        const home = temporaryFolder();
        mkdirSync(placesIn(home).state, { mode: 0o700 });
        let appended: Promise<unknown> | undefined;
        const journal = racing(home, moment, () => {
          appended = opened(home).append([aClose()]);
        });
        if (what === 'reads') expect([moment, journal.read().trouble]).toEqual([moment, undefined]);
        else expect([moment, await codeOf(journal.append([anOpen()]))]).toEqual([moment, 'appended']);
        if (appended === undefined) break;
        await appended;
        raced.push(moment);
        expect(opened(home).read()).toMatchObject({ trouble: undefined, count: what === 'reads' ? 1 : 2 });
      }
      expect(raced.length).toBeGreaterThan(what === 'reads' ? 1 : 8);
    },
  );

  it.each(['reads', 'appends'])(
    'of later records %s without an alarm, whenever they are appended',
    async (what) => {
      const home = await put();
      for (const moment of MOMENTS) {
        const appended: Promise<unknown>[] = [];
        const journal = racing(home, moment, () => {
          for (let more = 0; more < 3; more += 1) appended.push(opened(home).append([aClose()]));
        });
        if (what === 'reads') expect([moment, journal.read().trouble]).toEqual([moment, undefined]);
        else expect([moment, await codeOf(journal.append([anOpen()]))]).toEqual([moment, 'appended']);
        await Promise.all(appended);
        if (appended.length === 0) break;
      }
    },
  );
});

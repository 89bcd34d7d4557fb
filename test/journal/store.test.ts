/** The journal's database: private, whole after each append, and with clear errors when it cannot be read or written. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError, StoppedError } from '../../src/errors.ts';
import { type JournalRecord, mintId } from '../../src/journal/records.ts';
import type { JournalState } from '../../src/journal/state.ts';
import { openJournal } from '../../src/journal/store/journal.ts';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { createJournalFile } from '../../src/journal/store/schema.ts';
import { hinting } from '../support/hints.ts';
import { damagedFileError, modeOf, temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';
import { placesIn } from './journal-at.ts';
import {
  ACCEPTED,
  actionsIn,
  anIntent,
  HALT,
  idOf,
  REFUSED,
  SENDING,
  step,
  UNKNOWN,
  wholeState,
} from './records.ts';

const machine = testMachine();

function aJournal({ uid = machine.host.uid }: { uid?: number | undefined } = {}) {
  const home = temporaryFolder();
  const places = placesIn(home);
  const open = () => openJournal({ places, machine: { ...machine, host: { ...machine.host, uid } } });
  const journal = open();
  return { journal, folder: places.state, path: journal.path, open };
}

/** What the folder has, and how large it is. */
const contents = (folder: string) =>
  readdirSync(folder).map((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return [name, stats?.mode, stats?.isFile() === true ? stats.size : undefined];
  });

const idsIn = (state: JournalState) => actionsIn(state).map(({ shortId }) => shortId);

const rejection = (work: Promise<unknown>): Promise<DamagedFileError> =>
  work.then(
    () => damagedFileError(() => undefined),
    (error: unknown) =>
      damagedFileError(() => {
        throw error;
      }),
  );

describe('writing', () => {
  it.each([0o000, 0o022, 0o077])('append: makes folder and files private under umask %o', async (umask) => {
    const { journal, folder } = aJournal();
    await withUmask(umask, () => journal.append([anIntent()]));
    const files = ['journal.head', 'journal.sqlite', 'journal.sqlite-shm', 'journal.sqlite-wal'];
    expect(readdirSync(folder)).toEqual(files);
    expect([folder, ...files.map((name) => join(folder, name))].map(modeOf)).toEqual([
      '700',
      ...files.map(() => '600'),
    ]);
  });

  it('append: returns the new state, and a reader gets the same', async () => {
    const { journal, open } = aJournal();
    await journal.append([anIntent()]);
    const after = await journal.append([step(SENDING), step(ACCEPTED)]);
    expect(actionsIn(after)).toMatchObject([{ state: 'accepted', hedgeId: 'hdg_1' }]);
    for (const reader of [journal, open()]) expect(wholeState(reader.read())).toEqual(wholeState(after));
    expect(journal.read().recordsOf(idOf('7c1e'))[0]).toEqual(anIntent({ short_id: '7c1e' }));
  });

  it('append: a question is answered of the moment when it is asked', async () => {
    const { journal, open } = aJournal();
    await journal.append([anIntent(), step(SENDING)]);
    const before = journal.read();
    await open().append([step(ACCEPTED), HALT]);
    expect([before.halt?.ids, actionsIn(before)[0]?.state]).toEqual([[HALT.halt_id], 'accepted']);
  });

  it('append: shows the guard the state, and writes nothing if the guard throws', async () => {
    const { journal } = aJournal();
    await journal.append([anIntent()]);
    const before = wholeState(journal.read());
    const stop = new StoppedError({ code: 'duplicate', what: 'Sent already.' });
    const work = journal.append([anIntent({ action_id: idOf('bbbb') })], (state) => {
      expect(idsIn(state)).toEqual(['7c1e']);
      throw stop;
    });
    await expect(work).rejects.toBe(stop);
    expect(wholeState(journal.read())).toEqual(before);
  });

  it("append: rethrows a guard's own error about a file", async () => {
    const mine = new DamagedFileError('/x', { what: 'error of the guard' });
    const work = aJournal().journal.append([step(ACCEPTED)], () => {
      throw mine;
    });
    await expect(work).rejects.toBe(mine);
  });

  it('append: rejects a record that could not be read back, and the others of its append with it', async () => {
    const { journal } = aJournal();
    await journal.append([anIntent()]);
    const before = wholeState(journal.read());
    const half = anIntent({ action_id: idOf('bbbb'), notional_usd: '1e4' });
    const work = journal.append([step(SENDING), half]);
    await expect(work).rejects.toMatchObject({
      code: 'internal',
      what: 'This action cannot be stored (field notional_usd).',
      meaning: 'Nothing was sent.',
    });
    expect(wholeState(journal.read())).toEqual(before);
  });

  it('append: rejects a record that is too large to be read back', async () => {
    const { journal } = aJournal();
    await expect(journal.append([{ ...HALT, why: 'x'.repeat(8_000_000) }])).rejects.toMatchObject({
      code: 'internal',
      meaning: 'Nothing was sent.',
    });
    expect(journal.read().halt).toBeUndefined();
  });

  it('append: keeps texts with quotes, signs of other alphabets and line ends', async () => {
    const { journal, open } = aJournal();
    const note = 'it\'s "₦" \u0001 \u2028 🙂 {"a":{}}\n\\';
    const intent = anIntent({ note, deal_id: 'PAY-₦-{}', sent_by: ['open', note] });
    await journal.append([intent, step(SENDING)]);
    expect(open().read().recordsOf(intent.action_id)[0]).toEqual(intent);
    expect(idsIn(open().read())).toEqual(['7c1e']);
    expect(
      open()
        .read()
        .find({ dealIds: ['PAY-₦-{}'] }),
    ).toHaveLength(1);
  });

  it('append: a short ID is longer only if an earlier action has it, and never changes', async () => {
    const { journal, open } = aJournal();
    const expected = ['7c1e', '7c1ea', '7c1ea0', '7c1f', '7c1e000000000001'];
    const ids = ['7c1e', '7c1eaa', '7c1ea', '7c1f', '7c1e000000000001'].map(idOf);
    for (const [index, action_id] of ids.entries()) {
      await journal.append([anIntent({ action_id })]);
      expect(idsIn(open().read())).toEqual(expected.slice(0, index + 1));
    }
    // Two in one append.
    await journal.append([anIntent({ action_id: idOf('beef1') }), anIntent({ action_id: idOf('beef2') })]);
    expect(idsIn(open().read()).slice(-2)).toEqual(['beef', 'beef2']);
  });

  it('read: creates nothing', () => {
    const { journal, folder } = aJournal();
    expect(journal.read()).toMatchObject({ count: 0, current: [], trouble: undefined, halt: undefined });
    expect(existsSync(folder)).toBe(false);
  });

  it('action IDs: are 16 hexadecimal digits, each another one', () => {
    const ids = Array.from({ length: 100 }, () => mintId(machine.random));
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });

  it('records: a halt and its end are records of no action', async () => {
    const { journal } = aJournal();
    await journal.append([anIntent(), step(SENDING)]);
    await journal.append([HALT]);
    const lifted = { who: HALT.who, at: HALT.at, why: HALT.why };
    await journal.append([{ schema: 3, kind: 'unhalt', at: HALT.at, halt_ids: [HALT.halt_id], lifted }]);
    await journal.append([step(REFUSED)]);
    const state = journal.read();
    expect([state.trouble, state.count]).toEqual([undefined, 1]);
    expect(actionsIn(state)).toMatchObject([{ id: idOf('7c1e'), state: 'refused', attempts: 1 }]);
    expect(state.recordsOf(idOf('7c1e')).map(({ kind }) => kind)).toEqual(['intent', 'sending', 'refused']);
    expect([...state.halts()].map(({ kind }) => kind)).toEqual(['unhalt', 'halt']);
    expect([...state.halts({ from: HALT.at })]).toHaveLength(2);
    expect([...state.halts({ until: HALT.at })]).toEqual([]);
    expect(state.latestSince(idOf('7c1e'))).toBe(HALT.at);
  });
});

type Put = (path: string) => void;
const OTHER: readonly [string, Put, string | RegExp][] = [
  [
    'a link',
    (path) => {
      writeFileSync(`${path}.other`, '', { mode: 0o600 });
      symlinkSync(`${path}.other`, path);
    },
    'is a symbolic link',
  ],
  ['a link to nothing', (path) => symlinkSync('nowhere', path), 'is a symbolic link'],
  ['a folder', (path) => mkdirSync(path), /is not a regular file|it is a folder/],
  ['a pipe', (path) => execFileSync('mkfifo', ['-m', '600', path]), 'is not a regular file'],
  [
    'a file that its group can read',
    (path) => {
      writeFileSync(path, '');
      chmodSync(path, 0o640);
    },
    'can be read or written by other users',
  ],
  [
    'a file that all can write',
    (path) => {
      writeFileSync(path, '');
      chmodSync(path, 0o602);
    },
    'can be read or written by other users',
  ],
];
const NAMES = ['journal.sqlite', 'journal.sqlite-wal', 'journal.sqlite-shm', 'pending.sqlite'];

describe('a file that is not one of this journal', () => {
  it.each(NAMES.flatMap((name) => OTHER.map(([what, put, how]) => [name, what, put, how] as const)))(
    '%s: %s is rejected by its name, and nothing is written through it',
    async (name, _what, put, how) => {
      const { open, folder } = aJournal();
      if (name !== 'journal.sqlite') await open().append([anIntent()]);
      else mkdirSync(folder, { mode: 0o700 });
      const path = join(folder, name);
      rmSync(path, { force: true });
      put(path);
      const before = contents(folder);
      const journal = open();
      for (const error of [
        damagedFileError(() => journal.read()),
        await rejection(journal.append([anIntent({ action_id: idOf('bbbb') })])),
      ]) {
        expect(error.message).toMatch(how);
        expect(error.message).toContain(path);
      }
      expect(contents(folder).filter(([each]) => each !== 'journal.sqlite-shm')).toEqual(
        before.filter(([each]) => each !== 'journal.sqlite-shm'),
      );
    },
  );

  it.each(OTHER)(
    'journal.head: %s is no witness: opens stop, a close goes on, and nothing is written through it',
    async (_what, put) => {
      const { open, folder } = aJournal();
      await open().append([anIntent()]);
      const path = join(folder, 'journal.head');
      rmSync(path, { force: true });
      put(path);
      const before = contents(folder).filter(([each]) => each === 'journal.head');
      const journal = open();
      expect(journal.read().trouble).toMatchObject({
        kind: 'rewound',
        what: expect.stringContaining('journal.head'),
      });
      expect((await rejection(journal.append([anIntent({ action_id: idOf('bbbb') })]))).code).toBe(
        'journal_rewound',
      );
      await journal.append([anIntent({ action: 'close', action_id: idOf('c105'), idempotency_key: 'k-c' })]);
      expect(contents(folder).filter(([each]) => each === 'journal.head')).toEqual(before);
    },
  );

  it('a folder that others can write into is rejected', async () => {
    const { journal, folder } = aJournal();
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o770);
    expect(damagedFileError(() => journal.read()).message).toContain('can be written by other users');
    const error = await rejection(journal.append([anIntent()]));
    expect([error.effect, error.message]).toEqual(['none', expect.stringContaining('Nothing was sent')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("another user's is rejected", async () => {
    const { open, folder, path } = aJournal();
    await open().append([anIntent()]);
    const uid = (machine.host.uid ?? 0) + 1;
    const journal = openJournal({
      places: placesIn(join(folder, '..')),
      machine: { ...machine, host: { ...machine.host, uid } },
    });
    expect(damagedFileError(() => journal.read()).what).toContain('belongs to another user');
    expect((await rejection(journal.append([anIntent()]))).what).toContain('belongs to another user');
    expect(path).toContain(folder);
  });
});

describe('a database that this version cannot use', () => {
  const changed = async (sql: string) => {
    const { open, path } = aJournal();
    await open().append([anIntent()]);
    const db = openJournalDatabase(path, machine.host);
    db?.exec(sql);
    db?.close();
    return { journal: open(), path };
  };

  it('of a newer version is refused by its format, and left as it is', async () => {
    const { journal, path } = await changed('PRAGMA user_version = 2');
    const what = `${path} was written by a newer version of hedge (format 2; this one reads format 1).`;
    expect(damagedFileError(() => journal.read()).what).toBe(what);
    const closing = [anIntent({ action: 'close', action_id: idOf('bbbb') })] as const;
    for (const records of [[anIntent({ action_id: idOf('bbbb') })] as const, closing])
      expect(await rejection(journal.append(records))).toMatchObject({ what, effect: 'none' });
  });

  it.each([
    ['of another program', 'PRAGMA application_id = 7', 'it is not a journal of hedge'],
    ['of a version that never was', 'PRAGMA user_version = 4096', 'its version is not one of hedge'],
    [
      'of a version that is one flipped bit away',
      'PRAGMA user_version = 3',
      'its version is not one of hedge',
    ],
    ['with another table', 'CREATE TABLE x (y)', 'its tables are not those of a journal'],
    ['without an index', 'DROP INDEX records_deal_id', 'its tables are not those of a journal'],
  ])('%s stops opens; a close goes on', async (_what, sql, how) => {
    const { journal, path } = await changed(sql);
    const { trouble } = journal.read();
    expect(trouble).toMatchObject({ kind: 'damaged', path, what: expect.stringContaining(how) });
    const opening = await rejection(journal.append([anIntent({ action_id: idOf('bbbb') })]));
    expect([opening.code, opening.effect]).toEqual(['damaged_file', 'none']);
    const state = await journal.append([anIntent({ action: 'close', action_id: idOf('cccc') })]);
    expect([idsIn(state), state.trouble?.kind]).toEqual([[idOf('cccc'), '7c1e'].toReversed(), 'damaged']);
  });

  it('is not begun beside the files of an earlier version', async () => {
    const { journal, folder } = aJournal();
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, 'journal.jsonl'), `${JSON.stringify(anIntent())}\n`, { mode: 0o600 });
    const hint = hinting('hedge journal import');
    expect(damagedFileError(() => journal.read())).toMatchObject({ code: 'journal_earlier', hint });
    const refused = await rejection(journal.append([anIntent()]));
    expect(refused).toMatchObject({ code: 'journal_earlier', hint, effect: 'none' });
    expect(readdirSync(folder)).toEqual(['journal.jsonl']);
  });
});

describe('a journal that cannot grow', () => {
  it.each<[string, readonly [JournalRecord, ...JournalRecord[]], boolean]>([
    ['an intent', [anIntent()], true],
    ['an intent and its first send', [anIntent(), step(SENDING)], true],
    ['a second send', [step({ kind: 'sending', attempt: 2 })], false],
    ['an acceptance', [step(ACCEPTED)], false],
    ['a lost response', [step(UNKNOWN)], false],
    ['a record that it was not sent', [step({ kind: 'not_sent', why: 'declined' })], true],
  ])(
    'append: when %s cannot be written, the error says whether anything was sent',
    async (_what, records, nothingSent) => {
      const { open, path } = aJournal();
      await open().append([anIntent({ action_id: idOf('aaaa') })]);
      chmodSync(path, 0o644);
      const error = await rejection(open().append(records));
      expect([error.effect, error.message.includes('Nothing was sent')]).toEqual(
        nothingSent ? ['none', true] : ['unknown', false],
      );
      expect(error.message.includes('Do not send it again')).toBe(!nothingSent);
    },
  );
});

describe('a file that another one took the place of', () => {
  it('is noticed by a journal that has it open: a program that runs for long reads the new one', async () => {
    const { journal, open, path, folder } = aJournal();
    await journal.append([anIntent()]);
    journal.read();
    const aside = join(folder, 'aside');
    mkdirSync(aside);
    for (const end of ['', '-wal', '-shm']) renameSync(`${path}${end}`, join(aside, `journal.sqlite${end}`));
    createJournalFile(path, machine);
    expect(journal.read()).toMatchObject({ count: 0, trouble: { kind: 'rewound' } });
    expect(open().read()).toMatchObject({ count: 0, trouble: { kind: 'rewound' } });
  });

  it('also where the records of an earlier state were put into it', async () => {
    const { journal, open, path, folder } = aJournal();
    await journal.append([anIntent()]);
    const db = openJournalDatabase(path, machine.host) ?? expect.fail();
    const earlier = join(folder, 'earlier');
    db.run('VACUUM INTO ?', earlier);
    const lost = { action_id: idOf('bbbb'), deal_id: 'PAY-2' };
    await journal.append([anIntent(lost), step(SENDING)]);
    expect(actionsIn(journal.read())).toMatchObject([{ attempts: 1 }, { id: lost.action_id }]);
    db.run('ATTACH ? AS earlier', earlier);
    db.writing(() => {
      for (const table of ['records', 'lookup', 'summary']) db.exec(`DELETE FROM ${table}`);
      db.exec(
        'INSERT INTO records (seq, id, record, stamp, hash) SELECT seq, id, record, stamp, hash FROM earlier.records',
      );
      db.exec('INSERT INTO summary SELECT * FROM earlier.summary');
    });
    db.close();
    const close = anIntent({ action: 'close', action_id: idOf('cccc') });
    const sent = step(SENDING, 'cccc');
    await open().append([close, sent]);
    const state = journal.read();
    expect(actionsIn(state)).toMatchObject([
      { id: idOf('7c1e'), attempts: 0 },
      { id: idOf('cccc'), attempts: 1 },
    ]);
    expect([state.find({ dealIds: ['PAY-2'] }), state.trouble?.kind]).toEqual([[], 'rewound']);
  });
});

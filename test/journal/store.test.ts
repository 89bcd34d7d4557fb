/** The journal file: complete after any crash, private, and with clear errors when it cannot be written. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedFileError, StoppedError } from '../../src/errors.ts';
import { type JournalRecord, mintActionId, SCHEMA } from '../../src/journal/records.ts';
import type { JournalState } from '../../src/journal/state.ts';
import { openJournal } from '../../src/journal/store.ts';
import { damagedFileError, modeOf, temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';
import { chainOf } from './chain-of.ts';
import {
  ACCEPTED,
  actionsIn,
  anIntent,
  BY_ADA,
  DESK,
  HALT,
  idOf,
  NOT_SENT,
  REFUSED,
  SENDING,
  step,
  UNKNOWN,
  wholeState,
} from './records.ts';

const machine = testMachine();

function aJournal(options: { uid?: number; sealBytes?: number } = {}) {
  const home = temporaryFolder();
  const places = { config: join(home, 'config'), state: join(home, 'state'), cache: join(home, 'cache') };
  const { uid, ...rest } = options;
  const host = uid === undefined ? machine.host : { ...machine.host, uid };
  const journal = openJournal({ places, machine: { ...machine, host }, ...rest });
  return { journal, folder: places.state, path: journal.path };
}

/** A journal file with this content. */
function written(text: string | Buffer) {
  const made = aJournal();
  mkdirSync(made.folder, { mode: 0o700 });
  writeFileSync(made.path, text, { mode: 0o600 });
  return made;
}

/** The segment that grows. */
function activeFile(folder: string): string {
  const names = readdirSync(join(folder, 'journal')).filter((name) => name.endsWith('.jsonl'));
  return join(folder, 'journal', names.toSorted().at(-1) ?? expect.fail('no segment'));
}

const line = (record: unknown): string => `${JSON.stringify(record)}\n`;
/** Another process that opens the same journal. */
const other = (folder: string) =>
  openJournal({ places: { config: folder, state: folder, cache: folder }, machine });

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
  it.each([0o000, 0o022, 0o077])('append: makes folder and file private under umask %o', async (umask) => {
    const { journal, folder, path } = aJournal();
    await withUmask(umask, () => journal.append([anIntent()]));
    expect([folder, path].map(modeOf)).toEqual(['700', '600']);
    expect(readdirSync(folder)).toEqual(['journal', 'journal.jsonl']);
    expect(modeOf(join(folder, 'journal'))).toBe('700');
    const names = readdirSync(join(folder, 'journal'));
    expect(names).toEqual([
      expect.stringMatching(/^0001-\d{4}-\d\d\.jsonl$/),
      'active.index',
      'active.terms',
    ]);
    expect(names.map((name) => modeOf(join(folder, 'journal', name)))).toEqual(['600', '600', '600']);
  });

  it('append: returns the new state, and a reader gets the same', async () => {
    const { journal } = aJournal();
    await journal.append([anIntent()]);
    const after = await journal.append([step(SENDING), step(ACCEPTED)]);
    expect(actionsIn(after)).toMatchObject([{ state: 'accepted', hedgeId: 'hdg_1' }]);
    expect(wholeState(journal.read())).toEqual(wholeState(after));
    expect(journal.read().recordsOf(idOf('7c1e'))[0]).toEqual(anIntent({ short_id: '7c1e' }));
  });

  it('append: shows the guard the state, and writes nothing if the guard throws', async () => {
    const { journal, folder } = aJournal();
    await journal.append([anIntent()]);
    const before = readFileSync(activeFile(folder));
    const stop = new StoppedError({ code: 'duplicate', what: 'Sent already.' });
    const work = journal.append([anIntent({ action_id: idOf('bbbb') })], (state) => {
      expect(idsIn(state)).toEqual(['7c1e']);
      throw stop;
    });
    await expect(work).rejects.toBe(stop);
    expect(readFileSync(activeFile(folder))).toEqual(before);
  });

  it("append: rethrows a guard's own error about a file", async () => {
    const mine = new DamagedFileError('/x', { what: 'error of the guard' });
    const work = aJournal().journal.append([step(ACCEPTED)], () => {
      throw mine;
    });
    await expect(work).rejects.toBe(mine);
  });

  it('append: rejects a record that could not be read back', async () => {
    const { journal, folder } = aJournal();
    await journal.append([anIntent()]);
    const before = readFileSync(activeFile(folder));
    const half = anIntent({ action_id: idOf('bbbb'), notional_usd: '1e4' });
    const work = journal.append([step(SENDING), half]);
    await expect(work).rejects.toThrow('a record for the journal is not valid at "notional_usd"');
    expect(readFileSync(activeFile(folder))).toEqual(before);
  });

  it('read: creates nothing', () => {
    const { journal, folder } = aJournal();
    expect(journal.read()).toMatchObject({ count: 0, current: [], damage: [], cutTail: false, bytes: 0 });
    expect(existsSync(folder)).toBe(false);
  });

  it('action IDs: are 16 hexadecimal digits, each another one', () => {
    const ids = Array.from({ length: 100 }, () => mintActionId(machine.random));
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('a crash while writing', () => {
  const first = line(anIntent());
  const lost = { kind: 'unknown', why: 'connection "reset" ₦ {"a":{}}' } as const;

  it('crash: at every byte of the last line it keeps all records before and after it', async () => {
    const bytes = Buffer.from(line(step(lost)));
    for (let length = 0; length <= bytes.length; length += 1) {
      const content = Buffer.concat([Buffer.from(first), bytes.subarray(0, length)]);
      const { journal, folder } = written(content);
      const isWhole = length >= bytes.length - 1;
      const state = isWhole ? 'unknown' : 'prepared';
      const before = journal.read();
      expect(actionsIn(before)).toMatchObject([{ shortId: '7c1e', state }]);
      expect([before.cutTail, before.damage]).toEqual([length > 0 && !isWhole, []]);
      const after = await journal.append([anIntent({ action_id: idOf('cccc') })]);
      expect(actionsIn(after)).toMatchObject([{ shortId: '7c1e', state }, { shortId: 'cccc' }]);
      expect([after.cutTail, after.damage]).toEqual([false, []]);
      expect(wholeState(journal.read())).toEqual(wholeState(after));
      expect(readFileSync(join(folder, 'journal', '0000.jsonl'))).toEqual(content);
    }
  });

  it('crash: at every byte of a line of a segment, and of its repair, the next append repairs it', async () => {
    const { journal, folder } = aJournal();
    await journal.append([anIntent()]);
    const path = activeFile(folder);
    const kept = readFileSync(path);
    await journal.append([anIntent({ action_id: idOf('bbbb'), deal_id: 'PAY-₦-{}' })]);
    const whole = readFileSync(path);
    const check = async (length: number, content: Buffer): Promise<Buffer> => {
      const again = other(folder);
      writeFileSync(path, content.subarray(0, length));
      const before = again.read();
      const isRead = length >= whole.length - 1 && content === whole;
      expect([before.damage, before.count]).toEqual([[], isRead ? 2 : 1]);
      const state = await again.append([anIntent({ action_id: idOf('cccc') })]);
      const ids = isRead ? ['7c1e', 'bbbb', 'cccc'] : ['7c1e', 'cccc'];
      expect([idsIn(state), state.damage, state.cutTail]).toEqual([ids, [], false]);
      expect(wholeState(other(folder).read())).toEqual(wholeState(state));
      expect(chainOf(folder)).toEqual([]);
      return readFileSync(path);
    };
    for (let length = kept.length; length < whole.length; length += 7) {
      const repaired = await check(length, whole);
      // Up to some bytes after the mark and the end of the line.
      for (let again = length + 1; again < Math.min(length + 4, repaired.length); again += 1)
        await check(again, repaired);
    }
  });

  it.each([
    ['zeros', Buffer.alloc(512)],
    ['bytes that are not text', Buffer.from([0xff, 0xfe, 0x80])],
  ])('crash: %s at the end count as a cut line', async (_what, tail) => {
    const { journal } = written(Buffer.concat([Buffer.from(first), tail]));
    expect(journal.read()).toMatchObject({ cutTail: true, damage: [] });
    expect(await journal.append([step(SENDING)])).toMatchObject({ cutTail: false, damage: [] });
  });
});

describe('damage', () => {
  const intent = line(anIntent());
  const bad = (change: object): string => line({ ...anIntent({ action_id: idOf('bbbb') }), ...change });

  it.each<[string, string, string]>([
    ['a flipped byte', bad({}).replace('"schema"', '\u0001schema"'), 'is not valid JSON'],
    ['half a line', bad({}).slice(0, 50), 'is not valid JSON'],
    ['a list', '[1]', 'is not a record'],
    ['null', 'null', 'is not a record'],
    ['no schema', '{"kind":"intent"}', 'is not a record'],
    ['an unknown kind', bad({ kind: 'poem' }), 'is not valid at "kind"'],
    ['a notional of zero', bad({ notional_usd: '0.00' }), 'is not valid at "notional_usd"'],
    ['a notional that is a number', bad({ notional_usd: 5 }), 'is not valid at "notional_usd"'],
    ['no such day', bad({ at: '2026-02-31T25:00:00.000Z' }), 'is not valid at "at"'],
    ['an open without a tenor', bad({ tenor_days: undefined }), 'is not a record'],
    ['half an identity', bad({ identity: { environment: 'live' } }), 'is not valid at "identity.base_url"'],
  ])(
    'damage: %s in the middle is reported with its line, and other lines are read',
    async (_what, text, how) => {
      const { journal, folder } = written(`${intent}${text.trimEnd()}\n${line(step(UNKNOWN))}`);
      const state = journal.read();
      expect(state.damage).toEqual([{ line: 2, how }]);
      expect(actionsIn(state)).toMatchObject([{ shortId: '7c1e', state: 'unknown' }]);
      const sealed = { line: 2, how, path: join(folder, 'journal', '0000.jsonl') };
      expect((await journal.append([step(ACCEPTED)])).damage).toEqual([sealed]);
      expect(actionsIn(journal.read())).toMatchObject([{ state: 'accepted' }]);
    },
  );

  it.each([
    ['prepared', [anIntent()], 'unknown'],
    ['not sent', [anIntent(), step(SENDING), step(NOT_SENT)], 'unknown'],
    ['refused', [anIntent(), step(SENDING), step(REFUSED)], 'refused'],
  ] as const)('damage: after an action that was %s it may hide a send', async (_what, records, state) => {
    const text = records.map(line).join('');
    const { journal } = written(`${text}${line(step(SENDING)).replace('"kind"', '\u0001kind"')}`);
    expect(actionsIn(journal.read())).toMatchObject([{ state }]);
    const later = [anIntent({ action_id: idOf('beef'), idempotency_key: 'k-2' })] as const;
    expect(actionsIn(await journal.append(later))).toMatchObject([{ state }, { state: 'prepared' }]);
    expect(actionsIn(journal.read())).toMatchObject([{ state }, { state: 'prepared' }]);
  });

  it('damage: a changed final newline is no crash, since the line was complete', async () => {
    const { journal } = written(`${intent}${line(step(SENDING)).trimEnd()}\u000b`);
    const seen = { damage: [{ line: 2, how: 'is not valid JSON' }], cutTail: false };
    expect(journal.read()).toMatchObject({ ...seen, current: [{ state: 'unknown' }] });
    expect(await journal.append([step(UNKNOWN)])).toMatchObject(seen);
    expect(journal.read()).toMatchObject({ ...seen, current: [{ state: 'unknown' }] });
  });

  it('damage: a halt after it does not make the action before it certain', () => {
    const { journal } = written(`${intent}${line(step(NOT_SENT))}${bad({ at: 'noon' })}${line(HALT)}`);
    expect(actionsIn(journal.read())).toMatchObject([{ state: 'unknown' }]);
  });

  it('damage: an action whose intent is damaged is listed', () => {
    const { journal } = written(`${intent.slice(5)}${line(step(UNKNOWN))}`);
    expect(journal.read()).toMatchObject({ count: 0, orphans: [idOf('7c1e')], damage: [{ line: 1 }] });
  });

  it.each([0, SCHEMA + 1, 99])(
    'damage: a line of format %i is rejected by its number, and the file is unchanged',
    async (schema) => {
      const text = `${intent}${bad({ schema })}${intent}`;
      const { journal, path } = written(text);
      const what = `Line 2 of ${path} was written by another version of hedge (format ${schema.toString()}; this one reads up to ${SCHEMA.toString()}).`;
      expect(damagedFileError(() => journal.read()).what).toBe(what);
      expect(await rejection(journal.append([anIntent()]))).toMatchObject({ what, effect: 'none' });
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );
});

describe('a file that is not a journal of this user', () => {
  it.each<[string, (path: string, folder: string) => void, string | RegExp]>([
    [
      'a link',
      (path, folder) => {
        writeFileSync(join(folder, 'other'), line(anIntent()), { mode: 0o600 });
        symlinkSync('other', path);
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
    [
      'in a folder that others can write into',
      (_path, folder) => chmodSync(folder, 0o770),
      'can be written by other users',
    ],
  ])('journal file: %s is rejected, and nothing is written through it', async (_what, put, how) => {
    const { journal, folder, path } = aJournal();
    mkdirSync(folder, { mode: 0o700 });
    put(path, folder);
    const contents = () =>
      readdirSync(folder).map((name) => {
        const stats = statSync(join(folder, name), { throwIfNoEntry: false });
        return [name, stats?.mode, stats?.isFile() === true ? stats.size : undefined];
      });
    const before = contents();
    expect(damagedFileError(() => journal.read()).message).toMatch(how);
    const rejected = await rejection(journal.append([anIntent()]));
    expect(rejected.message).toMatch(how);
    expect(rejected.message).toContain('Nothing was sent');
    expect(contents()).toEqual(before);
  });

  it("journal file: another user's is rejected", async () => {
    const { journal, folder, path } = aJournal({ uid: (machine.host.uid ?? 0) + 1 });
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path, '', { mode: 0o600 });
    expect(damagedFileError(() => journal.read()).what).toContain('belongs to another user');
    expect((await rejection(journal.append([anIntent()]))).what).toContain('belongs to another user');
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
      const { journal, folder } = aJournal();
      await journal.append([anIntent({ action_id: idOf('aaaa') })]);
      chmodSync(activeFile(folder), 0o644);
      const error = await rejection(journal.append(records));
      expect([error.effect, error.message.includes('Nothing was sent')]).toEqual(
        nothingSent ? ['none', true] : ['unknown', false],
      );
      expect(error.message.includes('Do not enter it again')).toBe(!nothingSent);
    },
  );
});

describe('a journal of an earlier version', () => {
  const text = readFileSync(new URL('./journal-of-format-2.jsonl', import.meta.url), 'utf8');

  it('opens, becomes segment 0 byte for byte, and what was unresolved in it is settled', async () => {
    const { journal, folder } = written(text);
    const before = journal.read();
    expect(actionsIn(before)).toMatchObject([
      { shortId: '7195', state: 'done' },
      { shortId: '8955', state: 'unknown' },
    ]);
    const [, lost] = actionsIn(before);
    const id = lost?.id ?? expect.fail('no action');
    const settled = { kind: 'settled', as: 'nothing', because: 'it never arrived' } as const;
    const after = await journal.append([Object.assign(step(settled), { schema: 3 as const, action_id: id })]);
    expect(actionsIn(after)).toMatchObject([{ state: 'done' }, { id, state: 'settled' }]);
    expect(wholeState(other(folder).read())).toEqual(wholeState(after));
    expect(after.find({ dealIds: ['PAY-2'] })).toMatchObject([{ id, settledAs: 'nothing' }]);
    expect(readFileSync(join(folder, 'journal', '0000.jsonl'), 'utf8')).toBe(text);
    expect(readFileSync(join(folder, 'journal.jsonl'), 'utf8')).toBe(
      '{"schema":3,"kind":"segments","folder":"journal"}\n',
    );
    expect(chainOf(folder)).toEqual([]);
  });

  it('is not migrated by reading, and not mixed with segments of another journal', async () => {
    const { journal, folder, path } = written(text);
    journal.read();
    await journal.prepare();
    expect(readdirSync(folder)).toEqual(['journal.jsonl']);
    await journal.append([anIntent()]);
    // A copy that was restored over the line that names the folder.
    writeFileSync(path, text, { mode: 0o600 });
    expect(idsIn(await other(folder).append([anIntent({ action_id: idOf('beef') })]))).toHaveLength(4);
    writeFileSync(path, text.replace('PAY-1', 'PAY-9'), { mode: 0o600 });
    const error = await rejection(other(folder).append([anIntent({ action_id: idOf('cafe') })]));
    expect(error).toMatchObject({ effect: 'none', what: expect.stringContaining('hold two journals') });
  });
});

describe('a journal of three formats', () => {
  it('lines: records of formats 1 and 2 are read unchanged, and stay byte for byte', async () => {
    const before = anIntent();
    const since = anIntent({
      schema: 2,
      action_id: idOf('8d2f'),
      identity: { ...DESK, environment: 'live', account: 'payroll', key_fingerprint: '0f0f0f0f' },
    });
    const sending = { ...step(SENDING, '8d2f'), schema: 2, key_fingerprint: '0f0f0f0f' } as const;
    const text = [before, step(SENDING), since, sending].map(line).join('');
    const { journal, folder } = written(text);
    const own = anIntent({ schema: 3, action_id: idOf('7c1f'), note: 'invoice 8841', ...BY_ADA });
    for (const state of [journal.read(), await journal.append([own])]) {
      expect(state.recordsOf(before.action_id)).toEqual([before, step(SENDING)]);
      expect(state.recordsOf(since.action_id)).toEqual([since, sending]);
    }
    expect(journal.read().recordsOf(own.action_id)).toEqual([{ ...own, short_id: '7c1f' }]);
    expect(readFileSync(join(folder, 'journal', '0000.jsonl'), 'utf8')).toBe(text);
    expect(chainOf(folder)).toEqual([]);
  });

  it('lines: a halt and its end are read as records of no action', async () => {
    const { journal } = written('');
    await journal.append([anIntent(), step(SENDING)]);
    await journal.append([HALT]);
    await journal.append([
      { schema: 3, kind: 'unhalt', at: HALT.at, lifted: { who: HALT.who, at: HALT.at, why: HALT.why } },
    ]);
    await journal.append([step(REFUSED)]);
    const state = journal.read();
    expect([state.damage, state.orphans, state.count]).toEqual([[], [], 1]);
    expect(actionsIn(state)).toMatchObject([{ id: idOf('7c1e'), state: 'refused', attempts: 1 }]);
    expect(state.recordsOf(idOf('7c1e')).map(({ kind }) => kind)).toEqual(['intent', 'sending', 'refused']);
    expect([...state.halts()].map(({ kind }) => kind)).toEqual(['unhalt', 'halt']);
    expect([...state.halts({ from: HALT.at })]).toHaveLength(2);
    expect([...state.halts({ until: HALT.at })]).toEqual([]);
    expect(state.latestSince(idOf('7c1e'))).toBe(HALT.at);
  });
});

/**
 * What the journal cannot take, as it is damaged or in use, is in `pending.sqlite`: it counts at once, for every question and
 * guard, and goes into the journal once.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hintText } from '../../src/domain/hint.ts';
import { DamagedFileError } from '../../src/errors.ts';
import type { JournalRecord } from '../../src/journal/records.ts';
import type { JournalState } from '../../src/journal/state.ts';
import { openJournal } from '../../src/journal/store/journal.ts';
import { type JournalDatabase, openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { insertRecords } from '../../src/journal/store/new-records.ts';
import type { Pending } from '../../src/journal/store/pending-records.ts';
import { headOf, readableRecords } from '../../src/journal/store/record-rows.ts';
import { createJournalFile } from '../../src/journal/store/schema.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Host } from '../../src/platform/host.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { anyJournal, expectAlike, recordsIn } from './alike.ts';
import { readerOf, stateOf } from './in-memory.ts';
import { journalAt, machineAt, placesIn } from './journal-at.ts';
import {
  ACCEPTED,
  actionsIn,
  anIntent,
  aRoll,
  at,
  DESK,
  FILLED,
  HALT,
  idOf,
  NOON,
  recordsOf,
  SENDING,
  step,
  wholeState,
} from './records.ts';

const { host } = testMachine();
const opened = (home: string) => journalAt(home, () => NOON, { busyMs: 200 });
const pathOf = (home: string, name: string): string => join(placesIn(home).state, name);

/** Opened by SQLite for a moment. */
function withFile<T>(home: string, name: string, work: (db: JournalDatabase) => T): T {
  const db = openJournalDatabase(pathOf(home, name), host);
  if (db === undefined) throw new Error(`there is no ${name}`);
  try {
    return work(db);
  } finally {
    db.close();
  }
}
const setMark = (home: string, mark: number): void =>
  withFile(home, 'journal.sqlite', (db) => db.exec(`PRAGMA application_id = ${mark.toString()}`));
/** Its first page is another one: nothing of it counts but what can be salvaged. */
const damage = (home: string): void => setMark(home, 7);
/** As it was before it was damaged. */
const mend = (home: string): void => setMark(home, 0x6864674a);
const waitingIn = (home: string): readonly string[] =>
  existsSync(pathOf(home, 'pending.sqlite'))
    ? withFile(home, 'pending.sqlite', (db) => [...readableRecords(db)].map(({ id }) => id))
    : [];
const writtenIn = (home: string): readonly string[] =>
  withFile(home, 'journal.sqlite', (db) => [...readableRecords(db)].map(({ id }) => id));

const rejection = (work: Promise<unknown>): Promise<DamagedFileError> =>
  work.then(
    () => expect.fail('it was appended'),
    (error: unknown) => (error instanceof DamagedFileError ? error : expect.fail(String(error))),
  );

const aClose = (id: string) =>
  anIntent({ action: 'close', action_id: idOf(id), idempotency_key: `k-${id}`, at: at(-5) });
const anOpen = (id: string) =>
  anIntent({ action_id: idOf(id), idempotency_key: `k-${id}`, deal_id: `PAY-${id}`, at: at(-5) });
const idsIn = (state: JournalState): readonly string[] =>
  actionsIn(state).map(({ id }) => id.replace(/0+$/, ''));

/** An open that was filled, one in flight, and a roll. */
async function aDesk(): Promise<string> {
  const home = temporaryFolder();
  const journal = opened(home);
  await journal.append([anOpen('aaa1'), step(SENDING, 'aaa1'), step(ACCEPTED, 'aaa1'), step(FILLED, 'aaa1')]);
  await journal.append([anOpen('aaa2'), step(SENDING, 'aaa2')]);
  await journal.append([aRoll({ hedge_id: 'hdg_1' })]);
  journal.close();
  return home;
}

describe('a journal with pending records', () => {
  it('answers as if they were in it', () => {
    fc.assert(
      fc.property(anyJournal(), fc.nat(60), (appends, before) => {
        const [written, all] = [recordsIn(appends.slice(0, before)), recordsIn(appends)];
        const nowMs = Math.max(NOON, ...appends.map(({ atMs }) => atMs));
        const about = { isRunning: () => false, nowMs };
        const home = temporaryFolder(() => undefined);
        const path = join(home, 'journal.sqlite');
        const stored = (records: readonly JournalRecord[], from: number): Pending =>
          records.map((record, index) => ({
            id: `id-${(from + index).toString()}`,
            record: JSON.stringify(record),
            read: record,
          }));
        createJournalFile(path, testMachine(), (db) => insertRecords(db, stored(written, 0)));
        const db = openJournalDatabase(path, testMachine().host) ?? expect.fail('no database');
        const waiting = stored(all.slice(written.length), written.length);
        expectAlike(readerOf(db, about, waiting), stateOf(all, { ...about, path, trouble: undefined }), all);
        // A process that died after it had taken some of them in.
        db.writing(() => insertRecords(db, waiting.slice(0, before % 7)));
        expectAlike(readerOf(db, about, waiting), stateOf(all, { ...about, path, trouble: undefined }), all);
        db.close();
        rmSync(home, { recursive: true, force: true });
      }),
      { numRuns: 40, seed: 20_261_124 },
    );
  });
});

describe('a damaged journal', () => {
  it('takes a close as a pending one, which every question sees, and no open', async () => {
    const home = await aDesk();
    damage(home);
    const journal = opened(home);
    const refused = await rejection(journal.append([anOpen('bbb1')]));
    expect([refused.code, refused.effect, hintText(refused.hint)]).toEqual([
      'damaged_file',
      'none',
      expect.stringContaining('hedge journal repair'),
    ]);
    expect((await rejection(journal.append([aRoll({ chain_id: 'deadbeef' })]))).code).toBe('damaged_file');
    expect(waitingIn(home)).toEqual([]);
    await journal.append([aClose('c105')]);
    for (const state of [await journal.append([step(SENDING, 'c105')]), opened(home).read()]) {
      expect(state.trouble).toMatchObject({ kind: 'damaged', path: journal.path });
      expect(idsIn(state)).toEqual(['aaa1', 'aaa2', 'c105']);
      expect(state.find({ keys: ['k-c105'] })).toMatchObject([{ state: 'sent', shortId: idOf('c105') }]);
      expect(state.current.map(({ id }) => id)).toContain(idOf('c105'));
      expect(state.recordsOf(idOf('c105')).map(({ kind }) => kind)).toEqual(['intent', 'sending']);
      expect([...state.newest()][0]?.id).toBe(idOf('c105'));
      expect([state.count, state.rolls.length]).toEqual([3, 1]);
    }
    expect((await rejection(journal.append([step({ ...SENDING, attempt: 2 }, 'aaa2')]))).code).toBe(
      'damaged_file',
    );
  });

  it('takes outcomes, halts and their ends, and what is pending counts at once', async () => {
    const home = await aDesk();
    damage(home);
    await opened(home).append([step(ACCEPTED, 'aaa2'), step(FILLED, 'aaa2')]);
    await opened(home).append([HALT]);
    const state = opened(home).read();
    expect(state.find({ ids: ['aaa2'] })).toMatchObject([{ state: 'done' }]);
    expect([state.halt?.ids, [...state.halts()].length]).toEqual([[HALT.halt_id], 1]);
    await opened(home).append([{ schema: 3, kind: 'unhalt', at: at(40), halt_ids: [HALT.halt_id] }]);
    await opened(home).append([
      { schema: 3, kind: 'roll_end', at: at(50), chain_id: aRoll().chain_id, as: 'dropped' },
    ]);
    expect(opened(home).read()).toMatchObject({ halt: undefined, rolls: [] });
  });

  it('lets the guard of a second close see the first', async () => {
    const home = await aDesk();
    damage(home);
    const closing = (id: string) =>
      opened(home).append([aClose(id)], ({ current }) => {
        if (current.some(({ intent }) => intent.action === 'close')) throw new Error('closed already');
      });
    const ends = await Promise.allSettled([closing('c105'), closing('c106'), closing('c107')]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(waitingIn(home)).toHaveLength(1);
  });

  it('is found by a question of a guard: then the same append goes the same way', async () => {
    const home = await aDesk();
    // The text of the filled open; its hash says so.
    withFile(home, 'journal.sqlite', (db) =>
      db.run("UPDATE records SET record = replace(record, '1532.71', '1532.72') WHERE kind = 'outcome'"),
    );
    const asking = ({ find }: JournalState): void => void find({ ids: ['aaa1'] });
    expect(opened(home).read().trouble).toBeUndefined();
    const refused = await rejection(opened(home).append([anOpen('bbb1')], asking));
    expect(refused).toMatchObject({
      code: 'damaged_file',
      what: expect.stringContaining('is not what its hash says'),
    });
    expect(refused.what).not.toMatch(/is damaged.*is damaged/);
    const state = await opened(home).append([aClose('c105')], asking);
    expect(idsIn(state)).toContain('c105');
    expect(waitingIn(home)).toHaveLength(1);
    // The next ones too, while the first one waits.
    await opened(home).append([aClose('c106')], asking);
    await opened(home).append([step(SENDING, 'c105')], asking);
    await opened(home).append([step(FILLED, 'aaa1')], asking);
    expect(waitingIn(home)).toHaveLength(4);
  });
});

describe('pending records', () => {
  it('go into the journal with its next append, once and in their order', async () => {
    const home = await aDesk();
    damage(home);
    await opened(home).append([aClose('c105'), step(SENDING, 'c105')]);
    await opened(home).append([HALT]);
    const waiting = waitingIn(home);
    mend(home);
    const before = opened(home).read();
    expect([before.trouble, before.halt?.ids, idsIn(before)]).toEqual([
      undefined,
      [HALT.halt_id],
      ['aaa1', 'aaa2', 'c105'],
    ]);
    const seen: (readonly string[])[] = [];
    const after = await opened(home).append([aClose('c106')], (state) =>
      seen.push([...(state.halt?.ids ?? []), ...idsIn(state)]),
    );
    expect(seen).toEqual([[HALT.halt_id, 'aaa1', 'aaa2', 'c105']]);
    expect(idsIn(after)).toEqual(['aaa1', 'aaa2', 'c105', 'c106']);
    expect(writtenIn(home).slice(-1 - waiting.length, -1)).toEqual(waiting);
    expect(waitingIn(home)).toEqual([]);
    expect(wholeState(opened(home).read())).toEqual(wholeState(after));
  });

  it('are not doubled where the process died before it removed them, nor where another one adds to them', async () => {
    const home = await aDesk();
    damage(home);
    await opened(home).append([aClose('c105'), step(SENDING, 'c105')]);
    execFileSync('cp', ['-a', placesIn(home).state, join(home, 'copy')]);
    mend(home);
    const good = await opened(home).append([aClose('c106')]);
    const killed = temporaryFolder();
    execFileSync('cp', ['-a', placesIn(home).state, placesIn(killed).state]);
    for (const end of ['', '-wal', '-shm']) {
      rmSync(pathOf(killed, `pending.sqlite${end}`), { force: true });
      execFileSync('cp', [
        '-a',
        join(home, 'copy', `pending.sqlite${end}`),
        pathOf(killed, `pending.sqlite${end}`),
      ]);
    }
    const expected = wholeState(good).actions;
    expect(wholeState(opened(killed).read()).actions).toEqual(expected);
    damage(killed);
    await opened(killed).append([step(ACCEPTED, 'c105')]);
    mend(killed);
    const state = await opened(killed).append([step({ ...FILLED, outcome: 'closed' }, 'c105')]);
    expect(state.recordsOf(idOf('c105')).map(({ kind }) => kind)).toEqual([
      'intent',
      'sending',
      'accepted',
      'outcome',
    ]);
    expect([waitingIn(killed), state.trouble]).toEqual([[], undefined]);
    const ids = writtenIn(killed);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are seen by a reader while another process takes them into the journal, whenever it does', async () => {
    const moments: number[] = [];
    for (let moment = 1; moment < 30; moment += 1) {
      const home = await aDesk();
      damage(home);
      await opened(home).append([HALT, aClose('c105')]);
      mend(home);
      let left = moment;
      let other: Promise<unknown> | undefined;
      const hooked: Host = {
        ...host,
        get uid() {
          left -= 1;
          if (left === 0) other = opened(home).append([aClose('c106')]);
          return host.uid;
        },
      };
      const journal = openJournal({
        places: placesIn(home),
        machine: { ...machineAt(() => NOON), host: hooked },
      });
      const state = journal.read();
      expect([moment, state.halt?.ids, idsIn(state).includes('c105')]).toEqual([
        moment,
        [HALT.halt_id],
        true,
      ]);
      journal.close();
      if (other === undefined) break;
      await other;
      moments.push(moment);
    }
    expect(moments.length).toBeGreaterThan(5);
  });

  it('that are damaged stop opens, and a close goes into the journal; with both damaged the error names the file', async () => {
    const home = await aDesk();
    damage(home);
    await opened(home).append([aClose('c105')]);
    mend(home);
    withFile(home, 'pending.sqlite', (db) => db.exec('PRAGMA application_id = 7'));
    const { trouble } = opened(home).read();
    expect(trouble).toMatchObject({ kind: 'damaged', path: pathOf(home, 'pending.sqlite') });
    expect((await rejection(opened(home).append([anOpen('bbb1')]))).path).toBe(
      pathOf(home, 'pending.sqlite'),
    );
    expect(idsIn(await opened(home).append([aClose('c106')]))).toEqual(['aaa1', 'aaa2', 'c106']);
    damage(home);
    const error = await rejection(opened(home).append([aClose('c107')]));
    expect([error.path, error.effect]).toEqual([pathOf(home, 'pending.sqlite'), 'none']);
  });

  it('leave no file behind where there is nothing to keep', async () => {
    const home = await aDesk();
    await opened(home).append([HALT]);
    expect(readdirSync(placesIn(home).state).filter((name) => name.startsWith('pending'))).toEqual([]);
  });
});

describe('a journal that another process is writing to', () => {
  const BUSY_MS = 300;
  const clock = { ...systemClock, now: () => NOON };
  const waiting = (home: string, busyMs = BUSY_MS) =>
    openJournal({ places: placesIn(home), machine: { ...testMachine(), clock }, busyMs });

  /** While it holds the place of the writer. */
  async function whileHeld<T>(home: string, work: () => Promise<T>): Promise<T> {
    const db = openJournalDatabase(pathOf(home, 'journal.sqlite'), host);
    db?.exec('BEGIN IMMEDIATE');
    try {
      return await work();
    } finally {
      db?.exec('ROLLBACK');
      db?.close();
    }
  }

  it('is halted within the busy time, for readers and for guards', async () => {
    const home = await aDesk();
    const head = withFile(home, 'journal.sqlite', headOf).seq;
    const took = await whileHeld(home, async () => {
      const from = performance.now();
      const state = await waiting(home).append([HALT]);
      expect(state).toMatchObject({ halt: { ids: [HALT.halt_id] }, trouble: undefined });
      expect(opened(home).read().halt?.why).toBe(HALT.why);
      return performance.now() - from;
    });
    expect(took).toBeGreaterThan(BUSY_MS);
    expect(withFile(home, 'journal.sqlite', headOf).seq).toBe(head);
    const stopped = opened(home).append([anOpen('bbb1')], ({ halt }) => {
      if (halt !== undefined) throw new DamagedFileError('halted', { what: halt.why });
    });
    expect((await rejection(stopped)).what).toBe(HALT.why);
    expect(opened(home).read().halt?.why).toBe(HALT.why);
    // It goes into the journal with the next append.
    await opened(home).append([aClose('c105')]);
    expect([waitingIn(home), withFile(home, 'journal.sqlite', headOf).seq]).toEqual([[], head + 2]);
    expect(opened(home).read().halt?.why).toBe(HALT.why);
  });

  it('tries for the busy time, not for that many turns', async () => {
    const home = await aDesk();
    let slept = 0;
    let elapsed = 0;
    const slow = {
      ...testMachine(),
      clock: {
        ...clock,
        // Each turn takes a second, as on a machine that is very busy.
        monotonic: () => (elapsed += 500),
        sleep: async () => void (slept += 1),
      },
    };
    const journal = openJournal({ places: placesIn(home), machine: slow, busyMs: 5_000 });
    await whileHeld(home, () => journal.append([HALT]));
    expect(slept).toBeLessThan(12);
  });

  it.each<[string, readonly [JournalRecord, ...JournalRecord[]]]>([
    ['an open', [anOpen('bbb1')]],
    ['the first leg of a roll', [anIntent({ ...aClose('c105'), chain_id: 'deadbeef' })]],
    ['a reduce', [anIntent({ ...aClose('c105'), action: 'reduce' })]],
    ['a first send of an open', [anOpen('bbb1'), step(SENDING, 'bbb1')]],
    ['a roll', [aRoll({ chain_id: 'deadbeef' })]],
    ['the end of a halt', [{ schema: 3, kind: 'unhalt', at: at(), halt_ids: [HALT.halt_id] }]],
    ['a halt with an open', [HALT, anOpen('bbb1')]],
  ])('refuses %s as it is in use, and nothing is written', async (_what, records) => {
    const home = await aDesk();
    const error = await whileHeld(home, () => rejection(waiting(home).append(records)));
    expect([error.what, error.effect, error.retry]).toEqual([
      expect.stringContaining('is in use'),
      'none',
      'later',
    ]);
    expect([waitingIn(home), withFile(home, 'journal.sqlite', headOf).seq]).toEqual([[], 7]);
  });

  it('is waited for: what comes free in time takes the record itself', async () => {
    const home = await aDesk();
    let appended: Promise<unknown> = Promise.resolve();
    await whileHeld(home, async () => {
      appended = waiting(home, 60_000).append([anOpen('bbb1')]);
      await systemClock.sleep(60);
    });
    await appended;
    expect([waitingIn(home), withFile(home, 'journal.sqlite', headOf).seq]).toEqual([[], 8]);
  });

  it('keeps what happened as pending: an outcome of what was sent', async () => {
    const home = await aDesk();
    const state = await whileHeld(home, () =>
      waiting(home).append([step(ACCEPTED, 'aaa2'), step(FILLED, 'aaa2')]),
    );
    expect(state.find({ ids: ['aaa2'] })).toMatchObject([{ state: 'done', hedgeId: 'hdg_1' }]);
    expect(state.openedOn(DESK, at().slice(0, 10)).toFixed()).toBe('20000');
    expect(recordsOf('aaa2', {}).length).toBe(1);
  });

  it('keeps a close as pending, with its sending: a position can be closed', async () => {
    const home = await aDesk();
    const sent = await whileHeld(home, async () => {
      await waiting(home).append([aClose('c105')]);
      return waiting(home).append([step(SENDING, 'c105')]);
    });
    expect(sent.find({ ids: ['c105'] })).toMatchObject([{ state: 'sent' }]);
    await opened(home).append([anOpen('bbb1')]);
    expect(
      opened(home)
        .read()
        .find({ ids: ['c105'] }),
    ).toMatchObject([{ state: 'sent' }]);
    expect(waitingIn(home)).toEqual([]);
  });

  it('does not stop a reader', async () => {
    const home = await aDesk();
    await whileHeld(home, async () => {
      expect(idsIn(opened(home).read())).toEqual(['aaa1', 'aaa2']);
    });
  });
});

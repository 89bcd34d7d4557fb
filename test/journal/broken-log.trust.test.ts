/**
 * One wrong byte in the log of the journal hides each later record from SQLite. It is damage, not an older copy; no reader
 * removes what is behind it; and a repair keeps every record but the one with the byte.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openJournalDatabase } from '../../src/journal/store/journal-database.ts';
import { corrected, isBroken } from '../../src/journal/store/log-frames.ts';
import { repairJournal } from '../../src/journal/store/repair.ts';
import { openAudit } from '../../src/journal/verify.ts';
import { temporaryFolder, testMachine } from '../support/own-folder.ts';
import { journalAt, machineAt, placesIn } from './journal-at.ts';
import { deskRecords, USED } from './questions.ts';
import { BY_ADA, HALT, NOON } from './records.ts';

const SIGNATURE = { who: 'Ada O. (ada@desk)', operator: BY_ADA.operator, version: '1.2.3' };
const PAGE = 4_096;
const FRAME = PAGE + 24;
const logIn = (home: string): string => join(placesIn(home).state, 'journal.sqlite-wal');

const keptIn = (home: string): readonly string[] =>
  readdirSync(placesIn(home).state).filter((name) => name.includes('-wal.damaged'));

/** A journal whose records are all in its log, which a handle keeps; each home is a copy of it. */
const first = temporaryFolder(afterAll);
const written = (async () => {
  const journal = journalAt(first, () => NOON);
  for (const records of deskRecords({ isHalted: true, count: 2 })) await journal.append(records);
  return journal.read().count;
})();

async function aHome(change: (log: Buffer) => void): Promise<string> {
  await written;
  const home = temporaryFolder();
  execFileSync('cp', ['-a', `${first}/.`, home]);
  const log = readFileSync(logIn(home));
  change(log);
  writeFileSync(logIn(home), log);
  return home;
}

const flipped = (at: number) => (log: Buffer) => void log.writeUInt8((log[at] ?? 0) ^ 0x20, at);

const PLACES: readonly (readonly [string, number])[] = [
  ['the salt of the header', 17],
  ['the sums of the header', 26],
  ['a page', 32 + 5 * FRAME + 24 + PAGE - 40],
  ['the sums of a frame', 32 + 5 * FRAME + 18],
  ['the salt of a frame', 32 + 5 * FRAME + 9],
  ['the first page', 32 + 24 + PAGE - 8],
];

describe('a log with a wrong byte', () => {
  it.each(PLACES)(
    'in %s is damage to each reader, and no reader loses what is behind it',
    async (_what, at) => {
      const home = await aHome(flipped(at));
      for (const round of [1, 2, 3]) {
        const journal = journalAt(home, () => NOON);
        expect([round, journal.read().trouble]).toMatchObject([
          round,
          { kind: 'damaged', what: expect.stringContaining('its log has records after record') },
        ]);
        journal.close();
      }
      const result = await repairJournal({
        places: placesIn(home),
        machine: machineAt(() => NOON),
        signature: SIGNATURE,
      });
      const [file] = result.files;
      const missing = (file?.missing ?? []).reduce((sum, { from, to }) => sum + to - from + 1, 0);
      expect(missing).toBeLessThanOrEqual(1);
      expect(keptIn(home)).toEqual([expect.stringContaining(`${basename(file?.aside ?? '')}-wal.damaged-`)]);
      const after = journalAt(home, () => NOON).read();
      expect([after.trouble, after.halt === undefined, after.find({ dealIds: [USED] }).length]).toEqual([
        undefined,
        false,
        1,
      ]);
    },
  );

  it.each([
    ['before its first commit', 5, 'its log has records after record'],
    ['between commits', 40, 'its log belongs to another copy'],
  ])(
    '%s is damage, and is read whole by a repair, also where the database has those commits',
    async (_what, frame, what) => {
      await written;
      const home = temporaryFolder();
      execFileSync('cp', ['-a', `${first}/.`, home]);
      const path = join(placesIn(home).state, 'journal.sqlite');
      const journal = journalAt(home, () => NOON);
      const { count } = journal.read();
      // A reader keeps the log from beginning again.
      const reader = openJournalDatabase(path, testMachine().host) ?? expect.fail('no database');
      reader.exec('BEGIN');
      reader.get('SELECT count(*) FROM records');
      const other = openJournalDatabase(path, testMachine().host);
      other?.exec('PRAGMA wal_checkpoint(PASSIVE)');
      await journal.append([{ ...HALT, halt_id: 'aa00000000000077' }]);
      const half = temporaryFolder();
      execFileSync('cp', ['-a', `${home}/.`, half]);
      reader.exec('ROLLBACK');
      const log = readFileSync(logIn(half));
      flipped(32 + frame * FRAME + 24 + PAGE - 40)(log);
      writeFileSync(logIn(half), log);
      expect(journalAt(half, () => NOON).read().trouble).toMatchObject({
        kind: 'damaged',
        what: expect.stringContaining(what),
      });
      const { files } = await repairJournal({
        places: placesIn(half),
        machine: machineAt(() => NOON),
        signature: SIGNATURE,
      });
      const missing = (files[0]?.missing ?? []).reduce((sum, { from, to }) => sum + to - from + 1, 0);
      expect(missing).toBeLessThanOrEqual(1);
      const after = journalAt(half, () => NOON).read();
      expect([after.trouble, after.count]).toEqual([undefined, count]);
      expect(after.halt?.ids).toContain('aa00000000000077');
    },
  );

  it('has a halt that is kept, whatever is read and closed in between', async () => {
    const home = await aHome(flipped(32 + 5 * FRAME + 18));
    const journal = journalAt(home, () => NOON);
    await journal.append([{ ...HALT, halt_id: 'aa00000000000077' }]);
    journal.close();
    await repairJournal({ places: placesIn(home), machine: machineAt(() => NOON), signature: SIGNATURE });
    expect(journalAt(home, () => NOON).read().halt?.ids).toEqual(
      expect.arrayContaining(['aa00000000000077', HALT.halt_id]),
    );
  });

  it('that was kept counts no more once the newest copy was put back and the journal went on', async () => {
    const home = await aHome(flipped(32 + 5 * FRAME + 18));
    const damaged = journalAt(home, () => NOON);
    expect(damaged.read().trouble?.kind).toBe('damaged');
    damaged.close();
    const { state } = placesIn(home);
    const files = ['journal.sqlite', 'journal.sqlite-wal'];
    const putBack = (from: string): void => {
      for (const each of [...files, 'journal.sqlite-shm']) rmSync(join(state, each), { force: true });
      for (const each of files)
        if (existsSync(join(from, each))) copyFileSync(join(from, each), join(state, each));
    };
    putBack(placesIn(first).state);
    const goesOn = journalAt(home, () => NOON);
    expect(goesOn.read().trouble).toBeUndefined();
    const later = (round: number) =>
      goesOn.append([{ ...HALT, halt_id: `aa0000000000008${round.toString()}` }]);
    await later(1);
    goesOn.close();
    const older = temporaryFolder();
    for (const each of files) copyFileSync(join(state, each), join(older, each));
    await later(2);
    goesOn.close();
    expect(keptIn(home)).toHaveLength(1);
    putBack(older);
    expect(journalAt(home, () => NOON).read().trouble).toMatchObject({ kind: 'rewound' });
  });

  it('is read with its database where a copy of the folder is verified, and neither is changed', async () => {
    await written;
    const home = temporaryFolder();
    execFileSync('cp', ['-a', `${first}/.`, home]);
    const { state } = placesIn(home);
    const file = join(state, 'journal.sqlite');
    const bytes = (): readonly Buffer[] => [file, logIn(home)].map((each) => readFileSync(each));
    const before = bytes();
    const report = await openAudit({
      places: { state: temporaryFolder() },
      machine: machineAt(() => NOON),
    }).verify({ file });
    expect([report.changeCount, report.damage]).toEqual([0, []]);
    expect(report.records).toBeGreaterThan(10);
    expect(bytes()).toEqual(before);
  });

  it('is none that a power cut left: cut anywhere, it has no frame behind the end', async () => {
    await written;
    const log = readFileSync(logIn(first));
    for (let end = 0; end < log.length; end += 1_001)
      expect(isBroken(log.subarray(0, end), PAGE)).toBe(false);
  });

  it('is the same again once it is corrected', async () => {
    await written;
    const log = readFileSync(logIn(first));
    for (const [, at] of PLACES.filter(([what]) => /salt|sums/.test(what))) {
      const broken = Buffer.from(log);
      flipped(at)(broken);
      expect([
        at,
        isBroken(broken, PAGE),
        corrected(broken, PAGE).subarray(8).equals(log.subarray(8)),
      ]).toEqual([at, true, true]);
    }
  });
});

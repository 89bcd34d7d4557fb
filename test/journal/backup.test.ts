/** A copy of the journal while it is in use, and what becomes of it when it is put back. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OutputError, UsageError } from '../../src/errors.ts';
import { backupJournal } from '../../src/journal/store/backup.ts';
import { JournalDamage } from '../../src/journal/store/journal-database.ts';
import { headOf, storedRecords } from '../../src/journal/store/record-rows.ts';
import { databaseFile, openJournalFile } from '../../src/journal/store/schema.ts';
import { readWitness } from '../../src/journal/store/witness.ts';
import { modeOf, temporaryFolder, testMachine, withUmask } from '../support/own-folder.ts';
import { journalAt, machineAt, placesIn } from './journal-at.ts';
import { ACCEPTED, actionAt, at, FILLED, NOON, SENDING } from './records.ts';

const { host } = testMachine();
const machine = machineAt(() => NOON);
const journalIn = (home: string) => journalAt(home, () => NOON);
const backup = (home: string, to: string) => backupJournal(to, { places: placesIn(home), machine });
const rows = (path: string) => {
  const db = openJournalFile(path, host);
  return db === undefined ? [] : [...storedRecords(db)];
};

async function homeWith(actions = 3): Promise<string> {
  const home = temporaryFolder();
  for (let index = 0; index < actions; index += 1)
    await journalIn(home).append(actionAt(at(index), `${index.toString()}aaa`, SENDING, ACCEPTED, FILLED));
  return home;
}

/** As the state folder of another home, without a log beside it. */
function putBack(copy: string, witnessOf: string): string {
  const home = temporaryFolder();
  mkdirSync(join(home, 'state'), { mode: 0o700 });
  cpSync(copy, databaseFile(join(home, 'state')));
  copyFileSync(join(witnessOf, 'state', 'journal.head'), join(home, 'state', 'journal.head'));
  return home;
}

describe('backupJournal', () => {
  it('copies every record that is committed, also those in the log, and names the head', async () => {
    const home = await homeWith();
    const to = join(temporaryFolder(), 'copy.sqlite');
    const made = await withUmask(0o022, () => backup(home, to));
    expect(made).toEqual({ path: to, head: readWitness(join(home, 'state'), host) });
    expect(rows(to)).toEqual(rows(databaseFile(join(home, 'state'))));
    expect(modeOf(to)).toBe('600');
  });

  it('leaves out what a writer has not committed, and does not wait for it', async () => {
    const home = await homeWith();
    const writer = openJournalFile(databaseFile(join(home, 'state')), host);
    writer?.exec('BEGIN IMMEDIATE');
    writer?.exec('DELETE FROM records WHERE seq = 12');
    const to = join(temporaryFolder(), 'copy.sqlite');
    expect(backup(home, to).head.seq).toBe(12);
    writer?.exec('ROLLBACK');
  });

  it('changes nothing of the journal', async () => {
    const home = await homeWith();
    const before = readdirSync(join(home, 'state'));
    const [records, witness] = [
      rows(databaseFile(join(home, 'state'))),
      readWitness(join(home, 'state'), host),
    ];
    backup(home, join(temporaryFolder(), 'copy.sqlite'));
    expect(readdirSync(join(home, 'state'))).toEqual(before);
    expect([rows(databaseFile(join(home, 'state'))), readWitness(join(home, 'state'), host)]).toEqual([
      records,
      witness,
    ]);
  });

  it('put back at its own head, is the journal, with a log', async () => {
    const home = await homeWith();
    const to = join(temporaryFolder(), 'copy.sqlite');
    backup(home, to);
    const back = putBack(to, home);
    expect(journalIn(back).read()).toMatchObject({ trouble: undefined, count: 3 });
    const db = openJournalFile(databaseFile(join(back, 'state')), host);
    expect(db?.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    await journalIn(back).append(actionAt(at(9), '9aaa', SENDING));
    expect(db && headOf(db)).toEqual(readWitness(join(back, 'state'), host));
  });

  it('put back later, is rewound', async () => {
    const home = await homeWith();
    const to = join(temporaryFolder(), 'copy.sqlite');
    backup(home, to);
    await journalIn(home).append(actionAt(at(9), '9aaa', SENDING));
    expect(journalIn(putBack(to, home)).read().trouble).toMatchObject({ kind: 'rewound' });
  });

  it.each([
    ['a file', (to: string) => writeFileSync(to, '')],
    ['a link to nowhere', (to: string) => symlinkSync('/nowhere', to)],
    ['a folder', (to: string) => mkdirSync(to)],
  ])('never replaces %s', async (_what, make) => {
    const home = await homeWith(1);
    const to = join(temporaryFolder(), 'copy.sqlite');
    make(to);
    expect(() => backup(home, to)).toThrow(UsageError);
    expect(readdirSync(join(to, '..'))).toEqual(['copy.sqlite']);
  });

  it('names a folder that is not there', async () => {
    const home = await homeWith(1);
    expect(() => backup(home, join(temporaryFolder(), 'absent', 'copy.sqlite'))).toThrow(OutputError);
  });

  it('leaves no copy of a damaged journal', async () => {
    const home = await homeWith();
    openJournalFile(databaseFile(join(home, 'state')), host)?.run(
      'UPDATE records SET hash = ? WHERE seq = 5',
      Buffer.alloc(32),
    );
    const folder = temporaryFolder();
    expect(() => backup(home, join(folder, 'copy.sqlite'))).toThrow(JournalDamage);
    expect(readdirSync(folder)).toEqual([]);
  });
});

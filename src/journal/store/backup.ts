/** A copy of the journal's database while it is in use. */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { quoted } from '../../domain/quoted.ts';
import { ConditionError, DamagedFileError, OutputError, UsageError } from '../../errors.ts';
import { removeLeft, syncFolder, withOpened } from '../../platform/atomic-file.ts';
import { codeOf, failureReason } from '../../platform/file-errors.ts';
import type { Machine } from '../../platform/host.ts';
import type { Paths } from '../../platform/paths.ts';
import { JournalBusy, JournalDamage, type JournalDatabase } from './journal-database.ts';
import { USER_VERSION_AT, versionOfCopy } from './log-fits.ts';
import { isNextOf, type JournalHead, NO_HEAD, storedRecords } from './record-rows.ts';
import { databaseFile, openJournalFile } from './schema.ts';

export interface Backup {
  /** The whole path of the copy. */
  path: string;
  /** The last record of the copy: its number is also how many it has. */
  head: JournalHead;
}

/**
 * Makes a new file (0600), on disk and checked record by record on return. @throws DamagedFileError for a damaged journal;
 * UsageError for a file that is there; OutputError for one that cannot be written
 */
export function backupJournal(
  to: string,
  { places: { state }, machine }: { places: Pick<Paths, 'state'>; machine: Machine },
): Backup {
  const db = openJournalFile(databaseFile(state), machine.host);
  if (db === undefined)
    throw new ConditionError({
      code: 'empty_journal',
      what: 'The journal is empty: nothing was sent from this machine.',
    });
  const path = resolve(to);
  claimNewFile(path);
  try {
    const head = copyInto(db, path);
    withOpened(path, 'r+', (fd) => {
      // A copy is made without a log; as the journal it has one (format version 2 at these bytes of the header).
      writeSync(fd, Buffer.from([WITH_LOG, WITH_LOG]), 0, 2, VERSION_BYTES);
      // Put below the log of the original it would not be noticed otherwise.
      const version = Buffer.alloc(4);
      readSync(fd, version, 0, version.length, USER_VERSION_AT);
      version.writeUInt32BE(versionOfCopy(version.readUInt32BE()));
      writeSync(fd, version, 0, version.length, USER_VERSION_AT);
      fsyncSync(fd);
    });
    syncFolder(dirname(path), machine.host);
    return { path, head };
  } catch (error) {
    removeLeft(path);
    if (error instanceof JournalDamage || error instanceof JournalBusy) throw error;
    throw notWritten(path, error instanceof DamagedFileError ? error.cause : error);
  } finally {
    db.close();
  }
}

const VERSION_BYTES = 18;
const WITH_LOG = 2;

/** Also for an export. @throws UsageError for a file that is there; OutputError */
export function claimNewFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw notWritten(path, error);
    throw new UsageError(`${quoted(path)} already exists. It was not changed.`, 'Choose another name.');
  }
}

export const notWritten = (path: string, error: unknown): OutputError =>
  new OutputError({
    code: 'output_failed',
    what: `${quoted(path)} cannot be written: ${failureReason(error)}.`,
    hint: 'Choose another file.',
    cause: error,
  });

/** Returns the head of the copy. @throws JournalDamage */
function copyInto(db: JournalDatabase, path: string): JournalHead {
  db.run('VACUUM INTO ?', path);
  db.run('ATTACH ? AS copy', path);
  let head = NO_HEAD;
  for (const stored of storedRecords(db, { table: 'copy.records', from: Number.MIN_SAFE_INTEGER })) {
    if (!isNextOf(head, stored))
      throw new JournalDamage(db.path, `record ${stored.seq.toString()} is not what its hash says`);
    head = { seq: stored.seq, hash: stored.hash };
  }
  db.exec('DETACH copy');
  return head;
}

/**
 * A log with a wrong byte: SQLite takes what it reads of it into the database and removes it, with the records behind that byte.
 * So it is kept, until a repair reads all of it.
 */
import { copyFileSync, existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileError } from '../../platform/file-errors.ts';
import { type JournalDatabase, numberOf } from './journal-database.ts';
import { corrected, isBroken } from './log-frames.ts';

const logOf = (path: string): string => `${path}-wal`;
const keptLogOf = (path: string): string => `${path}-wal.damaged`;

const pageSizeIn = (db: JournalDatabase): number =>
  numberOf(db.get('PRAGMA page_size') ?? {}, 'page_size', db.path);

/** Whether a database that lacks records has them in its log, where SQLite does not read them. Keeps that log. */
export function hasBrokenLog(db: JournalDatabase): boolean {
  const { path } = db;
  if (existsSync(keptLogOf(path))) return true;
  const pageSize = pageSizeIn(db);
  try {
    if (!isBroken(readFileSync(logOf(path)), pageSize)) return false;
  } catch {
    // Without a log that can be read.
    return false;
  }
  try {
    linkSync(logOf(path), keptLogOf(path));
  } catch {
    // Another process has kept it, or the disk takes nothing.
  }
  return true;
}

/** A copy of the database with all of a log that was kept; undefined without one. The caller removes it. @throws DamagedFileError */
export function correctedCopy(db: JournalDatabase): string | undefined {
  const { path } = db;
  if (!existsSync(keptLogOf(path))) return undefined;
  const copy = path.replace(/\.sqlite$/, '.corrected.sqlite');
  try {
    removeCopy(copy);
    copyFileSync(path, copy);
    writeFileSync(logOf(copy), corrected(readFileSync(keptLogOf(path)), pageSizeIn(db)), { mode: 0o600 });
    return copy;
  } catch (error) {
    removeCopy(copy);
    throw fileError('copy', path, error);
  }
}

export function removeCopy(copy: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
}

/** It goes with the database that is put aside. */
export function moveKeptLog(path: string, aside: string): void {
  if (existsSync(keptLogOf(path))) renameSync(keptLogOf(path), keptLogOf(aside));
}

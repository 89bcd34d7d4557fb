/**
 * A log with a wrong byte: SQLite takes what it reads of it into the database and removes it, with the records behind that byte.
 * So it is kept, until a repair reads all of it.
 */
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { unless } from '../../errors.ts';
import { readUserFile } from '../../platform/atomic-file.ts';
import { fileError } from '../../platform/file-errors.ts';
import { type JournalDatabase, numberOf } from './journal-database.ts';
import { corrected, isBroken } from './log-frames.ts';

const logOf = (path: string): string => `${path}-wal`;
const KEPT = '-wal.damaged-';

/** Named by the count of commits that the database has: this log continues no other state of it. */
const keptLogOf = (db: JournalDatabase): string =>
  `${db.path}${KEPT}${numberIn(db, 'user_version').toString()}`;

const numberIn = (db: JournalDatabase, pragma: 'page_size' | 'user_version'): number =>
  numberOf(db.get(`PRAGMA ${pragma}`) ?? {}, pragma, db.path);

/** Whether a database that lacks records has them in its log, where SQLite does not read them. Keeps that log. */
export function hasBrokenLog(db: JournalDatabase): boolean {
  const [log, kept] = [logOf(db.path), keptLogOf(db)];
  if (existsSync(kept)) return true;
  const read = readUserFile(log, { maxBytes: Number.MAX_SAFE_INTEGER });
  if (!('bytes' in read) || !isBroken(read.bytes, numberIn(db, 'page_size'))) return false;
  // It fails where another process has kept it, or the disk takes nothing.
  unless(Error, () => linkSync(log, kept));
  return true;
}

/** A copy of the database with all of a log that was kept; undefined without one. The caller removes it. @throws DamagedFileError */
export function correctedCopy(db: JournalDatabase): string | undefined {
  const kept = keptLogOf(db);
  return existsSync(kept)
    ? copyOf(db.path, 'corrected', () => corrected(readFileSync(kept), numberIn(db, 'page_size')))
    : undefined;
}

/** A copy without its log, which is of another state. The caller removes it. @throws DamagedFileError */
export const copyAlone = (path: string): string => copyOf(path, 'alone');

function copyOf(path: string, word: string, log?: () => Buffer): string {
  const copy = path.replace(/\.sqlite$/, `.${word}.sqlite`);
  try {
    removeCopy(copy);
    copyFileSync(path, copy);
    if (log !== undefined) writeFileSync(logOf(copy), log(), { mode: 0o600 });
    return copy;
  } catch (error) {
    removeCopy(copy);
    throw fileError('copy', path, error);
  }
}

export function removeCopy(copy: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
}

/** They go with the database that is put aside. */
export function moveKeptLogs(path: string, aside: string): void {
  const folder = dirname(path);
  const start = `${basename(path)}${KEPT}`;
  for (const name of readdirSync(folder).filter((each) => each.startsWith(start)))
    renameSync(join(folder, name), `${aside}${KEPT}${name.slice(start.length)}`);
}

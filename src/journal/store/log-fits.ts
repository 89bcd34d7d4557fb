/**
 * Whether a database and its log belong together. SQLite does not ask: an older copy that is put below a newer log
 * would show some pages of either, and hide records. So each commit is counted in the first page of the database.
 */
import { constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { unless } from '../../errors.ts';
import { withOpened } from '../../platform/atomic-file.ts';
import { FRAME_HEADER_BYTES, framesOf, pageSizeOf } from './log-frames.ts';

/** `user_version`: the format in its lowest byte, and the count of commits above it. */
const FORMAT_BITS = 8;
const FORMAT_MASK = 0xff;
const COUNTS = 2 ** 23;

export const formatIn = (version: number): number => version & FORMAT_MASK;

const countIn = (version: number): number => version >>> FORMAT_BITS;

/** `count`: any whole number; that of a new database is random, so that those of two differ. */
export const versionOf = (format: number, count: number): number =>
  ((count % COUNTS) << FORMAT_BITS) | formatIn(format);

/** The version after one more commit. */
export const nextVersion = (version: number): number => versionOf(version, countIn(version) + 1);

/** The version of a copy in another arrangement of pages: no log of the original fits it. */
export const versionOfCopy = (version: number): number => versionOf(version, countIn(version) + COUNTS / 2);

/**
 * By file: what was found before SQLite opened it here. Each stays open for the life of the process: to close it would drop
 * SQLite's locks, and once it is deleted another file could get its number.
 */
const judged = new Map<string, { file: number; isFit: boolean }>();

/** Before SQLite opens it; also true for what SQLite finds itself. A log that did not fit may be put away meanwhile. */
export function logFits(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const known = stats && judged.get(identityOf(stats));
  if (stats === undefined || known?.isFit === true) return true;
  const file = known?.file ?? unless(Error, () => openSync(path, TO_READ));
  if (file === undefined) return true;
  const isFit = fits(`${path}-wal`, file);
  judged.set(identityOf(fstatSync(file)), { file, isFit });
  return isFit;
}

const identityOf = ({ dev, ino }: Stats): string => `${dev.toString()} ${ino.toString()}`;

/** Offset of `user_version` in a SQLite database. */
export const USER_VERSION_AT = 60;

const FIRST_BYTES = 65_536;
const LOOKS = 3;

/** The database may have no commit that its log lacks. Another process may begin a new log between the readings: then again. */
function fits(path: string, file: number): boolean {
  // The first commits mostly tell, and a log that a long reading holds is large.
  for (const most of [FIRST_BYTES, ...Array.from({ length: LOOKS }, () => Infinity)]) {
    const log = startOf(path, most);
    const version = Buffer.alloc(4);
    const isRead = unless(Error, () => readSync(file, version, 0, 4, USER_VERSION_AT)) === 4;
    if (log === undefined || !isRead) return true;
    let first: number | undefined;
    for (const count of countsIn(log)) {
      first ??= count;
      const commitsTo = (last: number): number => (last + 1 - (first ?? count) + COUNTS) % COUNTS;
      if (commitsTo(countIn(version.readUInt32BE())) <= commitsTo(count)) return true;
    }
    // A power cut leaves no commit that SQLite reads, nor has an earlier log one.
    if (first === undefined && log.length < most) return true;
  }
  return false;
}

/** Undefined when it cannot be read. */
const startOf = (path: string, most: number): Buffer | undefined =>
  unless(Error, () =>
    withOpened(path, TO_READ, (log) => {
      const bytes = Buffer.alloc(Math.min(most, fstatSync(log).size));
      return bytes.subarray(0, readSync(log, bytes, 0, bytes.length, 0));
    }),
  );

/** The count of each commit that SQLite reads, in order. */
function* countsIn(log: Buffer): Generator<number> {
  const pageSize = pageSizeOf(log);
  let count: number | undefined;
  for (const { isRead, page, at, isCommit } of pageSize === undefined ? [] : framesOf(log, pageSize)) {
    if (!isRead) return;
    // The first page is in each commit.
    if (page === 1) count = countIn(log.readUInt32BE(at + FRAME_HEADER_BYTES + USER_VERSION_AT));
    if (isCommit && count !== undefined) yield count;
  }
}

/** A pipe without a writer would block. */
const TO_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

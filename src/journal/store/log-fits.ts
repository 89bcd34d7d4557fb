/**
 * Whether a database and its log belong together. SQLite does not ask: an older copy that is put below a newer log
 * would show some pages of either, and hide records. So each commit is counted in the first page of the database, with which
 * the first commit of the log begins.
 */
import { closeSync, constants, lstatSync, openSync, readSync } from 'node:fs';
import { FRAME_HEADER_BYTES, framesOf, HEADER_BYTES, pageSizeOf } from './log-frames.ts';

/** `user_version`: the format in its lowest byte, and the count of commits above it. */
const FORMAT_BITS = 8;
const FORMAT_MASK = 0xff;
const COUNTS = 2 ** 23;
/** More commits than a log has. */
const MOST_IN_LOG = 65_536;

export const formatIn = (version: number): number => version & FORMAT_MASK;

const countIn = (version: number): number => version >>> FORMAT_BITS;

/** `count`: any whole number; that of a new database is random, so that those of two differ. */
export const versionOf = (format: number, count: number): number =>
  ((count % COUNTS) << FORMAT_BITS) | formatIn(format);

/** The version after one more commit. */
export const nextVersion = (version: number): number => versionOf(version, countIn(version) + 1);

/** The version of a copy in another arrangement of pages: no log of the original fits it. */
export const versionOfCopy = (version: number): number => versionOf(version, countIn(version) + COUNTS / 2);

/** By file: what was found before SQLite opened it here. Afterwards it may not be looked into: that drops SQLite's locks. */
const judged = new Map<string, boolean>();

/** SQLite is about to open it. */
export function noteOpened(path: string): void {
  const file = identityOf(path);
  if (file !== undefined && !judged.has(file)) judged.set(file, true);
}

/** Before SQLite opens it; also true for what SQLite finds itself. */
export function logFits(path: string): boolean {
  const file = identityOf(path);
  if (file === undefined) return true;
  const known = judged.get(file) ?? fits(path);
  judged.set(file, known);
  return known;
}

function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev.toString()} ${stats.ino.toString()}`;
}

/** Offset of `user_version` in a SQLite database. */
export const USER_VERSION_AT = 60;
/** The first page in a log. */
const PAGE_AT = HEADER_BYTES + FRAME_HEADER_BYTES;

/** The log first: a database may get the commits of its log meanwhile, and never loses one. */
function fits(path: string): boolean {
  const header = startOf(`${path}-wal`, HEADER_BYTES);
  const pageSize = header && pageSizeOf(header);
  const log = pageSize === undefined ? undefined : startOf(`${path}-wal`, PAGE_AT + pageSize);
  const database = startOf(path, USER_VERSION_AT + 4);
  if (log === undefined || database === undefined || !hasFirstPage(log, pageSize)) return true;
  const first = countIn(log.readUInt32BE(PAGE_AT + USER_VERSION_AT));
  const last = countIn(database.readUInt32BE(USER_VERSION_AT));
  return (last + 1 - first + COUNTS) % COUNTS < MOST_IN_LOG;
}

/** Whether SQLite reads the first frame: one that a power cut left incomplete, or of an earlier log, it does not. */
function hasFirstPage(log: Buffer, pageSize = 0): boolean {
  const [first] = framesOf(log, pageSize);
  return first?.page === 1 && first.isRead;
}

/** Undefined for a file that is shorter, or cannot be read. */
function startOf(path: string, length: number): Buffer | undefined {
  // A pipe without a writer would block.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(length);
      return readSync(fd, bytes, 0, length, 0) === length ? bytes : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

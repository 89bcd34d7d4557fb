/**
 * Whether a database and its log belong together. SQLite does not ask: an older copy that is put below a newer log
 * would show some pages of either, and hide records. So each commit is counted in the first page of the database.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { FRAME_HEADER_BYTES, framesOf, HEADER_BYTES, pageSizeOf } from './log-frames.ts';

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
  const file = known?.file ?? openedToRead(path);
  if (file === undefined) return true;
  const isFit = fits(`${path}-wal`, file);
  judged.set(identityOf(fstatSync(file)), { file, isFit });
  return isFit;
}

const identityOf = ({ dev, ino }: Stats): string => `${dev.toString()} ${ino.toString()}`;

/** Offset of `user_version` in a SQLite database. */
export const USER_VERSION_AT = 60;
/** The first page in a log. */
const PAGE_AT = HEADER_BYTES + FRAME_HEADER_BYTES;

const LOOKS = 3;

/** The database may have no commit that its log lacks. Another process may begin a new log between the readings: then again. */
function fits(log: string, file: number): boolean {
  for (let look = 0; look < LOOKS; look += 1) {
    const first = firstCountIn(log);
    const database = startOf(file, USER_VERSION_AT + 4);
    if (first === undefined || database === undefined) return true;
    const taken = (countIn(database.readUInt32BE(USER_VERSION_AT)) + 1 - first + COUNTS) % COUNTS;
    const last = taken === 0 ? undefined : countsIn(log).last;
    if (last === undefined || taken <= (last + 1 - first + COUNTS) % COUNTS) return true;
  }
  return false;
}

/** Undefined without a first frame that SQLite reads, as a power cut leaves it, and as it is in an earlier log. */
function firstCountIn(path: string): number | undefined {
  const start = reading(path, (log) => {
    const header = startOf(log, HEADER_BYTES);
    const pageSize = header && pageSizeOf(header);
    return pageSize === undefined ? undefined : startOf(log, PAGE_AT + pageSize);
  });
  const [frame] = start === undefined ? [] : framesOf(start, start.length - PAGE_AT);
  if (start === undefined || frame?.isRead !== true) return undefined;
  // A large commit begins with other pages.
  return frame.page === 1 ? countAt(start, frame) : countsIn(path).first;
}

/** The first and the last commit that SQLite reads; undefined where there is none any more. */
function countsIn(path: string): { first?: number | undefined; last?: number | undefined } {
  const log = reading(path, (file) => startOf(file, fstatSync(file).size));
  const pageSize = log && pageSizeOf(log);
  if (log === undefined || pageSize === undefined) return {};
  let [written, first, last]: (number | undefined)[] = [];
  for (const frame of framesOf(log, pageSize)) {
    if (!frame.isRead) break;
    if (frame.page === 1) written = countAt(log, frame);
    if (!frame.isCommit) continue;
    first ??= written;
    last = written;
  }
  return { first, last };
}

const countAt = (log: Buffer, { at }: { at: number }): number =>
  countIn(log.readUInt32BE(at + FRAME_HEADER_BYTES + USER_VERSION_AT));

/** Undefined for a file that is shorter, or cannot be read. */
function startOf(file: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  try {
    return readSync(file, bytes, 0, length, 0) === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function reading<T>(path: string, read: (file: number) => T): T | undefined {
  const file = openedToRead(path);
  if (file === undefined) return undefined;
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

/** Undefined when it cannot be read. */
function openedToRead(path: string): number | undefined {
  // A pipe without a writer would block.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
}

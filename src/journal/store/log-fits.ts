/**
 * Whether a database and its log belong together. SQLite does not ask: an older copy that is put below a newer log
 * would show some pages of either, and hide records. So each commit is counted in the first page of the database, with which
 * the first commit of the log begins.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { FRAME_HEADER_BYTES, framesOf, HEADER_BYTES, pageSizeOf } from './log-frames.ts';

/** `user_version`: the format in its lowest byte, and the count of commits above it. */
const FORMAT_BITS = 8;
const FORMAT_MASK = 0xff;
const COUNTS = 2 ** 23;
/** More commits than others make while a journal is looked at. */
const MEANWHILE = 1_000;

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
const judged = new Map<string, boolean>();

/** SQLite is about to open it. */
export const noteOpened = (path: string): void => void judge(path, () => true);

/** Before SQLite opens it; also true for what SQLite finds itself. */
export const logFits = (path: string): boolean => judge(path, (file) => fits(`${path}-wal`, file));

function judge(path: string, first: (file: number) => boolean): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const known = stats && judged.get(identityOf(stats));
  if (stats === undefined || known !== undefined) return known ?? true;
  const file = openedToRead(path);
  if (file === undefined) return true;
  const found = first(file);
  judged.set(identityOf(fstatSync(file)), found);
  return found;
}

const identityOf = ({ dev, ino }: Stats): string => `${dev.toString()} ${ino.toString()}`;

/** Offset of `user_version` in a SQLite database. */
export const USER_VERSION_AT = 60;
/** The first page in a log. */
const PAGE_AT = HEADER_BYTES + FRAME_HEADER_BYTES;

/** The log first: a database may get the commits of its log meanwhile, and never loses one. */
function fits(log: string, file: number): boolean {
  const start = startOfLog(log);
  const database = startOf(file, USER_VERSION_AT + 4);
  if (start === undefined || database === undefined) return true;
  const taken = countIn(database.readUInt32BE(USER_VERSION_AT)) + 1 - start.count;
  return (taken + COUNTS) % COUNTS <= start.frames + MEANWHILE;
}

/**
 * `count`: that of its first commit; `frames`: no fewer than it has commits. Undefined without a first frame that SQLite reads,
 * as a power cut leaves it, and as it is in an earlier log.
 */
function startOfLog(path: string): { count: number; frames: number } | undefined {
  const log = openedToRead(path);
  if (log === undefined) return undefined;
  try {
    const header = startOf(log, HEADER_BYTES);
    const pageSize = header && pageSizeOf(header);
    const start = pageSize === undefined ? undefined : startOf(log, PAGE_AT + pageSize);
    if (start === undefined || pageSize === undefined) return undefined;
    const [first] = framesOf(start, pageSize);
    if (first?.page !== 1 || !first.isRead) return undefined;
    return {
      count: countIn(start.readUInt32BE(PAGE_AT + USER_VERSION_AT)),
      frames: fstatSync(log).size / (FRAME_HEADER_BYTES + pageSize),
    };
  } finally {
    closeSync(log);
  }
}

/** Undefined for a file that is shorter, or cannot be read. */
function startOf(file: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  try {
    return readSync(file, bytes, 0, length, 0) === length ? bytes : undefined;
  } catch {
    return undefined;
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

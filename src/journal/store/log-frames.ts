/**
 * The frames of a database's log, as SQLite reads them: each has a sum over itself and all before it, so that one wrong byte
 * hides every later frame. https://www.sqlite.org/fileformat2.html#walformat
 */

/** The header of the log, that of a frame, and where their parts are. */
const HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
const PAGE_SIZE_AT = 8;
const SALT_AT = 16;
const SUMS_AT = 24;
/** Size of the database after a commit, in pages; 0 in any other frame. */
const COMMIT_AT = 4;
const FRAME_SALT_AT = 8;
const FRAME_SUMS_AT = 16;
const SALT_BYTES = 8;
const LARGEST_PAGE = 65_536;
/** The last bit says how the numbers of the sums are read. */
const MAGIC = 0x377f0682;

/** Undefined for a log without a header that can be one. */
export function pageSizeOf(log: Buffer): number | undefined {
  const size = log.length < HEADER_BYTES ? 0 : log.readUInt32BE(PAGE_SIZE_AT);
  return size === 0 || size > LARGEST_PAGE ? undefined : size;
}

type Sums = readonly [number, number];

/** The sums of the log's header; undefined where they are not those that it has. */
function sumsOfHeader(log: Buffer): Sums | undefined {
  if (log.readUInt32BE(0) >>> 1 !== MAGIC >>> 1) return undefined;
  const sums = added(log, [0, 0], 0, SUMS_AT);
  return areAt(log, SUMS_AT, sums) ? sums : undefined;
}

function added(log: Buffer, before: Sums, from: number, to: number): Sums {
  const isBig = (log.readUInt32BE(0) & 1) === 1;
  const read = (at: number): number => (isBig ? log.readUInt32BE(at) : log.readUInt32LE(at));
  let [one, other] = before;
  for (let at = from; at < to; at += 8) {
    one = (one + read(at) + other) >>> 0;
    other = (other + read(at + 4) + one) >>> 0;
  }
  return [one, other];
}

const areAt = (log: Buffer, at: number, [one, other]: Sums): boolean =>
  log.readUInt32BE(at) === one && log.readUInt32BE(at + 4) === other;

/** Those of the first frame, where the header has no sums of its own. */
const saltOf = (log: Buffer): Buffer =>
  sumsOfHeader(log) === undefined ? saltAt(log, HEADER_BYTES + FRAME_SALT_AT) : saltAt(log, SALT_AT);

const saltAt = (log: Buffer, at: number): Buffer => log.subarray(at, at + SALT_BYTES);

interface Frame {
  at: number;
  /** The page of the database that it has. */
  page: number;
  isCommit: boolean;
  /** SQLite reads it. */
  isRead: boolean;
}

/** The frames of this generation of the log, in order: up to the last one that has its salt. */
export function* framesOf(log: Buffer, pageSize: number): Generator<Frame> {
  const size = FRAME_HEADER_BYTES + pageSize;
  const salt = saltOf(log);
  const isOfLog = (at: number): boolean => salt.equals(saltAt(log, at + FRAME_SALT_AT));
  let end = HEADER_BYTES;
  for (let at = end; at + size <= log.length; at += size) if (isOfLog(at)) end = at + size;
  let sums = sumsOfHeader(log);
  for (let at = HEADER_BYTES; at < end; at += size) {
    sums &&= sumsOfFrame(log, sums, { at, size });
    const isRead = sums !== undefined && isOfLog(at) && areAt(log, at + FRAME_SUMS_AT, sums);
    yield { at, page: log.readUInt32BE(at), isCommit: log.readUInt32BE(at + COMMIT_AT) > 0, isRead };
  }
}

const sumsOfFrame = (log: Buffer, before: Sums, { at, size }: { at: number; size: number }): Sums =>
  added(log, added(log, before, at, at + FRAME_SALT_AT), at + FRAME_HEADER_BYTES, at + size);

/** Whether a frame that SQLite does not read is followed by a commit, or is one: a power cut leaves none. */
export function isBroken(log: Buffer, pageSize: number): boolean {
  if (log.length < HEADER_BYTES + FRAME_HEADER_BYTES + pageSize) return false;
  let isRead = true;
  for (const frame of framesOf(log, pageSize)) {
    isRead &&= frame.isRead;
    if (!isRead && frame.isCommit) return true;
  }
  return false;
}

const VERSION = 3_007_000;

/** The log with the salts and sums that it should have, so that SQLite reads all of it. Changes it. */
export function corrected(log: Buffer, pageSize: number): Buffer {
  const salt = Buffer.from(saltOf(log));
  const frames = [...framesOf(log, pageSize)];
  if (sumsOfHeader(log) === undefined) {
    [MAGIC, VERSION, pageSize].forEach((each, index) => log.writeUInt32BE(each, 4 * index));
    salt.copy(log, SALT_AT);
  }
  const write = (at: number, sums: Sums): Sums => {
    sums.forEach((sum, index) => log.writeUInt32BE(sum, at + 4 * index));
    return sums;
  };
  let sums = write(SUMS_AT, added(log, [0, 0], 0, SUMS_AT));
  for (const { at } of frames) {
    salt.copy(log, at + FRAME_SALT_AT);
    sums = write(at + FRAME_SUMS_AT, sumsOfFrame(log, sums, { at, size: FRAME_HEADER_BYTES + pageSize }));
  }
  return log;
}

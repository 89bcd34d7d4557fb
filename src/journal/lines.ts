/** Parses the journal line by line and detects damaged lines and one cut by a crash. Does not touch the disk. */
import { TextDecoder } from 'node:util';
import { quoted } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { type JournalRecord, READ_SCHEMAS, recordSchema, SCHEMA } from './records.ts';

export interface DamagedLine {
  /** From 1. */
  line: number;
  /** End of a sentence: `is not JSON`. */
  how: string;
}

export interface JournalLines {
  records: readonly JournalRecord[];
  /** Lines that cannot be read. */
  damage: readonly DamagedLine[];
  /** How many records precede the last damaged line, which may be about them. */
  damageAt: number;
  /** The last line is incomplete: its writer died, and nothing was sent for it. */
  cutTail: boolean;
}

const NEWLINE = 0x0a;
/** Marks a line that a crash cut, so that it does not count as damage: CAN, which JSON never contains unescaped. */
const CUT = 0x18;

/** Parses a growing file repeatedly: earlier lines only once. */
export function lineReader(path: string): (bytes: Buffer) => JournalLines {
  let before: { bytes: Buffer; lines: number; read: JournalLines } = {
    bytes: Buffer.alloc(0),
    lines: 0,
    read: { records: [], damage: [], damageAt: 0, cutTail: false },
  };
  return (bytes) => {
    const { length } = before.bytes;
    const grown = before.bytes.at(-1) === NEWLINE && before.bytes.equals(bytes.subarray(0, length));
    const skipped = grown ? before.lines : 0;
    const rest = grown ? bytes.subarray(length) : bytes;
    const more = parseLines(rest, path, skipped);
    const read = grown
      ? {
          records: [...before.read.records, ...more.records],
          damage: [...before.read.damage, ...more.damage],
          damageAt:
            more.damage.length > 0 ? before.read.records.length + more.damageAt : before.read.damageAt,
          cutTail: more.cutTail,
        }
      : more;
    before = { bytes, lines: skipped + linesIn(rest), read };
    return read;
  };
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

/**
 * `skipped`: lines before these bytes, for line numbers.
 * @throws DamagedFileError for a line of another version.
 */
export function parseLines(bytes: Buffer, path: string, skipped = 0): JournalLines {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const records: JournalRecord[] = [];
  const damage: DamagedLine[] = [];
  let damageAt = 0;
  let cutTail = false;
  let line = skipped;
  for (let from = 0; from < bytes.length; ) {
    line += 1;
    const found = bytes.indexOf(NEWLINE, from);
    const to = found === -1 ? bytes.length : found;
    const text = bytes.subarray(from, to);
    const read = readLine(decoder, text, { path, line });
    from = to + 1;
    if (read === undefined) continue;
    if (typeof read !== 'string') records.push(read);
    else if (found === -1 && !isWhole(decoder, text, { path, line })) cutTail = true;
    else {
      damage.push({ line, how: read });
      damageAt = records.length;
    }
  }
  return { records, damage, damageAt, cutTail };
}

/** A record plus one damaged byte in place of the newline: no crash leaves that. */
const isWhole = (decoder: TextDecoder, bytes: Buffer, at: { path: string; line: number }): boolean =>
  typeof readLine(decoder, bytes.subarray(0, -1), at) === 'object';

/** A record, how the line is damaged, or undefined for an empty or cut line. */
function readLine(
  decoder: TextDecoder,
  bytes: Buffer,
  at: { path: string; line: number },
): JournalRecord | string | undefined {
  if (bytes.length === 0 || bytes.at(-1) === CUT) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(decoder.decode(bytes));
  } catch {
    return 'is not valid JSON';
  }
  if (typeof read !== 'object' || read === null || !('schema' in read)) return 'is not a record';
  if (typeof read.schema === 'number' && !READ_SCHEMAS.some((each) => each === read.schema))
    throw foreign(at, read.schema);
  const parsed = recordSchema.safeParse(read);
  if (parsed.success) return parsed.data;
  const where = (parsed.error.issues[0]?.path ?? []).map(String).join('.');
  return where === '' ? 'is not a record' : `is not valid at ${quoted(where)}`;
}

const foreign = ({ path, line }: { path: string; line: number }, schema: number): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Line ${line.toString()} of ${path} was written by another version of hedge (format ${schema.toString()}; this one reads up to ${SCHEMA.toString()}).`,
    book: 'Nothing was sent.',
    hint: 'Use that version of hedge, or set HEDGE_HOME to another folder.',
  });

/** The text to append so that each record is on its own line. */
export function writeLines(
  records: readonly JournalRecord[],
  bytes: Buffer,
  { cutTail }: JournalLines,
): string {
  const isEnded = bytes.length === 0 || bytes.at(-1) === NEWLINE;
  const end = cutTail ? `${String.fromCharCode(CUT)}\n` : '\n';
  return `${isEnded ? '' : end}${records.map((each) => `${JSON.stringify(each)}\n`).join('')}`;
}

/** One line of the journal as a record, or how it is damaged. */
import { TextDecoder } from 'node:util';
import { type Fields, fieldsIn } from '../domain/fields.ts';
import { quoted } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { intactRecord, linkOf } from './chain.ts';
import { type JournalRecord, READ_SCHEMAS, recordSchema, SCHEMA } from './records.ts';

/** Marks a line that a crash cut, so that it does not count as damage: CAN, which JSON never contains unescaped. */
export const CUT = 0x18;

/** Of the last line: `open` lacks its newline, `cut` is incomplete. */
export type Tail = 'ended' | 'open' | 'cut';

/** What ends the last line. */
export const tailEnd = (tail: Tail): string =>
  tail === 'ended' ? '' : tail === 'cut' ? `${String.fromCharCode(CUT)}\n` : '\n';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Where a line is, for errors. `chained`: each line of the file states the hash of the one before. */
export interface LinePlace {
  path: string;
  /** From 1. */
  line: number;
  chained: boolean;
}

/**
 * A record, how the line is damaged (the end of a sentence), or undefined for an empty or cut line.
 * @throws DamagedFileError for a line of another version.
 */
export function readLine(bytes: Buffer, at: LinePlace): JournalRecord | string | undefined {
  if (bytes.length === 0 || bytes.at(-1) === CUT) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(decoder.decode(bytes));
  } catch {
    return 'is not valid JSON';
  }
  if (typeof read !== 'object' || read === null || !('schema' in read)) return 'is not a record';
  const link = at.chained ? linkOf(bytes) : undefined;
  if (link?.intact === false) return 'was changed after it was written';
  if (typeof read.schema === 'number' && !READ_SCHEMAS.some((each) => each === read.schema))
    throw foreign(at, read.schema);
  const parsed = recordSchema.safeParse(read);
  if (!parsed.success) {
    const where = (parsed.error.issues[0]?.path ?? []).map(String).join('.');
    return where === '' ? 'is not a record' : `is not valid at ${quoted(where)}`;
  }
  return at.chained && link === undefined ? 'has no checksum' : parsed.data;
}

/**
 * As `readLine`, for a line that the index or a lookup knows as a record: it was valid then, so an intact one of this format
 * still is.
 */
export function readLineAgain(bytes: Buffer, at: LinePlace): JournalRecord | string | undefined {
  const known = at.chained ? fieldsIn(intactRecord(bytes)) : {};
  return isOfThisFormat(known) ? known : readLine(bytes, at);
}

/** Of a record that was valid. */
const isOfThisFormat = (record: Fields): record is Fields & JournalRecord => record['schema'] === SCHEMA;

/** A record plus one damaged byte in place of the newline: no crash leaves that. */
export const isWhole = (bytes: Buffer, at: LinePlace): boolean =>
  typeof readLine(bytes.subarray(0, -1), at) === 'object';

const foreign = ({ path, line }: LinePlace, schema: number): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Line ${line.toString()} of ${path} was written by another version of hedge (format ${schema.toString()}; this one reads up to ${SCHEMA.toString()}).`,
    book: 'Nothing was sent.',
    hint: 'Use that version of hedge, or set HEDGE_HOME to another folder.',
  });

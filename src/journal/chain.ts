/**
 * The chain of the journal's lines: each line ends with the SHA-256 of the line before it and a checksum of itself. The hash
 * shows a line that was changed, removed, inserted or moved; the checksum also shows a changed last line.
 */
import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Before the first line of the first segment. */
export const NO_LINE = '0'.repeat(64);

/** `,"prev":"` 64 hexadecimal digits `","crc":"` 8 hexadecimal digits `"}`. */
const SUFFIX = /^,"prev":"([0-9a-f]{64})","crc":"([0-9a-f]{8})"\}$/;
const SUFFIX_LENGTH = 92;

/** Without its newline. Hexadecimal. In one call, which takes half as long as a hash object. */
export const hashOfLine = (line: Uint8Array): string => hash('sha256', line);

/** Of a whole file, read in parts. Hexadecimal. */
export function hashOfFile(file: { read(offset: number, length: number): Uint8Array }): string {
  const whole = createHash('sha256');
  for (let at = 0; ; ) {
    const part = file.read(at, PART_BYTES);
    if (part.length === 0) return whole.digest('hex');
    whole.update(part);
    at += part.length;
  }
}

const PART_BYTES = 262_144;

/** One line without its newline: `record` is the text of a JSON object with at least one field. */
export function chainedLine(record: string, prev: string): string {
  const start = `${record.slice(0, -1)},"prev":"${prev}"`;
  return `${start},"crc":"${checksum(Buffer.from(start))}"}`;
}

export interface ChainLink {
  /** The hash of the line before, as this line states it. */
  prev: string;
  /** The checksum agrees with the line. */
  intact: boolean;
}

/** Undefined for a line that is not chained. */
export function linkOf(line: Buffer): ChainLink | undefined {
  const [, prev, crc] = SUFFIX.exec(line.toString('latin1', line.length - SUFFIX_LENGTH)) ?? [];
  if (prev === undefined) return undefined;
  return { prev, intact: checksum(line.subarray(0, line.length - CRC_LENGTH)) === crc };
}

/** The record of an intact line, as JSON without its link; undefined for any other line. */
export const intactRecord = (line: Buffer): string | undefined =>
  linkOf(line)?.intact === true ? `${line.toString('utf8', 0, line.length - SUFFIX_LENGTH)}}` : undefined;

/** `,"crc":"` 8 digits `"}`. */
const CRC_LENGTH = 18;

/** CRC-32 as eight hexadecimal digits. */
const checksum = (bytes: Uint8Array): string => crc32(bytes).toString(16).padStart(8, '0');

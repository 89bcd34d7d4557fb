/**
 * The chain of the lines of earlier versions: a line of a segment states the SHA-256 of the line before it and a checksum of
 * itself; the first one states the hash of the whole file from before the segments. Pure.
 */
import { createHash, type Hash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fieldsIn, isFields } from '../../domain/fields.ts';
import { HALT_FILE } from '../store/earlier-files.ts';

/** A crash cut this line: the next version of the file ended it so. JSON never contains CAN unescaped. */
export const CUT = 0x18;

/** Before the first line of the first segment. */
const NO_LINE = '0'.repeat(64);

/** `,"prev":"` 64 hexadecimal digits `","crc":"` 8 hexadecimal digits `"}`. */
const LINK = /^,"prev":"([0-9a-f]{64})","crc":"([0-9a-f]{8})"\}$/;
const LINK_LENGTH = 92;
const CRC_LENGTH = 18;

/** `prev`: the hash of the line before, as this line states it. `intact`: its checksum matches. */
export function linkOf(line: Buffer): { prev: string; intact: boolean } | undefined {
  const [, prev, crc] = LINK.exec(line.toString('latin1', Math.max(0, line.length - LINK_LENGTH))) ?? [];
  if (prev === undefined) return undefined;
  const own = crc32(line.subarray(0, line.length - CRC_LENGTH));
  return { prev, intact: own.toString(16).padStart(8, '0') === crc };
}

/** Segment 0 and the file from before the segments have no chain of their own. */
const WHOLE = /^(?:journal|0{4,9})\.jsonl$/;
const SEGMENT = /^\d{4,9}(?:-\d{4}-\d\d)?\.jsonl$/;

/** Follows the lines of all files, in order. */
export class EarlierChain {
  file = '';
  /** Number of the last line in its file, from 1. */
  line = 0;
  /** The lines of the file are chained. */
  isChained = false;
  /** Hash of the last line, or of the whole file; undefined after a line that is not what was written. */
  #head: string | undefined = NO_LINE;
  #whole: Hash | undefined;

  /**
   * A line without its newline; `ended` is false where the file ends without one. Returns a finding as the end of a
   * sentence (`was edited: its checksum does not match`), undefined without one.
   */
  add(file: string, line: string | Uint8Array, ended = true): string | undefined {
    if (file === HALT_FILE) return undefined;
    const bytes = Buffer.from(line);
    if (file !== this.file) this.#begin(file, bytes);
    this.line += 1;
    if (this.#whole === undefined) return this.#follow(bytes, ended);
    this.#whole.update(bytes);
    if (ended) this.#whole.update('\n');
    return undefined;
  }

  #begin(file: string, first: Buffer): void {
    if (this.#whole !== undefined) this.#head = this.#whole.digest('hex');
    this.isChained = !WHOLE.test(file) && (SEGMENT.test(file) || linkOf(first) !== undefined);
    this.#whole = this.isChained ? undefined : createHash('sha256');
    this.file = file;
    this.line = 0;
  }

  #follow(bytes: Buffer, ended: boolean): string | undefined {
    const before = this.#head;
    const link = linkOf(bytes);
    // The line after a cut one states its hash.
    const isCut = link === undefined && (bytes.at(-1) === CUT || !ended);
    this.#head = isCut || link?.intact === true ? hash('sha256', bytes) : undefined;
    if (isCut) return undefined;
    if (link === undefined)
      return 'does not end with the hash of the line before it: it was edited or inserted';
    if (!link.intact) return 'was edited: its checksum does not match';
    if (before === undefined || link.prev === before) return undefined;
    return 'does not continue the line before it: lines were removed, or that line was edited';
  }
}

/** The exact line that a record was imported from; undefined for a record that was not in an earlier file. */
export function earlierLineIn(record: string) {
  const { imported } = fieldsIn(record);
  if (!isFields(imported) || typeof imported['file'] !== 'string') return undefined;
  const { file, line, bytes, ended } = imported;
  if (typeof line === 'string') return { file, line: Buffer.from(line), ended: ended !== false };
  return typeof bytes === 'string'
    ? { file, line: Buffer.from(bytes, 'base64'), ended: ended !== false }
    : undefined;
}

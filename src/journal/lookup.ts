/**
 * The lookup of a sealed segment: a small file that never changes, in which a term is found with a few short readings. A
 * preamble, what was known of the journal at the end of the segment (JSON), and the sorted entries in blocks of 4 KB, each
 * with a checksum.
 */
import { crc32 } from 'node:zlib';
import { DamagedFileError } from '../errors.ts';
import type { Host } from '../platform/host.ts';
import { type FileMark, readPart } from './own-files.ts';
import type { Segment } from './segments.ts';
import { readSnapshot, type Snapshot, snapshotText } from './snapshot.ts';
import { BLOCK_BYTES, DamagedLookup, mostEntries, SortedEntries } from './sorted-entries.ts';
import { ENTRY_BYTES, entryAt, sortedEntries, type TermEntry, type Terms, type WantedTerm } from './terms.ts';

const MAGIC = 'hedgelk1';
export const PREAMBLE_BYTES = 64;
const IN_BLOCK = mostEntries(ENTRY_BYTES);
const CRC_AT = IN_BLOCK * ENTRY_BYTES;

/** What the preamble says of the segment. */
export interface LookupFacts {
  /** Entries. */
  entries: number;
  /** Size of the segment. */
  bytes: number;
  lines: number;
  actions: number;
  /** The latest time in a record, in milliseconds since the epoch; 0 without a record. */
  latestMs: number;
  /** Lines that cannot be read, and records without a beginning. */
  damaged: number;
}

/** The bytes of a lookup. `entries` in any order. */
export function lookupBytes(facts: LookupFacts, summary: string, entries: Buffer): Buffer {
  const json = Buffer.from(summary);
  const start = firstBlock(json.length);
  const blocks = Math.ceil(facts.entries / IN_BLOCK);
  const all = Buffer.alloc(start + blocks * BLOCK_BYTES);
  all.write(MAGIC, 0, 'latin1');
  all.writeUInt32BE(json.length, 8);
  all.writeUInt32BE(crc32(json), 12);
  all.writeUInt32BE(facts.entries, 16);
  all.writeDoubleBE(facts.bytes, 20);
  all.writeDoubleBE(facts.latestMs, 28);
  all.writeUInt32BE(facts.actions, 36);
  all.writeUInt32BE(facts.damaged, 40);
  all.writeUInt32BE(facts.lines, 44);
  all.writeUInt32BE(crc32(all.subarray(0, PREAMBLE_BYTES - 4)), PREAMBLE_BYTES - 4);
  json.copy(all, PREAMBLE_BYTES);
  const sorted = sortedEntries(entries);
  for (let block = 0; block < blocks; block += 1) {
    const at = start + block * BLOCK_BYTES;
    sorted.copy(all, at, block * CRC_AT, (block + 1) * CRC_AT);
    all.writeUInt32BE(crc32(all.subarray(at, at + CRC_AT)), at + CRC_AT);
  }
  return all;
}

/** Where the entries begin, after a preamble and a text. */
export const firstBlock = (jsonBytes: number): number =>
  Math.ceil((PREAMBLE_BYTES + jsonBytes) / BLOCK_BYTES) * BLOCK_BYTES;

export class Lookup implements Terms {
  readonly path: string;
  readonly facts: LookupFacts;
  /** Of the preamble, which has the checksum of the summary. */
  readonly crc: number;
  readonly sorted: SortedEntries;
  readonly #host: Host;
  readonly #json: { bytes: number; crc: number };

  private constructor(path: string, host: Host, preamble: Buffer) {
    this.path = path;
    this.#host = host;
    this.#json = { bytes: preamble.readUInt32BE(8), crc: preamble.readUInt32BE(12) };
    this.crc = preamble.readUInt32BE(PREAMBLE_BYTES - 4);
    this.facts = {
      entries: preamble.readUInt32BE(16),
      bytes: preamble.readDoubleBE(20),
      latestMs: preamble.readDoubleBE(28),
      actions: preamble.readUInt32BE(36),
      damaged: preamble.readUInt32BE(40),
      lines: preamble.readUInt32BE(44),
    };
    this.sorted = new SortedEntries({
      path,
      host,
      entries: this.facts.entries,
      start: firstBlock(this.#json.bytes),
      entryBytes: ENTRY_BYTES,
      around: AROUND,
    });
  }

  /** Undefined when there is none, or none that can be used. @throws DamagedFileError for a link or a foreign file. */
  static open(path: string, host: Host): Lookup | undefined {
    const preamble = readPart(path, host, 0, PREAMBLE_BYTES);
    return preamble !== undefined && isPreamble(preamble, MAGIC)
      ? new Lookup(path, host, preamble)
      : undefined;
  }

  /** One that can be made again, because its segment is here, is not used where it is a link or foreign. @throws DamagedFileError */
  static of({ lookup, isHere }: Pick<Segment, 'lookup' | 'isHere'>, host: Host): Lookup | undefined {
    try {
      return Lookup.open(lookup, host);
    } catch (error) {
      if (isHere && error instanceof DamagedFileError) return undefined;
      throw error;
    }
  }

  /** What was known of the journal at the end of the segment. @throws DamagedLookup */
  summary(): string {
    const json = readPart(this.path, this.#host, PREAMBLE_BYTES, this.#json.bytes);
    if (json?.length !== this.#json.bytes || crc32(json) !== this.#json.crc)
      throw new DamagedLookup(this.path);
    return json.toString('utf8');
  }

  find(wanted: readonly WantedTerm[]): readonly TermEntry[] {
    return this.sorted.find(wanted, entryAt);
  }

  shared(id: string): number {
    return this.sorted.shared(id);
  }

  idsFrom(prefix: string): readonly string[] {
    return this.sorted.idsFrom(prefix);
  }

  /** For a check of the whole. @throws DamagedLookup */
  check(): void {
    this.summary();
    this.sorted.check();
  }
}

const AROUND = 2;

/** The text in a lookup: the mark of the segment, and what was known of the journal at its end. */
export const summaryText = (snapshot: Snapshot, mark: FileMark): string =>
  `${JSON.stringify(mark)}\n${snapshotText(snapshot)}`;

/** Undefined for one of another version. @throws DamagedLookup */
export function readSummary(lookup: Lookup): { snapshot: Snapshot; mark: FileMark } | undefined {
  const text = lookup.summary();
  const [head = '', rest = ''] = text.split('\n');
  const snapshot = readSnapshot(rest);
  const mark: FileMark = JSON.parse(head);
  return snapshot && { snapshot, mark };
}

/** With its checksum at the end. */
export const isPreamble = (bytes: Buffer, magic: string): boolean =>
  bytes.length === PREAMBLE_BYTES &&
  bytes.toString('latin1', 0, magic.length) === magic &&
  crc32(bytes.subarray(0, PREAMBLE_BYTES - 4)) === bytes.readUInt32BE(PREAMBLE_BYTES - 4);

/**
 * The lookup of a sealed segment: a small file that never changes, in which a term is found with a few short readings. A
 * preamble, what was known of the journal at the end of the segment (JSON), and the sorted entries in blocks of 4 KB, each
 * with a checksum.
 */
import { crc32 } from 'node:zlib';
import type { Host } from '../platform/host.ts';
import { openOwn, readPart } from './own-files.ts';
import {
  ENTRY_BYTES,
  entryAt,
  KIND,
  sharedDigits,
  type TermEntry,
  type Terms,
  termOfId,
  type WantedTerm,
} from './terms.ts';

const MAGIC = 'hedgelk1';
const PREAMBLE_BYTES = 64;
export const BLOCK_BYTES = 4_096;
const IN_BLOCK = 255;
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

/** The bytes of a lookup. `entries` are sorted in place. */
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

const firstBlock = (jsonBytes: number): number =>
  Math.ceil((PREAMBLE_BYTES + jsonBytes) / BLOCK_BYTES) * BLOCK_BYTES;

/** By term, then by offset. */
function sortedEntries(entries: Buffer): Buffer {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.length);
  const order = Uint32Array.from({ length: entries.length / ENTRY_BYTES }, (_, index) => index * ENTRY_BYTES);
  order.sort(
    (one, other) =>
      view.getUint32(one) - view.getUint32(other) ||
      view.getUint32(one + 4) - view.getUint32(other + 4) ||
      view.getUint32(one + 8) - view.getUint32(other + 8) ||
      view.getUint32(one + 12) - view.getUint32(other + 12),
  );
  const sorted = Buffer.alloc(entries.length);
  order.forEach((from, index) => entries.copy(sorted, index * ENTRY_BYTES, from, from + ENTRY_BYTES));
  return sorted;
}

/** Part of a lookup is not as it was written. */
export class DamagedLookup extends Error {}

export class Lookup implements Terms {
  readonly path: string;
  readonly facts: LookupFacts;
  readonly #host: Host;
  readonly #json: { bytes: number; crc: number };

  private constructor(path: string, host: Host, preamble: Buffer) {
    this.path = path;
    this.#host = host;
    this.#json = { bytes: preamble.readUInt32BE(8), crc: preamble.readUInt32BE(12) };
    this.facts = {
      entries: preamble.readUInt32BE(16),
      bytes: preamble.readDoubleBE(20),
      latestMs: preamble.readDoubleBE(28),
      actions: preamble.readUInt32BE(36),
      damaged: preamble.readUInt32BE(40),
      lines: preamble.readUInt32BE(44),
    };
  }

  /** Undefined when there is none, or none that can be used. @throws DamagedFileError for a link or a foreign file. */
  static open(path: string, host: Host): Lookup | undefined {
    const preamble = readPart(path, host, 0, PREAMBLE_BYTES);
    if (preamble?.length !== PREAMBLE_BYTES || preamble.toString('latin1', 0, 8) !== MAGIC) return undefined;
    const isWhole =
      crc32(preamble.subarray(0, PREAMBLE_BYTES - 4)) === preamble.readUInt32BE(PREAMBLE_BYTES - 4);
    return isWhole ? new Lookup(path, host, preamble) : undefined;
  }

  /** What was known of the journal at the end of the segment. @throws DamagedLookup */
  summary(): string {
    const json = readPart(this.path, this.#host, PREAMBLE_BYTES, this.#json.bytes);
    if (json?.length !== this.#json.bytes || crc32(json) !== this.#json.crc)
      throw new DamagedLookup(this.path);
    return json.toString('utf8');
  }

  find(wanted: readonly WantedTerm[]): readonly TermEntry[] {
    return this.#reading((read) => wanted.flatMap((each) => this.#find(each, read)));
  }

  #find({ term, kinds }: WantedTerm, read: (block: number) => Buffer): readonly TermEntry[] {
    const found: TermEntry[] = [];
    for (let index = this.#firstFrom(term, read); index < this.facts.entries; index += 1) {
      const { block, at } = this.#placeOf(index, read);
      if (term.compare(block, at, at + 8) !== 0) break;
      const entry = entryAt(block, at);
      if (kinds.some((kind) => kind === entry.kind)) found.push(entry);
    }
    return found;
  }

  shared(id: string): number {
    return this.#reading((read) => {
      const from = this.#firstFrom(termOfId(id), read);
      const nearest = (start: number, step: 1 | -1): number => {
        for (let index = start; index >= 0 && index < this.facts.entries; index += step) {
          const { block, at } = this.#placeOf(index, read);
          const other = block.toString('hex', at, at + 8);
          if (block[at + 14] === KIND.intent && other !== id) return sharedDigits(other, id);
        }
        return 0;
      };
      return Math.max(nearest(from - 1, -1), nearest(from, 1));
    });
  }

  idsFrom(prefix: string): readonly string[] {
    return this.#reading((read) => {
      const found: string[] = [];
      const start = termOfId(prefix.padEnd(16, '0'));
      for (let index = this.#firstFrom(start, read); index < this.facts.entries; index += 1) {
        const { block, at } = this.#placeOf(index, read);
        const id = block.toString('hex', at, at + 8);
        if (!id.startsWith(prefix)) break;
        if (block[at + 14] === KIND.intent) found.push(id);
      }
      return found;
    });
  }

  /** All entries, sorted; for a check of the whole. @throws DamagedLookup */
  check(): void {
    this.summary();
    this.#reading((read) => {
      for (let index = 0; index < this.facts.entries; index += IN_BLOCK) read(Math.floor(index / IN_BLOCK));
    });
  }

  #placeOf(index: number, read: (block: number) => Buffer): { block: Buffer; at: number } {
    return { block: read(Math.floor(index / IN_BLOCK)), at: (index % IN_BLOCK) * ENTRY_BYTES };
  }

  /** The index of the first entry that is not below the term. Terms are spread evenly: it begins where it should be. */
  #firstFrom(term: Buffer, read: (block: number) => Buffer): number {
    const { entries } = this.facts;
    const blocks = Math.ceil(entries / IN_BLOCK);
    const inBlock = (block: number): number => Math.min(IN_BLOCK, entries - block * IN_BLOCK);
    const isBelow = (block: Buffer, index: number): boolean =>
      term.compare(block, index * ENTRY_BYTES, index * ENTRY_BYTES + 8) > 0;
    // The first block whose last entry is not below the term is between them.
    let [low, high] = [0, blocks];
    let guess = Math.floor((term.readUInt32BE(0) / 2 ** 32) * blocks);
    for (let tries = 0; low < high; tries += 1) {
      const block = read(guess);
      if (isBelow(block, inBlock(guess) - 1)) low = guess + 1;
      else if (isBelow(block, 0)) [low, high] = [guess, guess];
      else high = guess;
      const next = low > guess ? guess + 1 : guess - 1;
      guess = tries < 3 ? Math.min(Math.max(next, low), high - 1) : (low + high) >> 1;
    }
    if (low >= blocks) return entries;
    const block = read(low);
    let [first, after] = [0, inBlock(low)];
    while (first < after) {
      const middle = (first + after) >> 1;
      if (isBelow(block, middle)) first = middle + 1;
      else after = middle;
    }
    return low * IN_BLOCK + first;
  }

  /** A block is valid until the next one is read. */
  #reading<T>(body: (read: (block: number) => Buffer) => T): T {
    const start = firstBlock(this.#json.bytes);
    let file: ReturnType<typeof openOwn>;
    let [first, after] = [0, 0];
    const whole = new Set<number>();
    const read = (block: number): Buffer => {
      if (block < first || block >= after) {
        file ??= openOwn(this.path, this.#host);
        // A guess is right within some blocks.
        first = Math.max(0, block - AROUND);
        after = first + Math.floor((file?.readInto(WINDOW, start + first * BLOCK_BYTES) ?? 0) / BLOCK_BYTES);
        whole.clear();
      }
      const at = (block - first) * BLOCK_BYTES;
      const bytes = WINDOW.subarray(at, at + BLOCK_BYTES);
      if (whole.has(block)) return bytes;
      if (block >= after || crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32BE(CRC_AT))
        throw new DamagedLookup(this.path);
      whole.add(block);
      return bytes;
    };
    try {
      return body(read);
    } finally {
      file?.close();
    }
  }
}

const AROUND = 2;
/** For one reading at a time. */
const WINDOW = Buffer.alloc((2 * AROUND + 1) * BLOCK_BYTES);

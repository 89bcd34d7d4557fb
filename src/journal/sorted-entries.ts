/**
 * Sorted entries in a file, in blocks of 4 KB, each with a checksum: a term is found with a few short readings. An entry starts
 * as those of `terms.ts`; more bytes may follow.
 */
import { crc32 } from 'node:zlib';
import type { Host } from '../platform/host.ts';
import { type FileMark, isSameMark, type OwnFile, openOwn } from './own-files.ts';
import { KIND, sharedDigits, termOfId, type WantedTerm } from './terms.ts';

export const BLOCK_BYTES = 4_096;
const CRC_BYTES = 4;

/** Part of the file is not as it was written. */
export class DamagedLookup extends Error {}

/** In a block. */
export const mostEntries = (entryBytes: number): number => Math.floor((BLOCK_BYTES - CRC_BYTES) / entryBytes);

export interface EntriesPlace {
  path: string;
  host: Host;
  /** Of the first block. */
  start: number;
  entries: number;
  entryBytes: number;
  /** Blocks to read around a guess. */
  around: number;
  /** The file must still be this one. */
  mark?: FileMark;
}

type Reading = (block: number) => Buffer;

/** Where an entry is. */
interface At {
  block: Buffer;
  at: number;
}

export class SortedEntries {
  readonly #place: EntriesPlace;
  readonly #inBlock: number;
  readonly #blocks: number;

  constructor(place: EntriesPlace) {
    this.#place = place;
    this.#inBlock = mostEntries(place.entryBytes);
    this.#blocks = Math.ceil(place.entries / this.#inBlock);
  }

  /** Of each, in their order. @throws DamagedLookup */
  find<T>(wanted: readonly WantedTerm[], read: (block: Buffer, at: number) => T): readonly T[] {
    return this.#reading((reading) => {
      const found: T[] = [];
      for (const { term, kinds } of wanted)
        for (const { block, at } of this.#from(term, reading)) {
          if (term.compare(block, at, at + 8) !== 0) break;
          if (kinds.some((kind) => kind === block[at + 14])) found.push(read(block, at));
        }
      return found;
    });
  }

  /** Leading digits that another action has in common with this ID. @throws DamagedLookup */
  shared(id: string): number {
    return this.#reading((reading) => {
      const from = this.#firstFrom(termOfId(id), reading);
      const nearest = (start: number, step: 1 | -1): number => {
        for (let index = start; index >= 0 && index < this.#place.entries; index += step) {
          const { block, at } = this.#placeOf(index, reading);
          const other = block.toString('hex', at, at + 8);
          if (block[at + 14] === KIND.intent && other !== id) return sharedDigits(other, id);
        }
        return 0;
      };
      return Math.max(nearest(from - 1, -1), nearest(from, 1));
    });
  }

  /** Of actions. @throws DamagedLookup */
  idsFrom(prefix: string): readonly string[] {
    return this.#reading((reading) => {
      const found: string[] = [];
      for (const { block, at } of this.#from(termOfId(prefix.padEnd(16, '0')), reading)) {
        const id = block.toString('hex', at, at + 8);
        if (!id.startsWith(prefix)) break;
        if (block[at + 14] === KIND.intent) found.push(id);
      }
      return found;
    });
  }

  /** Reads all of it. @throws DamagedLookup */
  check(): void {
    this.#reading((reading) => {
      for (let block = 0; block < this.#blocks; block += 1) reading(block);
    });
  }

  /** All blocks in order, each valid until the next one is taken. @throws DamagedLookup */
  *blocks(): Generator<{ bytes: Buffer; count: number }> {
    const { path, host, start, entries } = this.#place;
    const file = this.#open(path, host);
    const window = Buffer.allocUnsafeSlow(AT_ONCE * BLOCK_BYTES);
    try {
      for (let block = 0; block < this.#blocks; block += 1) {
        const from = (block % AT_ONCE) * BLOCK_BYTES;
        if (from === 0) window.fill(0, file.readInto(window, start + block * BLOCK_BYTES));
        const bytes = window.subarray(from, from + BLOCK_BYTES);
        this.#checkBlock(bytes);
        yield { bytes, count: Math.min(this.#inBlock, entries - block * this.#inBlock) };
      }
    } finally {
      file.close();
    }
  }

  *#from(term: Buffer, reading: Reading): Generator<At> {
    for (let index = this.#firstFrom(term, reading); index < this.#place.entries; index += 1)
      yield this.#placeOf(index, reading);
  }

  #placeOf(index: number, reading: Reading): At {
    return {
      block: reading(Math.floor(index / this.#inBlock)),
      at: (index % this.#inBlock) * this.#place.entryBytes,
    };
  }

  /** The index of the first entry that is not below the term. Terms are spread evenly: it begins where it should be. */
  #firstFrom(term: Buffer, reading: Reading): number {
    const { entries, entryBytes } = this.#place;
    const blocks = this.#blocks;
    const inBlock = (block: number): number => Math.min(this.#inBlock, entries - block * this.#inBlock);
    const isBelow = (block: Buffer, index: number): boolean =>
      term.compare(block, index * entryBytes, index * entryBytes + 8) > 0;
    const blocksTo = (start: number): number => ((term.readUInt32BE(0) - start) / 2 ** 32) * blocks;
    // The first block whose last entry is not below the term is between them.
    let [low, high] = [0, blocks];
    let guess = Math.floor(blocksTo(0));
    for (let tries = 0; low < high; tries += 1) {
      const block = reading(guess);
      if (isBelow(block, inBlock(guess) - 1)) low = guess + 1;
      else if (isBelow(block, 0)) [low, high] = [guess, guess];
      else high = guess;
      const step = Math.trunc(blocksTo(block.readUInt32BE(0)));
      const next = low > guess ? guess + Math.max(1, step) : guess + Math.min(-1, step);
      guess = tries < 4 ? Math.min(Math.max(next, low), high - 1) : (low + high) >> 1;
    }
    if (low >= blocks) return entries;
    const block = reading(low);
    let [first, after] = [0, inBlock(low)];
    while (first < after) {
      const middle = (first + after) >> 1;
      if (isBelow(block, middle)) first = middle + 1;
      else after = middle;
    }
    return low * this.#inBlock + first;
  }

  #checkBlock(bytes: Buffer): void {
    const crcAt = this.#inBlock * this.#place.entryBytes;
    if (crc32(bytes.subarray(0, crcAt)) !== bytes.readUInt32BE(crcAt))
      throw new DamagedLookup(this.#place.path);
  }

  #open(path: string, host: Host): OwnFile {
    const file = openOwn(path, host);
    const { mark } = this.#place;
    if (file !== undefined && (mark === undefined || isSameMark(file.mark(), mark))) return file;
    file?.close();
    throw new DamagedLookup(path);
  }

  /** A block is valid until the next one is read. */
  #reading<T>(body: (reading: Reading) => T): T {
    const { path, host, start, around } = this.#place;
    let file: OwnFile | undefined;
    let [first, after] = [0, 0];
    const window = windowOf(around);
    const whole = new Set<number>();
    const reading = (block: number): Buffer => {
      if (block < first || block >= after) {
        file ??= this.#open(path, host);
        // A guess is right within some blocks.
        first = Math.max(0, block - around);
        after = first + Math.floor(file.readInto(window, start + first * BLOCK_BYTES) / BLOCK_BYTES);
        whole.clear();
      }
      const at = (block - first) * BLOCK_BYTES;
      const bytes = window.subarray(at, at + BLOCK_BYTES);
      if (whole.has(block)) return bytes;
      if (block >= after) throw new DamagedLookup(path);
      this.#checkBlock(bytes);
      whole.add(block);
      return bytes;
    };
    try {
      return body(reading);
    } finally {
      file?.close();
    }
  }
}

/** Blocks. */
const AT_ONCE = 16;

/** For one reading at a time. */
let common = Buffer.alloc(0);

function windowOf(around: number): Buffer {
  const bytes = (2 * around + 1) * BLOCK_BYTES;
  if (common.length < bytes) common = Buffer.allocUnsafeSlow(bytes);
  return common.subarray(0, bytes);
}

/** Makes the merged lookup, under the journal's lock: by streaming, and into a file that takes its place when it is whole. */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { removeLeft } from '../platform/atomic-file.ts';
import { fileError } from '../platform/file-errors.ts';
import type { Host } from '../platform/host.ts';
import { Lookup } from './lookup.ts';
import { type Covered, MERGED_BYTES, MergedLookup, mergedHead } from './merged-lookup.ts';
import { clearDerived } from './own-files.ts';
import { type JournalLayout, mergedFile } from './segments.ts';
import { BLOCK_BYTES, DamagedLookup, mostEntries, type SortedEntries } from './sorted-entries.ts';
import { ENTRY_BYTES } from './terms.ts';

/** The place of a segment has two bytes. */
const MOST_SEGMENTS = 65_536;

/**
 * Of all sealed segments with a lookup. Yields the part that is done, from 0 to 1.
 * @throws DamagedLookup for a lookup that has to be made again first; DamagedFileError when it cannot be written.
 */
export function* mergeLookups({ folder, segments }: JournalLayout, host: Host): Generator<number, void> {
  const lookups = segments.slice(0, -1).flatMap((segment) => {
    const { number, name, hasLookup } = segment;
    if (!hasLookup) return [];
    const lookup = Lookup.of(segment, host);
    if (lookup === undefined) throw new DamagedLookup(segment.lookup);
    return [{ number, name, lookup }];
  });
  const covered = lookups.map(({ number, name, lookup }): Covered => {
    const { crc, facts } = lookup;
    return { number, name, crc, latestMs: facts.latestMs };
  });
  if (covered.length > MOST_SEGMENTS) return;
  const before = MergedLookup.open(folder, host);
  const isBeginning = before?.covered.every((each, index) => isSame(each, covered[index])) === true;
  const known = isBeginning ? before.covered.length : 0;
  const later = lookups.slice(known);
  const count =
    (isBeginning ? before.entries : 0) + later.reduce((sum, { lookup }) => sum + lookup.facts.entries, 0);
  const sources = later.map(({ lookup }, index) => new Source(lookup.sorted, ENTRY_BYTES, known + index));
  if (isBeginning) sources.unshift(new Source(before.sorted, MERGED_BYTES, 0));
  yield* write(mergedFile(folder), { head: mergedHead(covered, count), sources, count, host });
}

const isSame = (one: Covered, other: Covered | undefined): boolean =>
  one.number === other?.number && one.name === other.name && one.crc === other.crc;

/** Entries of one file, in order. */
class Source {
  /** The term of the entry, in two halves. */
  high = 0;
  low = 0;
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  readonly size: number;
  /** Among the covered segments; of entries that do not say it. */
  readonly place: number;
  readonly #blocks: ReturnType<SortedEntries['blocks']>;
  #left = 0;

  constructor(entries: SortedEntries, size: number, place: number) {
    this.size = size;
    this.place = place;
    this.#blocks = entries.blocks();
  }

  /** False at the end. */
  next(): boolean {
    this.at += this.size;
    while (this.#left === 0) {
      const { done, value } = this.#blocks.next();
      if (done === true) return false;
      this.bytes = value.bytes;
      this.#left = value.count;
      this.at = 0;
    }
    this.#left -= 1;
    this.high = this.bytes.readUInt32BE(this.at);
    this.low = this.bytes.readUInt32BE(this.at + 4);
    return true;
  }

  /** Of one term, those of earlier segments come first. */
  isBefore(other: Source): boolean {
    if (this.high !== other.high) return this.high < other.high;
    return this.low === other.low ? this.place < other.place : this.low < other.low;
  }

  close(): void {
    this.#blocks.return(undefined);
  }
}

/** A heap, the first source on top. */
function sink(heap: Source[], from: number): void {
  for (let index = from; ; ) {
    let least = index;
    for (const child of [2 * index + 1, 2 * index + 2]) {
      const [one, other] = [heap[child], heap[least]];
      if (one !== undefined && other !== undefined && one.isBefore(other)) least = child;
    }
    const [above, below] = [heap[index], heap[least]];
    if (least === index || above === undefined || below === undefined) return;
    heap[index] = below;
    heap[least] = above;
    index = least;
  }
}

interface Content {
  head: Buffer;
  sources: readonly Source[];
  count: number;
  host: Host;
}

function* write(path: string, content: Content): Generator<number, void> {
  const { head, sources, host } = content;
  // A process that died left it; nobody else writes it under the lock.
  const temporary = `${path}.tmp`;
  try {
    clearDerived(path, host);
    rmSync(temporary, { force: true });
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      if (host.uid !== undefined) fchmodSync(fd, 0o600);
      writeAll(fd, head);
      yield* writeEntries(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    removeLeft(temporary);
    throw error instanceof DamagedLookup ? error : fileError('write', path, error);
  } finally {
    for (const each of sources) each.close();
  }
}

function* writeEntries(fd: number, { sources, count }: Content): Generator<number, void> {
  const heap = sources.filter((each) => each.next());
  for (let index = heap.length >> 1; index >= 0; index -= 1) sink(heap, index);
  const inBlock = mostEntries(MERGED_BYTES);
  const crcAt = inBlock * MERGED_BYTES;
  const window = Buffer.alloc(AT_ONCE * BLOCK_BYTES);
  let written = 0;
  for (let start = 0; written < count; start = (start + BLOCK_BYTES) % window.length) {
    const block = window.subarray(start, start + BLOCK_BYTES).fill(0);
    for (let index = 0; index < inBlock && written < count; index += 1, written += 1) {
      const [source] = heap;
      if (source === undefined) throw new Error('a lookup has fewer entries than it says');
      const at = index * MERGED_BYTES;
      source.bytes.copy(block, at, source.at, source.at + source.size);
      if (source.size === ENTRY_BYTES) block.writeUInt16BE(source.place, at + ENTRY_BYTES);
      if (!source.next()) {
        const last = heap.pop();
        if (last !== undefined && heap.length > 0) heap[0] = last;
      }
      sink(heap, 0);
    }
    block.writeUInt32BE(crc32(block.subarray(0, crcAt)), crcAt);
    if (written < count && start + BLOCK_BYTES < window.length) continue;
    writeAll(fd, window.subarray(0, start + BLOCK_BYTES));
    yield written / count;
  }
}

/** Blocks. */
const AT_ONCE = 128;

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

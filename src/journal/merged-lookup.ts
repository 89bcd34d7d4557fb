/**
 * The lookups of all sealed segments in one file, so that a term is found with one short reading. It is derived: the lookups
 * are what it was made of, and are searched one by one where it is missing, damaged, or of other segments.
 */
import { rmSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { isFields } from '../domain/fields.ts';
import { fileError } from '../platform/file-errors.ts';
import type { Host } from '../platform/host.ts';
import { firstBlock, isPreamble, PREAMBLE_BYTES } from './lookup.ts';
import { type FileMark, openDerived } from './own-files.ts';
import { mergedFile, type Segment } from './segments.ts';
import { BLOCK_BYTES, type EntriesPlace, mostEntries, SortedEntries } from './sorted-entries.ts';
import { ENTRY_BYTES, entryAt, type TermEntry, type WantedTerm } from './terms.ts';

/** That of a lookup, and two bytes for the segment: its place among those that are covered. */
export const MERGED_BYTES = ENTRY_BYTES + 2;
const MAGIC = 'hedgelm1';
const VERSION = 1;

/** A segment whose entries are in the file. */
export interface Covered {
  number: number;
  name: string;
  /** Of the preamble of its lookup. */
  crc: number;
  latestMs: number;
}

/** An entry, and the number of its segment. */
export type PlacedEntry = TermEntry & { segment: number };

export class MergedLookup {
  readonly mark: FileMark;
  readonly entries: number;
  readonly covered: readonly Covered[];
  readonly sorted: SortedEntries;
  readonly #byNumber: ReadonlyMap<number, Covered>;

  private constructor(
    {
      path,
      host,
      mark,
      start,
      entries,
    }: Pick<EntriesPlace, 'path' | 'host' | 'start' | 'entries'> & { mark: FileMark },
    covered: readonly Covered[],
  ) {
    this.mark = mark;
    this.entries = entries;
    this.covered = covered;
    this.sorted = new SortedEntries({
      path,
      host,
      mark,
      start,
      entries,
      entryBytes: MERGED_BYTES,
      around: AROUND,
    });
    this.#byNumber = new Map(covered.map((each) => [each.number, each]));
  }

  /** Undefined when there is none, or none that can be used. */
  static open(folder: string, host: Host): MergedLookup | undefined {
    const path = mergedFile(folder);
    const file = openDerived(path, host);
    if (file === undefined) return undefined;
    try {
      let head = file.read(0, HEAD_BYTES);
      const preamble = head.subarray(0, PREAMBLE_BYTES);
      if (!isPreamble(preamble, MAGIC)) return undefined;
      const [jsonBytes, crc, entries] = [8, 12, 16].map((at) => preamble.readUInt32BE(at));
      const jsonEnd = PREAMBLE_BYTES + (jsonBytes ?? 0);
      if (jsonEnd > head.length) head = file.read(0, jsonEnd);
      const json = head.subarray(PREAMBLE_BYTES, jsonEnd);
      const mark = file.mark();
      const start = firstBlock(jsonBytes ?? 0);
      if (entries === undefined || mark.bytes !== start + blocksOf(entries) * BLOCK_BYTES) return undefined;
      if (json.length !== jsonBytes || crc32(json) !== crc) return undefined;
      const covered = readCovered(json.toString('utf8'));
      if (covered === undefined) return undefined;
      return new MergedLookup({ path, host, mark, start, entries }, covered);
    } finally {
      file.close();
    }
  }

  covers(number: number): boolean {
    return this.#byNumber.has(number);
  }

  /** Of a segment that is covered. */
  latestMsOf(number: number): number | undefined {
    return this.#byNumber.get(number)?.latestMs;
  }

  /** Each covered segment is sealed, and has its lookup. */
  fits(segments: readonly Segment[]): boolean {
    const first = segments[0]?.number ?? 0;
    return this.covered.every(({ number, name }) => {
      const segment = number < first ? undefined : segments[number - first];
      return segment?.hasLookup === true && segment.name === name && number - first < segments.length - 1;
    });
  }

  /** By term, and in the order of the records. @throws DamagedLookup */
  find(wanted: readonly WantedTerm[]): readonly PlacedEntry[] {
    return this.sorted.find(wanted, (block, at) => ({
      ...entryAt(block, at),
      segment: this.covered[block.readUInt16BE(at + ENTRY_BYTES)]?.number ?? -1,
    }));
  }
}

/** @throws DamagedFileError */
export function removeMerged(folder: string): void {
  const path = mergedFile(folder);
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw fileError('remove', path, error);
  }
}

/** Blocks. With millions of entries a guess is that far off. */
const AROUND = 6;
/** The list of the segments is in it for the first hundreds of them. */
const HEAD_BYTES = 16_384;

const blocksOf = (entries: number): number => Math.ceil(entries / mostEntries(MERGED_BYTES));

/** Undefined for one of another version. */
function readCovered(text: string): readonly Covered[] | undefined {
  const read: unknown = JSON.parse(text);
  if (!isFields(read) || read['version'] !== VERSION) return undefined;
  const rows = read['segments'];
  if (!Array.isArray(rows)) return undefined;
  const all: readonly [number, string, number, number][] = rows;
  return all.map(([number, name, crc, latestMs]) => ({ number, name, crc, latestMs }));
}

/** What comes before the blocks. */
export function mergedHead(covered: readonly Covered[], entries: number): Buffer {
  const segments = covered.map(({ number, name, crc, latestMs }) => [number, name, crc, latestMs]);
  const json = Buffer.from(JSON.stringify({ version: VERSION, segments }));
  const head = Buffer.alloc(firstBlock(json.length));
  head.write(MAGIC, 0, 'latin1');
  head.writeUInt32BE(json.length, 8);
  head.writeUInt32BE(crc32(json), 12);
  head.writeUInt32BE(entries, 16);
  head.writeUInt32BE(crc32(head.subarray(0, PREAMBLE_BYTES - 4)), PREAMBLE_BYTES - 4);
  json.copy(head, PREAMBLE_BYTES);
  return head;
}

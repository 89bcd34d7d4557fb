/**
 * Reads the journal from its segments, lookups and index. The index is trusted while the active segment is as it left it, or
 * has only grown; otherwise it is made again from the segments.
 */
import { crc32 } from 'node:zlib';
import { once } from '../domain/once.ts';
import { DamagedFileError } from '../errors.ts';
import type { Host } from '../platform/host.ts';
import { isPrefixWhole, readIndexText, type StoredIndex, type TermsOnDisk } from './active-index.ts';
import { readLineAgain } from './lines.ts';
import { Lookup } from './lookup.ts';
import { guarded, readSummary } from './lookup-summary.ts';
import {
  type FileMark,
  hashOwn,
  isSameMark,
  lineAt,
  type OwnFile,
  openDerived,
  openOwn,
} from './own-files.ts';
import { type ActionRecord, isOfAction, type JournalRecord } from './records.ts';
import type { Earlier } from './replay-lines.ts';
import { baseFor, type Replayed, type ReplayRange, replayRange } from './replay-segment.ts';
import {
  gone,
  indexFile,
  type JournalLayout,
  locate,
  lostActive,
  readLayout,
  type Segment,
  segmentOf,
  singleFile,
  termsFile,
} from './segments.ts';
import { carriedOver, emptySnapshot, type Place, type Snapshot } from './snapshot.ts';
import { DamagedLookup } from './sorted-entries.ts';
import { TermSearch } from './term-search.ts';
import { ID_KINDS, KIND, TermList, type Terms, termOfId } from './terms.ts';

/** The journal at one moment. */
export interface Loaded extends Omit<Replayed, 'terms'> {
  layout: JournalLayout;
  /** The file of the active segment. */
  path: string;
  terms: () => TermList;
  /** The index on disk is of `settled`. */
  isIndexed: boolean;
  /** The beginning of `terms` that is in the file of terms. */
  onDisk: TermsOnDisk | undefined;
  /** Sealed segments whose lookups have to be written. */
  rebuilt: readonly Segment[];
}

/** Times of the records of a segment. */
export type SegmentTimes = Pick<Snapshot, 'latestMs' | 'marks'>;

export interface FileOptions {
  state: string;
  host: Host;
  now: () => number;
  /** Where archived segments are, when not where they were moved to. */
  archive?: string | undefined;
}

/** Shows that the index of the journal is being made again. */
export interface RebuildProgress {
  start(text: string): void;
  update(text: string): void;
  stop(): void;
}

/** Reads to the end. */
export function finished<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

export class JournalFiles {
  readonly options: FileOptions;
  /** Of sealed segments, by number. */
  readonly #lookups = new Map<number, Lookup>();
  readonly #inMemory = new Map<number, { terms: TermList; at: SegmentTimes }>();
  /** Lookups that cannot be used although they are there. */
  readonly damagedLookups = new Set<number>();
  /** In the terms of all segments. */
  readonly terms: TermSearch;

  constructor(options: FileOptions) {
    this.options = options;
    this.terms = new TermSearch(options.host, (segment, layout) => this.termsOf(segment, layout));
  }

  /** @throws DamagedFileError also for a `journal.jsonl` that would hide the segments. */
  layout(): JournalLayout {
    const layout = readLayout(this.options.state, this.options.host);
    if (layout.conflict !== undefined) throw layout.conflict;
    return layout;
  }

  /** The index is written after its segment. @throws DamagedFileError when that segment is not there any more. */
  checkActive({ folder }: JournalLayout, index = this.#readIndex(folder)): void {
    if (index === undefined) return;
    const { segment: number } = index.snapshot;
    // Another process may have begun it since.
    const last = this.layout().segments.at(-1)?.number ?? -1;
    if (last < number) throw lostActive(folder, number);
  }

  /** By the index; undefined when there is none that can be used, or a lookup has to be made. */
  quick(layout: JournalLayout): Loaded | undefined {
    const active = layout.segments.at(-1);
    const index = this.#readIndex(layout.folder);
    if (active === undefined || index?.snapshot.segment !== active.number) {
      if (index !== undefined) this.checkActive(layout, index);
      return undefined;
    }
    if (layout.kind === 'single' || !active.isHere || this.damagedLookups.size > 0) return undefined;
    const file = openOwn(active.path, this.options.host);
    if (file === undefined) return undefined;
    try {
      const mark = file.mark();
      const isAsLeft = isSameMark(mark, index.mark);
      const { snapshot } = index;
      if (
        !isAsLeft &&
        !(mark.inode === index.mark.inode && mark.bytes > snapshot.bytes && isPrefixWhole(file, snapshot))
      )
        return undefined;
      if (layout.segments.slice(0, -1).some((each) => each.isHere && !each.hasLookup)) return undefined;
      if (this.#changedSuspect(layout, snapshot)) return undefined;
      const completed = withFirst(layout, snapshot);
      const known = { layout: completed, path: active.path, rebuilt: [], termBytes: index.terms.bytes };
      const loaded: Loaded = {
        ...known,
        settled: snapshot,
        seen: snapshot,
        tail: 'ended',
        mark,
        isIndexed: true,
        onDisk: index.terms,
        terms: once(() => {
          const { terms, isOnDisk } = this.#readTerms(index, active);
          if (!isOnDisk) loaded.onDisk = undefined;
          return terms;
        }),
      };
      if (isAsLeft && snapshot.bytes === mark.bytes) return loaded;
      const list = loaded.terms().copy();
      const rest = this.#replay(file, {
        base: snapshot,
        terms: list,
        layout: completed,
        segment: active,
        whole: false,
      });
      const replayed = finished(rest);
      return replayed && { ...loaded, ...replayed, terms: () => list, isIndexed: false };
    } finally {
      file.close();
    }
  }

  /**
   * From the segments. Yields the part of a segment that is done, from 0 to 1. `keep` takes what was found of a sealed
   * segment; without it that stays in memory.
   */
  *whole(
    layout: JournalLayout,
    keep?: (segment: Segment, replayed: Replayed) => void,
  ): Generator<number, Loaded> {
    const { segments } = layout;
    const rebuilt: Segment[] = [];
    let before: { snapshot: Snapshot; mark: FileMark } | undefined;
    let isChanged = false;
    for (const segment of segments.slice(0, -1)) {
      const stored = isChanged ? undefined : this.#stored(segment, layout);
      if (stored !== undefined) {
        if (before === undefined) checkFirst(layout, stored.snapshot, this.options);
        before = stored;
        continue;
      }
      // Of a segment that was repaired, later ones know what was wrong.
      isChanged ||= segment.hasLookup && segment.isHere;
      const path = locate(segment, this.#place(layout));
      const replayed = yield* this.#replayFile(path, { base: baseFor(segment, before), layout, segment });
      if (replayed.mark === undefined) continue;
      const sealed = { ...replayed, settled: replayed.seen };
      if (segment.number === 0)
        sealed.settled = { ...sealed.settled, head: hashOwn(path, this.options.host) ?? '' };
      if (keep === undefined) {
        this.#inMemory.set(segment.number, { terms: replayed.terms, at: sealed.settled });
        rebuilt.push(segment);
      } else {
        keep(segment, sealed);
        segment.hasLookup = true;
      }
      before = { snapshot: sealed.settled, mark: replayed.mark };
    }
    const active = segments.at(-1) ?? segmentOf(layout.folder, 1, undefined);
    const at = this.#place(layout);
    const isMissing = layout.kind === 'segments' && !active.isHere;
    const path = isMissing
      ? locate(active, at)
      : layout.kind === 'single'
        ? singleFile(layout.state)
        : active.path;
    const replayed = yield* this.#replayFile(path, {
      base: baseFor(active, before),
      layout,
      segment: active,
    });
    const { terms, ...found } = replayed;
    return { ...found, layout, path, terms: () => terms, isIndexed: false, onDisk: undefined, rebuilt };
  }

  /**
   * The rest of the active segment, after an append to it. `current`: the IDs of all current actions, when some of them are
   * not among the open ones. Undefined when only a replay of the whole can tell.
   */
  advanced(loaded: Loaded, current?: readonly string[]): Loaded | undefined {
    const segment = loaded.layout.segments.at(-1);
    const file = segment && openOwn(segment.path, this.options.host);
    if (file === undefined || segment === undefined) return undefined;
    try {
      const terms = loaded.terms();
      if (terms.sorted > loaded.termBytes) return undefined;
      terms.cut(loaded.termBytes);
      const options = { base: loaded.settled, terms, layout: loaded.layout, segment, whole: false, current };
      const replayed = finished(this.#replay(file, options));
      return replayed && { ...loaded, ...replayed, terms: () => terms, isIndexed: false, rebuilt: [] };
    } finally {
      file.close();
    }
  }

  /** Of a sealed segment. @throws DamagedFileError */
  termsOf(segment: Segment, layout: JournalLayout): Terms {
    const { number } = segment;
    const lookup = this.damagedLookups.has(number) ? undefined : this.#lookupOf(segment);
    if (lookup !== undefined) return guarded(lookup, () => this.#termsAgain(segment, layout));
    return this.#termsAgain(segment, layout);
  }

  /** Of a sealed segment. @throws DamagedFileError */
  timesOf(segment: Segment, layout: JournalLayout): SegmentTimes {
    const known = this.#inMemory.get(segment.number);
    if (known !== undefined) return known.at;
    const latestMs = this.terms.merged(layout)?.latestMsOf(segment.number);
    if (latestMs !== undefined) {
      const lookupOf = () => this.#lookupOf(segment);
      return {
        latestMs,
        get marks() {
          return marksOf(lookupOf());
        },
      };
    }
    const lookup = this.#lookupOf(segment);
    if (lookup !== undefined)
      return {
        latestMs: lookup.facts.latestMs,
        get marks() {
          return marksOf(lookup);
        },
      };
    this.#termsAgain(segment, layout);
    return this.#inMemory.get(segment.number)?.at ?? { latestMs: Infinity, marks: [] };
  }

  /** By its whole lookup; undefined without one. */
  sealedFacts(
    segment: Segment,
    layout: JournalLayout,
  ): { lines: number; bytes: number; head: string } | undefined {
    const stored = this.#stored(segment, layout);
    return stored && { lines: stored.snapshot.lines, bytes: stored.mark.bytes, head: stored.snapshot.head };
  }

  /** The lookup of the segment was written. */
  forget(segment: Segment): void {
    this.#lookups.delete(segment.number);
    this.#inMemory.delete(segment.number);
    this.damagedLookups.delete(segment.number);
    this.terms.forget();
  }

  open(segment: Segment, layout: JournalLayout): OwnFile {
    const path = layout.kind === 'single' ? this.#singlePath(segment) : locate(segment, this.#place(layout));
    const file = openOwn(path, this.options.host);
    if (file === undefined) throw gone(path);
    return file;
  }

  /** The file may have become segment 0 since the layout was read. */
  #singlePath({ path }: Segment): string {
    return this.layout().kind === 'single' ? singleFile(this.options.state) : path;
  }

  #place({ folder }: JournalLayout): { folder: string; host: Host; archive?: string | undefined } {
    return { ...this.options, folder };
  }

  /** In this order. @throws DamagedFileError */
  records(places: readonly Place[], layout: JournalLayout): readonly ActionRecord[] {
    return this.anyRecords(places, layout).filter(isOfAction);
  }

  /** At these places, halts included. @throws DamagedFileError */
  anyRecords(places: readonly Place[], layout: JournalLayout): readonly JournalRecord[] {
    const files = new Map<number, OwnFile>();
    try {
      return places.map(({ segment: number, offset }) => {
        const segment = layout.segments.find((each) => each.number === number);
        if (segment === undefined) throw gone(layout.folder);
        const file = files.get(number) ?? this.open(segment, layout);
        files.set(number, file);
        const record = readLineAgain(lineAt(file, offset), { path: file.path, line: 0, chained: number > 0 });
        if (typeof record === 'object') return record;
        throw changed(file.path);
      });
    } finally {
      for (const file of files.values()) file.close();
    }
  }

  /** Of the action with this ID, in the sealed segments and among the terms of the active one. */
  placesOf(
    id: string,
    layout: JournalLayout,
    own: Terms,
  ): { shortId: string; places: readonly Place[] } | undefined {
    let shortId: string | undefined;
    const places: Place[] = [];
    for (const each of this.terms.find([{ term: termOfId(id), kinds: ID_KINDS }], { layout, own })) {
      if (each.kind === KIND.intent) shortId ??= id.slice(0, each.short);
      if (shortId !== undefined) places.push({ segment: each.segment, offset: each.offset });
    }
    return shortId === undefined ? undefined : { shortId, places };
  }

  #termsAgain(segment: Segment, layout: JournalLayout): Terms {
    const known = this.#inMemory.get(segment.number);
    if (known !== undefined) return known.terms;
    if (segment.hasLookup) this.damagedLookups.add(segment.number);
    const path = locate(segment, this.#place(layout));
    const { terms, settled: at } = finished(
      this.#replayFile(path, { base: emptySnapshot(segment.number), layout, segment }),
    );
    this.#inMemory.set(segment.number, { terms, at });
    return terms;
  }

  #lookupOf(segment: Segment): Lookup | undefined {
    const { host } = this.options;
    const known = this.#lookups.get(segment.number);
    if (known !== undefined) return known;
    if (!segment.hasLookup) return undefined;
    const lookup = Lookup.of(segment, host);
    if (lookup === undefined) return undefined;
    this.#lookups.set(segment.number, lookup);
    return lookup;
  }

  /** What the lookup of a segment says of the journal, unless the segment was damaged then and changed since. */
  #stored(segment: Segment, layout: JournalLayout): { snapshot: Snapshot; mark: FileMark } | undefined {
    const lookup = this.damagedLookups.has(segment.number) ? undefined : this.#lookupOf(segment);
    if (lookup === undefined || (segment.isHere && this.#sizeOf(segment) !== lookup.facts.bytes))
      return undefined;
    try {
      lookup.check();
      const summary = readSummary(lookup);
      if (summary === undefined) return undefined;
      const after = carriedOver(summary.snapshot, { segment: segment.number + 1, mark: summary.mark });
      return this.#changedSuspect(layout, after) ? undefined : summary;
    } catch (error) {
      if (error instanceof DamagedLookup) return undefined;
      throw error;
    }
  }

  #sizeOf({ path }: Segment): number | undefined {
    const file = openOwn(path, this.options.host);
    const bytes = file?.mark().bytes;
    file?.close();
    return bytes;
  }

  /** A sealed segment that was damaged is not as it was then. */
  #changedSuspect(layout: JournalLayout, { suspects }: Snapshot): boolean {
    return [...suspects].some(([number, mark]) => {
      const segment = layout.segments.find((each) => each.number === number);
      if (segment?.isHere !== true) return false;
      const file = openOwn(segment.path, this.options.host);
      const now = file?.mark();
      file?.close();
      return now === undefined || !isSameMark(now, mark);
    });
  }

  #readIndex(folder: string): StoredIndex | undefined {
    const { host } = this.options;
    const file = openDerived(indexFile(folder), host);
    if (file === undefined) return undefined;
    try {
      return readIndexText(file.read(0, file.mark().bytes));
    } finally {
      file.close();
    }
  }

  #readTerms(index: StoredIndex, segment: Segment): { terms: TermList; isOnDisk: boolean } {
    const { host } = this.options;
    const layout = this.layout();
    const { bytes: length, crc, sorted } = index.terms;
    const file = openDerived(termsFile(layout.folder), host);
    const terms = TermList.read(file, length, sorted);
    file?.close();
    if (terms !== undefined && crc32(terms.bytes) === crc) return { terms, isOnDisk: true };
    const options = { base: emptySnapshot(segment.number), layout, segment, to: index.snapshot.bytes };
    return { terms: finished(this.#replayFile(segment.path, options)).terms, isOnDisk: false };
  }

  *#replayFile(
    path: string,
    options: { base: Snapshot; layout: JournalLayout; segment: Segment; to?: number },
  ): Generator<number, Replayed> {
    const file = openOwn(path, this.options.host);
    const terms = new TermList();
    if (file === undefined) {
      const { base } = options;
      return { settled: base, seen: base, tail: 'ended', mark: undefined, terms, termBytes: 0 };
    }
    try {
      const replayed = yield* this.#replay(file, { ...options, terms, whole: true });
      if (replayed === undefined) throw new Error('a replay of the whole segment needs itself');
      return replayed;
    } finally {
      file.close();
    }
  }

  #replay(
    file: OwnFile,
    {
      layout,
      ...options
    }: Omit<ReplayRange, 'nowMs' | 'earlier'> & { layout: JournalLayout; segment: Segment },
  ): Generator<number, Replayed | undefined> {
    // A record refers to earlier ones. To ask a later segment, or this one, would replay it within this replay.
    const segments = layout.segments.filter(({ number }) => number <= options.segment.number);
    const known = segments.length === layout.segments.length ? layout : { ...layout, segments };
    const earlier: Earlier = {
      find: (id) => this.placesOf(id, known, options.terms),
      records: (places) => this.records(places, layout),
    };
    return replayRange(file, { ...options, earlier, nowMs: this.options.now() });
  }
}

const marksOf = (lookup: Lookup | undefined): SegmentTimes['marks'] => {
  try {
    return (lookup && readSummary(lookup)?.snapshot.marks) ?? [];
  } catch (error) {
    // Without them the whole segment is read.
    if (error instanceof DamagedLookup) return [];
    throw error;
  }
};

/** A segment before the first one that is there is missing. */
function checkFirst(layout: JournalLayout, snapshot: Snapshot, options: FileOptions): void {
  const [first] = withFirst(layout, snapshot).segments;
  if (first !== undefined && first !== layout.segments[0])
    locate(first, { ...options, folder: layout.folder });
}

function withFirst(layout: JournalLayout, { first }: Snapshot): JournalLayout {
  const found = layout.segments[0]?.number ?? first;
  const missing = Array.from({ length: Math.max(0, found - first) }, (_, index) =>
    segmentOf(layout.folder, first + index, undefined),
  );
  return { ...layout, segments: [...missing, ...layout.segments] };
}

const changed = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} was changed after it was written: it does not have the record that its lookup names.`,
    book: 'Nothing was sent.',
    hint: 'Restore it from a copy, then try again.',
  });

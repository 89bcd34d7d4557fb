/** Reads the segments of the journal and their lookups: records at their places, terms, times, and replays. */
import { DamagedFileError } from '../errors.ts';
import type { Host } from '../platform/host.ts';
import { readLineAgain } from './lines.ts';
import { Lookup, readSummary } from './lookup.ts';
import { type FileMark, isSameMark, lineAt, type OwnFile, openOwn } from './own-files.ts';
import { type ActionRecord, isOfAction, type JournalRecord } from './records.ts';
import type { Earlier } from './replay-lines.ts';
import { type Replayed, type ReplayRange, replayRange } from './replay-segment.ts';
import { gone, type JournalLayout, locate, readLayout, type Segment, singleFile } from './segments.ts';
import { carriedOver, emptySnapshot, type Place, type Snapshot } from './snapshot.ts';
import { DamagedLookup } from './sorted-entries.ts';
import { TermSearch } from './term-search.ts';
import { ID_KINDS, KIND, TermList, type Terms, termOfId } from './terms.ts';

/** Times of the records of a segment. */
export type SegmentTimes = Pick<Snapshot, 'latestMs' | 'marks'>;

export interface FileOptions {
  state: string;
  host: Host;
  now: () => number;
  /** Where archived segments are, when not where they were moved to. */
  archive?: string | undefined;
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

  /** What the lookup of a segment says of the journal, unless the segment was damaged then and changed since. */
  sealedFacts(segment: Segment, layout: JournalLayout): { snapshot: Snapshot; mark: FileMark } | undefined {
    const lookup = this.damagedLookups.has(segment.number) ? undefined : this.#lookupOf(segment);
    if (lookup === undefined || (segment.isHere && this.#sizeOf(segment) !== lookup.facts.bytes))
      return undefined;
    try {
      lookup.check();
      const summary = readSummary(lookup);
      if (summary === undefined) return undefined;
      const after = carriedOver(summary.snapshot, { segment: segment.number + 1, mark: summary.mark });
      return this.hasChangedSuspect(layout, after) ? undefined : summary;
    } catch (error) {
      if (error instanceof DamagedLookup) return undefined;
      throw error;
    }
  }

  /** A sealed segment that was damaged is not as it was then. */
  hasChangedSuspect(layout: JournalLayout, { suspects }: Snapshot): boolean {
    return [...suspects].some(([number, mark]) => {
      const segment = layout.segments.find((each) => each.number === number);
      if (segment?.isHere !== true) return false;
      const file = openOwn(segment.path, this.options.host);
      const now = file?.mark();
      file?.close();
      return now === undefined || !isSameMark(now, mark);
    });
  }

  /** Of a sealed segment whose lookup is not written. */
  keepInMemory({ number }: Segment, { terms, settled: at }: Pick<Replayed, 'terms' | 'settled'>): void {
    this.#inMemory.set(number, { terms, at });
  }

  /** The lookup of the segment was written. */
  forget(segment: Segment): void {
    this.#lookups.delete(segment.number);
    this.#inMemory.delete(segment.number);
    this.damagedLookups.delete(segment.number);
    this.terms.forget();
  }

  open(segment: Segment, layout: JournalLayout): OwnFile {
    const path = layout.kind === 'single' ? this.#singlePath(segment) : this.pathOf(segment, layout);
    const file = openOwn(path, this.options.host);
    if (file === undefined) throw gone(path);
    return file;
  }

  /** The file may have become segment 0 since the layout was read. */
  #singlePath({ path }: Segment): string {
    return this.layout().kind === 'single' ? singleFile(this.options.state) : path;
  }

  /** Of a segment, in its archive when it was moved there. @throws DamagedFileError when it is nowhere. */
  pathOf(segment: Segment, { folder }: JournalLayout): string {
    return locate(segment, { ...this.options, folder });
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

  /** Yields the part that is done, from 0 to 1. */
  *replayFile(
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
      const replayed = yield* this.replay(file, { ...options, terms, whole: true });
      if (replayed === undefined) throw new Error('a replay of the whole segment needs itself');
      return replayed;
    } finally {
      file.close();
    }
  }

  /** Undefined when only a replay of the whole segment can tell. */
  replay(
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

  #termsAgain(segment: Segment, layout: JournalLayout): Terms {
    const known = this.#inMemory.get(segment.number);
    if (known !== undefined) return known.terms;
    if (segment.hasLookup) this.damagedLookups.add(segment.number);
    const path = this.pathOf(segment, layout);
    const options = { base: emptySnapshot(segment.number), layout, segment };
    const replayed = finished(this.replayFile(path, options));
    this.keepInMemory(segment, replayed);
    return replayed.terms;
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

  #sizeOf({ path }: Segment): number | undefined {
    const file = openOwn(path, this.options.host);
    const bytes = file?.mark().bytes;
    file?.close();
    return bytes;
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

/** Uses the segment itself when the lookup turns out to be damaged. */
function guarded(lookup: Lookup, again: () => Terms): Terms {
  const trying = <T>(read: (terms: Terms) => T): T => {
    try {
      return read(lookup);
    } catch (error) {
      if (error instanceof DamagedLookup) return read(again());
      throw error;
    }
  };
  return {
    find: (wanted) => trying((terms) => terms.find(wanted)),
    shared: (id) => trying((terms) => terms.shared(id)),
    idsFrom: (prefix) => trying((terms) => terms.idsFrom(prefix)),
  };
}

const changed = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} was changed after it was written: it does not have the record that its lookup names.`,
    book: 'Nothing was sent.',
    hint: 'Restore it from a copy, then try again.',
  });

/**
 * Loads the journal at one moment. The index is trusted while the active segment is as it left it, or has only grown;
 * otherwise the journal is read from its segments.
 */
import { crc32 } from 'node:zlib';
import { once } from '../domain/once.ts';
import { isPrefixWhole, readIndex, type StoredIndex, type TermsOnDisk } from './active-index.ts';
import { finished, type JournalFiles } from './journal-files.ts';
import { type FileMark, hashOwn, isSameMark, openDerived, openOwn } from './own-files.ts';
import { baseFor, type Replayed } from './replay-segment.ts';
import {
  type JournalLayout,
  lostActive,
  type Segment,
  segmentOf,
  singleFile,
  termsFile,
} from './segments.ts';
import { emptySnapshot, type Snapshot } from './snapshot.ts';
import { TermList } from './terms.ts';

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

/** The index is written after its segment. @throws DamagedFileError when that segment is not there any more. */
export function checkActive(
  files: JournalFiles,
  { folder }: JournalLayout,
  index = readIndex(folder, files.options.host),
): void {
  if (index === undefined) return;
  const { segment: number } = index.snapshot;
  // Another process may have begun it since.
  const last = files.layout().segments.at(-1)?.number ?? -1;
  if (last < number) throw lostActive(folder, number);
}

/** Undefined when there is no index that can be used, or a lookup has to be made. */
export function loadByIndex(files: JournalFiles, layout: JournalLayout): Loaded | undefined {
  const active = layout.segments.at(-1);
  const index = readIndex(layout.folder, files.options.host);
  if (active === undefined || index?.snapshot.segment !== active.number) {
    if (index !== undefined) checkActive(files, layout, index);
    return undefined;
  }
  if (layout.kind === 'single' || !active.isHere || files.damagedLookups.size > 0) return undefined;
  const file = openOwn(active.path, files.options.host);
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
    if (files.hasChangedSuspect(layout, snapshot)) return undefined;
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
        const { terms, isOnDisk } = readTerms(files, index, active);
        if (!isOnDisk) loaded.onDisk = undefined;
        return terms;
      }),
    };
    if (isAsLeft && snapshot.bytes === mark.bytes) return loaded;
    const list = loaded.terms().copy();
    const rest = files.replay(file, {
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
 * Yields the part of a segment that is done, from 0 to 1. `keep` takes what was found of a sealed segment; without it that
 * stays in memory.
 */
export function* loadFromSegments(
  files: JournalFiles,
  layout: JournalLayout,
  keep?: (segment: Segment, replayed: Replayed) => void,
): Generator<number, Loaded> {
  const { segments } = layout;
  const rebuilt: Segment[] = [];
  let before: { snapshot: Snapshot; mark: FileMark } | undefined;
  let isChanged = false;
  for (const segment of segments.slice(0, -1)) {
    const stored = isChanged ? undefined : files.sealedFacts(segment, layout);
    if (stored !== undefined) {
      if (before === undefined) checkFirst(layout, stored.snapshot, files);
      before = stored;
      continue;
    }
    // Of a segment that was repaired, later ones know what was wrong.
    isChanged ||= segment.hasLookup && segment.isHere;
    const path = files.pathOf(segment, layout);
    const replayed = yield* files.replayFile(path, { base: baseFor(segment, before), layout, segment });
    if (replayed.mark === undefined) continue;
    const sealed = { ...replayed, settled: replayed.seen };
    if (segment.number === 0)
      sealed.settled = { ...sealed.settled, head: hashOwn(path, files.options.host) ?? '' };
    if (keep === undefined) {
      files.keepInMemory(segment, sealed);
      rebuilt.push(segment);
    } else {
      keep(segment, sealed);
      segment.hasLookup = true;
    }
    before = { snapshot: sealed.settled, mark: replayed.mark };
  }
  const active = segments.at(-1) ?? segmentOf(layout.folder, 1, undefined);
  const path = activePath(files, layout, active);
  const replayed = yield* files.replayFile(path, {
    base: baseFor(active, before),
    layout,
    segment: active,
  });
  const { terms, ...found } = replayed;
  return { ...found, layout, path, terms: () => terms, isIndexed: false, onDisk: undefined, rebuilt };
}

function activePath(files: JournalFiles, layout: JournalLayout, active: Segment): string {
  if (layout.kind === 'segments' && !active.isHere) return files.pathOf(active, layout);
  return layout.kind === 'single' ? singleFile(layout.state) : active.path;
}

/**
 * The rest of the active segment, after an append to it. `current`: the IDs of all current actions, when some of them are
 * not among the open ones. Undefined when only a replay of the whole can tell.
 */
export function loadAppended(
  files: JournalFiles,
  loaded: Loaded,
  current?: readonly string[],
): Loaded | undefined {
  const segment = loaded.layout.segments.at(-1);
  const file = segment && openOwn(segment.path, files.options.host);
  if (file === undefined || segment === undefined) return undefined;
  try {
    const terms = loaded.terms();
    if (terms.sorted > loaded.termBytes) return undefined;
    terms.cut(loaded.termBytes);
    const options = { base: loaded.settled, terms, layout: loaded.layout, segment, whole: false, current };
    const replayed = finished(files.replay(file, options));
    return replayed && { ...loaded, ...replayed, terms: () => terms, isIndexed: false, rebuilt: [] };
  } finally {
    file.close();
  }
}

function readTerms(
  files: JournalFiles,
  index: StoredIndex,
  segment: Segment,
): { terms: TermList; isOnDisk: boolean } {
  const layout = files.layout();
  const { bytes: length, crc, sorted } = index.terms;
  const file = openDerived(termsFile(layout.folder), files.options.host);
  const terms = TermList.read(file, length, sorted);
  file?.close();
  if (terms !== undefined && crc32(terms.bytes) === crc) return { terms, isOnDisk: true };
  const options = { base: emptySnapshot(segment.number), layout, segment, to: index.snapshot.bytes };
  return { terms: finished(files.replayFile(segment.path, options)).terms, isOnDisk: false };
}

/** A segment before the first one that is there is missing. */
function checkFirst(layout: JournalLayout, snapshot: Snapshot, files: JournalFiles): void {
  const [first] = withFirst(layout, snapshot).segments;
  if (first !== undefined && first !== layout.segments[0]) files.pathOf(first, layout);
}

function withFirst(layout: JournalLayout, { first }: Snapshot): JournalLayout {
  const found = layout.segments[0]?.number ?? first;
  const missing = Array.from({ length: Math.max(0, found - first) }, (_, index) =>
    segmentOf(layout.folder, first + index, undefined),
  );
  return { ...layout, segments: [...missing, ...layout.segments] };
}

/** Replays a segment, or the rest of one, from its file. */
import type { Tail } from './lines.ts';
import { type FileMark, linesFrom, type OwnFile } from './own-files.ts';
import { type Earlier, LineReplay } from './replay-lines.ts';
import type { Segment } from './segments.ts';
import { carriedOver, emptySnapshot, type Snapshot } from './snapshot.ts';
import type { TermList } from './terms.ts';

/** What a replay of a segment, or of its rest, finds. */
export interface Replayed {
  /** Up to the last whole line. */
  settled: Snapshot;
  /** With a complete last line that lacks its newline. */
  seen: Snapshot;
  tail: Tail;
  /** Of the segment when it was read; undefined when there is none. */
  mark: FileMark | undefined;
  terms: TermList;
  /** Bytes of `terms` for the settled part. */
  termBytes: number;
}

export const baseFor = (
  { number }: Segment,
  before: { snapshot: Snapshot; mark: FileMark } | undefined,
): Snapshot =>
  before === undefined
    ? emptySnapshot(number)
    : carriedOver(before.snapshot, { segment: number, mark: before.mark });

export interface ReplayRange {
  /** Where it starts. */
  base: Snapshot;
  /** Gets the terms of each record. */
  terms: TermList;
  earlier: Earlier;
  nowMs: number;
  /** From the beginning of the segment. */
  whole: boolean;
  /** Not to the end of the file. */
  to?: number;
  /** IDs of all current actions, when some of them are not among the open ones. */
  current?: readonly string[] | undefined;
}

const TELL_BYTES = 1_048_576;

/** Yields the part that is done, from 0 to 1. Undefined when only a replay of the whole segment can tell. */
export function* replayRange(file: OwnFile, range: ReplayRange): Generator<number, Replayed | undefined> {
  const { base, terms, earlier, nowMs, whole } = range;
  const mark = file.mark();
  const end = Math.min(mark.bytes, range.to ?? Infinity);
  const replay = new LineReplay({ snapshot: base, terms, earlier, path: file.path, nowMs, whole });
  if (range.current !== undefined) replay.reopen(range.current);
  let tail: Tail = 'ended';
  let settled: Snapshot | undefined;
  let termBytes = 0;
  let told = 0;
  for (const line of linesFrom(file, base.bytes, end)) {
    if (!line.ended) {
      settled = replay.end();
      termBytes = terms.bytes.length;
      tail = replay.add(line) === 'cut' ? 'cut' : 'open';
    } else replay.add(line);
    if (replay.needsWhole) return undefined;
    if (line.offset - told < TELL_BYTES) continue;
    told = line.offset;
    yield end === 0 ? 1 : line.offset / end;
  }
  const seen = replay.end();
  settled ??= seen;
  return { settled, seen, tail, mark, terms, termBytes: tail === 'ended' ? terms.bytes.length : termBytes };
}

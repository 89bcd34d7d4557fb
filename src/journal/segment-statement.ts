/** Compares a segment with what other files say of it. */
import type { ChainFollower, JournalChange } from './follow-chain.ts';

/** What another file says of a segment: its lookup, the index, or the register of archived segments. */
export interface SegmentStatement {
  /** Name of the file. */
  by: string;
  lines: number;
  bytes: number;
  /** Hash of the last line; for segment 0 of the whole file. */
  head: string;
}

/** The active segment may have grown since the index was written, but not shrunk. */
export function checkAgainstIndex(
  follower: ChainFollower,
  index: SegmentStatement,
  { lines, atIndex, before }: { lines: number; atIndex: string | undefined; before: number },
): void {
  if (follower.changeCount > before) return;
  const segment = follower.segment;
  if (lines < index.lines)
    follower.note({ segment, line: lines + 1, kind: 'removed', found: removedBy(index, lines) });
  else if (atIndex !== undefined && atIndex !== index.head)
    follower.note({ segment, line: index.lines, kind: 'edited', found: notAsIndexed(index) });
}

/** A sealed segment ends as its lookup says. `before`: how many changes were found before it. */
export function checkEnd(
  follower: ChainFollower,
  stated: SegmentStatement,
  { lines, bytes, head, before }: { lines: number; bytes: number; head: string; before: number },
): void {
  const { segment } = follower;
  if (follower.changeCount > before) {
    // The number of lines tells a removed line from an edited one.
    const [change] = follower.changes.slice(before);
    if (follower.changeCount === before + 1 && change?.kind === 'removed' && change.line !== undefined)
      classifyRemoval(change, lines - stated.lines, change.line === lines && head !== stated.head);
    return;
  }
  if (head === stated.head && lines === stated.lines && bytes === stated.bytes) return;
  const change = follower.note(
    lines < stated.lines
      ? { segment, line: lines + 1, kind: 'removed', found: removedBy(stated, lines) }
      : lines > stated.lines
        ? {
            segment,
            line: stated.lines + 1,
            kind: 'inserted',
            found: `was inserted: ${stated.by} names ${stated.lines.toString()} lines`,
          }
        : { segment, line: lines, kind: 'edited', found: editedBy(stated) },
  );
  follower.continueFrom(stated.head, { head, accept: () => Object.assign(change, forged(stated)) });
}

/** A line that was edited looks like one that follows a removed one. `isReplaced`: it is the last line of the segment, and not the one that was written there. */
function classifyRemoval(change: JournalChange, more: number, isReplaced: boolean): void {
  const { line = 1 } = change;
  const many = (-more).toString();
  if (more < 0)
    change.found = `follows ${many === '1' ? 'a line' : `${many} lines`} that ${many === '1' ? 'was' : 'were'} removed`;
  else if (more === 0 && line > 1 && !isReplaced) {
    change.kind = 'edited';
    change.line = line - 1;
    change.found = 'was edited and its checksum made again: the next line states another hash';
  }
}

/** A file without a chain of its own is as its lookup says. */
export function checkWhole(
  follower: ChainFollower,
  stated: SegmentStatement | undefined,
  hash: string,
): void {
  follower.continueFrom(hash);
  if (stated === undefined || stated.head === hash) return;
  const change = follower.note({
    segment: follower.segment,
    line: undefined,
    kind: 'edited',
    found: `was edited: ${stated.by} has another hash of it`,
  });
  follower.continueFrom(stated.head, { head: hash, accept: () => Object.assign(change, forged(stated)) });
}

/** The lookup and the register of archived segments name the same last line. */
export function checkRegister(
  follower: ChainFollower,
  lookup: SegmentStatement | undefined,
  archived: SegmentStatement | undefined,
): void {
  if (lookup === undefined || archived === undefined || lookup.head === archived.head) return;
  follower.note({
    segment: lookup.by,
    line: undefined,
    kind: 'edited',
    found: `was edited: ${archived.by} names another last line`,
  });
}

const removedBy = ({ by, lines: stated }: SegmentStatement, lines: number): string =>
  `and later lines were removed: the file ends after line ${lines.toString()}, and ${by} names ${stated.toString()}`;
const editedBy = ({ by }: SegmentStatement): string =>
  `was edited and its checksum made again: it is not the line that ${by} names`;
/** The index is of what the last command read, and it follows the file. */
const notAsIndexed = ({ by }: SegmentStatement): string =>
  `is not the line that ${by} names: it was edited and its checksum made again, or the file was restored from a copy since the last command. A checkpoint of this line or a later one tells which`;
const forged = (stated: SegmentStatement): JournalChange => ({
  segment: stated.by,
  line: undefined,
  kind: 'edited',
  found: 'was edited: the segment and the one after it agree on another last line',
});

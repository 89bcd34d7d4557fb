/** Follows the chain of the journal's lines over all segments and names the lines where it breaks. No files. */
import { hashOfLine, linkOf } from './chain.ts';
import { CUT } from './lines.ts';

/**
 * `removed` and `edited` look alike when the checksum was made again, unless the number of lines is known. `replaced`: a whole
 * line of the journal, from another place. `missing`: a file.
 */
export type ChangeKind = 'edited' | 'removed' | 'inserted' | 'swapped' | 'moved' | 'replaced' | 'missing';

/** A place where the journal is not as it was written. */
export interface JournalChange {
  /** Name of the file. */
  segment: string;
  /** From 1; undefined: the file as a whole. */
  line: number | undefined;
  kind: ChangeKind;
  /** The rest of a sentence about the line or the file: `was edited: its checksum does not match`. */
  found: string;
}

/** `Line 118 of 0003-2026-03.jsonl was edited: its checksum does not match.` */
export const changeInWords = ({ segment, line, found }: JournalChange): string =>
  `${line === undefined ? segment : `Line ${line.toString()} of ${segment}`} ${found}.`;

/** A line that a crash cut. */
export interface CutLine {
  segment: string;
  line: number;
}

/** Places that are named; the others are counted. */
const MOST = 20;

/** A break that the next line explains. */
interface Unexplained {
  change: JournalChange;
  /** Hash of the last line before it. */
  after: string | undefined;
  hash: string;
  /** Undefined: the line is not chained or its checksum does not match. */
  prev: string | undefined;
}

export class ChainFollower {
  /** The first of them. */
  readonly changes: JournalChange[] = [];
  changeCount = 0;
  readonly cutLines: CutLine[] = [];
  cutCount = 0;
  segment = '';
  /** Number of the last line. */
  line = 0;
  /** Hash of the last line; undefined after a file that was not read. */
  head: string | undefined;
  /** Another head that a witness of the last segment names: if the next line continues it, `accept` is called. */
  #alternative: { head: string; accept: () => void } | undefined;
  /** What the last line states. */
  #stated: string | undefined;
  #unexplained: Unexplained | undefined;
  /** Of the first change: the line that continues the last good one may come later. */
  #sought: { after: string; change: JournalChange } | undefined;
  /** A line that continues this one is part of the change before. */
  #expected: string | undefined;
  /** The places before the first line of the segment and after its last one, for sentences. */
  #before = '';
  #end = 'the beginning of the journal';

  constructor(head: string | undefined) {
    this.head = head;
  }

  /** `whole`: the file is not chained line by line. */
  begin(segment: string, { whole = false } = {}): void {
    this.#before = this.#end;
    this.#end = whole ? segment : `the last line of ${segment}`;
    this.segment = segment;
    this.line = 0;
  }

  /** After a file that is not chained line by line, or not read. */
  continueFrom(head: string | undefined, alternative?: { head: string; accept: () => void }): void {
    this.head = head;
    this.#stated = undefined;
    this.#alternative = alternative;
    this.#unexplained = undefined;
  }

  /** A line without its newline. Returns its hash. */
  add(bytes: Buffer): string {
    this.line += 1;
    const hash = hashOfLine(bytes);
    const link = linkOf(bytes);
    const prev = link?.intact === true ? link.prev : undefined;
    if (prev === undefined || prev !== this.head || this.#unexplained !== undefined)
      this.#judge(bytes, hash, prev);
    if (this.#sought !== undefined && prev === this.#sought.after) this.#findLater(this.#sought);
    this.#alternative = undefined;
    this.#stated = prev;
    this.head = hash;
    return hash;
  }

  note(change: JournalChange): JournalChange {
    this.changeCount += 1;
    if (this.changes.length < MOST) this.changes.push(change);
    return change;
  }

  noteCut(): void {
    this.cutCount += 1;
    if (this.cutLines.length < MOST) this.cutLines.push({ segment: this.segment, line: this.line });
  }

  #judge(bytes: Buffer, hash: string, prev: string | undefined): void {
    const before = this.#unexplained;
    this.#unexplained = undefined;
    if (prev === undefined) {
      if (bytes.at(-1) === CUT) this.noteCut();
      else this.#open(this.#damaged(bytes), hash, prev);
      return;
    }
    if (prev === this.head || this.head === undefined) return;
    if (before !== undefined && this.#explains(before, { hash, prev })) return;
    if (prev === this.#expected) {
      this.#expected = undefined;
      return;
    }
    if (this.#alternative?.head === prev) {
      this.#alternative.accept();
      return;
    }
    this.#break(hash, prev);
  }

  #damaged(bytes: Buffer): JournalChange {
    const { segment, line } = this;
    if (bytes.length === 0) return { segment, line, kind: 'inserted', found: 'was inserted: it is empty' };
    const found =
      linkOf(bytes) === undefined
        ? 'was edited or inserted: it does not end with the hash of the line before it'
        : 'was edited: its checksum does not match';
    return { segment, line, kind: 'edited', found };
  }

  /** Whether the line is in order if the change before it is the one that it shows. */
  #explains(
    { change, after, ...other }: Unexplained,
    { hash, prev }: { hash: string; prev: string },
  ): boolean {
    if (prev === after) {
      this.#sought = undefined;
      if (other.prev === hash) {
        change.kind = 'swapped';
        change.found = `was swapped with line ${this.line.toString()}`;
        this.#expected = other.hash;
      } else {
        change.kind = 'inserted';
        change.found = `was inserted: the next line continues ${this.#previous(change)}`;
      }
      return true;
    }
    // The line states the hash of the line that was there before.
    if (other.prev !== undefined) {
      change.kind = 'replaced';
      change.found =
        'is not the line that was written there: neither the line before nor the one after it belongs to it';
    }
    return true;
  }

  #break(hash: string, prev: string): void {
    const { segment, line } = this;
    if (line > 1 && hash === this.head) {
      this.#open(
        { segment, line, kind: 'inserted', found: 'was inserted: it repeats the line before it' },
        hash,
        prev,
      );
      return;
    }
    if (line > 1 && prev === this.#stated) {
      const found = `was inserted: the next line continues ${this.#previous({ line: line - 1 })}`;
      this.note({ segment, line: line - 1, kind: 'inserted', found });
      return;
    }
    const previous = this.#previous({ line });
    const found = `does not continue ${previous}: lines were removed, or ${previous} was edited`;
    this.#open({ segment, line, kind: 'removed', found }, hash, prev);
  }

  #open(change: JournalChange, hash: string, prev: string | undefined): void {
    const after = this.head;
    this.#unexplained = { change: this.note(change), after, hash, prev };
    if (this.changeCount === 1 && after !== undefined) this.#sought = { after, change };
  }

  /** The line that belongs to the place of the first change. */
  #findLater({ change }: { change: JournalChange }): void {
    this.#sought = undefined;
    if (change.segment === this.segment && change.line === this.line) return;
    const place =
      change.segment === this.segment
        ? `line ${this.line.toString()}`
        : `line ${this.line.toString()} of ${this.segment}`;
    change.kind = 'moved';
    change.found = `is not the line that was written there: that is now ${place}`;
  }

  #previous({ line }: { line: number | undefined }): string {
    return line === undefined || line <= 1 ? this.#before : `line ${(line - 1).toString()}`;
  }
}

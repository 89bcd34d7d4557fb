/** Verifies the journal: reads every line of every segment in constant memory and follows its chain. Writes nothing. */
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { fieldsIn } from '../domain/fields.ts';
import { readTail } from '../platform/append-only-file.ts';
import type { Host, Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import { type AuditedFiles, findAuditedFiles, type SegmentFile } from './audit-files.ts';
import type { AuditedSegment, AuditReport, CheckpointComparison, JournalHead } from './audit-report.ts';
import { linkOf, NO_LINE } from './chain.ts';
import type { Checkpoint } from './checkpoint.ts';
import { ChainFollower } from './follow-chain.ts';
import { CUT } from './lines.ts';
import {
  checkAgainstIndex,
  checkEnd,
  checkRegister,
  checkWhole,
  type SegmentStatement,
} from './segment-statement.ts';
import { readLayout, singleFile } from './segments.ts';
import { streamLines } from './stream-lines.ts';

export interface AuditOptions {
  host: Host;
  checkpoint?: Checkpoint | undefined;
  /** Only the active segment, against the lookup of the one before it. */
  activeOnly?: boolean;
  /** Bytes read so far. */
  progress?: (bytes: number) => void;
}

export interface JournalAudit {
  /** Of the journal: its folder, or its file before it is divided into segments. */
  path: string;
  /** `archive`: a folder with archived segments. @throws DamagedFileError for a file that cannot be read. */
  verify(options?: Omit<AuditOptions, 'host'> & { archive?: string | undefined }): Promise<AuditReport>;
}

export function openAudit({ places, machine }: { places: Paths; machine: Machine }): JournalAudit {
  const { state } = places;
  const { host } = machine;
  const { kind, folder } = readLayout(state, host);
  return {
    path: kind === 'segments' ? folder : singleFile(state),
    verify: ({ archive, ...options } = {}) =>
      verifyJournal(findAuditedFiles({ state, host, archive, activeOnly: options.activeOnly }), {
        ...options,
        host,
      }),
  };
}

/** @throws DamagedFileError for a file that cannot be read. */
export async function verifyJournal(files: AuditedFiles, options: AuditOptions): Promise<AuditReport> {
  const audit = new Audit(files, options);
  for (const change of files.changes) audit.follower.note(change);
  const isLast = (at: number): boolean => at === files.segments.length - 1;
  if (files.single !== undefined) await audit.readWhole(files.single);
  for (const [at, segment] of files.segments.entries()) {
    if (options.activeOnly === true && !isLast(at)) audit.skip(segment);
    else if (segment.path === undefined) audit.passBy(segment);
    else if (segment.number === 0) await audit.readWhole(segment.path, segment);
    else await audit.readSegment(segment.path, segment, isLast(at));
  }
  return audit.report();
}

const TAIL_BYTES = 65_536;

class Audit {
  readonly follower = new ChainFollower(NO_LINE);
  readonly #files: AuditedFiles;
  readonly #options: AuditOptions;
  readonly #segments: AuditedSegment[] = [];
  #head: JournalHead | undefined;
  #comparison: Omit<CheckpointComparison, 'checkpoint'> | undefined;
  #bytes = 0;

  constructor(files: AuditedFiles, options: AuditOptions) {
    this.#files = files;
    this.#options = options;
  }

  report(): AuditReport {
    const { changes, changeCount, cutLines, cutCount } = this.follower;
    const { checkpoint } = this.#options;
    return {
      chained: this.#files.segments.some(({ number }) => number > 0),
      segments: this.#segments,
      changes,
      changeCount,
      cutLines,
      cutCount,
      head: this.#head,
      // A segment that is gone, or has fewer lines.
      comparison: checkpoint && {
        checkpoint,
        ...(this.#comparison ?? { result: 'cut_off', changedBefore: this.#isChanged() }),
      },
    };
  }

  /** The next segment is compared with its lookup alone. */
  skip({ name, lookup, archived }: SegmentFile): void {
    this.follower.begin(name);
    this.follower.continueFrom(lookup?.head ?? archived?.head);
    this.#leaveOut(name, 'skipped', archived ?? lookup, archived?.folder);
  }

  /** A segment that is not there. */
  passBy({ name, lookup, archived }: SegmentFile): void {
    const { follower } = this;
    follower.begin(name);
    if (archived === undefined)
      follower.note({
        segment: name,
        line: undefined,
        kind: 'missing',
        found: 'is missing and is not registered as archived',
      });
    else checkRegister(follower, lookup, archived);
    follower.continueFrom(archived?.head ?? lookup?.head);
    const state = archived === undefined ? 'missing' : 'not_read';
    this.#leaveOut(name, state, archived ?? lookup, archived?.folder);
    const { checkpoint } = this.#options;
    if (archived === undefined || !isOf(checkpoint, name)) return;
    if (checkpoint.lines < archived.lines) this.#compared('not_read');
    else if (checkpoint.lines === archived.lines)
      this.#compared(checkpoint.hash === archived.head ? 'continued' : 'rewritten');
  }

  #leaveOut(
    name: string,
    state: AuditedSegment['state'],
    stated: SegmentStatement | undefined,
    folder: string | undefined,
  ): void {
    const { lines = 0, bytes = 0 } = stated ?? {};
    this.#segments.push({ name, state, folder, lines, bytes, from: null, to: null });
  }

  /** A file without a chain of its own: the next line states the hash of all of it. */
  async readWhole(path: string, segment?: SegmentFile): Promise<void> {
    const name = basename(path);
    const { follower } = this;
    const { checkpoint } = this.#options;
    const whole = createHash('sha256');
    let upToCheckpoint: string | undefined;
    let bytes = 0;
    const times = new RecordTimes();
    follower.begin(name, { whole: true });
    const count = (line: Buffer): void => {
      follower.line += 1;
      if (follower.line === 1) times.first(line);
      if (line.at(-1) === CUT) follower.noteCut();
    };
    await streamLines(path, this.#options.host, {
      line: count,
      rest: count,
      chunk: (chunk) => {
        const left = isOf(checkpoint, name) ? checkpoint.bytes - bytes : Infinity;
        if (left >= 0 && left <= chunk.length && upToCheckpoint === undefined)
          upToCheckpoint = whole.copy().update(chunk.subarray(0, left)).digest('hex');
        whole.update(chunk);
        bytes += chunk.length;
        this.#progress(chunk.length);
      },
    });
    const hash = whole.digest('hex');
    if (isOf(checkpoint, name) && (upToCheckpoint !== undefined || checkpoint.bytes === 0))
      this.#compared(
        checkpoint.bytes === 0 || upToCheckpoint === checkpoint.hash ? 'continued' : 'rewritten',
      );
    this.#close({ name, path, bytes, times, head: hash, folder: segment?.archived && dirname(path) });
    checkWhole(follower, segment?.lookup ?? segment?.archived, hash);
  }

  async readSegment(path: string, segment: SegmentFile, isActive: boolean): Promise<void> {
    const { follower } = this;
    const { name } = segment;
    const { checkpoint, host } = this.#options;
    const index = isActive ? this.#files.index : undefined;
    const before = follower.changeCount;
    const times = new RecordTimes();
    follower.begin(name);
    let ended = 0;
    let cut = false;
    let atIndex: string | undefined;
    const mark = isOf(checkpoint, name) ? checkpoint.lines : -1;
    if (mark === 0) this.#compared('continued');
    const indexed = index?.lines ?? -1;
    const add = (line: Buffer): void => {
      if (follower.line === 0) times.first(line);
      const hash = follower.add(line);
      ended += line.length + 1;
      if (follower.line === mark) this.#compared(hash === checkpoint?.hash ? 'continued' : 'rewritten');
      if (follower.line === indexed) atIndex = hash;
    };
    const bytes = await streamLines(path, host, {
      line: add,
      rest: (line) => {
        if (isActive && isCut(line, follower.head)) cut = true;
        else add(line);
      },
      chunk: (chunk) => this.#progress(chunk.length),
    });
    const { line: lines, head = NO_LINE } = follower;
    if (cut) {
      follower.line += 1;
      follower.noteCut();
      follower.line -= 1;
    }
    this.#close({ name, path, bytes, times, head, ended, folder: segment.archived && dirname(path) });
    if (index !== undefined)
      checkAgainstIndex(follower, index, { lines: cut ? lines + 1 : lines, atIndex, before });
    const stated = segment.lookup ?? segment.archived;
    if (!isActive && stated !== undefined) checkEnd(follower, stated, { lines, bytes, head, before });
    checkRegister(follower, segment.lookup, segment.archived);
  }

  #compared(result: CheckpointComparison['result']): void {
    this.#comparison = { result, changedBefore: this.#isChanged() };
  }

  /** A line or a segment so far; a lookup or the register says nothing of the lines. */
  #isChanged(): boolean {
    const { changes, segment } = this.follower;
    const names = new Set([segment, ...this.#segments.map(({ name }) => name)]);
    return changes.some((change) => change.line !== undefined || names.has(change.segment));
  }

  #close(segment: {
    name: string;
    path: string;
    bytes: number;
    times: RecordTimes;
    head: string;
    /** Bytes of whole lines; undefined: all. */
    ended?: number;
    folder: string | undefined;
  }): void {
    const { name, path, bytes, times, head, ended, folder } = segment;
    const { line: lines } = this.follower;
    const { from, to } = times.ofFile(path, this.#options.host);
    this.#segments.push({ name, state: 'read', folder, lines, bytes, from, to });
    this.#head = { segment: name, lines, bytes: Math.min(ended ?? bytes, bytes), hash: head };
  }

  #progress(bytes: number): void {
    this.#bytes += bytes;
    this.#options.progress?.(this.#bytes);
  }
}

/** Neither complete without its newline, nor complete with another byte in place of the newline: no crash leaves that. */
const isCut = (line: Buffer, head: string | undefined): boolean =>
  ![line, line.subarray(0, -1)].some((each) => {
    const link = linkOf(each);
    return link?.intact === true && link.prev === head;
  });

/** When the first and the last record of a file were written. */
class RecordTimes {
  #first: string | null = null;

  first(line: Buffer): void {
    this.#first ??= timeOf(line.toString('utf8'));
  }

  ofFile(path: string, host: Host): { from: string | null; to: string | null } {
    const lines = readTail(path, { host, maxBytes: TAIL_BYTES })?.split('\n') ?? [];
    return {
      from: this.#first,
      to: lines.reduceRight<string | null>((to, line) => to ?? timeOf(line), null),
    };
  }
}

function timeOf(line: string): string | null {
  const { at } = fieldsIn(line);
  return typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? at : null;
}

/** Of a file in the folder before it was divided: it is now segment 0. */
const isOf = (checkpoint: Checkpoint | undefined, name: string): checkpoint is Checkpoint =>
  checkpoint !== undefined && wholeName(checkpoint.segment) === wholeName(name);
const wholeName = (name: string): string => (name === 'journal.jsonl' ? '0000.jsonl' : name);

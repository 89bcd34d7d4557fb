/** Finds the files of the journal for an audit: its segments, those that were archived, and what other files say of them. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Host } from '../platform/host.ts';
import { readIndex } from './active-index.ts';
import type { JournalChange } from './follow-chain.ts';
import { Lookup, readSummary } from './lookup.ts';
import type { SegmentStatement } from './segment-statement.ts';
import {
  indexFile,
  readLayout,
  readRegister,
  readSegments,
  type Segment,
  segmentOf,
  singleFile,
} from './segments.ts';
import { DamagedLookup } from './sorted-entries.ts';

export interface SegmentFile {
  /** `0003-2026-03.jsonl` */
  name: string;
  number: number;
  /** Undefined: it is not there. */
  path: string | undefined;
  lookup: SegmentStatement | undefined;
  /** Undefined: it was not archived. */
  archived: (SegmentStatement & { folder: string }) | undefined;
}

export interface AuditedFiles {
  /** The journal before it is divided into segments. */
  single: string | undefined;
  /** Of files other than segments. */
  changes: readonly JournalChange[];
  /** In order, with those that are missing; the last one is the active one. */
  segments: readonly SegmentFile[];
  /** Of the active segment. */
  index: SegmentStatement | undefined;
}

/** `archive`: a folder that is searched for archived segments before the folders where they are registered. */
export function findAuditedFiles({
  state,
  host,
  archive,
  activeOnly = false,
}: {
  /** The state folder. */
  state: string;
  host: Host;
  archive?: string | undefined;
  /** Reads only the lookup of the segment before the active one. */
  activeOnly?: boolean | undefined;
}): AuditedFiles {
  const layout = readLayout(state, host);
  if (layout.kind === 'single' && layout.conflict === undefined)
    return { single: singleFile(state), changes: [], segments: [], index: undefined };
  const changes: JournalChange[] = [];
  const later = layout.kind === 'single' ? readSegments(layout.folder, host) : layout.segments;
  if (layout.conflict !== undefined)
    changes.push(layout.kind === 'single' ? WITHOUT_MARKER : MORE_THAN_MARKER);
  const archived = readRegister(layout.folder, host);
  const segments = later.map((segment, at): SegmentFile => {
    const moved = archived.find(({ number }) => number === segment.number);
    const name = `${moved?.name ?? segment.name}.jsonl`;
    const elsewhere = [archive, moved?.folder]
      .filter((each) => each !== undefined)
      .map((each) => join(each, name))
      .find((path) => existsSync(path));
    const lookup = activeOnly && at !== later.length - 2 ? undefined : statementOf(segment, host);
    if (lookup === 'damaged') changes.push(damagedLookup(segment));
    return {
      name,
      number: segment.number,
      path: segment.isHere ? segment.path : elsewhere,
      lookup: typeof lookup === 'string' ? undefined : lookup,
      archived: moved && { by: 'archived.json', ...moved },
    };
  });
  const index = statedByIndex(layout.folder, host);
  const last = layout.segments.at(-1)?.number;
  // Another process may have begun a segment since.
  if (index !== undefined && index.segment > (readSegments(layout.folder, host).at(-1)?.number ?? -1))
    changes.push(lostActive(layout.folder, index.segment));
  return {
    single: undefined,
    changes,
    segments,
    index: index?.segment === last ? index?.statement : undefined,
  };
}

const WITHOUT_MARKER: JournalChange = {
  segment: 'journal.jsonl',
  line: undefined,
  kind: 'edited',
  found: 'was edited: it no longer has the one line that names the folder of the segments',
};

const MORE_THAN_MARKER: JournalChange = {
  ...WITHOUT_MARKER,
  found: 'was edited: it has other lines after the one that names the folder of the segments',
};

const lostActive = (folder: string, number: number): JournalChange => ({
  segment: `${segmentOf(folder, number, undefined).name}-*.jsonl`,
  line: undefined,
  kind: 'missing',
  found: 'is missing: the index of the journal names it as the last segment',
});

const damagedLookup = ({ lookup }: Segment): JournalChange => ({
  segment: basename(lookup),
  line: undefined,
  kind: 'edited',
  found: 'was edited: its checksum does not match',
});

/** What the lookup says; undefined without a lookup. */
function statementOf(
  { lookup: path, hasLookup }: Segment,
  host: Host,
): SegmentStatement | 'damaged' | undefined {
  if (!hasLookup) return undefined;
  try {
    const lookup = Lookup.open(path, host);
    lookup?.check();
    const summary = lookup && readSummary(lookup);
    if (lookup === undefined || summary === undefined) return 'damaged';
    const { lines, bytes } = lookup.facts;
    return { by: basename(path), lines, bytes, head: summary.snapshot.head };
  } catch (error) {
    if (error instanceof DamagedLookup) return 'damaged';
    throw error;
  }
}

/** Of the active segment. One that cannot be used is made again by the next command. */
function statedByIndex(
  folder: string,
  host: Host,
): { segment: number; statement: SegmentStatement } | undefined {
  const index = readIndex(folder, host);
  if (index === undefined) return undefined;
  const { segment, lines, bytes, head } = index.snapshot;
  return { segment, statement: { by: basename(indexFile(folder)), lines, bytes, head } };
}

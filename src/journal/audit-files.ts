/** Finds the files of the journal for an audit: its segments, those that were archived, and what other files say of them. */
import { closeSync, constants, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsIn } from '../domain/fields.ts';
import { checkFolder } from '../platform/atomic-file.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import type { Host, Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import type { JournalChange } from './follow-chain.ts';
import {
  type AuditedFiles,
  type AuditOptions,
  type AuditReport,
  type SegmentFile,
  type SegmentStatement,
  verifyJournal,
} from './verify.ts';

export interface JournalAudit {
  /** Of the journal: its folder, or its file before it is divided into segments. */
  path: string;
  /** `ada@desk` */
  operator: string;
  /** `archive`: a folder with archived segments. @throws DamagedFileError for a file that cannot be read. */
  verify(options?: Omit<AuditOptions, 'host'> & { archive?: string | undefined }): Promise<AuditReport>;
}

export function openAudit({ places, machine }: { places: Paths; machine: Machine }): JournalAudit {
  const { state } = places;
  const { host } = machine;
  return {
    path: join(state, 'journal'),
    operator: host.who(),
    verify: ({ archive, ...options } = {}) =>
      verifyJournal(findAuditedFiles({ state, host, archive }), { ...options, host }),
  };
}

const SEGMENT = /^(\d{4,})(?:-\d{4}-\d\d)?\.jsonl$/;

interface ArchivedSegment extends SegmentStatement {
  name: string;
  folder: string;
}

/** `archive`: a folder that is searched for archived segments before the folders where they are registered. */
export function findAuditedFiles({
  state,
  host,
  archive,
}: {
  /** The state folder. */
  state: string;
  host: Host;
  archive?: string | undefined;
}): AuditedFiles {
  checkFolder(state, host);
  const folder = join(state, 'journal');
  checkFolder(folder, host);
  const single = join(state, 'journal.jsonl');
  const here = namesIn(folder).filter((name) => SEGMENT.test(name));
  const marker = firstBytes(single);
  const isDivided = marker !== undefined && isMarker(marker);
  // A migration that was interrupted leaves segment 0 alone.
  if (!isDivided && here.every((name) => numberOf(name) === 0))
    return {
      single: marker === undefined ? undefined : single,
      marker: undefined,
      segments: [],
      index: undefined,
    };
  const archived = readRegister(folder, host);
  const lookups = new Map<string, SegmentStatement>();
  const names = [...new Set([...here, ...archived.map(({ name }) => name), ...lookups.keys()])];
  const found = names
    .map((name): SegmentFile => {
      const stated = archived.find((each) => each.name === name);
      const elsewhere = [archive, stated?.folder]
        .filter((each) => each !== undefined)
        .map((each) => join(each, name))
        .find((path) => existsSync(path));
      return {
        name,
        number: numberOf(name),
        path: here.includes(name) ? join(folder, name) : elsewhere,
        lookup: lookups.get(name),
        archived: stated,
      };
    })
    .toSorted((one, other) => one.number - other.number || (one.name < other.name ? -1 : 1));
  return {
    single: undefined,
    marker: isDivided ? undefined : withoutMarker(marker),
    segments: withMissing(found),
    index: undefined,
  };
}

const numberOf = (name: string): number => Number(SEGMENT.exec(name)?.[1] ?? '0');

/** Of a number without any file nothing but the number is known. */
function withMissing(found: readonly SegmentFile[]): readonly SegmentFile[] {
  const [first] = found;
  const segments: SegmentFile[] = [];
  let next = first?.number === 0 ? 0 : 1;
  for (const segment of found) {
    for (; next < segment.number; next += 1)
      segments.push({
        name: next.toString().padStart(4, '0'),
        number: next,
        path: undefined,
        lookup: undefined,
        archived: undefined,
      });
    segments.push(segment);
    next = segment.number + 1;
  }
  return segments;
}

const withoutMarker = (bytes: string | undefined): JournalChange => ({
  segment: 'journal.jsonl',
  line: undefined,
  kind: bytes === undefined ? 'missing' : 'edited',
  found:
    bytes === undefined
      ? 'is missing: it has the line that names the folder of the segments'
      : 'was edited: it no longer has the line that names the folder of the segments',
});

/** Undefined when there is no file. */
function firstBytes(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const buffer = Buffer.alloc(MARKER_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileError('read', path, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const MARKER_BYTES = 1024;

function isMarker(text: string): boolean {
  const { schema, kind } = fieldsIn(text.trim());
  return schema === 3 && kind === 'segments';
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileError('read', folder, error);
  }
}

/** Segments that were moved away. */
const readRegister = (_folder: string, _host: Host): readonly ArchivedSegment[] => [];

/**
 * The files of the journal: which segments there are, and where. `journal.jsonl` is the journal itself until it is migrated;
 * from then on it holds one line that refers to the folder of the segments.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fieldsIn, isFields } from '../domain/fields.ts';
import { shellWord } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { checkFolder, readOwnFile } from '../platform/atomic-file.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import type { Host } from '../platform/host.ts';
import { readPart } from './own-files.ts';

/** The only line of `journal.jsonl`, which an earlier version of hedge rejects. */
export const MARKER = '{"schema":3,"kind":"segments","folder":"journal"}\n';

export const singleFile = (state: string): string => join(state, 'journal.jsonl');
export const lockFile = (state: string): string => join(state, 'journal.lock');
export const segmentFolder = (state: string): string => join(state, 'journal');
export const indexFile = (folder: string): string => join(folder, 'active.index');
export const termsFile = (folder: string): string => join(folder, 'active.terms');
export const mergedFile = (folder: string): string => join(folder, 'lookups.all');
export const registerFile = (folder: string): string => join(folder, 'archived.json');

export interface Segment {
  number: number;
  /** `0001-2026-11`; `0000` for the file from before the segments. */
  name: string;
  /** Month of UTC in which it was begun: `2026-11`. */
  month: string | undefined;
  path: string;
  lookup: string;
  /** There is such a segment, and such a lookup. */
  isHere: boolean;
  hasLookup: boolean;
}

export interface JournalLayout {
  /** `none`: there is no journal yet. `single`: `journal.jsonl` is the journal. */
  kind: 'none' | 'single' | 'segments';
  /** `journal.jsonl` refers to the folder. */
  hasMarker: boolean;
  state: string;
  folder: string;
  /** In order, without a gap: one that is missing has an entry. The last one is active. */
  segments: readonly Segment[];
}

/** `2026-11` */
export const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM'.length);

const NAME = /^(\d{4,9})(?:-(\d{4}-\d\d))?\.(jsonl|lookup)$/;

/** @throws DamagedFileError */
export function readLayout(state: string, host: Host): JournalLayout {
  // A user who can write to the folder can replace the journal.
  checkFolder(state, host);
  const folder = segmentFolder(state);
  const holds = contentOf(singleFile(state), host);
  if (holds === 'records')
    return { kind: 'single', hasMarker: false, state, folder, segments: [segmentOf(folder, 0, undefined)] };
  const segments = readSegments(folder, host);
  const hasMarker = holds === 'marker';
  // The first chained segment is there before the marker.
  if (hasMarker && (segments.at(-1)?.number ?? 0) === 0) segments.push(segmentOf(folder, 1, undefined));
  return { kind: segments.length === 0 ? 'none' : 'segments', hasMarker, state, folder, segments };
}

/** What `journal.jsonl` holds. @throws DamagedFileError for a link or a file of another user */
function contentOf(path: string, host: Host): 'nothing' | 'marker' | 'records' {
  const text = readPart(path, host, 0, MARKER.length + 1)?.toString('latin1') ?? '';
  // An empty file was made by a process that died.
  return text === '' ? 'nothing' : text === MARKER ? 'marker' : 'records';
}

export function readSegments(folder: string, host: Host): Segment[] {
  checkFolder(folder, host);
  const found = new Map<number, Segment>();
  for (const name of namesIn(folder)) {
    const [, digits, month, kind] = NAME.exec(name) ?? [];
    if (digits === undefined) continue;
    const known = found.get(Number(digits));
    const each = known ?? segmentOf(folder, Number(digits), month);
    if (known !== undefined && known.month !== month) throw twice(join(folder, name), known);
    if (kind === 'jsonl') each.isHere = true;
    else each.hasLookup = true;
    found.set(each.number, each);
  }
  const numbers = [...found.keys()].toSorted((one, other) => one - other);
  const [first, last] = [Math.min(numbers[0] ?? 1, 1), numbers.at(-1) ?? -1];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index;
    return found.get(number) ?? segmentOf(folder, number, archivedMonth(folder, number, host));
  });
}

/** Of a segment that is not here, and whose lookup was lost. */
const archivedMonth = (folder: string, number: number, host: Host): string | undefined =>
  NAME.exec(`${readRegister(folder, host).find((each) => each.number === number)?.name ?? ''}.jsonl`)?.[2];

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileError('read', folder, error);
  }
}

export function segmentOf(folder: string, number: number, month: string | undefined): Segment {
  const name = `${number.toString().padStart(4, '0')}${month === undefined ? '' : `-${month}`}`;
  // There are many of them: joining paths takes longer.
  const start = `${folder}${sep}${name}`;
  const [path, lookup] = [`${start}.jsonl`, `${start}.lookup`];
  return { number, name, month, path, lookup, isHere: false, hasLookup: false };
}

const twice = (path: string, known: Segment): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} and ${known.path} have the same number.`,
    book: 'Nothing was sent.',
    hint: 'Move the file that hedge did not write out of that folder, then try again.',
  });

/** A segment that was moved to another folder. */
export interface Archived {
  name: string;
  number: number;
  lines: number;
  bytes: number;
  /** Hash of its last line. */
  head: string;
  folder: string;
  /** ISO 8601 UTC. */
  at: string;
  operator: string;
}

const MAX_REGISTER_BYTES = 4 * 1024 * 1024;
const REGISTER_VERSION = 1;

/** @throws DamagedFileError for one that cannot be read. */
export function readRegister(folder: string, host: Host): readonly Archived[] {
  const path = registerFile(folder);
  const bytes = readOwnFile(path, { host, maxBytes: MAX_REGISTER_BYTES });
  if (bytes === undefined) return [];
  const { version, segments } = fieldsIn(bytes);
  if (version !== REGISTER_VERSION || !Array.isArray(segments) || !segments.every(isArchived))
    throw new DamagedFileError(path, {
      what: `${path} cannot be read: it says where archived segments of the journal are.`,
      book: 'Nothing was sent.',
      hint: `Restore it from a copy, or move it away and name the folder: hedge journal --archive DIR`,
    });
  return segments;
}

export const registerText = (segments: readonly Archived[]): string =>
  `${JSON.stringify({ version: REGISTER_VERSION, segments }, undefined, 2)}\n`;

const isArchived = (value: unknown): value is Archived =>
  isFields(value) &&
  ['name', 'head', 'folder', 'at', 'operator'].every((name) => typeof value[name] === 'string') &&
  ['number', 'lines', 'bytes'].every((name) => Number.isSafeInteger(value[name]));

/** The path of the segment's file, in its archive when it was moved there. @throws DamagedFileError when it is nowhere. */
export function locate(
  segment: Segment,
  { folder, host, archive }: { folder: string; host: Host; archive?: string | undefined },
): string {
  if (segment.isHere) return segment.path;
  const moved = readRegister(folder, host).find(({ number }) => number === segment.number);
  const name = `${moved?.name ?? segment.name}.jsonl`;
  for (const each of [archive, moved?.folder]) {
    if (each === undefined) continue;
    const path = join(each, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true && (moved === undefined || stats.size === moved.bytes)) return path;
  }
  throw moved === undefined ? missing(segment) : notInArchive(segment, moved);
}

const missing = ({ path, number }: Segment): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Segment ${number.toString()} of the journal is missing: ${path.replace(/(\/\d+)\.jsonl$/, '$1-*.jsonl')}. It was not archived by hedge.`,
    book: 'Nothing was sent.',
    hint: 'Restore it from a copy, or name the folder it is in: hedge journal --archive DIR',
  });

const notInArchive = ({ path }: Segment, { name, folder }: Archived): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Segment ${name} of the journal is archived, and not in ${folder} any more.`,
    book: 'Nothing was sent.',
    hint: `Make ${shellWord(folder)} available again, or name the folder it is in now: hedge journal --archive DIR`,
  });

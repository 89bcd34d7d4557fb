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
import { linkOf } from './chain.ts';
import { readLine } from './lines.ts';
import { hashOwn, lineAt, openOwn, readPart } from './own-files.ts';

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
  /** `journal.jsonl` would hide the segments: the journal is not used until somebody has settled it. */
  conflict?: DamagedFileError | undefined;
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
  const [path, folder] = [singleFile(state), segmentFolder(state)];
  const holds = contentOf(path, host);
  const segments = readSegments(folder, host);
  if (holds === 'records' && !isPartOfMarker(path, segments, host)) {
    const zero = segmentOf(folder, 0, undefined);
    const isConflict = segments.some(isBegun) && !goOnFrom(path, segments, host);
    // Another process has migrated it meanwhile.
    if (isConflict && contentOf(path, host) !== 'records') return readLayout(state, host);
    if (isConflict) checkVersion(path, host);
    const conflict = isConflict ? twoJournals(path, folder) : undefined;
    // Otherwise it was restored from a copy of the time before the segments.
    if (isConflict || !segments.some(isBegun))
      return { kind: 'single', hasMarker: false, state, folder, segments: [zero], conflict };
  }
  const hasMarker = holds === 'marker' || holds === 'more';
  // The first chained segment is there before the marker.
  if (hasMarker && (segments.at(-1)?.number ?? 0) === 0) segments.push(segmentOf(folder, 1, undefined));
  const conflict = holds === 'more' ? moreThanMarker(path) : undefined;
  return { kind: segments.length === 0 ? 'none' : 'segments', hasMarker, state, folder, segments, conflict };
}

/** More than the marker has with what an editor may add to it. */
const START_BYTES = 4_096;

/** `more`: the marker, and other lines. @throws DamagedFileError for a link or a file of another user */
function contentOf(path: string, host: Host): 'nothing' | 'marker' | 'more' | 'records' {
  const text = readPart(path, host, 0, START_BYTES)?.toString('utf8') ?? '';
  // An empty file was made by a process that died.
  if (text === '') return 'nothing';
  if (text === MARKER) return 'marker';
  const [first = '', ...rest] = text.split('\n');
  const { schema, kind, folder } = fieldsIn(first);
  if (schema !== 3 || kind !== 'segments' || folder !== 'journal') return 'records';
  return text.length < START_BYTES && rest.join('').trim() === '' ? 'marker' : 'more';
}

/** A power cut may leave a part of it. */
function isPartOfMarker(path: string, segments: readonly Segment[], host: Host): boolean {
  const text = readPart(path, host, 0, MARKER.length)?.toString('latin1') ?? '';
  return segments.some(isBegun) && MARKER.startsWith(text);
}

/** A chained segment that has something: an interrupted migration leaves an empty one. */
const isBegun = ({ number, path, isHere, hasLookup }: Segment): boolean =>
  number > 0 && (hasLookup || (isHere && lstatSync(path, { throwIfNoEntry: false })?.size !== 0));

/** Whether this file is segment 0 of the segments. @throws DamagedFileError */
function goOnFrom(path: string, segments: readonly Segment[], host: Host): boolean {
  const [zero, first] = segments;
  if (zero?.number !== 0 || !zero.isHere || first?.isHere !== true) return false;
  const file = openOwn(first.path, host);
  try {
    return file !== undefined && linkOf(lineAt(file, 0))?.prev === hashOwn(path, host);
  } finally {
    file?.close();
  }
}

/** @throws DamagedFileError for a line of another version of hedge. */
function checkVersion(path: string, host: Host): void {
  const file = openOwn(path, host);
  try {
    if (file !== undefined) readLine(lineAt(file, 0), { path, line: 1, chained: false });
  } finally {
    file?.close();
  }
}

const twoJournals = (path: string, folder: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} and ${folder} hold two journals.`,
    book: 'Nothing was sent.',
    hint: `If ${folder} is the one in use, move ${path} to another folder: hedge writes it again. Otherwise move ${folder} away.`,
  });

const moreThanMarker = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} was changed: after the line that names the folder of the journal, it has other lines.`,
    book: 'Nothing was sent.',
    hint: `hedge did not write them. Move ${path} to another folder: hedge writes it again, and the journal stays as it is.`,
  });

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
  throw moved === undefined ? missing(segment) : notInArchive(segment, moved, archive);
}

const missing = ({ path, number }: Segment): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Segment ${number.toString()} of the journal is missing: ${path.replace(/(\/\d+)\.jsonl$/, '$1-*.jsonl')}. archived.json does not name it as archived.`,
    book: 'Nothing was sent.',
    hint: 'Restore the segment or archived.json from a copy, or name the folder it is in: hedge journal --archive DIR',
  });

/** Of the active segment, which the index names. */
export const lostActive = (folder: string, number: number): DamagedFileError => {
  const { path } = segmentOf(folder, number, undefined);
  return new DamagedFileError(path, {
    what: `The last segment of the journal is missing: ${path.replace(/\.jsonl$/, '-*.jsonl')}. The index of the journal names it.`,
    book: 'Nothing was sent.',
    hint: `Restore it from a copy. Without one its actions are lost: check your positions, then move ${indexFile(folder)} away.`,
  });
};

export const gone = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} is missing.`,
    book: 'Nothing was sent.',
    hint: 'Restore it from a copy, then try again.',
  });

/** `searched`: the folder that was named. */
const notInArchive = (
  { path }: Segment,
  { name, folder }: Archived,
  searched: string | undefined,
): DamagedFileError =>
  new DamagedFileError(path, {
    what: `Segment ${name} of the journal is archived, and not in ${searched === undefined ? '' : `${searched} or `}${folder} as it was.`,
    book: 'Nothing was sent.',
    hint: `Make ${shellWord(folder)} available again, or name the folder it is in now: hedge journal --archive DIR`,
  });

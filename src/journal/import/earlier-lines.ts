/** The lines of earlier versions: which files have them, in order, and what each of them is. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsIn, isFields } from '../../domain/fields.ts';
import { say } from '../../domain/hint.ts';
import { DamagedFileError } from '../../errors.ts';
import { checkFolder, ensureClosed, readOwnFile } from '../../platform/atomic-file.ts';
import { linesOf } from '../../platform/file-lines.ts';
import type { Host } from '../../platform/host.ts';
import { SEGMENT_FOLDER, SINGLE_FILE } from '../store/earlier-files.ts';

/** A file of lines. */
export interface LinedFile {
  name: string;
  path: string;
}

/** Those of the earlier files of the state folder that have the records, in order, archived ones included. @throws DamagedFileError for one that is missing, and for two journals. */
export function linedFiles(state: string, own: readonly string[], host: Host): readonly LinedFile[] {
  const [path, folder] = [join(state, SINGLE_FILE), join(state, SEGMENT_FOLDER)];
  const segments = own.includes(folder) ? segmentsIn(folder, host) : [];
  for (const each of [path, ...segments.map((segment) => segment.path)]) ensureClosed(each, host);
  if (!own.includes(path)) return segments;
  const single = { name: SINGLE_FILE, path };
  const chained = segments.filter(({ number }) => number > 0);
  if (isMarker(path)) {
    // The first one is there before the marker.
    if (chained.length === 0) throw missing(join(folder, '0001-*.jsonl'), folder);
    return segments;
  }
  // A segment that was just begun is empty.
  if (chained.every((each) => lstatSync(each.path).size === 0)) return [single];
  throw new DamagedFileError(path, {
    what: `${path} and ${folder} hold two journals.`,
    hint: `If ${folder} is the one in use, move ${path} to another folder. Otherwise move ${folder} away.`,
  });
}

const MARKER = '{"schema":3,"kind":"segments","folder":"journal"}';

/** Whether it only refers to the folder; a power cut may leave a part of that line. */
function isMarker(path: string): boolean {
  let text = '';
  for (const { bytes } of linesOf(path)) {
    text += bytes.toString('latin1');
    if (text.length > MARKER.length) return false;
  }
  return MARKER.startsWith(text);
}

interface Segment extends LinedFile {
  number: number;
}

const SEGMENT = /^(\d{4,9})(?:-\d{4}-\d\d)?\.(jsonl|lookup)$/;

/** In order. */
function segmentsIn(folder: string, host: Host): readonly Segment[] {
  checkFolder(folder, host);
  const numbers = new Set<number>();
  const found: Segment[] = [];
  for (const name of readdirSync(folder)) {
    const [, digits, kind] = SEGMENT.exec(name) ?? [];
    if (digits === undefined) continue;
    numbers.add(Number(digits));
    // The lookup of an archived segment stays.
    if (kind === 'jsonl') found.push({ number: Number(digits), name, path: join(folder, name) });
  }
  const here = new Set(found.map(({ number }) => number));
  const archived = archivedIn(folder, host);
  found.push(...archived.filter(({ number }) => !here.has(number)));
  // The last one is never archived.
  const last = Math.max(lastIndexed(folder), ...numbers, ...archived.map(({ number }) => number + 1));
  for (let number = numbers.has(0) ? 0 : 1; number <= last; number += 1) {
    const segment = found.find((each) => each.number === number);
    if (segment === undefined || lstatSync(segment.path, { throwIfNoEntry: false }) === undefined)
      throw missing(segment?.path ?? join(folder, `${number.toString().padStart(4, '0')}-*.jsonl`), folder);
  }
  return found.toSorted((one, other) => one.number - other.number);
}

/** The index of the earlier version names the last segment. */
function lastIndexed(folder: string): number {
  const path = join(folder, 'active.index');
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return 0;
  for (const { bytes } of linesOf(path)) {
    const { at } = fieldsIn(bytes);
    if (isFields(at)) return Number(at['segment']) || 0;
  }
  return 0;
}

const MAX_REGISTER_BYTES = 4 * 1_048_576;

/** Segments that were moved to another folder. A register that cannot be read names none: then a segment is missing. */
function archivedIn(folder: string, host: Host): readonly Segment[] {
  const bytes = readOwnFile(join(folder, 'archived.json'), { host, maxBytes: MAX_REGISTER_BYTES });
  const { segments } = fieldsIn(bytes);
  return (Array.isArray(segments) ? segments : [])
    .filter(isFields)
    .flatMap(({ name, number, folder: moved }) =>
      typeof name === 'string' && typeof number === 'number' && typeof moved === 'string'
        ? { number, name: `${name}.jsonl`, path: join(moved, `${name}.jsonl`) }
        : [],
    );
}

const missing = (path: string, folder: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `A part of the journal is missing: ${path}.`,
    hint: say`Copy it into ${[folder]}, then try again. If it is lost: move the files of the journal to another folder and import them by their names. The journal is halted then.`,
  });

/** Makes the file of an earlier version segment 0, byte for byte. A kill at any point leaves a journal that does it again. */
import { constants, copyFileSync, linkSync, renameSync, rmSync } from 'node:fs';
import { DamagedFileError } from '../errors.ts';
import { syncFolder, writeAtomically } from '../platform/atomic-file.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import type { Machine } from '../platform/host.ts';
import { linkOf } from './chain.ts';
import type { Loaded } from './journal-files.ts';
import { hashOwn, lineAt, openOwn } from './own-files.ts';
import { writeLookup } from './seal.ts';
import {
  type JournalLayout,
  MARKER,
  monthOf,
  readSegments,
  type Segment,
  segmentOf,
  singleFile,
} from './segments.ts';

/** @throws DamagedFileError; `journal.jsonl` is then still the journal. */
export function migrate(layout: JournalLayout, read: Loaded, machine: Machine): void {
  const { folder, state } = layout;
  const { host } = machine;
  const path = singleFile(state);
  const head = hashOwn(path, host);
  if (head === undefined) throw missing(path);
  if (checkLater(layout, head, machine)) {
    writeMarker(layout, machine);
    return;
  }
  const zero = segmentOf(folder, 0, undefined);
  place(path, zero, machine);
  const mark = openOwn(zero.path, host);
  if (mark === undefined) throw missing(zero.path);
  try {
    writeLookup(
      zero,
      { ...read, settled: { ...read.seen, head }, terms: read.terms(), mark: mark.mark() },
      machine,
    );
  } finally {
    mark.close();
  }
  beginSegments(layout, machine);
  writeMarker(layout, machine);
}

/** The first segment that is chained, empty. */
export const beginSegments = ({ folder }: JournalLayout, machine: Machine): void =>
  writeAtomically(segmentOf(folder, 1, monthOf(machine.clock.now())).path, '', machine);

export const writeMarker = ({ state }: JournalLayout, machine: Machine): void =>
  writeAtomically(singleFile(state), MARKER, machine);

/** Links the file, or copies it where links are not possible. */
function place(from: string, { path }: Segment, { host, random }: Machine): void {
  try {
    rmSync(path, { force: true });
    try {
      linkSync(from, path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw error;
      const temporary = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`;
      copyFileSync(from, temporary, constants.COPYFILE_EXCL);
      syncFolder(temporary, host);
      renameSync(temporary, path);
    }
    syncFolder(path.slice(0, path.lastIndexOf('/')), host);
  } catch (error) {
    throw fileError('write', path, error);
  }
}

/**
 * Whether the segments in the folder go on from this file, which somebody restored. Empty ones are removed.
 * @throws DamagedFileError when they are of another journal.
 */
function checkLater({ folder, state }: JournalLayout, head: string, { host }: Machine): boolean {
  let goesOn = false;
  for (const segment of readSegments(folder, host)) {
    if (segment.number === 0 || !segment.isHere) continue;
    const file = openOwn(segment.path, host);
    const first = file === undefined ? Buffer.alloc(0) : lineAt(file, 0);
    file?.close();
    if (first.length === 0) rmSync(segment.path, { force: true });
    else if (goesOn || (segment.number === 1 && linkOf(first)?.prev === head)) goesOn = true;
    else throw twoJournals(singleFile(state), folder);
  }
  return goesOn;
}

const missing = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} is missing.`,
    book: 'Nothing was sent.',
    hint: 'Restore it from a copy, then try again.',
  });

const twoJournals = (path: string, folder: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} and ${folder} hold two journals.`,
    book: 'Nothing was sent.',
    hint: `Restore ${path} from a copy made at the same time as the folder. Or move the one away that is not in use.`,
  });

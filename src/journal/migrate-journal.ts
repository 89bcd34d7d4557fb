/** Makes the file of an earlier version segment 0, byte for byte. A kill at any point leaves a journal that does it again. */
import { constants, copyFileSync, linkSync, renameSync, rmSync } from 'node:fs';
import { DamagedFileError } from '../errors.ts';
import { syncFolder, writeAtomically } from '../platform/atomic-file.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import type { Host, Machine } from '../platform/host.ts';
import type { Loaded } from './load-journal.ts';
import { hashOwn, openOwn } from './own-files.ts';
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
  removeBegun(layout, host);
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

/** Those that an interrupted migration left are empty. */
function removeBegun({ folder }: JournalLayout, host: Host): void {
  for (const { number, path, isHere } of readSegments(folder, host)) {
    if (number === 0 || !isHere) continue;
    try {
      rmSync(path, { force: true });
    } catch (error) {
      throw fileError('remove', path, error);
    }
  }
}

const missing = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} is missing.`,
    book: 'Nothing was sent.',
    hint: 'Restore it from a copy, then try again.',
  });

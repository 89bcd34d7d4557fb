/**
 * Moves sealed segments to another folder. Each is copied, compared and registered before it is removed, so that a kill at
 * any point leaves it in one of the two places. Its lookup stays and tells which actions it has.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { exactInstant } from '../domain/instants.ts';
import { DamagedFileError } from '../errors.ts';
import { makeFolders, removeLeft, syncFolder, writeAtomically } from '../platform/atomic-file.ts';
import { fileError } from '../platform/file-errors.ts';
import type { Host, Machine } from '../platform/host.ts';
import type { JournalFiles } from './journal-files.ts';
import type { Loaded } from './load-journal.ts';
import { hashOwn, openOwn } from './own-files.ts';
import { type Archived, readRegister, registerFile, registerText, type Segment } from './segments.ts';

export interface ArchiveRequest {
  /** `2026-01`: only segments whose records are all of earlier months of UTC. */
  before: string;
  folder: string;
  operator: string;
}

/** Why a segment stays. `active`: it still grows. `later`: it has records of that month or a later one. */
export type KeptBecause = 'active' | 'later' | 'open' | 'damaged';

export interface ArchiveResult {
  folder: string;
  moved: readonly Archived[];
  kept: readonly { name: string; because: KeptBecause; actions: readonly string[] }[];
}

/** Under the journal's lock. @throws DamagedFileError; segments moved before stay moved. */
export function archive(
  loaded: Loaded,
  files: JournalFiles,
  { before, folder: given, operator }: ArchiveRequest,
  machine: Machine,
): ArchiveResult {
  const { layout } = loaded;
  const folder = targetOf(given, layout.folder, machine.host);
  const moved: Archived[] = [];
  const kept: { name: string; because: KeptBecause; actions: readonly string[] }[] = [];
  for (const segment of layout.segments) {
    if (!segment.isHere) continue;
    const actions = [...loaded.seen.open.values()]
      .filter(({ places }) => places.some((place) => place.segment === segment.number))
      .map(({ shortId }) => shortId);
    const because = reasonToKeep(segment, actions, { loaded, files, before });
    if (because !== undefined)
      kept.push({ name: segment.name, because, actions: because === 'open' ? actions : [] });
    else moved.push(move(segment, files, { folder, operator, layout: loaded.layout, machine }));
  }
  return { folder, moved, kept };
}

function reasonToKeep(
  segment: Segment,
  actions: readonly string[],
  { loaded, files, before }: { loaded: Loaded; files: JournalFiles; before: string },
): KeptBecause | undefined {
  const { layout, seen } = loaded;
  if (segment === layout.segments.at(-1)) return 'active';
  if (files.timesOf(segment, layout).latestMs >= Date.parse(`${before}-01T00:00:00.000Z`)) return 'later';
  if (actions.length > 0) return 'open';
  return [...seen.damage, ...seen.orphans].some((each) => each.segment === segment.number)
    ? 'damaged'
    : undefined;
}

function move(
  segment: Segment,
  files: JournalFiles,
  {
    folder,
    operator,
    layout,
    machine,
  }: { folder: string; operator: string; layout: Loaded['layout']; machine: Machine },
): Archived {
  const { host, clock } = machine;
  const facts = files.sealedFacts(segment, layout);
  const hash = hashOwn(segment.path, host);
  if (facts === undefined || hash === undefined) throw notAsSealed(segment.path);
  const target = join(folder, `${segment.name}.jsonl`);
  copy(segment.path, { target, hash, machine });
  const entry: Archived = {
    name: segment.name,
    number: segment.number,
    lines: facts.snapshot.lines,
    bytes: facts.mark.bytes,
    head: facts.snapshot.head,
    folder,
    at: exactInstant(clock.now()),
    operator,
  };
  const others = readRegister(layout.folder, host).filter(({ number }) => number !== segment.number);
  const all = [...others, entry].toSorted((one, other) => one.number - other.number);
  writeAtomically(registerFile(layout.folder), registerText(all), machine);
  try {
    rmSync(segment.path);
    syncFolder(layout.folder, host);
  } catch (error) {
    throw fileError('remove', segment.path, error);
  }
  return entry;
}

const PART_BYTES = 1_048_576;

/** Durable on return, and the same bytes. @throws DamagedFileError also for another file of that name. */
function copy(
  from: string,
  { target, hash, machine: { host, random } }: { target: string; hash: string; machine: Machine },
): void {
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) {
    // A process died after it had copied it.
    if (hashOwn(target, host) === hash) return;
    throw new DamagedFileError(target, {
      what: `${target} already exists and is another file.`,
      book: 'The journal is unchanged.',
      hint: 'Choose another folder.',
    });
  }
  const temporary = `${target}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`;
  const source = openOwn(from, host);
  if (source === undefined) throw notAsSealed(from);
  try {
    const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      for (let at = 0; ; ) {
        const part = source.read(at, PART_BYTES);
        if (part.length === 0) break;
        for (let written = 0; written < part.length; ) written += writeSync(fd, part, written);
        at += part.length;
      }
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (hashOwn(temporary, host) !== hash) throw new Error('the copy differs');
    renameSync(temporary, target);
    syncFolder(dirname(target), host);
  } catch (error) {
    removeLeft(temporary);
    throw error instanceof DamagedFileError ? error : fileError('write', target, error);
  } finally {
    source.close();
  }
}

/** Its whole path; created if absent. @throws DamagedFileError for the journal's own folder. */
function targetOf(folder: string, own: string, host: Host): string {
  let path: string;
  try {
    makeFolders(resolve(folder), host);
    path = realpathSync(folder);
  } catch (error) {
    throw fileError('create the folder', folder, error);
  }
  if (path !== realpathSync(own)) return path;
  throw new DamagedFileError(folder, {
    what: `${folder} is the folder of the journal itself.`,
    book: 'The journal is unchanged.',
    hint: 'Choose another folder.',
  });
}

const notAsSealed = (path: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} is not as it was when its lookup was written.`,
    book: 'The journal is unchanged.',
    hint: 'To find the changed line: hedge audit verify',
  });

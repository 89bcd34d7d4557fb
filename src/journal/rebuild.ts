/**
 * Makes missing and outdated parts of the journal again, under the journal's lock: lookups one at a time, the index, and the segments
 * themselves from the file of an earlier version.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsIn, isFields } from '../domain/fields.ts';
import { ensureFolder, readOwnFile } from '../platform/atomic-file.ts';
import type { Host, Machine, ProcessIdentity } from '../platform/host.ts';
import { writeIndex } from './active-index.ts';
import type { JournalFiles } from './journal-files.ts';
import { checkActive, type Loaded, loadByIndex, loadFromSegments } from './load-journal.ts';
import { mergeLookups } from './merge-lookups.ts';
import { beginSegments, migrate, writeMarker } from './migrate-journal.ts';
import { writeLookup } from './seal.ts';
import { type JournalLayout, segmentFolder } from './segments.ts';
import { DamagedLookup } from './sorted-entries.ts';

/** Shows that the index of the journal is being made again. */
export interface RebuildProgress {
  start(text: string): void;
  update(text: string): void;
  stop(): void;
}

interface RebuildPorts {
  machine: Machine;
  progress: RebuildProgress | undefined;
}

/** Names the process that rebuilds, so that others wait for it. */
const noticeFile = (folder: string): string => join(folder, 'rebuilding.json');
const MAX_NOTICE_BYTES = 4_096;

/** Begun, migrated and indexed, as far as that is necessary. @throws DamagedFileError */
export async function readyForWriting(files: JournalFiles, ports: RebuildPorts): Promise<Loaded> {
  const { machine } = ports;
  const layout = files.layout();
  // A new segment must not take the place of one that is lost.
  checkActive(files, layout);
  ensureFolder(layout.folder, machine.host);
  if (layout.kind === 'single')
    await noticed(layout.folder, ports, async () => {
      // A line of another version is found before anything changes.
      migrate(layout, await stepwise(loadFromSegments(files, layout), ports.progress), machine);
    });
  if (layout.kind === 'none') begin(layout, machine);
  // Its process died before the marker was written, or somebody removed it.
  if (layout.kind === 'segments' && !layout.hasMarker) writeMarker(layout, machine);
  const now = files.layout();
  return loadByIndex(files, now) ?? noticed(layout.folder, ports, () => rebuilt(files, now, ports));
}

/** With the index on disk, or in memory where it cannot be written. */
async function rebuilt(
  files: JournalFiles,
  layout: JournalLayout,
  { machine, progress }: RebuildPorts,
): Promise<Loaded> {
  const steps = loadFromSegments(files, layout, (segment, replayed) => {
    writeLookup(segment, replayed, machine);
    files.forget(segment);
  });
  const loaded = await stepwise(steps, progress);
  files.damagedLookups.clear();
  if (loaded.mark === undefined || loaded.tail !== 'ended') return loaded;
  const { settled: snapshot, mark } = loaded;
  const onDisk = writeIndex(
    layout.folder,
    { snapshot, mark, terms: loaded.terms(), before: undefined },
    machine,
  );
  return { ...loaded, isIndexed: true, onDisk };
}

/** Merges the lookups when more than `most` are searched one by one. @throws DamagedFileError */
export async function merged(files: JournalFiles, ports: RebuildPorts, most: number): Promise<void> {
  const layout = files.layout();
  // Another process may have done it.
  if (files.terms.searchedSingly(layout) <= most) return;
  await noticed(layout.folder, ports, async () => {
    try {
      await stepwise(mergeLookups(layout, ports.machine.host), ports.progress);
    } catch (error) {
      if (!(error instanceof DamagedLookup)) throw error;
      await rebuilt(files, layout, ports);
    }
  });
  files.terms.renewed();
}

/** Lets a signal in. */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Runs to the end, showing the part that is done. */
async function stepwise<T>(steps: Generator<number, T>, progress: RebuildProgress | undefined): Promise<T> {
  let isShown = false;
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      const text = `Rebuilding the index of the journal: ${Math.floor(value * 100).toString()} %`;
      if (isShown) progress?.update(text);
      else progress?.start(text);
      isShown = true;
      await nextTurn();
    }
  } finally {
    if (isShown) progress?.stop();
  }
}

/** The segment comes first: without one the marker would say that it is missing. */
function begin(layout: JournalLayout, machine: Machine): void {
  beginSegments(layout, machine);
  writeMarker(layout, machine);
}

async function noticed<T>(
  folder: string,
  { machine: { host } }: RebuildPorts,
  body: () => Promise<T>,
): Promise<T> {
  const path = noticeFile(folder);
  try {
    rmSync(path, { force: true });
    writeFileSync(path, JSON.stringify(host.self), { flag: 'wx', mode: 0o600 });
  } catch {
    // Without it others wait for a shorter time.
  }
  try {
    return await body();
  } finally {
    try {
      rmSync(path, { force: true });
    } catch {
      // It is a folder, and not of hedge.
    }
  }
}

/** Whether a running process rebuilds the index: then a wait for its lock goes on. */
export function isRebuilding(
  state: string,
  { host, progress }: { host: Host; progress: RebuildProgress | undefined },
): boolean {
  const who = processIn(readOwnFile(noticeFile(segmentFolder(state)), { host, maxBytes: MAX_NOTICE_BYTES }));
  if (who === undefined || host.judge(who) !== 'running') return false;
  progress?.start(`Process ${who.pid.toString()} rebuilds the index of the journal. Waiting for it.`);
  return true;
}

function processIn(bytes: Buffer | undefined): ProcessIdentity | undefined {
  const named = fieldsIn(bytes);
  if (!isFields(named) || !Number.isSafeInteger(named['pid'])) return undefined;
  const textOrNull = (name: string): string | null => (typeof named[name] === 'string' ? named[name] : null);
  return {
    pid: Number(named['pid']),
    hostname: textOrNull('hostname') ?? '',
    boot: textOrNull('boot'),
    space: textOrNull('space'),
    started: textOrNull('started'),
  };
}

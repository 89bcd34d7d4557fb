/** The journal: read at one moment, and appended to durably under a lock. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exactInstant } from '../domain/instants.ts';
import { DamagedFileError } from '../errors.ts';
import { probeAppendOnlyFile, withAppendOnlyFile } from '../platform/append-only-file.ts';
import { checkFolder, ensureFolder, removeLeft, writeAtomically } from '../platform/atomic-file.ts';
import type { Machine } from '../platform/host.ts';
import { withLock } from '../platform/lock.ts';
import type { Paths } from '../platform/paths.ts';
import { writeIndex } from './active-index.ts';
import type { ArchiveRequest, ArchiveResult } from './archive.ts';
import { chainedLine, hashOfLine } from './chain.ts';
import { finished, JournalFiles } from './journal-files.ts';
import { CUT, readLine, tailEnd } from './lines.ts';
import { type Loaded, loadAppended, loadByIndex, loadFromSegments } from './load-journal.ts';
import { removeMerged } from './merged-lookup.ts';
import { isSameMark, openOwn, readPart } from './own-files.ts';
import type { RebuildProgress } from './rebuild.ts';
import { isOfAction, type JournalRecord } from './records.ts';
import { SHORTEST_ID } from './replay.ts';
import { segmentedState } from './segmented-state.ts';
import { type JournalLayout, lockFile, monthOf, readLayout, type Segment, singleFile } from './segments.ts';
import { CURRENT_MS, type JournalState } from './state.ts';
import { sharedDigits } from './terms.ts';

export interface Journal {
  readonly path: string;
  /** Without the lock; creates nothing. @throws DamagedFileError */
  read(): JournalState;
  /**
   * Appends the records in one write and returns the new state. `guard` checks the state under the lock: its error stops
   * the append and is rethrown. @throws DamagedFileError when nothing could be appended.
   */
  append(
    records: readonly [JournalRecord, ...JournalRecord[]],
    guard?: (state: JournalState) => void,
  ): Promise<JournalState>;
  /** Moves sealed segments away, under the lock. @throws DamagedFileError */
  archive(request: ArchiveRequest): Promise<ArchiveResult>;
  /** Makes a missing or outdated index again, if that is possible: reading is quick then. Never throws. */
  prepare(): Promise<void>;
}

export interface JournalOptions {
  places: Paths;
  machine: Machine;
  /** How long to wait for another process's lock. */
  lockWaitMs?: number;
  /** A larger active segment is sealed. */
  sealBytes?: number;
  /** Where archived segments are, when not where they were moved to. */
  archive?: string | undefined;
  progress?: RebuildProgress | undefined;
  /** More lookups than these are merged, so that they are not searched one by one. */
  mostLookups?: number;
}

const SEAL_BYTES = 64 * 1024 * 1024;
const MOST_LOOKUPS = 3;

export function openJournal(options: JournalOptions): Journal {
  const { places, machine, archive, sealBytes = SEAL_BYTES, mostLookups = MOST_LOOKUPS } = options;
  const { host, clock } = machine;
  const state = places.state;
  const files = new JournalFiles({ state, host, now: () => clock.now(), archive });
  let known: Loaded | undefined;

  const viewOf = (loaded: Loaded): JournalState =>
    segmentedState(loaded, files, {
      isRunning: (writer) => host.judge(writer) === 'running',
      nowMs: clock.now(),
    });

  /** What was read before, unless a file has changed since. */
  function again(layout: JournalLayout): Loaded | undefined {
    if (known === undefined || layout.kind === 'none' || !isSameLayout(known.layout, layout))
      return undefined;
    const file = openOwn(known.path, host);
    const mark = file?.mark();
    file?.close();
    const { mark: before } = known;
    return mark !== undefined && before !== undefined && isSameMark(mark, before) ? known : undefined;
  }

  const quick = (layout: JournalLayout): Loaded | undefined => again(layout) ?? loadByIndex(files, layout);

  async function locked<T>(body: () => Promise<T>): Promise<T> {
    const { lockWaitMs: waitMs, progress } = options;
    const keepsWaiting = async (): Promise<boolean> => {
      const { isRebuilding } = await import('./rebuild.ts');
      return isRebuilding(state, { host, progress });
    };
    return withLock(
      lockFile(state),
      { ...machine, ...(waitMs === undefined ? {} : { waitMs }), keepsWaiting },
      body,
    );
  }

  /** Under the lock: migrated, with a usable index. */
  async function loadedForWriting(): Promise<Loaded> {
    const layout = files.layout();
    if (layout.kind === 'segments' && layout.hasMarker) {
      const loaded = quick(layout);
      if (loaded?.rebuilt.length === 0) return loaded;
    }
    const { readyForWriting } = await import('./rebuild.ts');
    return readyForWriting(files, { machine, progress: options.progress });
  }

  /** Unless another process has the lock: lookups are searched one by one then. */
  async function merge(): Promise<void> {
    const { merged } = await import('./rebuild.ts');
    await withLock(lockFile(state), { ...machine, waitMs: 0 }, () =>
      merged(files, { machine, progress: options.progress }, mostLookups),
    );
  }

  /** Where the next record goes. */
  async function withRoom(loaded: Loaded): Promise<Loaded> {
    const active = activeOf(loaded);
    const month = monthOf(clock.now());
    const { bytes } = loaded.settled;
    if (bytes === 0 || (bytes < sealBytes && month <= (active.month ?? ''))) return loaded;
    try {
      const { sealed } = await import('./seal.ts');
      return sealed(loaded, files, { machine, month });
    } catch (error) {
      // The active segment takes more until sealing it is possible.
      if (error instanceof DamagedFileError) return loaded;
      throw error;
    }
  }

  function write(
    loaded: Loaded,
    records: readonly JournalRecord[],
    current: readonly string[] | undefined,
  ): Loaded {
    const active = activeOf(loaded);
    const text = chainedText(loaded, withShortIds(records, loaded, files), host);
    withAppendOnlyFile(active.path, host, (file) => file.append(text));
    const after = loadAppended(files, loaded, current) ?? finished(loadFromSegments(files, files.layout()));
    known = after;
    const { folder } = after.layout;
    try {
      if (files.terms.isDamaged) {
        removeMerged(folder);
        files.terms.renewed();
      }
      if (after.mark !== undefined && after.tail === 'ended') {
        const { mark, settled: snapshot, onDisk: before } = after;
        const onDisk = writeIndex(folder, { snapshot, mark, terms: after.terms(), before }, machine);
        known = { ...after, isIndexed: true, onDisk };
      }
    } catch (error) {
      // The next command makes it again from the segment, where the records are.
      if (!(error instanceof DamagedFileError)) throw error;
    }
    return known;
  }

  /** Undefined unless the clock was set back: then the index lacks actions that are current again. */
  const leftOut = ({ seen }: Loaded, now: JournalState): readonly string[] | undefined =>
    seen.sweptTo >= exactInstant(clock.now() - CURRENT_MS) ? now.current.map(({ id }) => id) : undefined;

  return {
    path: singleFile(state),
    read() {
      const layout = files.layout();
      known = quick(layout) ?? finished(loadFromSegments(files, layout));
      return viewOf(known);
    },
    async append(records, guard) {
      try {
        ensureFolder(state, host);
        return await locked(async () => {
          const loaded = await loadedForWriting();
          known = loaded;
          const before = viewOf(loaded);
          passGuard(guard, before);
          return viewOf(write(await withRoom(loaded), records, leftOut(loaded, before)));
        });
      } catch (error) {
        if (error instanceof Stopped) throw error.reason;
        known = undefined;
        throw error instanceof DamagedFileError ? forRecords(error, records) : error;
      }
    },
    async archive(request) {
      ensureFolder(state, host);
      return locked(async () => {
        const loaded = await loadedForWriting();
        known = undefined;
        const { archive: moveAway } = await import('./archive.ts');
        return moveAway(loaded, files, request, machine);
      });
    },
    async prepare() {
      try {
        const layout = files.layout();
        if (layout.kind !== 'segments') return;
        known = quick(layout);
        if (known === undefined)
          await locked(async () => {
            known = await loadedForWriting();
          });
        if (known !== undefined && files.terms.searchedSingly(known.layout) > mostLookups) await merge();
      } catch (error) {
        // Reading fails with the same error, or does without an index.
        if (!(error instanceof DamagedFileError)) throw error;
      }
    },
  };
}

/** With a usable index, if that is possible. */
export async function openPrepared(options: JournalOptions): Promise<Journal> {
  const journal = openJournal(options);
  await journal.prepare();
  return journal;
}

const isSameLayout = (one: JournalLayout, other: JournalLayout): boolean =>
  one.kind === other.kind && namesOf(one) === namesOf(other);

const namesOf = ({ segments }: JournalLayout): string =>
  segments
    .filter(({ isHere, hasLookup }) => isHere || hasLookup)
    .map(({ name, isHere, hasLookup }) => `${name} ${isHere.toString()} ${hasLookup.toString()}`)
    .join();

function activeOf({ layout }: Loaded): Segment {
  const active = layout.segments.at(-1);
  if (active === undefined) throw new Error('the journal has no active segment');
  return active;
}

/** Each intent gets the shortest beginning of its ID that no earlier action has. @throws DamagedFileError */
function withShortIds(
  records: readonly JournalRecord[],
  { layout, terms }: Loaded,
  files: JournalFiles,
): readonly JournalRecord[] {
  const ids: string[] = [];
  return records.map((record) => {
    if (record.kind !== 'intent') return record;
    const id = record.action_id;
    const shared = files.terms.shared(id, layout, terms());
    const longest = Math.max(shared, ...ids.map((each) => sharedDigits(each, id)));
    ids.push(id);
    return { ...record, short_id: id.slice(0, Math.max(SHORTEST_ID, longest + 1)) };
  });
}

/** The end of a cut line, and the records, each with the hash of the line before. */
function chainedText(loaded: Loaded, records: readonly JournalRecord[], host: Machine['host']): string {
  const { tail, seen } = loaded;
  const active = activeOf(loaded);
  const start = tailEnd(tail);
  let prev = seen.head;
  if (tail === 'cut') {
    const from = loaded.settled.bytes;
    const cut = readPart(active.path, host, from, (loaded.mark?.bytes ?? from) - from) ?? Buffer.alloc(0);
    prev = hashOfLine(Buffer.concat([cut, Buffer.from([CUT])]));
  }
  const lines = records.map((record) => {
    const line = chainedLine(JSON.stringify(record), prev);
    // Never writes a record that could not be read back.
    const back = readLine(Buffer.from(line), { path: active.path, line: 0, chained: true });
    if (typeof back !== 'object') throw new Error(`a record for the journal ${back ?? 'is empty'}`);
    prev = hashOfLine(Buffer.from(line));
    return `${line}\n`;
  });
  return `${start}${lines.join('')}`;
}

/** Carries the guard's error through the error mapping. */
class Stopped extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('stopped by the guard');
    this.reason = reason;
  }
}

function passGuard(guard: ((state: JournalState) => void) | undefined, state: JournalState): void {
  try {
    guard?.(state);
  } catch (error) {
    throw new Stopped(error);
  }
}

/** Another HEDGE_HOME would have no limits, no halt and no unresolved actions. */
const withoutMoving = (error: DamagedFileError): DamagedFileError =>
  new DamagedFileError(error.path, {
    what: error.what,
    book: error.book ?? 'Nothing was sent.',
    hint: `${error.hint ?? 'Fix that.'} hedge does not trade without its journal; another HEDGE_HOME has another journal.`,
    cause: error,
  });

/** After a send the error must not say that nothing was sent. */
function forRecords(error: DamagedFileError, records: readonly JournalRecord[]): DamagedFileError {
  const sent = records
    .filter(isOfAction)
    .find(
      ({ kind, ...record }) =>
        !(
          kind === 'intent' ||
          kind === 'not_sent' ||
          (kind === 'sending' && 'attempt' in record && record.attempt === 1)
        ),
    );
  if (sent === undefined) return withoutMoving(error);
  return new DamagedFileError(error.path, {
    what: error.what,
    book: `Action ${sent.action_id} was sent; its outcome is not in the journal. Do not enter it again.`,
    hint: `${error.hint ?? 'Fix that.'} Then: hedge check ${sent.action_id}`,
    effect: 'unknown',
    retry: 'after_check',
    cause: error,
  });
}

/** More than the records of one action. */
const PROBE_BYTES = 16_384;

/** Takes the lock and writes as an append does; leaves nothing behind. @throws DamagedFileError */
export async function probeJournal({ places, machine }: { places: Paths; machine: Machine }): Promise<void> {
  const { state } = places;
  checkFolder(state, machine.host);
  if (!existsSync(state)) {
    tryFolder(nearest(state), machine);
    return;
  }
  await withLock(lockFile(state), machine, () => {
    const { kind, segments, folder, conflict } = readLayout(state, machine.host);
    if (conflict !== undefined) throw conflict;
    const active = segments.at(-1);
    probeAppendOnlyFile(kind === 'segments' && active !== undefined ? active.path : singleFile(state));
    tryFolder(state, machine);
    if (existsSync(folder)) tryFolder(folder, machine);
  });
}

/** The nearest existing parent. */
function nearest(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? above : nearest(above);
}

function tryFolder(folder: string, machine: Machine): void {
  const name = `hedge-${Buffer.from(machine.random.bytes(8)).toString('hex')}.try`;
  const path = join(folder, name);
  try {
    writeAtomically(path, '\n'.repeat(PROBE_BYTES), machine);
  } finally {
    removeLeft(path);
  }
}

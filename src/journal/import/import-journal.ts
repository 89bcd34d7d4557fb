/**
 * Makes the journal from files of earlier versions, or from an export. It is made whole under another name and then linked
 * in place; a process that dies at any point leaves files of which the next import makes the same journal.
 */
import { linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { say, shell } from '../../domain/hint.ts';
import { exactInstant } from '../../domain/instants.ts';
import { DamagedFileError, UsageError, unless } from '../../errors.ts';
import { ensureFolder, readOwnFile, statOf, syncFolder } from '../../platform/atomic-file.ts';
import { attempting } from '../../platform/file-errors.ts';
import { linesOf } from '../../platform/file-lines.ts';
import type { Machine } from '../../platform/host.ts';
import { withLock } from '../../platform/lock.ts';
import type { Paths } from '../../platform/paths.ts';
import { exportedLines } from '../export.ts';
import { wasNeverSent } from '../replay.ts';
import { earlierFiles, HALT_FILE } from '../store/earlier-files.ts';
import type { JournalDatabase } from '../store/journal-database.ts';
import { insertRecords, type NewRecord } from '../store/new-records.ts';
import {
  hashAt,
  hasRecord,
  headOf,
  isNextOf,
  type JournalHead,
  NO_HEAD,
  parseRecord,
} from '../store/record-rows.ts';
import { RecordSource } from '../store/record-source.ts';
import { actionsLike } from '../store/repair.ts';
import { createJournalFile, databaseFile, lockFile, openJournalFile } from '../store/schema.ts';
import { beginWitness, readWitness, rewoundFrom, writeWitness } from '../store/witness.ts';
import { type LinedFile, linedFiles } from './earlier-lines.ts';
import { type DamagedLine, EarlierRecords } from './earlier-records.ts';

export interface ImportOptions {
  places: Pick<Paths, 'state'>;
  machine: Machine;
  /** Exports, or copies of files of earlier versions, in order. Without them: the earlier files of the state folder. */
  files?: readonly string[] | undefined;
  /** Bytes, read so far and in all. */
  progress?: ((read: number, total: number) => void) | undefined;
}

export interface ImportResult {
  /** False: the journal had these records already, from an import that was interrupted. */
  isNew: boolean;
  /** Names of the files with the records. */
  files: readonly string[];
  records: number;
  actions: number;
  /** The first of the damaged lines; each is kept, and the journal is halted. */
  damage: readonly DamagedLine[];
  damageCount: number;
  /** The journal lacks records that were written on this machine: opens and adds stop until a person accepts it. */
  isRewound: boolean;
  /** The new paths of the files of the earlier version. */
  renamed: readonly string[];
}

/** @throws DamagedFileError; UsageError where there is nothing to import, or the journal has other records. */
export async function importJournal(options: ImportOptions): Promise<ImportResult> {
  const { places, machine, files: given = [] } = options;
  const { state } = places;
  const { host } = machine;
  if (given.length === 0 && earlierFiles(state, host).length === 0) throw nothingToImport(state);
  ensureFolder(state, host);
  return withLock(lockFile(state), machine, () => {
    const own = earlierFiles(state, host);
    if (given.length === 0 && own.length === 0) throw nothingToImport(state);
    const files = given.length === 0 ? linedFiles(state, own, host) : givenFiles(given, own);
    const source: Source = {
      ...options,
      state,
      files,
      count: { records: 0, actions: 0, damage: [], damageCount: 0 },
    };
    const into = intoJournal(source);
    const renamed = own.map(renamedAside);
    syncFolder(state, host);
    return { ...into, files: files.map(({ name }) => name), ...source.count, renamed };
  });
}

interface Source extends Pick<ImportOptions, 'machine' | 'progress'> {
  state: string;
  files: readonly LinedFile[];
  count: { records: number; actions: number; damage: readonly DamagedLine[]; damageCount: number };
}

/** Name of the journal while it is being made. */
const DRAFT = 'importing.sqlite';
/** 64 MB: the indexes of a long journal are written in no order. */
const CACHE = 'PRAGMA cache_size = -65536';

function intoJournal(source: Source): Pick<ImportResult, 'isNew' | 'isRewound'> {
  const { state, machine } = source;
  const { host } = machine;
  const path = databaseFile(state);
  const fill = (made: JournalDatabase): void => {
    if (headOf(made).hash !== head.hash) throw hasOthers(source);
    made.exec(CACHE);
    insertRecords(made, recordsOf(source, made, head.seq));
  };
  sweep(state);
  let db = openJournalFile(path, host);
  const head = headOf(db);
  try {
    const isNew = head.seq === 0 || isContinuedBy(source, head);
    if (!isNew && db !== undefined && !isIn(db, source)) throw hasOthers(source);
    const there = db;
    if (there === undefined) create(path, source, fill);
    else if (isNew) there.writing(() => fill(there));
    const witness = readWitness(state, host);
    db ??= openJournalFile(path, host);
    const isRewound = rewoundFrom(witness, db, path) !== undefined;
    if (!isRewound) writeWitness(state, machine, headOf(db));
    return { isNew, isRewound };
  } finally {
    db?.close();
    sweep(state);
  }
}

/** Never over a journal that another process has begun meanwhile. */
function create(path: string, { state, machine }: Source, fill: (db: JournalDatabase) => void): void {
  const [draft, log] = [join(state, DRAFT), `${path}-wal`];
  // It would be taken for the log of the new journal.
  if (statOf(log) !== undefined)
    throw new DamagedFileError(log, {
      what: `${log} is there without ${basename(path)}: the journal was removed.`,
      hint: `Put ${basename(path)} back from a copy. Without one, move ${log} to another folder, then try again.`,
    });
  createJournalFile(draft, machine, fill);
  beginWitness(state, machine);
  attempting('create', path, () => {
    linkSync(draft, path);
    syncFolder(state, machine.host);
  });
}

/** Removes the files of an import that died. */
const sweep = (state: string): void =>
  attempting('clear', state, () => {
    for (const name of readdirSync(state))
      if (name.startsWith(DRAFT)) rmSync(join(state, name), { force: true });
  });

/** Whether an export has the record after the last one of the journal. */
const isContinuedBy = ({ files }: Source, head: JournalHead): boolean =>
  files.some(({ path }) => {
    for (const { stored } of exportedLines(path)) {
      if (stored === undefined) return false;
      if (isNextOf(head, stored)) return true;
    }
    return false;
  });

function isIn(db: JournalDatabase, source: Source): boolean {
  for (const { id } of recordsOf(source, db)) if (!hasRecord(db, id)) return false;
  return true;
}

const PROGRESS_LINES = 4_096;

/** Counts a record that was read, of so many bytes. */
type CountRead = (record: NewRecord, length: number) => NewRecord;

/** In order. `db`: has the ones before. `after`: the number of the last one of an export that is not taken. */
function* recordsOf(source: Source, db: JournalDatabase, after = 0): Generator<NewRecord> {
  const { files, state, machine, count, progress } = source;
  const earlier = new EarlierRecords((id) => hasIntent(db, id), exactInstant(machine.clock.now()));
  const areExports = files.some(({ path }) => isExport(path));
  const total = files.reduce((sum, { path }) => sum + statSync(path).size, 0);
  let bytes = 0;
  const read: CountRead = (record, length) => {
    bytes += length;
    count.records += 1;
    if (count.records % PROGRESS_LINES === 0) progress?.(bytes, total);
    return record;
  };
  if (areExports) yield* exportedRecords(source, { db, after, read });
  else
    for (const file of files)
      for (const line of linesOf(file.path)) yield read(earlier.add(file, line), line.bytes.length + 1);
  count.actions += earlier.actions;
  Object.assign(count, earlier.found);
  if (earlier.found.damageCount > 0)
    for (const id of maybeSent(db, earlier.damagedAt)) yield earlier.unclear(id);
  yield* earlier.end(haltFile(join(state, HALT_FILE), machine));
}

/** Whether the file begins with a line of an export. */
function isExport(path: string): boolean {
  const [first] = exportedLines(path);
  return first?.stored !== undefined;
}

/**
 * The records of one export, or of several that continue each other or the journal, exactly as they were exported.
 * @throws DamagedFileError naming a line that is not what was exported.
 */
function* exportedRecords(
  { files, count }: Source,
  { db, after, read }: { db: JournalDatabase; after: number; read: CountRead },
): Generator<NewRecord> {
  let last: JournalHead = NO_HEAD;
  for (const { path } of files)
    for (const { line, bytes, stored } of exportedLines(path)) {
      const what = `Line ${line.toString()} of ${path}`;
      if (stored === undefined) throw refusedExport(path, `${what} is not a line of an export.`);
      const { seq, id, record, stamp } = stored;
      if (line === 1 && seq > last.seq + 1) {
        const hash = hashAt(db, seq - 1);
        if (hash === undefined)
          throw refusedExport(
            path,
            `${path} begins at record ${seq.toString()}, and the journal does not have the one before it.`,
            'Export without --since, or name the export with the records before it first.',
          );
        last = { seq: seq - 1, hash };
      }
      if (!isNextOf(last, stored))
        throw refusedExport(
          path,
          `${what} is not what was exported: its hash does not match, or lines before it were removed.`,
        );
      const parsed = parseRecord(record);
      if (typeof parsed === 'string') throw refusedExport(path, `${what} ${parsed}.`);
      last = stored;
      if (seq <= after) continue;
      if (parsed.kind === 'intent') count.actions += 1;
      yield read({ id, record, stamp }, bytes);
    }
}

const refusedExport = (
  path: string,
  what: string,
  hint = 'Use another copy of the export.',
): DamagedFileError =>
  new DamagedFileError(path, { what, meaning: 'Nothing was imported, and nothing was sent.', hint });

const MAX_HALT_BYTES = 16_384;

/** Empty when it cannot be read; undefined without one. */
function haltFile(path: string, { host }: Machine): Buffer | undefined {
  const read = unless(DamagedFileError, () => ({
    bytes: readOwnFile(path, { host, maxBytes: MAX_HALT_BYTES }),
  }));
  return read === undefined ? Buffer.alloc(0) : read.bytes;
}

const hasIntent = (db: JournalDatabase, actionId: string): boolean =>
  db.get(
    "SELECT seq FROM records INDEXED BY records_action_id WHERE action_id = ? AND kind = 'intent' LIMIT 1",
    actionId,
  ) !== undefined;

/** Actions that seem unsent, with no record after this one. */
function maybeSent(db: JournalDatabase, seq: number): readonly string[] {
  const source = new RecordSource(db);
  const ids = actionsLike(db, "max(seq) <= ? AND (count(*) = 1 OR sum(kind = 'not_sent') > 0)", seq);
  return ids.filter((id) => {
    const replayed = source.replayed(id);
    return replayed !== undefined && wasNeverSent(replayed.tracked.action);
  });
}

/** `own`: earlier files in the state folder. Of these only the halt is taken over with others. */
function givenFiles(paths: readonly string[], own: readonly string[]): readonly LinedFile[] {
  const journal = own.find((path) => basename(path) !== HALT_FILE);
  if (journal !== undefined)
    throw new UsageError(
      `${journal} was written by an earlier version of hedge. Nothing was imported.`,
      say`To take it over: ${shell`hedge journal import`}. Otherwise move it to another folder first.`,
    );
  const files = paths.map((path) => ({ name: basename(path), path }));
  if (new Set(files.map(({ name }) => name)).size < files.length)
    throw new UsageError(
      'Two of the files have the same name. Nothing was imported.',
      'Name each file once.',
    );
  return files;
}

/** Returns the new path. */
const renamedAside = (path: string): string =>
  attempting('rename', path, () => {
    for (let count = 1; ; count += 1) {
      const aside = `${path}.imported${count === 1 ? '' : `-${count.toString()}`}`;
      if (statOf(aside) !== undefined) continue;
      renameSync(path, aside);
      return aside;
    }
  });

const hasOthers = ({ state, files }: Source): UsageError =>
  new UsageError(
    `${databaseFile(state)} has records that are not those of ${files.map(({ name }) => name).join(', ')}. Nothing was imported.`,
    'If that journal is the one in use, move the files of the earlier version to another folder. To import into a new journal, set HEDGE_HOME to an empty folder.',
  );

const nothingToImport = (state: string): UsageError =>
  new UsageError(
    `There is no journal of an earlier version in ${state}.`,
    say`To import an export or copies of earlier files: ${shell`hedge journal import FILE…`}`,
  );

/**
 * Repairs a damaged database: it is put aside whole, and a new one has every record that is proven, and a halt. A process that
 * dies at any point leaves files of which the next repair makes the same.
 */
import { linkSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { exactInstant } from '../../domain/instants.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import { statOf, syncFolder } from '../../platform/atomic-file.ts';
import { fileError } from '../../platform/file-errors.ts';
import type { Host, Machine } from '../../platform/host.ts';
import { withLock } from '../../platform/lock.ts';
import type { Paths } from '../../platform/paths.ts';
import { type JournalRecord, mintId } from '../records.ts';
import { Summary } from '../summary.ts';
import { copyAlone, correctedCopy, hasBrokenLog, moveKeptLogs, removeCopy } from './broken-log.ts';
import { checkSummary, LOOKUPS, SIMILAR } from './derived-tables.ts';
import { JournalDamage, type JournalDatabase, sizeOf, textOf, whileBusy } from './journal-database.ts';
import { logFits } from './log-fits.ts';
import { insertRecords, newRecords, type Signature, signedAt } from './new-records.ts';
import { allPending, clearPending, notIn } from './pending-records.ts';
import { headOf, type JournalHead, NO_HEAD, numberedAt } from './record-rows.ts';
import { RecordSource } from './record-source.ts';
import { openAnyway, Salvage, type SeqRange } from './salvage.ts';
import {
  createJournalFile,
  databaseFile,
  KeptOpen,
  lockFile,
  openJournalFile,
  pendingFile,
  REPAIRED,
} from './schema.ts';
import {
  followHead,
  lossOf,
  readLastWritten,
  readWitness,
  rewoundFrom,
  writePendingMark,
  writeWitness,
} from './witness.ts';

export interface RepairOptions {
  places: Pick<Paths, 'state'>;
  machine: Machine;
  /** Who repairs, as the records show it. */
  signature: Signature;
  /** The journal is a copy of a desk's log, which is built again from that. */
  pendingOnly?: boolean;
}

export interface RepairedFile {
  /** The new path of the damaged database. */
  aside: string;
  /** The damage, as a sentence. */
  found: string;
  /** In the new database, the halt included. */
  records: number;
  /** The reason of the halt. */
  why: string;
  /** Undefined for a repair that was interrupted and is now finished: the halt says it. */
  missing?: readonly SeqRange[];
  /** IDs of actions whose intent is missing: they are not shown. */
  withoutIntent: readonly string[];
  /** IDs of actions that seem unsent, and whose sending may be missing: their outcome is now unknown. */
  maybeSent: readonly string[];
}

export interface RepairResult {
  /** Empty when nothing was damaged. */
  files: readonly RepairedFile[];
  /** How many pending records went into the journal. */
  drained: number;
  /** Why they did not, after a file was repaired. */
  failure?: DamagedFileError | undefined;
}

/** @throws DamagedFileError */
export async function repairJournal(options: RepairOptions): Promise<RepairResult> {
  const { machine, places } = options;
  const { state } = places;
  if (!isThere(state)) return { files: [], drained: 0 };
  const files: RepairedFile[] = [];
  return withLock(lockFile(state), machine, async () => {
    // The journal's needs a whole pending.sqlite.
    const paths = options.pendingOnly === true ? [] : [databaseFile(state)];
    for (const path of [pendingFile(state), ...paths]) {
      const repaired = await whileBusy(
        machine,
        () => finishSwap(path, options) ?? rebuildDamaged(path, options),
      );
      if (repaired !== undefined) files.push(repaired);
    }
    if (options.pendingOnly === true) return { files, drained: 0 };
    try {
      return { files, drained: await drainPending(state, machine) };
    } catch (error) {
      // The report of what was repaired must not be lost with it.
      if (files.length === 0 || !(error instanceof DamagedFileError)) throw error;
      return {
        files,
        drained: 0,
        failure: error.with({ meaning: 'Pending records wait for the next repair.' }),
      };
    }
  });
}

const isThere = (path: string): boolean => statOf(path) !== undefined;

/** The damage as a sentence; undefined when the file is absent or whole. @throws DamagedFileError for another fault */
function damageOf(path: string, host: Host, witness: JournalHead | undefined): string | undefined {
  try {
    const db = openJournalFile(path, host);
    db?.reading(() => {
      // It throws where the log has what the witness names.
      if (witness !== undefined) rewoundFrom(witness, db, path);
      checkWhole(db);
    });
    return undefined;
  } catch (error) {
    if (error instanceof JournalDamage) return error.what;
    throw error;
  }
}

/** @throws JournalDamage */
function checkWhole(db: JournalDatabase): void {
  const { path } = db;
  const [found = ''] = db.all('PRAGMA integrity_check(1)').map((row) => String(Object.values(row)[0]));
  if (found !== 'ok') throw new JournalDamage(path, found.replace(/^\*{3}.*\*{3}\s*/, ''));
  const [summary, source, head] = [new Summary(), new RecordSource(db), headOf(db)];
  for (let seq = 1; seq <= head.seq; seq += 1)
    try {
      summary.add(numberedAt(db, seq), source);
    } catch (error) {
      if (error instanceof JournalDamage) throw error;
      throw new JournalDamage(path, `record ${seq.toString()} has other fields than its kind`, error);
    }
  checkSummary(db, summary, head);
  if (!lookupAgrees(db)) throw new JournalDamage(path, 'its table of lookups is not that of its records');
}

/** Each column of each record has its row in `lookup`, and there are no others. */
function lookupAgrees(db: JournalDatabase): boolean {
  const counts = LOOKUPS.map((name) => `count(${name})`).join(' + ');
  const values = LOOKUPS.map((name) => `WHEN '${name}' THEN r.${name}`).join(' ');
  const other = db.get(
    `SELECT l.seq FROM lookup l LEFT JOIN records r ON r.seq = l.seq WHERE l.name != '${SIMILAR}' AND l.value IS NOT CASE l.name ${values} END LIMIT 1`,
  );
  const isAll = db.get(
    `SELECT 1 WHERE (SELECT count(*) FROM lookup WHERE name != '${SIMILAR}') = (SELECT ${counts} FROM records)`,
  );
  return other === undefined && isAll !== undefined;
}

/** `journal.damaged-2026-11-25T08-46-12Z-3f2a.sqlite`, for a file that is put aside or takes its place. */
export const asideName = (path: string, word: string, stamp: string): string =>
  path.replace(/\.sqlite$/, `.${word}-${stamp}.sqlite`);

/** `2026-11-25T08-46-12Z-3f2a`: no two files have the same. */
export const fileStamp = ({ clock, random }: Pick<Machine, 'clock' | 'random'>): string =>
  `${exactInstant(clock.now()).slice(0, SECOND.length).replaceAll(':', '-')}Z-${mintId(random).slice(0, 4)}`;

function rebuildDamaged(path: string, options: RepairOptions): RepairedFile | undefined {
  const { machine, places, signature } = options;
  const { host, random } = machine;
  const isJournal = path === databaseFile(places.state);
  const witness = isJournal ? readWitness(places.state, host) : undefined;
  const found = damageOf(path, host, witness);
  if (found === undefined) return undefined;
  const base = signedAt(machine.clock.now(), signature);
  const stamp = fileStamp(machine);
  return withSource(path, { host, witness }, (source) => {
    const salvage = new Salvage(source, witness);
    const made = { head: NO_HEAD, why: '', withoutIntent: NONE, maybeSent: NONE };
    createJournalFile(asideName(path, 'repaired', stamp), machine, (db) => {
      insertRecords(db, salvage.records());
      made.why = `${basename(path)} was repaired: ${salvage.inWords()}`;
      if (isJournal && salvage.missing.length > 0) {
        made.withoutIntent = actionsLike(db, WITHOUT_INTENT);
        made.maybeSent = actionsLike(db, SEEMS_UNSENT, salvage.keptBefore, salvage.sentFrom);
      }
      const why = 'the journal was repaired, and records of its sending may be missing';
      const records: readonly JournalRecord[] = [
        ...made.maybeSent.map((id) => ({ ...base, kind: 'unknown', action_id: id, why }) as const),
        { ...base, kind: 'halt', halt_id: mintId(random), who: signature.who, why: made.why },
      ];
      made.head = insertRecords(db, newRecords(records, db, random));
    });
    const { head, ...rest } = made;
    swap(path, stamp, head, options);
    // Its loss is said here, and halts.
    if (!isJournal) writePendingMark(places.state, host, undefined);
    return {
      ...rest,
      aside: asideName(path, 'damaged', stamp),
      found,
      records: head.seq,
      missing: salvage.missing,
    };
  });
}

type Source = JournalDatabase | undefined;

/** Works on what can be read of a damaged database, as its only writer where it can still be locked. */
function withSource<T>(
  path: string,
  { host, witness }: { host: Host; witness: JournalHead | undefined },
  work: (source: Source) => T,
): T {
  const isOwnLog = logFits(path);
  const copies: string[] = [];
  const opened: Source[] = [];
  try {
    // Before SQLite has it open.
    if (!isOwnLog) copies.push(copyAlone(path));
    const old = openAnyway(path, host);
    if (!isOwnLog) opened.push(old);
    // A log with a wrong byte is read in a copy.
    const corrected =
      old && unless(JournalDamage, () => (hasBrokenLog(old) ? correctedCopy(old) : undefined));
    if (corrected !== undefined) copies.push(corrected);
    const others = copies.map((copy) => openAnyway(copy, host));
    opened.push(...others);
    return asWriter(isOwnLog ? old : undefined, () => work(mostProven([old, ...others], witness)));
  } finally {
    for (const each of opened) each?.close();
    for (const copy of copies) removeCopy(copy);
  }
}

/** The first with the most records. */
function mostProven(sources: readonly Source[], witness: JournalHead | undefined): Source {
  if (sources.length < 2) return sources[0];
  const proven = sources.map((source) => {
    let count = 0;
    for (const { seq } of new Salvage(source, witness).records()) if (seq > 0) count += 1;
    return { source, count };
  });
  return proven.toSorted((one, other) => other.count - one.count)[0]?.source;
}

const SECOND = 'YYYY-MM-DDTHH:MM:SS';
const NONE: readonly string[] = [];

/** By the last record that is kept before the last gap, and by its time. */
const SEEMS_UNSENT =
  "max(seq) <= ? AND max(at) >= ? AND (count(*) = 1 OR max(CASE kind WHEN 'not_sent' THEN seq END) = max(seq))";

export const WITHOUT_INTENT = "sum(kind = 'intent') = 0";

/** IDs of the actions whose records, grouped, are as a rule of SQL says. */
export const actionsLike = (
  db: JournalDatabase,
  rule: string,
  ...binds: readonly (number | string)[]
): readonly string[] =>
  db
    .all(
      `SELECT action_id FROM records WHERE action_id IS NOT NULL GROUP BY action_id HAVING ${rule}`,
      ...binds,
    )
    .map((row) => textOf(row, 'action_id', db.path));

/** Works as the only writer, if the database can still be locked. Writes nothing to it, and closes it. */
function asWriter<T>(db: JournalDatabase | undefined, work: () => T): T {
  // Each of them fails where the damage prevents it.
  unless(JournalDamage, () => db?.exec('BEGIN IMMEDIATE'));
  try {
    return work();
  } finally {
    // Closing alone keeps the lock until its statements are collected.
    unless(JournalDamage, () => db?.exec('ROLLBACK'));
    db?.close();
  }
}

/** Renames a database. Its own log must be removed afterwards. */
export function moveWithLog(path: string, aside: string): void {
  moveKeptLogs(path, aside);
  // Before the database, for SQLite removes the log of one that is gone.
  if (isThere(`${path}-wal`)) linkSync(`${path}-wal`, `${aside}-wal`);
  renameSync(path, aside);
}

export function removeLog(path: string): void {
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

/** The new database takes the place of the damaged one. In between there is none: then the journal is damaged too. */
function swap(
  path: string,
  stamp: string,
  head: JournalHead,
  { places: { state }, machine }: RepairOptions,
): void {
  const [aside, made] = [asideName(path, 'damaged', stamp), asideName(path, 'repaired', stamp)];
  const isJournal = path === databaseFile(state);
  // A process that adds to pending.sqlite asks the journal meanwhile.
  const pending = new KeptOpen(pendingFile(state), machine.host);
  asWriter(isJournal ? pending.made(machine) : undefined, () => {
    try {
      if (!isThere(aside)) moveWithLog(path, aside);
      for (const each of [path, made]) removeLog(each);
      syncFolder(state, machine.host);
      if (isJournal) writeWitness(state, machine, head, { replace: true });
      renameSync(made, path);
      syncFolder(state, machine.host);
    } catch (error) {
      throw error instanceof DamagedFileError ? error : fileError('replace', path, error);
    }
  });
}

/** Ends what a process that died has begun: forwards once the damaged file is aside, otherwise back. */
function finishSwap(path: string, options: RepairOptions): RepairedFile | undefined {
  const { state } = options.places;
  const prefix = `${basename(path, '.sqlite')}${REPAIRED}`;
  let finished: RepairedFile | undefined;
  for (const name of readdirSync(state).filter((each) => each.startsWith(prefix))) {
    const made = join(state, name);
    const stamp = basename(name, '.sqlite').slice(prefix.length);
    const aside = asideName(path, 'damaged', stamp);
    // A reader in between may have left an empty one.
    const isGone = sizeOf(path) === 0;
    const db =
      name.endsWith('.sqlite') && isThere(aside) && isGone
        ? openJournalFile(made, options.machine.host)
        : undefined;
    if (db === undefined) {
      for (const each of [made, ...(isThere(aside) ? [] : [`${aside}-wal`])]) rmSync(each, { force: true });
      continue;
    }
    const head = headOf(db);
    const halt = numberedAt(db, head.seq).record;
    db.close();
    swap(path, stamp, head, options);
    const why = halt.kind === 'halt' ? halt.why : '';
    const found = 'An earlier repair was interrupted.';
    finished = { aside, found, records: head.seq, why, withoutIntent: NONE, maybeSent: NONE };
  }
  return finished;
}

/** How many pending records the journal took: none while records are lost, for they would be lost with an older copy. */
async function drainPending(state: string, machine: Machine): Promise<number> {
  const written = readLastWritten(state, machine.host);
  const [pending, db] = [
    openJournalFile(pendingFile(state), machine.host),
    openJournalFile(databaseFile(state), machine.host),
  ];
  if (pending === undefined || db === undefined || headOf(pending).seq === 0) return 0;
  if (lossOf(state, written, db, { all: allPending(pending) }) !== undefined) return 0;
  const take = (): number =>
    db.writing(() => {
      const waiting = notIn(db, allPending(pending));
      insertRecords(db, waiting);
      return waiting.length;
    });
  const count = await whileBusy(machine, take);
  followHead(db, state, machine);
  await whileBusy(machine, () => clearPending(state, machine.host, { pending, journal: db }));
  return count;
}

/** Verifies the journal, or an export or backup of it: reads every record in constant memory and follows its chain. Writes nothing. */
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { DamagedFileError, UsageError } from '../errors.ts';
import { failureReason } from '../platform/file-errors.ts';
import { linesOf } from '../platform/file-lines.ts';
import type { Host, Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import type { AuditReport, CheckpointComparison } from './audit-report.ts';
import type { Checkpoint } from './checkpoint.ts';
import { exportedLines } from './export.ts';
import { ChainFollower } from './follow-chain.ts';
import { EarlierChain, earlierLineIn } from './import/earlier-chain.ts';
import type { JournalRecord } from './records.ts';
import { readStamp } from './stamp.ts';
import { checkSummary, LOOKUPS, lookupIn, SIMILAR } from './store/derived-tables.ts';
import { refuseEarlierFiles } from './store/earlier-files.ts';
import { bytesOnDisk, faultsIn } from './store/examine-database.ts';
import { JournalDamage, type JournalDatabase, numberOf } from './store/journal-database.ts';
import {
  hashAt,
  hasRecord,
  headOf,
  type JournalHead,
  NO_HEAD,
  recordIn,
  recordOfLog,
  type StoredRecord,
  storedRecords,
} from './store/record-rows.ts';
import { RecordSource } from './store/record-source.ts';
import { databaseFile, openJournalFile, pendingFile } from './store/schema.ts';
import { lossOf, readLastWritten } from './store/witness.ts';
import { Summary } from './summary.ts';

export interface AuditOptions {
  /** Path of an export or a backup; default: the journal of this machine. */
  file?: string | undefined;
  checkpoint?: Checkpoint | undefined;
  /** Verifies only so many records at the end of the journal, and its witness. */
  last?: number;
  /** Bytes of records read so far. */
  progress?: (bytes: number) => void;
}

export interface JournalAudit {
  /** Path of the journal. */
  path: string;
  /** This machine's own journal, where the account's is the copy of a desk: it has the snapshots. */
  own?: JournalAudit;
  /** @throws DamagedFileError for a journal that cannot be read; UsageError for a file that is none. */
  verify(options?: AuditOptions): Promise<AuditReport>;
}

export function openAudit({
  places: { state },
  machine: { host },
}: {
  places: Pick<Paths, 'state'>;
  machine: Pick<Machine, 'host'>;
}): JournalAudit {
  return {
    path: databaseFile(state),
    async verify(options = {}) {
      const audit = new Audit(options);
      if (options.file === undefined) await audit.readOwn(state, host);
      else if (isDatabase(options.file)) await audit.readBackup(options.file, host);
      else await audit.readExport(options.file);
      return audit.finished();
    },
  };
}

/** Records between two moments at which the process answers to Ctrl-C. */
const TURN = 2_048;
const MOST_LOSSES = 20;

class Audit {
  readonly #options: AuditOptions;
  readonly #report: AuditReport = {
    records: 0,
    first: 0,
    bytes: 0,
    from: null,
    to: null,
    head: undefined,
    changes: [],
    changeCount: 0,
    rewound: undefined,
    damage: [],
    pending: 0,
    losses: [],
    comparison: undefined,
  };
  #earlier: EarlierChain | undefined;
  /** Made of the records again, where all of them are read. */
  #summary: { made: Summary; source: RecordSource } | undefined;
  #unread: JournalDamage | undefined;
  /** How many the records have. */
  #lookups = 0;
  /** Number of the last record there is, which damage may keep from being read. */
  #end = 0;
  #readBytes = 0;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** The journal of this machine. */
  async readOwn(state: string, host: Host): Promise<void> {
    // First, so that a record that is written meanwhile is no trouble.
    const written = readLastWritten(state, host);
    const path = databaseFile(state);
    const db = openJournalFile(path, host);
    if (db === undefined) refuseEarlierFiles(state, host);
    const pending = openJournalFile(pendingFile(state), host);
    try {
      const { mark } = written;
      const all = mark !== undefined && hasRecord(pending, mark) ? [{ id: mark }] : [];
      this.#noting(() => {
        this.#report.rewound = lossOf(state, written, db, { all })?.what;
      });
      if (db !== undefined) await this.#readJournal(db);
      if (pending !== undefined) this.#readPending(pending, db);
    } finally {
      db?.close();
      pending?.close();
    }
  }

  async #readJournal(db: JournalDatabase): Promise<void> {
    const { path } = db;
    const { last } = this.#options;
    const head = headOf(db).seq;
    this.#end = head;
    const before = last === undefined ? 0 : Math.max(0, head - last);
    const hash = hashAt(db, before);
    const isWhole = before === 0 || hash === undefined;
    const start: JournalHead = isWhole ? NO_HEAD : { seq: before, hash };
    if (isWhole) this.#summary = { made: new Summary(), source: new RecordSource(db) };
    const follower = this.#begin(path, start);
    // A number below 1 is one that hedge does not use.
    const all = storedRecords(db, { from: isWhole ? Number.MIN_SAFE_INTEGER : before + 1, to: head });
    this.#report.bytes = bytesOnDisk(path);
    try {
      for (const stored of all) {
        this.#read(stored, follower);
        if (this.#report.records % TURN === 0) await this.#turn();
      }
      if (!isWhole) return;
      // Again in one snapshot: what was appended meanwhile changes the derived tables.
      db.reading(() => {
        for (const stored of storedRecords(db, { from: head + 1 })) this.#read(stored, follower);
        // An edited record has another state.
        if (this.#report.changeCount > 0) return;
        if (this.#unread !== undefined) throw this.#unread;
        if (this.#summary !== undefined) checkSummary(db, this.#summary.made, follower.head ?? NO_HEAD);
        checkLookups(db, this.#lookups);
      });
      // All pages of `records` were read.
      for (const line of faultsIn(db, 'lookup')) this.#noteDamage(new JournalDamage(path, line));
    } catch (error) {
      this.#noteDamage(error);
    } finally {
      this.#report.head = follower.head;
    }
  }

  /** It is short, and may be emptied at any time: in one snapshot. */
  #readPending(pending: JournalDatabase, journal: JournalDatabase | undefined): void {
    const follower = new ChainFollower(basename(pending.path), this.#report);
    const read = (): void => {
      for (const stored of storedRecords(pending, { from: Number.MIN_SAFE_INTEGER })) {
        follower.add(stored);
        if (recordIn(stored.record) === undefined) follower.unreadable(NO_RECORD_OF_HEDGE, stored);
        if (!hasRecord(journal, stored.id)) this.#report.pending += 1;
      }
    };
    this.#noting(() => pending.reading(read));
  }

  async readBackup(path: string, host: Host): Promise<void> {
    const db = openJournalFile(path, host, { copy: pathToFileURL(path) });
    try {
      if (db !== undefined) await this.#readJournal(db);
    } finally {
      db?.close();
    }
  }

  async readExport(path: string): Promise<void> {
    let follower: ChainFollower | undefined;
    for (const { line, bytes, stored } of exportedLines(path)) {
      this.#report.bytes += bytes;
      const { seq = 1, prev } = stored ?? {};
      follower ??= this.#begin(path, seq > 1 && prev !== undefined ? { seq: seq - 1, hash: prev } : NO_HEAD);
      if (stored === undefined) follower.unreadable(`has no record in line ${line.toString()}`);
      else this.#read(stored, follower);
      if (line % TURN === 0) await this.#turn();
    }
    if (this.#report.records === 0 && this.#report.changeCount > 0)
      throw new UsageError(`${quoted(path)} is not an export: it has no record.`, NAME_A_FILE);
    this.#report.head = follower?.head;
  }

  finished(): AuditReport {
    const { checkpoint } = this.#options;
    const report = this.#report;
    if (checkpoint === undefined || report.comparison !== undefined) return report;
    const last = report.head?.seq ?? 0;
    if (checkpoint.seq < report.first || last < this.#end) this.#note(checkpoint, 'not_compared');
    else this.#note(checkpoint, checkpoint.seq > last ? 'cut_off' : 'rewritten');
    return report;
  }

  #begin(path: string, start: JournalHead): ChainFollower {
    this.#report.first = start.seq + 1;
    // Records that were imported are in the order of their files from the first one on.
    if (start.seq === 0) this.#earlier = new EarlierChain();
    this.#compare(start);
    return new ChainFollower(basename(path), this.#report, start);
  }

  #read(stored: StoredRecord, follower: ChainFollower): void {
    const { seq, record: text } = stored;
    const report = this.#report;
    follower.add(stored);
    this.#compare(stored);
    report.records += 1;
    this.#readBytes += text.length;
    const record = recordIn(text);
    if (record === undefined || !this.#summarize(record, stored)) {
      follower.unreadable(NO_RECORD_OF_HEDGE, stored);
      return;
    }
    for (const name of LOOKUPS) if (lookupIn(record, name) !== undefined) this.#lookups += 1;
    report.from ??= record.at;
    report.to = record.at;
    if (record.kind === 'loss' && report.losses.length < MOST_LOSSES)
      report.losses.push({ seq, at: record.at, who: record.who });
    if ('imported' in record) this.#followEarlier(stored, follower);
  }

  /** False for a record whose fields are not those of its kind. */
  #summarize(record: JournalRecord, { seq, record: text, stamp }: StoredRecord): boolean {
    try {
      const known = stamp === '' ? record : recordOfLog(text);
      this.#summary?.made.add({ record: known, seq, stamp: readStamp(stamp) }, this.#summary.source);
    } catch (error) {
      if (!(error instanceof JournalDamage)) return false;
      // An earlier record of the action was changed, which the chain shows, or a page cannot be read.
      this.#summary = undefined;
      this.#unread = error;
    }
    return true;
  }

  #followEarlier(stored: StoredRecord, follower: ChainFollower): void {
    const from = earlierLineIn(stored.record);
    if (from === undefined || this.#earlier === undefined) return;
    const wrong = this.#earlier.add(from.file, from.line, from.ended);
    if (wrong !== undefined)
      follower.unreadable(
        `keeps line ${this.#earlier.line.toString()} of ${from.file}, which ${wrong}`,
        stored,
      );
  }

  #compare({ seq, hash }: JournalHead): void {
    const { checkpoint } = this.#options;
    if (seq !== checkpoint?.seq || this.#report.comparison !== undefined) return;
    this.#note(checkpoint, hash === checkpoint.hash ? 'continued' : 'rewritten');
  }

  #note(checkpoint: Checkpoint, result: CheckpointComparison['result']): void {
    this.#report.comparison = { checkpoint, result, changedBefore: this.#report.changeCount > 0 };
  }

  #noting(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#noteDamage(error);
    }
  }

  #noteDamage(error: unknown): void {
    if (!(error instanceof JournalDamage)) throw error;
    this.#report.damage.push(error.what);
  }

  async #turn(): Promise<void> {
    this.#options.progress?.(this.#readBytes);
    await nextTurn();
  }
}

const NAME_A_FILE = say`Name a file that ${shell`hedge journal export`} or ${shell`hedge journal backup`} wrote.`;
const DATABASE = 'SQLite format 3\0';

/** @throws UsageError for a file that cannot be read. */
function isDatabase(path: string): boolean {
  try {
    const [first] = linesOf(path);
    return first?.bytes.toString('latin1', 0, DATABASE.length) === DATABASE;
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    throw new UsageError(`${quoted(path)} cannot be read: ${failureReason(error.cause)}.`, NAME_A_FILE);
  }
}

const INDEXED = LOOKUPS.map(
  (name) => `(SELECT count(*) FROM records INDEXED BY records_${name} WHERE ${name} IS NOT NULL)`,
).join(' + ');

/** @throws JournalDamage where there are more or fewer lookups than the records have, in `lookup` or in the indexes. */
function checkLookups(db: JournalDatabase, count: number): void {
  const row = db.get(`SELECT ${INDEXED} AS indexed, count(*) AS listed FROM lookup WHERE name != ?`, SIMILAR);
  if (['indexed', 'listed'].some((column) => numberOf(row ?? {}, column, db.path) !== count))
    throw new JournalDamage(db.path, 'not every record is found by what it has');
}

const NO_RECORD_OF_HEDGE = 'is not a record of this version of hedge';

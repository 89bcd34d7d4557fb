/**
 * The copy of a desk's log on this machine. It takes only records that continue its chain, so that a log whose history was
 * changed is noticed: each machine is a witness of all.
 */
import { hash } from 'node:crypto';
import { recordHash } from '../journal/chain.ts';
import { readStamp } from '../journal/stamp.ts';
import { JournalDamage, type JournalDatabase, whileBusy } from '../journal/store/journal-database.ts';
import { insertRecords } from '../journal/store/new-records.ts';
import {
  hashAt,
  hasRecord,
  headOf,
  type JournalHead,
  NO_HEAD,
  type StoredRecord,
  storedRecords,
} from '../journal/store/record-rows.ts';
import { asideName, fileStamp, moveWithLog, removeLog } from '../journal/store/repair.ts';
import { databaseFile, inodeOf, KeptOpen } from '../journal/store/schema.ts';
import { beginWitness, followHead, readWitness, writeWitness } from '../journal/store/witness.ts';
import { ensureFolder, syncFolder } from '../platform/atomic-file.ts';
import { attempting } from '../platform/file-errors.ts';
import type { Machine } from '../platform/host.ts';

/** A record of the log is not the one that this machine has, or does not continue the one before it. */
export class LogChanged extends Error {
  readonly seq: number;
  /** The rest of a sentence. */
  readonly how: string;
  constructor(seq: number, how: string) {
    super(`record ${seq.toString()} ${how}`);
    this.seq = seq;
    this.how = how;
  }
}

/** The copy ends earlier than the records that were to follow it: another process built it again. */
export class NotNext extends Error {}

/** The log has a record that no copy can take. It says nothing about the copy, which has those before it. */
export class NotStorable extends Error {
  readonly seq: number;
  constructor(seq: number, cause: unknown) {
    super(`record ${seq.toString()}`, { cause });
    this.seq = seq;
  }
}

export class Follower {
  readonly #folder: string;
  readonly #machine: Machine;
  readonly #kept: KeptOpen;
  readonly #checkFollowed: () => void;

  /** `checkFollowed`: while the copy is locked; throws when this machine has left the desk meanwhile. */
  constructor(folder: string, machine: Machine, checkFollowed: () => void = () => undefined) {
    this.#folder = folder;
    this.#machine = machine;
    this.#kept = new KeptOpen(databaseFile(folder), machine.host);
    this.#checkFollowed = checkFollowed;
  }

  get path(): string {
    return databaseFile(this.#folder);
  }

  /** Undefined when there is none yet. @throws DamagedFileError */
  database(): JournalDatabase | undefined {
    return this.#kept.database();
  }

  get head(): JournalHead {
    return headOf(this.database());
  }

  /** When the log took its last record; undefined without one. */
  get lastAt(): string | undefined {
    const { seq } = this.head;
    const [last] = this.records(seq, seq);
    return last && readStamp(last.stamp)?.at;
  }

  /** The last record that this machine has seen, also if its copy was put back or lost. */
  get witness(): JournalHead | undefined {
    return readWitness(this.#folder, this.#machine.host);
  }

  /** The same, where the copy does not have it. */
  get lacking(): JournalHead | undefined {
    const { witness } = this;
    if (witness === undefined || witness.seq === 0) return undefined;
    return this.hashAt(witness.seq) === witness.hash ? undefined : witness;
  }

  /**
   * Takes the new ones among records of the log, in order and without a gap; on disk on return.
   * @throws LogChanged, NotNext, NotStorable, DamagedFileError, or what `checkFollowed` throws
   */
  async take(records: readonly StoredRecord[]): Promise<void> {
    if (records.length === 0) return;
    const db = this.#made();
    try {
      await this.#insert(db, records);
    } catch (error) {
      const refused =
        error instanceof JournalDamage ? records.find(({ record }) => !isJson(db, record)) : undefined;
      if (refused === undefined) throw error;
      await this.#insert(
        db,
        records.filter(({ seq }) => seq < refused.seq),
      );
      throw new NotStorable(refused.seq, error);
    }
  }

  async #insert(db: JournalDatabase, records: readonly StoredRecord[]): Promise<void> {
    await whileBusy(this.#machine, () =>
      db.writing(() => {
        if (this.database() !== db) throw new NotNext();
        this.#checkFollowed();
        const next = checkedNext(db, records);
        if (next.length > 0) insertRecords(db, next);
      }),
    );
    if (this.lacking === undefined) followHead(db, this.#folder, this.#machine);
  }

  #made(): JournalDatabase {
    const known = this.database();
    if (known !== undefined) return known;
    ensureFolder(this.#folder, this.#machine.host);
    beginWitness(this.#folder, this.#machine);
    return this.#kept.made(this.#machine);
  }

  /**
   * A digest of some records that the log can compute too: over each hash, and over the text as it is now. `from` and `to` are included.
   */
  digest({ from, to }: { from: number; to: number }): string {
    const parts: string[] = [];
    for (const stored of storedRecords(this.database(), { from, to }))
      parts.push(stored.hash, contentHash(stored));
    return hash('sha256', Buffer.from(parts.join(''), 'hex'), 'hex');
  }

  /** In order, both included. */
  records(from: number, to?: number): readonly StoredRecord[] {
    return [...storedRecords(this.database(), { from, to })];
  }

  /** Hash of the record with that number; undefined when the copy has none. */
  hashAt(seq: number): string | undefined {
    const db = this.database();
    return db && hashAt(db, seq);
  }

  has(id: string): boolean {
    return hasRecord(this.database(), id);
  }

  /**
   * Puts the copy aside, so that the next pull builds it again from the log. Returns where it is now; undefined without one. `replaced`:
   * from another log, of which this machine has seen nothing.
   */
  putAside(why: 'damaged' | 'replaced'): string | undefined {
    const { path } = this;
    // First: a witness without its copy would say that the log lacks what was seen.
    if (why === 'replaced') writeWitness(this.#folder, this.#machine, NO_HEAD, { replace: true });
    if (inodeOf(path) === undefined) return undefined;
    const aside = asideName(path, why, fileStamp(this.#machine));
    this.#kept.close();
    attempting('move', path, () => {
      moveWithLog(path, aside);
      removeLog(path);
      syncFolder(this.#folder, this.#machine.host);
    });
    return aside;
  }

  close(): void {
    this.#kept.close();
  }
}

/** Hash of the text of a row. Its stored hash is not used. */
export const contentHash = ({ id, record, stamp }: Pick<StoredRecord, 'id' | 'record' | 'stamp'>): string =>
  hash('sha256', id + record + stamp, 'hex');

/** For SQLite, which PostgreSQL's opinion is not. */
const isJson = (db: JournalDatabase, text: string): boolean =>
  db.get('SELECT json_valid(?) AS valid', text)?.['valid'] === 1;

/** Those after the last record of the copy. */
function checkedNext(db: JournalDatabase, records: readonly StoredRecord[]): readonly StoredRecord[] {
  let { seq, hash: prev } = headOf(db);
  const next = records.filter((each) => each.seq > seq);
  for (const known of records.filter((each) => each.seq <= seq).slice(-1)) {
    if (hashAt(db, known.seq) !== known.hash)
      throw new LogChanged(known.seq, 'is not the one that this machine has');
  }
  const [first] = next;
  if (first !== undefined && first.seq !== seq + 1) throw new NotNext();
  const ids = new Set<string>();
  for (const stored of next) {
    if (stored.seq !== seq + 1) throw new LogChanged(seq + 1, 'is missing');
    if (recordHash(prev, stored) !== stored.hash)
      throw new LogChanged(stored.seq, 'is not what its hash says');
    if (ids.has(stored.id) || hasRecord(db, stored.id))
      throw new LogChanged(stored.seq, 'has the ID of another record');
    ids.add(stored.id);
    [seq, prev] = [stored.seq, stored.hash];
  }
  return next;
}

/** The records of a damaged database that are proven, and the numbers of the missing ones. */
import { exactInstant } from '../../domain/instants.ts';
import { unless } from '../../errors.ts';
import type { Host } from '../../platform/host.ts';
import { NO_RECORD, recordHash } from '../chain.ts';
import type { NumberedRecord } from '../summary.ts';
import { JournalDamage, type JournalDatabase, openJournalDatabase } from './journal-database.ts';
import { type JournalHead, parseRecord, readableRecords, type StoredRecord } from './record-rows.ts';
import { databaseFile } from './schema.ts';
import { readWitness } from './witness.ts';

/** Numbers of records, both included. */
export interface SeqRange {
  from: number;
  to: number;
}

/** The records that are proven, for questions that must be answered all the same: what cannot be read is left out. */
export function salvagedRecords(state: string, host: Host): readonly NumberedRecord[] {
  const salvage = new Salvage(openAnyway(databaseFile(state), host), readWitness(state, host));
  return [...salvage.records()].flatMap(({ seq, record: text }) => {
    const record = parseRecord(text);
    return typeof record === 'string' ? [] : [{ seq, record }];
  });
}

/** Also one whose tables are not those of a journal. Undefined when SQLite cannot open it at all. */
export const openAnyway = (path: string, host: Host): JournalDatabase | undefined =>
  unless(JournalDamage, () => openJournalDatabase(path, host));

/** How long after its first attempt an action may be sent again. */
const RESEND_MS = 3_600_000;

/** `records` is taken once; the figures are known after it. */
export class Salvage {
  readonly missing: SeqRange[] = [];
  /** How many are kept before the last missing one. */
  keptBefore = 0;
  /** Since when an action may have been sent of which that is missing. ISO 8601 UTC. */
  sentFrom = '';
  /** Number of the first record that does not continue the one before: either was edited. */
  #unlinked: number | undefined;
  /** The last number, whatever was found there. */
  #end: number;
  readonly #db: JournalDatabase | undefined;
  readonly #witness: JournalHead | undefined;

  /** `db`: undefined when it cannot be opened. */
  constructor(db: JournalDatabase | undefined, witness: JournalHead | undefined) {
    this.#db = db;
    this.#witness = witness;
    this.#end = witness?.seq ?? 0;
  }

  *records(): Generator<StoredRecord> {
    let [kept, last, lastAt] = [0, 0, ''];
    const passTo = (to: number): void => {
      if (to <= last) return;
      if (this.missing.length === 0 && last > 0) this.sentFrom = exactInstant(Date.parse(lastAt) - RESEND_MS);
      this.missing.push({ from: last + 1, to });
      this.keptBefore = kept;
    };
    for (const stored of this.#db === undefined ? [] : this.#proven(this.#db)) {
      const record = parseRecord(stored.record);
      if (typeof record === 'string') continue;
      passTo(stored.seq - 1);
      yield stored;
      [kept, last, lastAt] = [kept + 1, stored.seq, record.at];
    }
    passTo(this.#end);
  }

  /**
   * The records that are proven, in order: by their own hash and that of the one before. Where these do not fit, or the one
   * before cannot be read, the next record or the witness must confirm the hash that it should have, or has.
   */
  *#proven(db: JournalDatabase): Generator<StoredRecord> {
    const witness = this.#witness;
    let [last, hashes]: [number, readonly string[]] = [0, [NO_RECORD]];
    /** The hash of the record before, where that is proven. */
    let known: string | undefined = NO_RECORD;
    let held: { stored: StoredRecord; hash: string } | undefined;
    const isConfirmed = ({ stored, hash }: { stored: StoredRecord; hash: string }, by?: string): boolean =>
      by === hash || (stored.seq === witness?.seq && hash === witness.hash);
    for (const stored of readableRecords(db)) {
      const { seq, hash } = stored;
      const follows = seq === last + 1;
      const link = follows ? hashes.find((each) => recordHash(each, stored) === hash) : undefined;
      if (held !== undefined && isConfirmed(held, link)) yield held.stored;
      held = undefined;
      if (follows && link === undefined) this.#unlinked ??= seq;
      if (link !== undefined) yield stored;
      else if (!follows) held = { stored, hash };
      else if (known !== undefined) held = { stored, hash: recordHash(known, stored) };
      hashes = held === undefined ? [hash] : [hash, held.hash];
      known = link === undefined ? undefined : hash;
      last = seq;
      this.#end = Math.max(this.#end, seq);
    }
    if (held !== undefined && isConfirmed(held)) yield held.stored;
  }

  /** End of a sentence: `records 11 to 13 are missing; hashes are new from 11`. */
  inWords(): string {
    const [first, last] = [this.missing[0]?.from, this.missing.at(-1)?.to];
    if (first === undefined || last === undefined)
      return this.#db === undefined
        ? 'it could not be read, and its records are missing'
        : 'no record is missing';
    const count = this.missing.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    const part = count === last - first + 1 ? '' : `${count.toString()} of the `;
    const which =
      first === last
        ? `record ${first.toString()} is`
        : `records ${first.toString()} to ${last.toString()} are`;
    const or =
      this.#unlinked === first && first > 1
        ? ` (it does not continue record ${(first - 1).toString()}: that one may have been edited instead)`
        : '';
    return `${part}${which} missing${or}; hashes are new from ${first.toString()}`;
  }
}

/** Follows the chain of the journal's records and names the first ones that are not as they were written. No files. */
import type { AuditReport, JournalChange } from './audit-report.ts';
import { recordHash } from './chain.ts';
import { type JournalHead, NO_HEAD, type StoredRecord } from './store/record-rows.ts';

/** Changes that are named; the others are counted. */
const MOST = 20;

type FoundChanges = Pick<AuditReport, 'changes' | 'changeCount'>;

export class ChainFollower {
  readonly #file: string;
  readonly #report: FoundChanges;
  /** The last record. */
  #last: JournalHead & { id: string | undefined };
  /** Another record that the next one may continue after a change: the hash before the last record, and the hash it should have. */
  #before: string | undefined;
  #own: string | undefined;
  /** The change that names the last record. */
  #open: JournalChange | undefined;
  /** Lines since the last record that are no records. */
  #unreadable = 0;

  /** `report`: gets the changes. `start`: the record before the first one. */
  constructor(file: string, report: FoundChanges, start: JournalHead = NO_HEAD) {
    this.#file = file;
    this.#report = report;
    this.#last = { ...start, id: undefined };
  }

  /** Undefined before the first record. */
  get head(): JournalHead | undefined {
    const { seq, hash, id } = this.#last;
    return id === undefined ? undefined : { seq, hash };
  }

  /** The next record. */
  add(stored: StoredRecord): void {
    const { seq, id, hash } = stored;
    const { seq: last, hash: prev } = this.#last;
    if (seq <= last) {
      this.#note(stored, 'inserted', `comes after record ${last.toString()}: it was inserted, or moved`);
      return;
    }
    const missing = seq - last - 1;
    let own: string | undefined;
    let open: JournalChange | undefined;
    if (missing > 0 && missing !== this.#unreadable) {
      const found = missing === 1 ? 'is missing' : `is missing, and ${(missing - 1).toString()} after it`;
      this.#note({ seq: last + 1, id: undefined }, 'removed', found);
    } else if (missing === 0) {
      own = recordHash(prev, stored);
      if (own !== hash) open = this.#judge(stored);
    }
    this.#last = { seq, hash, id };
    [this.#before, this.#own, this.#open, this.#unreadable] = [prev, own, open, 0];
  }

  /** The last record, or a line where the next one should be, cannot be read. `how`: the rest of a sentence. */
  unreadable(how: string, stored?: StoredRecord): void {
    this.#note(stored, 'unreadable', how);
    if (stored === undefined) this.#unreadable += 1;
  }

  /** Names the change of a record that does not match its hash. */
  #judge(stored: StoredRecord): JournalChange | undefined {
    const { seq: last, id } = this.#last;
    const continues = (hash: string | undefined): boolean =>
      hash !== undefined && recordHash(hash, stored) === stored.hash;
    if (id !== undefined && continues(this.#before)) {
      const found = `was inserted: record ${stored.seq.toString()} continues the one before it`;
      if (this.#open === undefined) this.#note({ seq: last, id }, 'inserted', found);
      else [this.#open.kind, this.#open.found] = ['inserted', found];
      return undefined;
    }
    // Only the hash of the last one was edited: that is the same change.
    if (continues(this.#own)) return undefined;
    const or = last === 0 ? '' : `record ${last.toString()} was, or `;
    const found = `does not match its hash: it was edited, or ${or}records before it were removed`;
    return this.#note(stored, 'edited', found);
  }

  #note(
    { seq, id }: { seq: number | undefined; id: string | undefined } = { seq: undefined, id: undefined },
    kind: JournalChange['kind'],
    found: string,
  ): JournalChange {
    const change = { file: this.#file, seq, id, kind, found };
    this.#report.changeCount += 1;
    if (this.#report.changes.length < MOST) this.#report.changes.push(change);
    return change;
  }
}

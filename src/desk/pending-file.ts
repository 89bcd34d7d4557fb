/** Records of a desk that its log could not take: they count here at once, and are delivered by the next command that reaches it. */
import { fieldsIn } from '../domain/fields.ts';
import type { NewRecord } from '../journal/store/insert-records.ts';
import { insertRecords } from '../journal/store/insert-records.ts';
import {
  JournalBusy,
  JournalDamage,
  type JournalDatabase,
  whileBusy,
} from '../journal/store/journal-database.ts';
import { emptyPending, pendingNow } from '../journal/store/pending-records.ts';
import { KeptOpen, pendingFile } from '../journal/store/schema.ts';
import { ensureFolder } from '../platform/atomic-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Follower } from './follower.ts';
import type { GivenRecord } from './log.ts';
import { type MeantPending, meantOf } from './overtaken.ts';

/** Stamp of a used-up ID: the record with that ID may still arrive, and must not. */
export const usingUp = (id: string): string => JSON.stringify({ uses: id });

export class PendingFile {
  readonly #folder: string;
  readonly #machine: Machine;
  readonly #kept: KeptOpen;

  /** `folder`: of the desk. */
  constructor(folder: string, machine: Machine) {
    this.#folder = folder;
    this.#machine = machine;
    this.#kept = new KeptOpen(pendingFile(folder), machine.host);
  }

  /** Read before the copy, so that nothing is missed in between. `damage`: why they cannot be read. */
  read(): ReturnType<typeof pendingNow> {
    return pendingNow(this.#kept);
  }

  /** On disk on return. @throws DamagedFileError */
  async keep(records: readonly NewRecord[]): Promise<void> {
    ensureFolder(this.#folder, this.#machine.host);
    await whileBusy(this.#machine, () => {
      const db = this.#kept.made(this.#machine);
      db.writing(() => {
        if (this.#kept.database() !== db) throw new JournalBusy(db.path);
        insertRecords(db, records);
      });
    });
  }

  /** Removes what the copy has, unless there is more. */
  tidy(copy: JournalDatabase | undefined): void {
    try {
      const db = this.#kept.database();
      if (db !== undefined && copy !== undefined) emptyPending(db, (all) => meantOf(all, copy).waiting);
    } catch (error) {
      // Another process adds to it, and the next one tidies up; or it is damaged, which the next question says.
      if (!(error instanceof JournalBusy || error instanceof JournalDamage)) throw error;
    }
  }

  close(): void {
    this.#kept.close();
  }
}

/** `folder`: of the desk. @throws DamagedFileError */
export async function keepPending(
  records: readonly NewRecord[],
  folder: string,
  machine: Machine,
): Promise<void> {
  if (records.length === 0) return;
  const pending = new PendingFile(folder, machine);
  await pending.keep(records);
  pending.close();
}

/** The records to append to the log. An ID that is to be used up is in the log by now, or is taken here. */
export const delivered = ({ waiting }: MeantPending, follower: Follower): readonly GivenRecord[] =>
  waiting.flatMap(({ id, record, stamp = '' }) => {
    const { uses } = fieldsIn(stamp);
    const isFree = typeof uses === 'string' && !follower.has(uses);
    return isFree
      ? [
          { id: uses, record },
          { id, record },
        ]
      : [{ id, record }];
  });

/** Records of a desk that its log could not take: they count here at once, and are delivered by the next command that reaches it. */
import { fieldsIn } from '../domain/fields.ts';
import { DamagedFileError, without } from '../errors.ts';
import {
  JournalBusy,
  JournalDamage,
  type JournalDatabase,
  whileBusy,
} from '../journal/store/journal-database.ts';
import type { NewRecord, Signature } from '../journal/store/new-records.ts';
import { insertRecords } from '../journal/store/new-records.ts';
import { allPending, emptyPending, type Pending, pendingNow } from '../journal/store/pending-records.ts';
import { repairJournal } from '../journal/store/repair.ts';
import { KeptOpen, pendingFile } from '../journal/store/schema.ts';
import { ensureFolder } from '../platform/atomic-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Follower } from './follower.ts';
import type { GivenRecord } from './log.ts';
import { type MeantPending, meantOf } from './overtaken.ts';

/** Stamp of a used-up ID: the record with that ID may still arrive, and must not. */
export const usingUp = (id: string): string => JSON.stringify({ uses: id });

/** Who repairs the file, as its halt says, and where that is shown. */
interface Repairer {
  signature: () => Signature;
  note: (text: string) => void;
}

export class PendingFile {
  readonly #folder: string;
  readonly #machine: Machine;
  readonly #repairer: Repairer | undefined;
  readonly #kept: KeptOpen;

  /** `folder`: of the desk. `repairer`: undefined where a damaged file is only said. */
  constructor(folder: string, machine: Machine, repairer?: Repairer) {
    this.#folder = folder;
    this.#machine = machine;
    this.#repairer = repairer;
    this.#kept = new KeptOpen(pendingFile(folder), machine.host);
  }

  /** Read before the copy, so that nothing is missed in between. `damage`: why they cannot be read. */
  read(): ReturnType<typeof pendingNow> {
    return pendingNow(this.#kept);
  }

  /** The same; a file that cannot be read is repaired first, if it can be. */
  async whole(): Promise<Pending> {
    if (this.read().damage !== undefined) await this.#repair().catch(without(DamagedFileError));
    return this.read().all;
  }

  /** On disk on return; a file that cannot be read is repaired first. @throws DamagedFileError */
  async keep(records: readonly NewRecord[]): Promise<void> {
    ensureFolder(this.#folder, this.#machine.host);
    try {
      await this.#add(records);
    } catch (error) {
      if (!(error instanceof JournalDamage)) throw error;
      const again = async (): Promise<void> => {
        await this.#repair();
        await this.#add(records);
      };
      await again().catch((failed: unknown) => {
        throw failed instanceof JournalDamage ? failed.with({ meaning: NOT_HERE }) : failed;
      });
    }
  }

  #add(records: readonly NewRecord[]): Promise<void> {
    return whileBusy(this.#machine, () => {
      const db = this.#kept.made(this.#machine);
      db.writing(() => {
        if (this.#kept.database() !== db) throw new JournalBusy(db.path);
        // Behind one that cannot be read, they would not be found.
        allPending(db);
        insertRecords(db, records);
      });
    });
  }

  /** The old file is kept. The new one has what could be read, and a halt, as a halt or a close may be missing. */
  async #repair(): Promise<void> {
    if (this.#repairer === undefined) return;
    const { signature, note } = this.#repairer;
    const { files } = await repairJournal({
      places: { state: this.#folder },
      machine: this.#machine,
      signature: signature(),
      pendingOnly: true,
    });
    for (const { why, aside } of files) note(`${why}. Opens and adds are halted. The old file: ${aside}`);
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

const NOT_HERE =
  'Nothing was sent. Close does not work on this machine now: close on another one of the desk, or with the service itself.';

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
export const delivered = (
  { waiting }: Pick<MeantPending, 'waiting'>,
  follower: Pick<Follower, 'has'>,
): readonly GivenRecord[] =>
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

/** A person accepts that records of the journal may be lost: its last record is the head from then on. */

import { say, shell } from '../../domain/hint.ts';
import { StoppedError } from '../../errors.ts';
import { ensureFolder } from '../../platform/atomic-file.ts';
import { withLock } from '../../platform/lock.ts';
import { type JournalRecord, mintId } from '../records.ts';
import type { JournalTrouble } from '../trouble.ts';
import { whileBusy } from './journal-database.ts';
import { insertRecords, newRecords, signedAt } from './new-records.ts';
import { clearPending, notIn, pendingNow } from './pending-records.ts';
import { headOf, type JournalHead, numberedAt } from './record-rows.ts';
import { actionsLike, type RepairOptions, WITHOUT_INTENT } from './repair.ts';
import { databaseFile, KeptOpen, lockFile, openJournalFile, pendingFile } from './schema.ts';
import { lossOf, readLastWritten, writeWitness } from './witness.ts';

export interface Loss {
  trouble: JournalTrouble;
  /** The record that the journal should have; undefined when the witness is missing or cannot be read. */
  witness: JournalHead | undefined;
  /** The last record that it has. */
  head: JournalHead;
}

/** Undefined when the journal has its witness. @throws DamagedFileError for a damaged one */
export function findLoss({
  places: { state },
  machine: { host },
}: Omit<RepairOptions, 'signature'>): Loss | undefined {
  const written = readLastWritten(state, host);
  const kept = pendingNow(new KeptOpen(pendingFile(state), host));
  // It is repaired first: what it has is not lost.
  if (kept.damage !== undefined) throw kept.damage;
  const db = openJournalFile(databaseFile(state), host);
  const trouble = lossOf(state, written, db, kept);
  return trouble && { trouble, witness: written.witness, head: headOf(db) };
}

export interface LossAccepted {
  /** The last record now. */
  head: JournalHead;
  /** IDs of actions whose intent is missing: they are not shown. */
  withoutIntent: readonly string[];
}

/**
 * Appends the pending records, a halt and the loss in one transaction and replaces the witness. `loss`: what the person saw.
 * @throws StoppedError when it is not the same any more; DamagedFileError
 */
export function acceptLoss(
  { witness, trouble }: Loss,
  { note, places: { state }, machine, signature }: RepairOptions & { note: string },
): Promise<LossAccepted> {
  const { host, random } = machine;
  const { who } = signature;
  ensureFolder(state, host);
  const pending = new KeptOpen(pendingFile(state), host);
  const accept = (): LossAccepted => {
    const db = new KeptOpen(databaseFile(state), host).made(machine);
    const head = db.writing(() => {
      const [written, kept] = [readLastWritten(state, host), pendingNow(pending)];
      const now = written.witness;
      if (now?.seq !== witness?.seq || now?.hash !== witness?.hash) throw changed();
      if (lossOf(state, written, db, kept) === undefined) throw changed();
      const found = `${trouble.what} ${witnessInWords(witness)}`;
      const before = headOf(db);
      const last = before.seq === 0 ? undefined : numberedAt(db, before.seq).record;
      // A process that died has recorded it, and not yet replaced the witness.
      if (last?.kind === 'loss' && last.found.endsWith(witnessInWords(witness))) return before;
      const base = signedAt(machine.clock.now(), signature);
      const why = `records may be lost: ${trouble.what}`;
      const records: readonly JournalRecord[] = [
        { ...base, kind: 'halt', halt_id: mintId(random), who, why, note },
        { ...base, kind: 'loss', who, found, note },
      ];
      return insertRecords(db, [...notIn(db, kept.all), ...newRecords(records, db, random)]);
    });
    writeWitness(state, machine, head, { replace: true });
    clearPending(state, host, { pending: pending.database(), journal: db, acceptsLoss: true });
    return { head, withoutIntent: actionsLike(db, WITHOUT_INTENT) };
  };
  return withLock(lockFile(state), machine, () => whileBusy(machine, accept));
}

const witnessInWords = (witness: JournalHead | undefined): string =>
  witness === undefined ? '(No witness.)' : `(Witness: record ${witness.seq.toString()}, ${witness.hash}.)`;

const changed = (): StoppedError =>
  new StoppedError({
    code: 'declined',
    what: 'The journal or its witness has changed in the meantime. Nothing was recorded.',
    hint: say`To look again: ${shell`hedge journal accept-loss --note TEXT`}`,
  });

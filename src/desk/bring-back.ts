/** A machine comes back to its desk: what it did alone since it left, and what a log that was put back lacks, is delivered. */
import { isOfAction, isOfRoll } from '../journal/records.ts';
import { readStamp } from '../journal/stamp.ts';
import { type JournalDatabase, whileBusy } from '../journal/store/journal-database.ts';
import type { NewRecord } from '../journal/store/new-records.ts';
import { recordOfLog } from '../journal/store/record-rows.ts';
import type { Paths } from '../platform/paths.ts';
import { appendPages } from './log.ts';
import type { DeskTalk } from './log-session.ts';
import { deskFolder, type Membership, placesOfDesk, writeMembership } from './membership.ts';
import { decidedOn } from './overtaken.ts';
import { haltsNow, haltsOfCopy, inRuns, intentsIn } from './own-records.ts';
import { keepPending } from './pending-file.ts';
import { type BeyondLog, beyondLog } from './rewound.ts';

export interface Brought {
  /** Delivered ones that the log lacked. */
  actions: number;
  /** The halts in force among them, delivered or pending. */
  haltIds: readonly string[];
}

/**
 * A machine that left has gone on with its copy as a journal of its own: what the log lacks is delivered, and the copy is
 * built again. Nothing is recorded there from then on.
 */
export async function bringBack(
  before: Membership,
  { session, follower, name, places, machine }: DeskTalk & { places: Paths },
): Promise<Brought> {
  const db = follower.database();
  const own = placesOfDesk(places, name);
  const known = haltsOfCopy(own, machine).known;
  const halts = new Set(haltsNow(own, machine).inForce.filter((id) => !known.includes(id)));
  let actions = 0;
  if (db === undefined) return { actions, haltIds: [...halts] };
  for (let isAll = false; !isAll; ) {
    const { seq } = follower.head;
    const beyond = await beyondLog(await session.connection(), follower);
    const { inForce } = haltsNow(own, machine);
    const { meant, decided } = ownBeyond(beyond, inForce, () => db);
    for (const { isEarlier, run } of inRuns(meant))
      await appendPages(await session.connection(), run, { isEarlier });
    actions += intentsIn(meant);
    for (const { record } of meant) {
      const read = recordOfLog(record);
      if (read.kind === 'halt') halts.add(read.halt_id);
    }
    await keepPending(decided, deskFolder(places.state, name), machine);
    isAll = await whileBusy(machine, () =>
      db.writing(() => {
        // Another process may have opened something meanwhile.
        if (follower.head.seq !== seq) return false;
        writeMembership(places.state, { ...before, state: 'joining' }, machine);
        return true;
      }),
    );
  }
  follower.putAside('replaced');
  return { actions, haltIds: [...halts] };
}

/**
 * Its actions, rolls and halts in force, to be delivered. `decided`: the records of each action of the log whose outcome was recorded
 * manually here, and limits of a log that was lost. The log may have later ones: they are pending until that is known.
 */
function ownBeyond(
  { missing }: BeyondLog,
  haltIds: readonly string[],
  copy: () => JournalDatabase | undefined,
): { meant: readonly NewRecord[]; decided: readonly NewRecord[] } {
  const read = missing.map(({ id, record: text, stamp }) => ({
    id,
    text,
    stamp,
    record: recordOfLog(text),
  }));
  const idsOf = (kind: 'intent' | 'settled'): ReadonlySet<string> =>
    new Set(read.flatMap(({ record }) => (record.kind === kind ? [record.action_id] : [])));
  const [begun, settled] = [idsOf('intent'), idsOf('settled')];
  const meant: NewRecord[] = [];
  const decided: NewRecord[] = [];
  for (const { id, text, stamp, record } of read) {
    const isDecided =
      (isOfAction(record) && settled.has(record.action_id) && !begun.has(record.action_id)) ||
      // One that was set after leaving is of this machine alone.
      (record.kind === 'desk_limit' && readStamp(stamp) !== undefined);
    if (isDecided)
      decided.push({ id, record: text, stamp: record.kind === 'settled' ? decidedOn(record, copy) : '' });
    else if (
      record.kind === 'halt' ? haltIds.includes(record.halt_id) : isOfAction(record) || isOfRoll(record)
    )
      meant.push({ id, record: text, stamp });
  }
  return { meant, decided };
}

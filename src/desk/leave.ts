/** A machine leaves its desk. The copy stays the account's journal, so that deal IDs stay used and nothing unresolved is forgotten. */

import { nothingChanged, type StoppedError } from '../errors.ts';
import type { AccountIdentity } from '../journal/account-identity.ts';
import { mintId } from '../journal/records.ts';
import { unfinishedChains } from '../journal/roll-chains.ts';
import type { Journal } from '../journal/store/journal.ts';
import { whileBusy } from '../journal/store/journal-database.ts';
import { newRecord, signedAt } from '../journal/store/new-records.ts';
import { writeWitness } from '../journal/store/witness.ts';
import { troubleError } from '../journal/trouble.ts';
import type { Paths } from '../platform/paths.ts';
import type { DeskTalk } from './log-session.ts';
import { deskFolder, type Membership, placesOfDesk, readMembership, writeMembership } from './membership.ts';
import { accountOf, haltsIn, haltsOfCopy, ownRecordsNow } from './own-records.ts';
import { keepPending } from './pending-file.ts';
import { DeskTrouble } from './trouble-of-log.ts';

export interface Left {
  name: string;
  /** The journal of the account from now on. */
  path: string;
  records: number;
  /** IDs of the desk's rolls that are not finished: this machine does not run them any more. */
  rolls: readonly string[];
  /** The desk does not know it: its log could not be reached. Then opens are halted here. */
  isUnknown: boolean;
}

interface LeaveParts extends DeskTalk {
  places: Paths;
  /** The journal of the account. */
  journal: Journal;
  /** The account of the profile, asked only in the middle of a join. */
  identity: () => Promise<AccountIdentity>;
  note: string | undefined;
  /** A person says that the log is lost for good. */
  isLost: boolean;
}

/** @throws DeskTrouble, or the trouble of the log unless it is lost; DamagedFileError. */
export async function leaveDesk(parts: LeaveParts): Promise<Left> {
  const { name, places, machine, session, follower, signature, journal, note, isLost } = parts;
  const before = readMembership(places.state, name, machine.host);
  // Then the journal of the account is this machine's own, which asks no log.
  if (before?.state === 'joining') await session.pull().catch(ofLog);
  const { trouble = session.trouble, desk } = await journal.latest();
  const isAway = trouble !== undefined;
  if (isAway && !isLost) throw troubleError(trouble, 'Nothing was changed.');
  if (!isAway && desk !== undefined && desk.pending > 0) throw stillPending(name);
  if (before?.state === 'joining') await keepOwn(before, parts);
  const { who } = signature;
  const base = signedAt(machine.clock.now(), signature);
  if (isAway) {
    const why = `${who} left desk ${name} without its log, of which records may be missing here`;
    // It is part of the copy as soon as that is the journal of the account.
    const halt = { ...base, kind: 'halt', halt_id: mintId(machine.random), who, why } as const;
    await keepPending([newRecord(halt, machine.random)], deskFolder(places.state, name), machine);
  } else {
    const noted = note === undefined ? {} : { note };
    const leave = { ...base, kind: 'desk_leave', who, ...noted } as const;
    await session.deliver([newRecord(leave, machine.random)]);
  }
  const member = readMembership(places.state, name, machine.host);
  const db = follower.database();
  if (member !== undefined)
    await whileBusy(machine, () => {
      const left = { ...member, state: 'left' } as const;
      if (db === undefined) writeMembership(places.state, left, machine);
      else db.writing(() => writeMembership(places.state, left, machine));
    });
  const { head } = follower;
  const rolls = unfinishedChains(journal.read(), { nowMs: machine.clock.now() });
  // Its witness from now on is that of a journal of one machine.
  writeWitness(deskFolder(places.state, name), machine, head, { replace: true });
  return {
    name,
    path: follower.path,
    records: head.seq,
    rolls: rolls.map(({ plan }) => plan.chain_id),
    isUnknown: isAway,
  };
}

/** Keeps the records that the join has not delivered pending at the copy: that is the journal of the account from now on. */
async function keepOwn(
  member: Membership,
  { places, machine, identity: accountNow }: LeaveParts,
): Promise<void> {
  const identity = accountOf(member, await accountNow());
  const { known } = haltsOfCopy(placesOfDesk(places, member.name), machine);
  const haltIds = (): readonly string[] => haltsIn(places, machine).filter((id) => !known.includes(id));
  const { records } = await ownRecordsNow({ places, identity, haltIds }, machine);
  await keepPending(records, deskFolder(places.state, member.name), machine);
}

/** The session keeps the trouble. */
function ofLog(error: unknown): void {
  if (!(error instanceof DeskTrouble)) throw error;
}

const stillPending = (name: string): StoppedError =>
  nothingChanged({
    code: 'desk_unreachable',
    what: `Another process has recorded something that desk ${name} does not have yet.`,
    hint: 'Run the same command again.',
    retry: 'later',
  });

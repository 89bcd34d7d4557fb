/** Other desks of the account that a machine has left before it joins this one: the copy of one has been the account's journal since. */
import { type AccountIdentity, EVERY_KEY } from '../journal/account-identity.ts';
import type { RecordedIdentity } from '../journal/records.ts';
import type { NewRecord } from '../journal/store/insert-records.ts';
import { whileBusy } from '../journal/store/repair.ts';
import { databaseFile, openJournalFile } from '../journal/store/schema.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import { desksOf } from './desk-of-account.ts';
import { Follower } from './follower.ts';
import { deskFolder, placesOfDesk, readMembership, removeMembership } from './membership.ts';
import { haltsIn, ownRecords, waitingIn } from './own-records.ts';

interface LeftParts {
  places: Paths;
  machine: Machine;
  /** The account, with its other keys as far as known. */
  identity: AccountIdentity & RecordedIdentity;
}

/** Their names. `joined`: the name of this one. @throws DamagedFileError, also for a copy that is not whole. */
export function otherLeft(joined: string, { places, machine, identity }: LeftParts): readonly string[] {
  const { environment, base_url: baseUrl, account, key_fingerprint: own, keys } = identity;
  const hasKey = (key: string): boolean => key === own || keys?.get(key) === 'same';
  const known = { environment, baseUrl, label: account ?? undefined, hasKey };
  const { found, damage } = desksOf(known, places.state, machine.host);
  if (damage !== undefined) throw damage;
  const left = found.flatMap(({ desk: { name, state }, relation }) =>
    relation === 'same' && state === 'left' && name !== joined ? [name] : [],
  );
  for (const each of left) haltsIn(placesOfDesk(places, each), machine);
  return left;
}

/** Their records, without the halts that are `known`. Nothing is begun in them while this machine is joining. */
export async function recordsOfLeft(
  left: readonly string[],
  known: readonly string[],
  { places, machine }: LeftParts,
): Promise<readonly NewRecord[]> {
  const records: NewRecord[] = [];
  for (const name of left) {
    const copied = placesOfDesk(places, name);
    const member = readMembership(places.state, name, machine.host);
    const db = openJournalFile(databaseFile(copied.state), machine.host);
    if (member === undefined || db === undefined) continue;
    const haltIds = haltsIn(copied, machine).filter((id) => !known.includes(id));
    const identity = { ...member.identity, keys: EVERY_KEY };
    const found = await whileBusy(machine, () =>
      db.writing(() => {
        const waiting = waitingIn(copied.state, db, machine);
        return ownRecords(db, { from: 0, identity, haltIds, waiting });
      }),
    );
    db.close();
    records.push(...found.records);
  }
  return records;
}

/** Its records are in another log: its copy is the journal of no account any more. */
export function retireLeft(name: string, { places, machine }: LeftParts): void {
  const follower = new Follower(deskFolder(places.state, name), machine);
  follower.putAside('replaced');
  follower.close();
  removeMembership(places.state, name, machine);
}

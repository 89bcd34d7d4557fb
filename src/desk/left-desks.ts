/** Other desks of the account that a machine has left before it joins this one: the copy of one has been the account's journal since. */
import { type AccountIdentity, EVERY_KEY } from '../journal/account-identity.ts';
import type { RecordedIdentity } from '../journal/records.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import { desksOf } from './desk-of-account.ts';
import { Follower } from './follower.ts';
import type { LogSession } from './log-session.ts';
import { deskFolder, type Membership, placesOfDesk, removeMembership } from './membership.ts';
import { deliverOwn, haltsIn, haltsNow } from './own-records.ts';

interface LeftParts {
  places: Paths;
  machine: Machine;
  /** The account, with its other keys as far as known. */
  identity: AccountIdentity & RecordedIdentity;
}

/** `joined`: the name of this one. @throws DamagedFileError, also for a copy that is not whole. */
export function otherLeft(joined: string, { places, machine, identity }: LeftParts): readonly Membership[] {
  const { environment, base_url: baseUrl, account, key_fingerprint: own, keys } = identity;
  const hasKey = (key: string): boolean => key === own || keys?.get(key) === 'same';
  const known = { environment, baseUrl, label: account ?? undefined, hasKey };
  const { found, damage } = desksOf(known, places.state, machine.host);
  if (damage !== undefined) throw damage;
  const left = found.flatMap(({ member, relation }) =>
    relation === 'same' && member.state === 'left' && member.name !== joined ? [member] : [],
  );
  for (const { name } of left) haltsIn(placesOfDesk(places, name), machine);
  return left;
}

/**
 * Delivers its records, without the halts that are `known`, to the log of another desk. From then on its copy is the journal of no
 * account: what a process still records of the account is for that other desk. Its limits were those of that desk alone.
 */
export async function retireLeft(
  { name, identity }: Membership,
  known: () => readonly string[],
  { places, machine, session, follower }: LeftParts & { session: LogSession; follower: Follower },
): Promise<{ actions: number; hasLimits: boolean }> {
  const copied = placesOfDesk(places, name);
  const journal = {
    places: copied,
    identity: { ...identity, keys: EVERY_KEY },
    haltIds: () => haltsIn(copied, machine).filter((id) => !known().includes(id)),
  };
  const { hasLimits } = haltsNow(copied, machine);
  const actions = await deliverOwn(
    journal,
    { session, follower, machine },
    { end: () => removeMembership(places.state, name, machine) },
  );
  const copy = new Follower(deskFolder(places.state, name), machine);
  copy.putAside('replaced');
  copy.close();
  return { actions, hasLimits };
}

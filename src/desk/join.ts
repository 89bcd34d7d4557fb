/**
 * A machine joins a desk: it delivers what it has recorded of the account, and follows the log from then on. Each step is
 * safe to repeat: a machine that was stopped in between trades again once it has joined.
 */
import { say, shell } from '../domain/hint.ts';
import { nothingChanged, type StoppedError } from '../errors.ts';
import {
  type AccountIdentity,
  identityText,
  recordedIdentity,
  relationOfLabels,
} from '../journal/account-identity.ts';
import type { DeskFounding, DeskJoin, RecordedIdentity } from '../journal/records.ts';
import { readStamp } from '../journal/stamp.ts';
import { textOf } from '../journal/store/journal-database.ts';
import { type NewRecord, type Signature, signedAt } from '../journal/store/new-records.ts';
import { databaseFile, KeptOpen } from '../journal/store/schema.ts';
import { beginWitness } from '../journal/store/witness.ts';
import { troubleError } from '../journal/trouble.ts';
import { ensureFolder } from '../platform/atomic-file.ts';
import type { Paths } from '../platform/paths.ts';
import { type Brought, bringBack } from './bring-back.ts';
import { foundingIn } from './desk-of-account.ts';
import type { Follower } from './follower.ts';
import { otherLeft, retireLeft } from './left-desks.ts';
import { hashesOf } from './log.ts';
import type { DeskTalk } from './log-session.ts';
import {
  type DeskAccess,
  type Membership,
  placesOfDesk,
  readMembership,
  writeMembership,
} from './membership.ts';
import {
  accountOf,
  deliverOwn,
  haltsIn,
  haltsOfCopy,
  type OwnRecords,
  ownRecordsNow,
} from './own-records.ts';
import { idOf } from './rewound.ts';
import { membersOf } from './stamped-rows.ts';
import { DeskTrouble } from './trouble-of-log.ts';

export interface Joined {
  name: string;
  /** Records of the log now. */
  records: number;
  /** Actions of this machine that were delivered, now or before. */
  actions: number;
  /** Records of an API key that may belong to another account: they were not delivered. */
  unclear: number;
  /** Names of desks that this machine had left, whose limits do not hold here. */
  limitsOf: readonly string[];
  /** Halts of this machine that are now the desk's. */
  halts: number;
  provedBy: DeskJoin['proved_by'];
  isApprover: boolean;
  login: string;
}

interface JoinParts extends DeskTalk {
  places: Paths;
  /** The account of the profile, with its other keys as far as known. */
  identity: AccountIdentity & RecordedIdentity;
  profile: string;
  /** Address of the log, as stored. */
  access: DeskAccess;
  /** Whether the API key reads a hedge: false where the service does not know it. */
  reads(hedgeId: string): Promise<boolean>;
  /** Whether a person says that the account is the same. */
  asked(question: string): Promise<boolean>;
  progress(delivered: number, of: number): void;
}

/** @throws DeskTrouble; StoppedError for another account, or one that nobody confirms; DamagedFileError. */
export async function joinDesk(parts: JoinParts): Promise<Joined> {
  const { session, follower, machine, places, name } = parts;
  const before = readMembership(places.state, name, machine.host) ?? withoutFile(parts);
  const fingerprint = parts.identity.key_fingerprint ?? '';
  let brought: Brought = { actions: 0, haltIds: [] };
  if (before !== undefined) {
    // The copy is of one account: a desk of another one may have the same name, and its log gets nothing of it.
    checkAccount(before, parts);
    const isKnown = before.keys.includes(fingerprint) || follower.database() === undefined;
    if (!isKnown) await proved(foundingOf(follower), parts);
    if (before.state === 'left' || endsAlone(follower)) brought = await bringBack(before, parts);
  }
  await pullOrMove(before, parts);
  machine.clock.shiftMs = session.contact?.offsetMs ?? 0;
  const founding = foundingOf(follower);
  checkAccount(founding, parts);
  const provedBy = await proved(founding, parts);
  const keys = [...new Set([...(before?.keys ?? []), fingerprint])];
  const member = memberOf(parts, { state: 'joining', identity: founding.identity, keys });
  const left = otherLeft(name, parts);
  const { known, lifted } = haltsOfCopy(placesOfDesk(places, name), machine);
  const others = left.flatMap((each) => haltsOfCopy(placesOfDesk(places, each.name), machine).lifted);
  // Its own journal does not know that: a halt that another machine has lifted does not come back.
  const inForce = (): readonly string[] =>
    haltsIn(places, machine).filter((id) => ![...lifted, ...others].includes(id));
  const halts = (): readonly string[] => inForce().filter((id) => !known.includes(id));
  const begun = await beginJoining(member, halts, parts);
  await session.deliver(begun.records, {
    isEarlier: true,
    after: (count) => parts.progress(count, begun.records.length),
  });
  let { actions } = brought;
  const withLimits: string[] = [];
  for (const each of left) {
    const retired = await retireLeft(each, () => [...known, ...halts()], parts);
    actions += retired.actions;
    if (retired.hasLimits) withLimits.push(each.name);
  }
  await session.deliver([joinRecord({ name, provedBy, fingerprint }, parts)]);
  await session.pull();
  const own = { places, identity: accountOf(member, parts.identity), haltIds: halts };
  // Closes and halts of meanwhile are only in the journal of this machine while it is joining.
  actions += await deliverOwn(own, parts, {
    from: begun.last,
    end(last) {
      writeMembership(places.state, { ...member, state: 'following', delivered_to: last }, machine);
    },
  });
  const { contact } = session;
  return {
    name,
    records: follower.head.seq,
    actions: begun.actions + actions,
    unclear: begun.unclear,
    limitsOf: withLimits,
    halts: new Set([...inForce(), ...brought.haltIds]).size,
    provedBy,
    isApprover: contact?.isApprover === true,
    login: contact?.login ?? '',
  };
}

/**
 * A standby that took over at another address may lack records that this machine has: only this machine can deliver those, so it
 * uses that address from now on. @throws DeskTrouble
 */
async function pullOrMove(before: Membership | undefined, parts: JoinParts): Promise<void> {
  const { session, follower, places, machine } = parts;
  try {
    await session.pull();
  } catch (error) {
    const isPutBack = error instanceof DeskTrouble && error.trouble.code === 'desk_rewound';
    if (!isPutBack || before === undefined) throw error;
    const first = await hashesOf(await session.connection(), { from: 1, to: 1 });
    // Another log of the same name has another beginning.
    if (first.get(1) !== follower.hashAt(1)) throw error;
    const member = { ...memberOf(parts, before), delivered_to: before.delivered_to };
    writeMembership(places.state, member, machine);
    throw troubleError(
      error.trouble,
      'This machine follows the log at this address from now on. Opens and adds stop; reduce and close still work.',
    );
  }
}

/** Its copy has records of this machine alone, which have no stamp: after it left, or where bringing them back was interrupted. */
function endsAlone(follower: Follower): boolean {
  const { seq } = follower.head;
  return follower.records(seq, seq).some(({ stamp }) => readStamp(stamp) === undefined);
}

/** A person has moved its damaged file away. */
function withoutFile(parts: JoinParts): Membership | undefined {
  const founding = foundingIn(parts.follower.database());
  return founding !== undefined && endsAlone(parts.follower)
    ? memberOf(parts, { state: 'left', identity: founding.identity, keys: [] })
    : undefined;
}

const memberOf = (
  { name, access }: JoinParts,
  { state, identity, keys }: Pick<Membership, 'state' | 'identity' | 'keys'>,
): Membership => ({ version: 1, name, state, ...access, identity, keys, delivered_to: 0 });

/** @throws StoppedError */
function foundingOf(follower: Follower): DeskFounding {
  const founding = foundingIn(follower.database());
  if (founding !== undefined) return founding;
  throw nothingChanged({
    code: 'desk_unfit',
    what: 'The first record of this log does not say which account it is for.',
  });
}

/** Environment, address and label are those of the desk. @throws StoppedError */
function checkAccount(
  { name, identity: desk }: Pick<DeskFounding, 'name' | 'identity'>,
  { identity }: JoinParts,
): void {
  const isAtService = identity.environment === desk.environment && identity.base_url === desk.base_url;
  if (isAtService && relationOfLabels(identity.account, desk.account) !== 'other') return;
  throw otherAccount(
    `Desk ${name} is for another account: ${identityText(desk)}. This profile's is ${identityText(identity)}.`,
  );
}

const otherAccount = (what: string, details?: { hedges: readonly string[] }): StoppedError =>
  nothingChanged({
    code: 'account_unclear',
    what,
    hint: say`Select the profile of that account: ${shell`hedge desk join URL --profile NAME`}`,
    details,
  });

const MOST_TRIED = 3;

/** @throws StoppedError when the key is of another account, or nobody says that it is not. */
async function proved(founding: DeskFounding, parts: JoinParts): Promise<Joined['provedBy']> {
  const { identity, follower } = parts;
  if (identity.key_fingerprint === founding.identity.key_fingerprint) return 'key';
  const hedges = lastHedges(follower);
  for (const hedge of hedges) if (await parts.reads(hedge)) return 'hedge';
  if (hedges.length > 0)
    throw otherAccount(
      `The API key of this profile does not see the last hedges of desk ${founding.name}: it is of another account.`,
      { hedges },
    );
  if (typeof identity.account === 'string' && identity.account === founding.identity.account) return 'label';
  const question = `Desk ${founding.name} has no hedge yet to compare. Is the account of profile ${parts.profile} that of ${founding.who}, who began it?`;
  if (await parts.asked(question)) return 'person';
  throw nothingChanged({ code: 'declined', what: 'Canceled.' });
}

/** IDs of hedges that the service has named, newest first. */
function lastHedges(follower: Follower): readonly string[] {
  const db = follower.database();
  if (db === undefined) return [];
  const rows = db.all(
    `SELECT hedge_id FROM records INDEXED BY records_hedge_id WHERE hedge_id IS NOT NULL AND kind = 'accepted' ORDER BY seq DESC LIMIT ${MOST_TRIED.toString()}`,
  );
  return rows.map((row) => textOf(row, 'hedge_id', db.path));
}

/**
 * From here on no open of the account is recorded in this machine's own journal: the file of the desk is written while nobody else can
 * append to it.
 */
async function beginJoining(
  member: Membership,
  haltIds: () => readonly string[],
  { places, machine, identity }: JoinParts,
): Promise<OwnRecords> {
  const { state } = places;
  ensureFolder(state, machine.host);
  const kept = new KeptOpen(databaseFile(state), machine.host);
  if (kept.database() === undefined) beginWitness(state, machine);
  kept.made(machine);
  kept.close();
  return ownRecordsNow({ places, identity: accountOf(member, identity), haltIds }, machine, {
    work: () => writeMembership(state, member, machine),
  });
}

/** The same for the same key: a repeated join is one record. */
function joinRecord(
  { name, provedBy, fingerprint }: { name: string; provedBy: Joined['provedBy']; fingerprint: string },
  { machine, profile, signature, session, follower }: JoinParts,
): NewRecord {
  const { who } = signature;
  const db = follower.database();
  const known =
    db &&
    membersOf(db).find(
      ({ record, stamp, leftAt }) =>
        leftAt === undefined &&
        record.who === who &&
        record.key_fingerprint === fingerprint &&
        stamp?.login === session.contact?.login,
    );
  const [stored] = known === undefined ? [] : follower.records(known.seq, known.seq);
  if (stored !== undefined) return { id: stored.id, record: stored.record };
  const record = {
    ...signedAt(machine.clock.now(), signature),
    kind: 'desk_join',
    who,
    profile,
    key_fingerprint: fingerprint,
    proved_by: provedBy,
  } as const;
  return { id: idOf(`join ${name} ${record.at} ${who} ${fingerprint}`), record: JSON.stringify(record) };
}

/** The first record of a log. */
export const foundingRecord = (
  { name, identity }: { name: string; identity: RecordedIdentity },
  { nowMs, who, ...signature }: Signature & { nowMs: number },
): NewRecord => {
  const record = {
    ...signedAt(nowMs, signature),
    kind: 'desk',
    name,
    identity: recordedIdentity(identity),
    who,
  };
  return { id: idOf(`desk ${name} ${record.at} ${who}`), record: JSON.stringify(record) };
};

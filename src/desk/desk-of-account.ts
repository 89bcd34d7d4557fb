/** The desk of an account among those of this machine, found by service, label and API key. Reads files only. */
import { DamagedFileError, unless } from '../errors.ts';
import { type AccountIdentity, type Relation, relationOfLabels } from '../journal/account-identity.ts';
import type { DeskFounding } from '../journal/records.ts';
import type { JournalDatabase } from '../journal/store/journal-database.ts';
import { recordOfLog, storedRecords } from '../journal/store/record-rows.ts';
import { databaseFile, openJournalFile } from '../journal/store/schema.ts';
import type { Host } from '../platform/host.ts';
import { deskFolder, deskNamesIn, type Membership, readMembership } from './membership.ts';

/** An account as a profile shows it without its key, which a program may print. */
export interface KnownAccount {
  baseUrl: string;
  /** Undefined: only its key says. */
  environment: AccountIdentity['environment'] | undefined;
  label: string | undefined;
  /** Whether the API key with that fingerprint is one of its keys, as far as known. */
  hasKey: (fingerprint: string) => boolean;
}

export interface FoundDesk {
  member: Membership;
  /** `unclear`: neither its key nor its label says. */
  relation: Exclude<Relation, 'other'>;
}

export interface FoundDesks {
  /** Rather one that the machine follows than one that it left. */
  found: readonly FoundDesk[];
  /** The first error for the file of a desk that may be the account's. */
  damage: DamagedFileError | undefined;
}

/** Also left ones. */
export function desksOf(account: KnownAccount, state: string, host: Host): FoundDesks {
  const members: Membership[] = [];
  let damage: DamagedFileError | undefined;
  for (const name of deskNamesIn(state))
    try {
      const member = readMembership(state, name, host);
      if (member !== undefined) members.push(member);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      if (mayBeOf(account, deskFolder(state, name), host)) damage ??= error;
    }
  const found = STATES.flatMap((each) => members.filter(({ state: now }) => now === each)).flatMap(
    (member) => {
      const relation = relationToDesk(member, account);
      return relation === 'other' ? [] : [{ member, relation }];
    },
  );
  return { found, damage };
}

const STATES: readonly Membership['state'][] = ['following', 'joining', 'left'];

/**
 * Undefined without one. An unclear one is taken for the desk's, so that nothing goes past it.
 * @throws DamagedFileError for the file of a desk that may be the account's.
 */
export function deskOf(account: KnownAccount, state: string, host: Host): FoundDesk | undefined {
  const { found, damage } = desksOf(account, state, host);
  const same = found.find(({ relation }) => relation === 'same');
  if (damage !== undefined && (same === undefined || same.member.state === 'left')) throw damage;
  return same ?? found[0];
}

function relationToDesk(
  { identity, keys }: Pick<Membership, 'identity' | 'keys'>,
  { environment = identity.environment, baseUrl, label, hasKey }: KnownAccount,
): Relation {
  if (baseUrl !== identity.base_url || environment !== identity.environment) return 'other';
  const isKnown = [...keys, identity.key_fingerprint].some((key) => key !== null && hasKey(key));
  return isKnown ? 'same' : relationOfLabels(identity.account, label);
}

/** By the first record of the copy. */
function mayBeOf(account: KnownAccount, folder: string, host: Host): boolean {
  const founding = unless(DamagedFileError, () => {
    const copy = openJournalFile(databaseFile(folder), host);
    try {
      return foundingIn(copy);
    } finally {
      copy?.close();
    }
  });
  return founding === undefined || relationToDesk({ ...founding, keys: [] }, account) !== 'other';
}

/** The first record of a log, where its copy has one that says which account it is for. */
export function foundingIn(copy: JournalDatabase | undefined): DeskFounding | undefined {
  const [first] = storedRecords(copy, { from: 1, to: 1 });
  const record = first && recordOfLog(first.record);
  return record?.kind === 'desk' ? record : undefined;
}

/** The account of the selected profile at its service, opened once, when it is first used; and as the journal knows it. */
import type { EarlyCloses } from '../cache/early-closes.ts';
import type { PriceCache } from '../cache/seen-prices.ts';
import type { ProfileIdentity } from '../cli/render-context.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import { type KeyPorts, readKey } from '../config/credentials.ts';
import type { BuiltInName } from '../config/profile-names.ts';
import type { ProfileSettings } from '../config/profiles.ts';
import { checkExpectation, type readExpectation, type Selection } from '../config/resolve.ts';
import type { FoundDesk } from '../desk/desk-of-account.ts';
import { ApiKey } from '../domain/api-key.ts';
import { once } from '../domain/once.ts';
import { PRACTICE_LIVE } from '../domain/vocabulary.ts';
import { DamagedFileError, nothingSent } from '../errors.ts';
import {
  type AccountIdentity,
  EVERY_KEY,
  practiceIdentity,
  serviceIdentity,
} from '../journal/account-identity.ts';
import type { KnownKeys } from '../readings/known-keys.ts';
import type { Connections, ConnectionTarget } from './connections.ts';
import type { PracticeLauncher } from './practice-launcher.ts';

export interface OpenAccount {
  api: HedgeApi;
  /** The account in the journal. */
  owner: AccountIdentity;
  whose: ProfileIdentity;
  /** Masked. */
  key: string;
  prices: PriceCache;
  earlyCloses: EarlyCloses;
}

export type SelectedAccount = ReturnType<typeof selectedAccount>;

export function selectedAccount({
  practice,
  connections: { connectCached, trusting },
  keyPorts,
  selection,
  desk,
  storedProfiles,
  expected,
}: {
  practice: Pick<PracticeLauncher, 'open'>;
  connections: Pick<Connections, 'connectCached' | 'trusting'>;
  keyPorts: KeyPorts;
  selection: () => Promise<Selection>;
  desk: () => Promise<FoundDesk | undefined>;
  storedProfiles: () => Promise<ProfileSettings>;
  expected: () => ReturnType<typeof readExpectation>;
}) {
  let identity: ProfileIdentity | undefined;

  const identified = (found: ProfileIdentity): ProfileIdentity => {
    identity = found;
    checkExpectation(found.environment, expected());
    return found;
  };

  const connected = (target: ConnectionTarget, shown: Pick<OpenAccount, 'whose' | 'key'>): OpenAccount => ({
    ...shown,
    owner: target.owner,
    ...connectCached(target, shown.whose.profile),
  });

  const openPractice = async (profile: BuiltInName, zone: string): Promise<OpenAccount> => {
    const whose = identified({ profile, environment: 'practice', zone });
    const service = await practice.open();
    const { url: baseUrl, ca, keys, bookId } = service;
    const isLive = profile === PRACTICE_LIVE;
    const owner = practiceIdentity(bookId, isLive ? 'live' : 'sandbox');
    const key = ApiKey.of(isLive ? keys.live : keys.test);
    const opened = connected({ baseUrl, key, owner, trust: { ca: [ca] } }, { whose, key: 'built in' });
    const act: HedgeApi['act'] = async (...sending) => {
      if (service.bookId !== bookId) throw practiceWasReset();
      return opened.api.act(...sending);
    };
    return { ...opened, api: { ...opened.api, act } };
  };

  const open = once(async (): Promise<OpenAccount> => {
    const selected = await selection();
    if (selected.kind === 'practice') return openPractice(selected.name, selected.profile.time_zone ?? 'UTC');
    const key = await readKey(selected, keyPorts);
    const stored = selected.kind === 'stored' ? selected.profile : undefined;
    const whose = identified({
      profile: selected.name,
      environment: key.environment,
      zone: stored?.time_zone ?? 'UTC',
    });
    // Normalized: each spelling of a base URL is the same account.
    const { href: baseUrl } = parseBaseUrl(
      selected.kind === 'stored' ? selected.profile.base_url : selected.baseUrl,
    );
    // Before the connection, which then goes by the desk's time.
    const account = selected.account ?? (await desk())?.member.identity.account ?? undefined;
    const owner = serviceIdentity(key.environment, { baseUrl, keyFingerprint: key.fingerprint, account });
    return connected({ baseUrl, key, owner, trust: trusting(stored?.ca_file) }, { whose, key: key.masked });
  });

  /** A damaged profiles file does not block a key from the environment. */
  const profilesFor = async (kind: Selection['kind']): Promise<ProfileSettings['profiles']> => {
    try {
      return (await storedProfiles()).profiles;
    } catch (error) {
      if (kind !== 'pair' || !(error instanceof DamagedFileError)) throw error;
      return new Map();
    }
  };

  /** The account in the journal of this machine, with what the stored profiles know about other API keys. */
  const known = once(async (): Promise<KnownKeys> => {
    const { owner } = await open();
    const selected = await selection();
    if (selected.kind === 'practice') return { identity: owner, unclearWith: [] };
    const { knownKeys } = await import('../readings/known-keys.ts');
    return knownKeys(owner, selected.name, await profilesFor(selected.kind));
  });

  /** In the journal that it trades with: on a desk every key is of its account. */
  const knownOnDesk = once(async (): Promise<KnownKeys> => {
    const found = await known();
    if ((await desk())?.relation !== 'same') return found;
    return { ...found, identity: { ...found.identity, keys: EVERY_KEY } };
  });

  /** `identity` is undefined before the key has been read. */
  return { open, known, knownOnDesk, identity: () => identity };
}

/** It was decided on, and recorded for, an account that another process has emptied. */
const practiceWasReset = () =>
  nothingSent({
    code: 'account_unclear',
    what: 'Practice was reset meanwhile: its accounts are new ones.',
    hint: 'Run the command again.',
  });

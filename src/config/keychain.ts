/**
 * The keychain of the platform: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows. It is
 * asked in a process of its own, which is ended when it has not answered in time; nothing is ever kept elsewhere
 * instead. Knows no profile.
 *
 * Profiles whose key is in the keychain: added and forgotten whole, never half.
 */
import { sanitize } from '../domain/sanitize.ts';
import { CredentialError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { ProfileStore, StoredProfile } from './profiles.ts';
/** Each throws CredentialError when the keychain cannot be used, or does not answer within 3 s. */
export interface Keychain {
  /** Undefined when nothing is kept under that name. */
  read(entry: string): Promise<string | undefined>;
  keep(entry: string, secret: string): Promise<void>;
  /** False: there was nothing to forget. */
  forget(entry: string): Promise<boolean>;
}

export interface KeychainParts {
  /** The program that speaks to it: Node and bin/keychain.js. */
  speaker: readonly [string, ...string[]];
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

const LIMIT_MS = 3_000;
const MAX_BYTES = 65_536;

interface Said {
  secret?: unknown;
  forgotten?: unknown;
  kept?: unknown;
  error?: unknown;
}

export function platformKeychain({ speaker, ...limits }: KeychainParts): Keychain {
  const ask = async (words: readonly string[], stdin?: string): Promise<Said> => {
    // Most keys are kept elsewhere, and what starts a program is slow to load.
    const { runCommand } = await import('../platform/run-command.ts');
    const result = await runCommand([...speaker, ...words], {
      ...limits,
      timeoutMs: LIMIT_MS,
      maxBytes: MAX_BYTES,
      stdin,
    });
    if (result.outcome === 'interrupted') throw unavailable('it was interrupted');
    if (result.outcome === 'timed_out')
      throw unavailable(
        `no answer within ${(LIMIT_MS / 1_000).toString()} s; it may be locked, and asking for its password`,
      );
    const said = result.outcome === 'ended' ? saidIn(result.stdout) : undefined;
    if (said === undefined) throw unavailable('what asks it ended without a word');
    if (said.error !== undefined)
      throw unavailable(typeof said.error === 'string' ? sanitize(said.error) : 'no reason');
    return said;
  };
  return {
    async read(entry) {
      const { secret } = await ask(['read', entry]);
      return typeof secret === 'string' ? secret : undefined;
    },
    async keep(entry, secret) {
      const { kept } = await ask(['keep', entry], secret);
      if (kept !== true) throw unavailable('it did not say that it kept the key');
    },
    async forget(entry) {
      const { forgotten } = await ask(['forget', entry]);
      return forgotten === true;
    },
  };
}

function saidIn(text: string): Said | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const unavailable = (why: string): CredentialError =>
  new CredentialError({
    code: 'credential_unusable',
    what: `The keychain of this machine cannot be used: ${why.replace(/[.\s]+$/, '')}.`,
    book: 'Nothing was changed, and no key was kept anywhere else.',
    hint: 'Unlock it, or keep the key otherwise: --store file, --key-command with a password store, or HEDGE_API_KEY.',
  });

export interface KeyVault {
  /**
   * Adds a profile, its `api_key` put into the keychain and read back from there before the profile names it.
   * @throws as the keychain and `ProfileStore.add` do, and then neither holds anything of it.
   */
  add(name: string, profile: StoredProfile & { api_key: string }): Promise<void>;
  /**
   * Puts another key of a profile into the keychain. `change` is told its entry; the one before stays there.
   * @throws as `add` does, and then the profile has the key that it had.
   */
  replace(
    name: string,
    key: string,
    change: (profile: StoredProfile, entry: string) => StoredProfile,
  ): Promise<void>;
  /** Forgets the key of a profile. False: there was none any more. */
  forget(profile: StoredProfile): Promise<boolean>;
}

const TAG_BYTES = 6;

export function keyVault(parts: {
  profiles: () => Promise<ProfileStore>;
  keychain: Keychain;
  random: Random;
}): KeyVault {
  const { profiles, keychain, random } = parts;
  /** Keeps a key under an entry of its own, which `write` puts into the profile; neither without the other. */
  async function keep<T>(name: string, key: string, write: (entry: string) => Promise<T>): Promise<T> {
    // Another folder of profiles may have one of the same name.
    const entry = `${name}-${Buffer.from(random.bytes(TAG_BYTES)).toString('hex')}`;
    await keychain.keep(entry, key);
    try {
      if ((await keychain.read(entry)) !== key) throw notGivenBack();
      return await write(entry);
    } catch (error) {
      // What went wrong first is what has to be said.
      await keychain.forget(entry).catch(() => false);
      throw error;
    }
  }
  return {
    add: (name, { api_key: key, ...profile }) =>
      keep(name, key, async (entry) => {
        await (await profiles()).add(name, { ...profile, api_key_keychain: entry });
      }),
    async replace(name, key, change) {
      const store = await profiles();
      await keep(name, key, (entry) => store.change(name, (profile) => change(profile, entry)));
    },
    forget: async ({ api_key_keychain: entry }) => (entry === undefined ? false : keychain.forget(entry)),
  };
}

const notGivenBack = (): CredentialError =>
  new CredentialError({
    code: 'credential_unusable',
    what: 'The keychain of this machine does not give back what it was to keep.',
    book: 'No profile was changed.',
    hint: 'Keep the key otherwise: --store file, or --key-command with a password store.',
  });

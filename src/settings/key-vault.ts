/** Profiles whose key is in the keychain: added and forgotten whole, never half. */
import { CredentialError } from '../errors.ts';
import type { Random } from '../platform/random.ts';
import type { Keychain } from './keychain.ts';
import type { ProfileStore, StoredProfile } from './profiles.ts';

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

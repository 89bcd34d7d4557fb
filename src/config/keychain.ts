/**
 * The platform's keychain (Secret Service, macOS Keychain, Credential Manager), called in a child process with a
 * timeout, and the profiles whose API key is stored there.
 */
import { sanitize } from '../domain/sanitize.ts';
import { CredentialError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { ProfileStore, StoredProfile } from './profiles.ts';

/** Each throws CredentialError when the keychain cannot be used or does not respond within 3 s. */
export interface Keychain {
  /** Undefined when there is no such entry. */
  read(entry: string): Promise<string | undefined>;
  keep(entry: string, secret: string): Promise<void>;
  /** False when there was no such entry. */
  forget(entry: string): Promise<boolean>;
}

export interface KeychainParts {
  /** The program that accesses it: Node and bin/keychain.js. */
  speaker: readonly [string, ...string[]];
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

const LIMIT_MS = 3_000;
const MAX_BYTES = 65_536;

interface KeychainReply {
  secret?: unknown;
  forgotten?: unknown;
  kept?: unknown;
  error?: unknown;
}

export function platformKeychain({ speaker, ...limits }: KeychainParts): Keychain {
  const ask = async (words: readonly string[], stdin?: string): Promise<KeychainReply> => {
    // Loaded only here: node:child_process is slow to load.
    const { runCommand } = await import('../platform/run-command.ts');
    const result = await runCommand([...speaker, ...words], {
      ...limits,
      timeoutMs: LIMIT_MS,
      maxBytes: MAX_BYTES,
      stdin,
    });
    if (result.outcome === 'interrupted') throw unavailable('interrupted');
    if (result.outcome === 'timed_out')
      throw unavailable(
        `no response within ${(LIMIT_MS / 1_000).toString()} s; it may be locked and ask for its password`,
      );
    const reply = result.outcome === 'ended' ? replyIn(result.stdout) : undefined;
    if (reply === undefined) throw unavailable('its helper process failed without a message');
    if (reply.error !== undefined)
      throw unavailable(typeof reply.error === 'string' ? sanitize(reply.error) : 'no reason given');
    return reply;
  };
  return {
    async read(entry) {
      const { secret } = await ask(['read', entry]);
      return typeof secret === 'string' ? secret : undefined;
    },
    async keep(entry, secret) {
      const { kept } = await ask(['keep', entry], secret);
      if (kept !== true) throw unavailable('it did not confirm that it stored the key');
    },
    async forget(entry) {
      const { forgotten } = await ask(['forget', entry]);
      return forgotten === true;
    },
  };
}

function replyIn(text: string): KeychainReply | undefined {
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
    meaning: 'Nothing was changed. No key was stored elsewhere.',
    hint: 'Unlock it, or store the key otherwise: --store file, --key-command with a password store, or HEDGE_API_KEY.',
  });

export interface KeyVault {
  /**
   * Adds a profile after storing its `api_key` in the keychain and reading it back.
   * @throws as the keychain and `ProfileStore.add` do; then neither has it.
   */
  add(name: string, profile: StoredProfile & { api_key: string }): Promise<void>;
  /**
   * Stores another key of a profile in the keychain; the previous entry stays. `change` gets the new entry.
   * @throws as `add` does; then the profile keeps its key.
   */
  replace(
    name: string,
    key: string,
    change: (profile: StoredProfile, entry: string) => StoredProfile,
  ): Promise<void>;
  /** Deletes the key of a profile. False when there was none. */
  forget(profile: StoredProfile): Promise<boolean>;
}

const TAG_BYTES = 6;

export function keyVault(parts: {
  profiles: () => Promise<ProfileStore>;
  keychain: Keychain;
  random: Random;
}): KeyVault {
  const { profiles, keychain, random } = parts;
  /** Stores a key under a new entry and has `write` put the entry into the profile: both or neither. */
  async function keep<T>(name: string, key: string, write: (entry: string) => Promise<T>): Promise<T> {
    // Random, since another HEDGE_HOME may have a profile of the same name.
    const entry = `${name}-${Buffer.from(random.bytes(TAG_BYTES)).toString('hex')}`;
    await keychain.keep(entry, key);
    try {
      if ((await keychain.read(entry)) !== key) throw notGivenBack();
      return await write(entry);
    } catch (error) {
      // Report the first error, not one of the cleanup.
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
    what: 'The keychain of this machine did not return the key it was given.',
    meaning: 'No profile was changed.',
    hint: 'Store the key otherwise: --store file, or --key-command with a password store.',
  });

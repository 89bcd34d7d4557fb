/** Reads the API key from the profile, a command, the keychain, the environment, a file or standard input. */
import { ApiKey } from '../domain/api-key.ts';
import { quoted } from '../domain/quoted.ts';
import { CredentialError } from '../errors.ts';
import { readUserFile } from '../platform/atomic-file.ts';
import type { Clock } from '../platform/clock.ts';
import type { Host } from '../platform/host.ts';
import { whyForeign } from '../platform/parent-folders.ts';
import type { Keychain } from './keychain.ts';
import type { StoredProfile } from './profile-file.ts';
import { unusableKey } from './profile-names.ts';
import type { Selection } from './resolve.ts';

const MAX_BYTES = 65_536;
const ONE_LINE = 'An API key is one line, as the partner desk shows it.';
const ROOT = 0;
const OTHERS_READ = 0o044;

export interface KeyPorts {
  clock: Clock;
  host: Pick<Host, 'uid'>;
  /** The environment of a key command, without HEDGE_API_KEY. */
  env: Readonly<Record<string, string | undefined>>;
  keychain: Keychain;
  signal?: AbortSignal | undefined;
}

/** @throws CredentialError */
export async function readKey(
  selection: Exclude<Selection, { kind: 'practice' }>,
  ports: KeyPorts,
): Promise<ApiKey> {
  if (selection.kind === 'pair') return keyFromText(selection.apiKey(), 'HEDGE_API_KEY');
  return keyOfProfile(selection.name, selection.profile, ports);
}

export async function keyOfProfile(name: string, profile: StoredProfile, ports: KeyPorts): Promise<ApiKey> {
  if (profile.api_key !== undefined) return keyFromText(profile.api_key, `The key of profile ${name}`);
  const { api_key_keychain: entry } = profile;
  if (entry !== undefined) return keyFromKeychain(name, entry, ports.keychain);
  return keyFromCommand(profile.api_key_command ?? [], ports);
}

/** The key in a text of one line. `origin` is the subject of the message: `Standard input`. */
export function keyFromText(text: string, origin: string): ApiKey {
  const line = text.trim();
  if (line === '') throw unusableKey(`${origin} contains no API key.`, ONE_LINE);
  if (/[\r\n]/.test(line)) {
    throw unusableKey(`${origin} contains more than one line.`, ONE_LINE);
  }
  try {
    return ApiKey.of(line);
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    throw unusableKey(
      `${origin} is not usable: ${error.what}`,
      error.hint ?? 'Copy the API key again.',
      error,
    );
  }
}

/**
 * The key in the operator's file: rejected when another user could read or replace it. A file of root may be readable
 * by all, as mounted secrets are, with a warning.
 */
export function keyFromFile(
  path: string,
  { host: { uid }, warn }: { host: Pick<Host, 'uid'>; warn: (text: string) => void },
): ApiKey {
  let isOpenToRead = false;
  const given = readUserFile(path, {
    maxBytes: MAX_BYTES,
    objection(stats) {
      isOpenToRead = uid !== undefined && (stats.mode & OTHERS_READ) !== 0;
      const why = whyForeign(path, stats, { uid });
      return why ?? (isOpenToRead && stats.uid !== ROOT ? 'other users can read it' : undefined);
    },
  });
  if ('why' in given) {
    throw unusableKey(
      `Cannot read the key from ${quoted(path)}: ${given.why}.`,
      'Use a file with the key alone that only you can read and write (chmod 600), or pass the key on standard input.',
    );
  }
  if (isOpenToRead) warn(`Other users of this machine can read the key file ${quoted(path)}.`);
  return keyFromText(given.bytes.toString('utf8'), 'The key file');
}

async function keyFromKeychain(name: string, entry: string, keychain: Keychain): Promise<ApiKey> {
  const text = await keychain.read(entry);
  if (text !== undefined) return keyFromText(text, `The key of profile ${name} in the keychain`);
  throw unusableKey(
    `The keychain of this machine has no API key for profile ${name}.`,
    `Enter it again: hedge profile set ${name} --store keychain`,
  );
}

/** The key that a program prints. */
export async function keyFromCommand(
  argv: readonly string[],
  ports: Omit<KeyPorts, 'keychain'>,
): Promise<ApiKey> {
  // Loaded only here: node:child_process is slow to load.
  const { printedBy } = await import('./key-command.ts');
  return keyFromText(await printedBy(argv, ports, MAX_BYTES), `The key command ${quoted(argv[0] ?? '')}`);
}

/** Reads the API key from the profile, a command, the keychain, the environment, a file or standard input. */
import { ApiKey } from '../domain/api-key.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { CredentialError, unless } from '../errors.ts';
import type { CommandPorts, FilePorts } from './key-origins.ts';
import type { Keychain } from './keychain.ts';
import type { StoredProfile } from './profile-file.ts';
import { unusableKey } from './profile-names.ts';
import type { Selection } from './resolve.ts';

const ONE_LINE = 'An API key is one line, as the partner desk shows it.';

export interface KeyPorts extends CommandPorts {
  keychain: Keychain;
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

/** The key in the file of profiles; undefined where it is kept elsewhere, or is none. */
export const storedKey = ({ api_key: text }: StoredProfile): ApiKey | undefined =>
  text === undefined ? undefined : unless(CredentialError, () => keyFromText(text, ''));

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

/** The key in the operator's file. */
export async function keyFromFile(path: string, ports: FilePorts): Promise<ApiKey> {
  const { keyFileText } = await import('./key-origins.ts');
  return keyFromText(keyFileText(path, ports), 'The key file');
}

async function keyFromKeychain(name: string, entry: string, keychain: Keychain): Promise<ApiKey> {
  const text = await keychain.read(entry);
  if (text !== undefined) return keyFromText(text, `The key of profile ${name} in the keychain`);
  throw unusableKey(
    `The keychain of this machine has no API key for profile ${name}.`,
    say`Enter it again: ${shell`hedge profile set ${name} --store keychain`}`,
  );
}

/** The key that a program prints. */
export async function keyFromCommand(argv: readonly string[], ports: CommandPorts): Promise<ApiKey> {
  // Loaded only here: node:child_process is slow to load.
  const { printedBy } = await import('./key-origins.ts');
  return keyFromText(await printedBy(argv, ports), `The key command ${quoted(argv[0] ?? '')}`);
}

/** Reads the API key from the profile, a command, the keychain, the environment, a file or standard input. */
import { resolve } from 'node:path';
import { ApiKey } from '../domain/api-key.ts';
import { quoted } from '../domain/quoted.ts';
import { CredentialError } from '../errors.ts';
import { readUserFile } from '../platform/atomic-file.ts';
import type { Clock } from '../platform/clock.ts';
import type { Host } from '../platform/host.ts';
import { openParents } from '../platform/parent-folders.ts';
import type { Keychain } from './keychain.ts';
import type { StoredProfile } from './profile-file.ts';
import { unusableKey } from './profile-names.ts';
import type { Selection } from './resolve.ts';

const MAX_BYTES = 65_536;
const COMMAND_LIMIT_MS = 30_000;
const ONE_LINE = 'An API key is one line, as the partner desk shows it.';
const ROOT = 0;
const OTHERS_READ = 0o044;
const OTHERS_WRITE = 0o022;

export interface KeyPorts {
  clock: Clock;
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
      if (uid === undefined) return undefined;
      if (stats.uid !== uid && stats.uid !== ROOT) return 'it belongs to another user';
      if ((stats.mode & OTHERS_WRITE) !== 0) return 'other users can write it';
      isOpenToRead = (stats.mode & OTHERS_READ) !== 0;
      if (isOpenToRead && stats.uid !== ROOT) return 'other users can read it';
      const parent = openParents(resolve(path), { uid }).find(({ risk }) => risk === 'refused');
      return parent && `another user could replace it: ${parent.path} ${parent.how}`;
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

/** The key that a program prints. Its standard error is not shown. */
export async function keyFromCommand(
  argv: readonly string[],
  ports: Omit<KeyPorts, 'keychain'>,
): Promise<ApiKey> {
  const [program, ...rest] = argv;
  if (program === undefined) {
    throw unusableKey('The key command is empty.', 'Set api_key_command to a program and its arguments.');
  }
  const command = `The key command ${quoted(program)}`;
  const byHand = 'Run it yourself to see why; hedge does not show its output.';
  // Loaded only here: node:child_process is slow to load.
  const { runCommand } = await import('../platform/run-command.ts');
  const result = await runCommand([program, ...rest], {
    ...ports,
    timeoutMs: COMMAND_LIMIT_MS,
    maxBytes: MAX_BYTES,
  });
  switch (result.outcome) {
    case 'not_started':
      throw unusableKey(
        `${command} could not be started${result.errno === '' ? '' : ` (${result.errno})`}.`,
        'Check that it is installed, and use its full path in api_key_command.',
      );
    case 'timed_out':
      throw unusableKey(
        `${command} printed no key within ${(COMMAND_LIMIT_MS / 1_000).toString()} s.`,
        byHand,
      );
    case 'too_long':
      throw unusableKey(`${command} printed more than a key.`, 'It must print only the key, on one line.');
    case 'interrupted':
      throw unusableKey(`${command} was interrupted.`, 'Run the same command again.');
    case 'ended':
      break;
  }
  if (result.code !== 0) {
    const how =
      result.code === null
        ? `was terminated by ${result.signal ?? 'a signal'}`
        : `exited with ${result.code.toString()}`;
    throw unusableKey(`${command} ${how}.`, byHand);
  }
  return keyFromText(result.stdout, command);
}

/**
 * The key itself, from wherever the selection says it is: the profile, a command, the environment, a file
 * or standard input. Hands on an ApiKey and nothing else; no message repeats what was read.
 */
import { resolve } from 'node:path';
import { ApiKey } from '../domain/api-key.ts';
import { quoted } from '../domain/quoted.ts';
import { CredentialError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Host } from '../platform/host.ts';
import { openParents } from '../platform/parent-folders.ts';
import { readUserFile } from '../platform/user-file.ts';
import type { Keychain } from './keychain.ts';
import type { StoredProfile } from './profile-file.ts';
import { unusable } from './profile-names.ts';
import type { Selection } from './resolve.ts';

const MAX_BYTES = 65_536;
const COMMAND_LIMIT_MS = 30_000;
const ROOT = 0;
const OTHERS_READ = 0o044;
const OTHERS_WRITE = 0o022;

export interface KeyPorts {
  clock: Clock;
  /** The environment of a key command, HEDGE_API_KEY taken out. */
  env: Readonly<Record<string, string | undefined>>;
  keychain: Keychain;
  signal?: AbortSignal | undefined;
}

/** The key of a selection; practice has its own from the practice service. Throws CredentialError. */
export async function readKey(
  selection: Exclude<Selection, { kind: 'practice' }>,
  ports: KeyPorts,
): Promise<ApiKey> {
  if (selection.kind === 'pair') return keyFromText(selection.apiKey(), 'HEDGE_API_KEY');
  return keyOfProfile(selection.name, selection.profile, ports);
}

/** The key of a stored profile, asked for wherever it is kept. */
export async function keyOfProfile(name: string, profile: StoredProfile, ports: KeyPorts): Promise<ApiKey> {
  if (profile.api_key !== undefined) return keyFromText(profile.api_key, `The key of profile ${name}`);
  const { api_key_keychain: entry } = profile;
  if (entry !== undefined) return keyFromKeychain(name, entry, ports.keychain);
  return keyFromCommand(profile.api_key_command ?? [], ports);
}

/**
 * The key in text that a file, a command or standard input gave: one line, blanks around it dropped.
 * `origin` begins the message: `Standard input`.
 */
export function keyFromText(text: string, origin: string): ApiKey {
  const line = text.trim();
  if (line === '')
    throw unusable(`${origin} holds no key.`, 'A key is one line, as the partner desk shows it.');
  if (/[\r\n]/.test(line)) {
    throw unusable(`${origin} holds more than one line.`, 'A key is one line, as the partner desk shows it.');
  }
  try {
    return ApiKey.of(line);
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    throw unusable(`${origin} is not usable: ${error.what}`, error.hint ?? 'Copy the key anew.', error);
  }
}

/**
 * The key in a file that the operator names: refused where another user could have put it there or could read it. Root
 * may hold it open to all, as mounted secrets are; `warn` is told.
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
    throw unusable(
      `Cannot read the key from ${quoted(path)}: ${given.why}.`,
      'Name a file that holds the key alone and that only you can read or change (chmod 600), or give the key on standard input.',
    );
  }
  if (isOpenToRead) warn(`Other users of this machine can read the key file ${quoted(path)}.`);
  return keyFromText(given.bytes.toString('utf8'), 'The key file');
}

async function keyFromKeychain(name: string, entry: string, keychain: Keychain): Promise<ApiKey> {
  const text = await keychain.read(entry);
  if (text !== undefined) return keyFromText(text, `The key of profile ${name} in the keychain`);
  throw unusable(
    `The keychain of this machine holds no key of profile ${name}.`,
    `Enter it again: hedge profile set ${name} --store keychain`,
  );
}

/** The key that a program prints: run without a shell, in 30 s, its standard error shown to nobody. */
export async function keyFromCommand(
  argv: readonly string[],
  ports: Omit<KeyPorts, 'keychain'>,
): Promise<ApiKey> {
  const [program, ...rest] = argv;
  if (program === undefined) {
    throw unusable('The key command is empty.', 'Name a program and its arguments in api_key_command.');
  }
  const command = `The key command ${quoted(program)}`;
  const byHand = 'Run it by hand to see why; hedge does not show what it prints.';
  // Most keys are not printed by a program, and what starts one is slow to load.
  const { runCommand } = await import('../platform/run-command.ts');
  const result = await runCommand([program, ...rest], {
    ...ports,
    timeoutMs: COMMAND_LIMIT_MS,
    maxBytes: MAX_BYTES,
  });
  switch (result.outcome) {
    case 'not_started':
      throw unusable(
        `${command} cannot be run${result.errno === '' ? '' : ` (${result.errno})`}.`,
        'Name the program by its whole path in api_key_command, and check that it is installed.',
      );
    case 'timed_out':
      throw unusable(`${command} printed no key within ${(COMMAND_LIMIT_MS / 1_000).toString()} s.`, byHand);
    case 'too_long':
      throw unusable(`${command} printed more than a key.`, 'It must print the key alone, on one line.');
    case 'interrupted':
      throw unusable(`${command} was interrupted.`, 'Run the same line again.');
    case 'ended':
      break;
  }
  if (result.code !== 0) {
    const how =
      result.code === null
        ? `was ended by ${result.signal ?? 'a signal'}`
        : `exited with ${result.code.toString()}`;
    throw unusable(`${command} ${how}.`, byHand);
  }
  return keyFromText(result.stdout, command);
}

/**
 * Runs the program that prints an API key. Neither the program nor a file among its arguments may be one that another user
 * could change, and none depends on the working folder, which may be a stranger's.
 */
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { quoted } from '../domain/quoted.ts';
import { whyForeign } from '../platform/parent-folders.ts';
import { runCommand } from '../platform/run-command.ts';
import type { KeyPorts } from './credentials.ts';
import { unusableKey } from './profile-names.ts';

const LIMIT_MS = 30_000;
/** It belongs to root, or to the system on Windows. */
const FOLDER = resolve('/');

/** What it prints. Its standard error is not shown. @throws CredentialError */
export async function printedBy(
  argv: readonly string[],
  ports: Omit<KeyPorts, 'keychain'>,
  maxBytes: number,
): Promise<string> {
  const [program, ...rest] = argv;
  if (program === undefined) {
    throw unusableKey('The key command is empty.', 'Set api_key_command to a program and its arguments.');
  }
  const command = `The key command ${quoted(program)}`;
  const byHand = `Run it yourself in the folder ${FOLDER} to see why: its paths must be full ones. hedge does not show its output.`;
  const result = await runCommand([trustedProgram(program, rest, ports), ...rest], {
    ...ports,
    folder: FOLDER,
    timeoutMs: LIMIT_MS,
    maxBytes,
  });
  switch (result.outcome) {
    case 'not_started':
      throw unusableKey(
        `${command} could not be started${result.errno === '' ? '' : ` (${result.errno})`}.`,
        'Check that it is installed, and use its full path in api_key_command.',
      );
    case 'timed_out':
      throw unusableKey(`${command} printed no key within ${(LIMIT_MS / 1_000).toString()} s.`, byHand);
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
  return result.stdout;
}

/** The path to run. @throws CredentialError when another user could change it, or a file that `words` name. */
function trustedProgram(
  program: string,
  words: readonly string[],
  { host, env }: Pick<KeyPorts, 'host' | 'env'>,
): string {
  const isPath = basename(program) !== program;
  if (isPath && !isAbsolute(program)) {
    throw unusableKey(
      `The key command ${quoted(program)} has a relative path: each working folder has another program there.`,
      'Use its full path in api_key_command.',
    );
  }
  if (host.uid === undefined) return program;
  const path = isPath ? program : inPath(program, env['PATH'] ?? '');
  for (const named of [path, ...words.flatMap(pathsIn)]) {
    const stats = fileAt(named);
    const why = stats && whyForeign(named, stats, host);
    if (why === undefined) continue;
    throw unusableKey(
      `The key command ${quoted(program)} is not run because of ${quoted(named)}: ${why}.`,
      'Use files that only you or root can write, in folders that only you or root can write (chmod go-w).',
    );
  }
  return path;
}

/** As the system looks for it, without the folders that PATH names relative to the working folder. */
function inPath(program: string, path: string): string {
  const found = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, program))
    .find((each) => fileAt(each) !== undefined && mayRun(each));
  if (found !== undefined) return found;
  throw unusableKey(
    `The key command ${quoted(program)} could not be started (ENOENT).`,
    'Check that it is installed, and use its full path in api_key_command.',
  );
}

/** The word, or the value of an option: `--file=/etc/key`. */
const pathsIn = (word: string): readonly string[] =>
  [word, word.slice(word.indexOf('=') + 1)].filter((each) => isAbsolute(each));

function fileAt(path: string): Stats | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

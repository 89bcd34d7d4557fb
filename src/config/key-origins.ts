/**
 * Reads an API key from the operator's file, or from a program that prints it. No file of either may be one that another user
 * could change, and no stored command depends on the working folder, which may be a stranger's.
 */
import { constants, type Stats, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, resolve } from 'node:path';
import { quoted } from '../domain/quoted.ts';
import { unless } from '../errors.ts';
import { readUserFile } from '../platform/atomic-file.ts';
import { refusedAccess } from '../platform/file-errors.ts';
import type { Host } from '../platform/host.ts';
import { whyForeign } from '../platform/parent-folders.ts';
import { type ProcessLimits, runCommand } from '../platform/run-command.ts';
import { unusableKey } from './profile-names.ts';

export interface FilePorts {
  host: Pick<Host, 'uid'>;
  warn: (text: string) => void;
}

/** `env`: without HEDGE_API_KEY. */
export type CommandPorts = Pick<FilePorts, 'host'> & Pick<ProcessLimits, 'clock' | 'env' | 'signal'>;

const MAX_BYTES = 65_536;
const ROOT = 0;
const OTHERS_READ = 0o044;

/**
 * The text of a file that another user could neither read nor replace. A file of root may be readable by all, as mounted
 * secrets are, with a warning. @throws CredentialError
 */
export function keyFileText(path: string, { host: { uid }, warn }: FilePorts): string {
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
  return given.bytes.toString('utf8');
}

const LIMIT_MS = 30_000;
/** It belongs to root, or to the system on Windows. */
const FOLDER = resolve('/');
/** The folders that POSIX systems search if PATH is not set. */
const PATH_WITHOUT = '/bin:/usr/bin';

/** The program's standard output; its standard error is not shown. @throws CredentialError */
export async function printedBy(
  argv: readonly string[],
  { limitMs = LIMIT_MS, ...ports }: CommandPorts & { limitMs?: number },
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
    timeoutMs: limitMs,
    maxBytes: MAX_BYTES,
  });
  switch (result.outcome) {
    case 'not_started':
      throw unusableKey(
        `${command} could not be started${result.errno === '' ? '' : ` (${result.errno})`}.`,
        'Check that it is installed, and use its full path in api_key_command.',
      );
    case 'timed_out':
      throw unusableKey(`${command} printed no key within ${(limitMs / 1_000).toString()} s.`, byHand);
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
function trustedProgram(program: string, words: readonly string[], { host, env }: CommandPorts): string {
  const isPath = basename(program) !== program;
  if (isPath && !isAbsolute(program)) {
    throw unusableKey(
      `The key command ${quoted(program)} has a relative path: each working folder has another program there.`,
      'Use its full path in api_key_command.',
    );
  }
  if (host.uid === undefined) return program;
  const path = isPath ? program : inPath(program, env['PATH'] ?? PATH_WITHOUT);
  for (const named of [path, ...words.flatMap(pathsIn)]) {
    const stats = fileAt(named);
    const why = stats && whyForeign(named, stats, host);
    if (why === undefined) continue;
    throw unusableKey(
      `The key command ${quoted(program)} was not run. ${quoted(named)} cannot be trusted: ${why}.`,
      'Use files and folders that only you or root can write (chmod go-w).',
    );
  }
  return path;
}

/** Looks a program up like the system, without the folders that PATH names relative to the working folder. */
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
  const stats = unless(Error, () => statSync(path));
  return stats?.isFile() === true ? stats : undefined;
}

const mayRun = (path: string): boolean => refusedAccess(path, constants.X_OK) === undefined;

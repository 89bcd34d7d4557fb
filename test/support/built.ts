/** The built program in a process of its own, as a shell would start it. */
import { spawn } from 'node:child_process';
import { resolve as absolute } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { checkDocuments } from './documents.ts';
import { expectNeeded } from './tools.ts';

const BINARY = process.env['HEDGE_BINARY'] ?? '';
const DIST = new URL('../../dist/', import.meta.url).href;

/** What HEDGE_BINARY names is an executable of its own, and no Node runs it. */
export const isExecutable = BINARY !== '';

/** How the program is started: an executable, or this Node and the built program. */
export const HEDGE: readonly [string, ...string[]] = isExecutable
  ? [absolute(BINARY)]
  : [process.execPath, fileURLToPath(new URL('../../bin/hedge.js', import.meta.url))];

/** For a script. */
export const IN_SHELL = HEDGE.map((word) => `'${word}'`).join(' ');

/** The program to start and its arguments, for `hedge` with these words. */
export function toStart(...words: readonly string[]): [program: string, args: string[]] {
  const [program, ...first] = HEDGE;
  return [program, [...first, ...words]];
}

export interface BuiltRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

export interface BuiltOptions {
  env?: Readonly<Record<string, string>>;
  stdin?: string;
  /** The working folder. */
  from?: string;
  /** Another user to run it as, and their group of the same number; only root may. */
  uid?: number;
}

/** An environment of the least that a program needs, so that nothing of this machine leaks into a test. */
export function bareEnvironment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...env };
}

/** Runs `hedge` with these words to its end. */
export async function runBuilt(words: readonly string[], options: BuiltOptions = {}): Promise<BuiltRun> {
  const ran = await runProgram(...toStart(...words), options);
  checkDocuments(ran.out);
  return ran;
}

/** Runs a line of bash, `hedge` on its path, under `set -euo pipefail`. */
export async function runShell(script: string, options: BuiltOptions = {}): Promise<BuiltRun> {
  const prelude = `set -euo pipefail\nhedge() { ${IN_SHELL} "$@"; }\n`;
  return runProgram('bash', ['--norc', '-c', prelude + script], options);
}

/** Arguments for node to run this module, which imports `dist/…` from the folder of the build. */
export const moduleArgs = (script: string): string[] => [
  '--input-type=module',
  '-e',
  script.replaceAll("'dist/", `'${DIST}`),
];

/** Runs any program so. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env = {}, stdin, from, uid }: BuiltOptions = {},
): Promise<BuiltRun> {
  expectNeeded(program);
  const user = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(program, args, { env: bareEnvironment(env), stdio: 'pipe', cwd: from, ...user });
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin ?? '');
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const [end, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { ...end, out, err };
}

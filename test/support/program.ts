/**
 * Small programs over the built modules, run as processes of their own: what pipes, signals and terminals
 * do to a program cannot be seen from inside a test.
 */
import { type SpawnOptions, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expectNeeded } from './tools.ts';

const DIST = new URL('../../dist/', import.meta.url);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Arguments for node to run `body`, a module that imports `dist/…` as `DIST/…`. */
export const programArgs = (body: string): string[] => [
  '--input-type=module',
  '-e',
  body.replaceAll('DIST/', DIST.href),
];

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

/** The environment a program of ours is tested in: nothing of the developer's own machine. */
export function cleanEnv(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', LANG: 'C.UTF-8', ...extra };
}

/** Runs `command` to its end, `input` on its standard input. */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: { input?: string; env?: Readonly<Record<string, string>> } & Pick<SpawnOptions, 'cwd'> = {},
): Promise<Ended> {
  expectNeeded(command);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: cleanEnv(options.env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => out.push(part));
    child.stderr.on('data', (part: Buffer) => err.push(part));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    );
  });
}

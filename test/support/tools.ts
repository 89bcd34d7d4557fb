/**
 * What a test needs of the machine besides Node, npm, sh and the core utilities. Without it the test is skipped, and
 * the last line of the run (`missing-tools.ts`) names the tool and counts the tests.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, type TestOptions } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    missingTools?: readonly string[];
  }
}

/** These may be there and yet be forbidden, or lack an option: they are tried, as the tests use them. */
const TRIALS: Readonly<Record<string, readonly string[]>> = {
  dd: ['bs=777', 'count=0', 'iflag=fullblock', 'status=none'],
  prlimit: ['--fsize=65536', 'true'],
  strace: ['-f', '-qq', '-o', '/dev/null', 'true'],
  unshare: ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k,mode=700 tmpfs /tmp && mount --bind /tmp /tmp'],
};

const folders = (process.env['PATH'] ?? '').split(delimiter);
/** By file: a worker runs many. */
const needed = new Set<string>();
const inThisFile = (tool: string): string => `${expect.getState().testPath ?? ''} ${tool}`;

/** Options of a test or of a `describe`. A tool is the name of a program, or the path of what must exist. */
export function needs(...tools: readonly string[]): TestOptions {
  for (const tool of tools) needed.add(inThisFile(tool));
  const missingTools = tools.map(missing).filter((tool) => tool !== undefined);
  return missingTools.length === 0 ? {} : { skip: true, meta: { missingTools } };
}

function missing(tool: string): string | undefined {
  const exists = tool.startsWith('/')
    ? existsSync(tool)
    : folders.some((folder) => existsSync(join(folder, tool)));
  if (!exists) return tool;
  const trial = TRIALS[tool];
  const works = trial === undefined || spawnSync(tool, trial, { stdio: 'ignore' }).status === 0;
  return works ? undefined : `${tool} (cannot work here)`;
}

/** Refuses to start a program that no test of the file says it needs: elsewhere it may be missing. */
export function expectNeeded(program: string): void {
  if (!program.includes('/') && program !== 'sh' && !needed.has(inThisFile(program)))
    throw new Error(`This test starts ${program}: it must say needs('${program}').`);
}

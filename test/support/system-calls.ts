/**
 * What the system itself saw of a program's changes of files and of its connections, told by strace: held
 * against the points that were numbered inside the program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, HEDGE } from './built.ts';
import { numbering, type Point, pointsIn, pointText } from './kill-points.ts';

const TRACED =
  'openat,write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,fchmod,chmod,ftruncate,truncate,symlink,symlinkat,connect';

/** Which points a call of the system may come from. */
const COMES_FROM: Readonly<Record<string, readonly string[]>> = {
  openat: ['open', 'writeFile', 'appendFile'],
  write: ['write', 'writeFile', 'appendFile'],
  fsync: ['fsync'],
  fdatasync: ['fdatasync'],
  rename: ['rename'],
  link: ['link'],
  unlink: ['unlink', 'rm'],
  mkdir: ['mkdir'],
  fchmod: ['fchmod'],
  chmod: ['chmod'],
  ftruncate: ['ftruncate'],
  connect: ['connect'],
};

interface Called {
  call: string;
  on: string;
}

/** Runs `hedge` under strace, numbered; gives the calls that are no point, and the points. */
export async function beyondThePoints(
  words: readonly string[],
  env: Readonly<Record<string, string>> & { HEDGE_HOME: string },
  folder: string,
): Promise<{ beyond: readonly string[]; points: readonly Point[]; calls: number }> {
  const [log, trace] = [join(folder, 'strace'), join(folder, 'points')];
  const home = env.HEDGE_HOME;
  const traced = ['-f', '-qq', '-y', '-s', '0', '-o', log, '-e', `trace=${TRACED}`];
  const child = spawn('strace', [...traced, ...HEDGE, ...words], {
    env: bareEnvironment({ ...env, ...numbering(trace, home) }),
    stdio: 'ignore',
  });
  await once(child, 'close');
  const points = pointsIn(trace);
  const calls = readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => calledIn(line, home));
  return { beyond: unmatched(calls, points), points, calls: calls.length };
}

/** A successful call that changes something below the home, or connects over the network. */
function calledIn(line: string, home: string): readonly Called[] {
  const found = /^\d+ +(\w+)\((.*)\) += (-?\d+)/.exec(line);
  const [, name = '', args = '', result = '-1'] = found ?? [];
  if (name === 'connect') return args.includes('AF_INET') ? [{ call: 'connect', on: 'the service' }] : [];
  if (found === null || result.startsWith('-')) return [];
  if (name === 'openat' && !/O_CREAT|O_TRUNC/.test(args)) return [];
  // The descriptor's path, or the first path among the arguments.
  const path = /^\d+<([^>]*)>/.exec(args)?.[1] ?? /"([^"]*)"/.exec(args)?.[1];
  if (path === undefined || !path.startsWith(`${home}/`)) {
    if (path !== home) return [];
  }
  const on = path.slice(home.length + 1).replace(/[0-9a-f]{8,}/g, '*') || '.';
  return [
    {
      call: name.replace(/^(p?write).*/, 'write').replace(/at2?$/, (end) => (name === 'openat' ? end : '')),
      on,
    },
  ];
}

/** Each call must come from the point it is at, or a later one. */
function unmatched(calls: readonly Called[], points: readonly Point[]): readonly string[] {
  const beyond: string[] = [];
  let at = 0;
  for (const { call, on } of calls) {
    const from = COMES_FROM[call] ?? [];
    const next = points.findIndex(
      (point, index) => index >= at && point.on === on && from.includes(point.call),
    );
    if (next === -1) {
      const here = points[at];
      beyond.push(`${call} ${on}, after ${here === undefined ? 'all points' : pointText(here)}`);
      continue;
    }
    at = points[next]?.call === 'writeFile' ? next : next + 1;
  }
  return beyond;
}

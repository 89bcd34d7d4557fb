/**
 * This process and the machine it runs on, as far as files and locks must know them: who owns what we
 * write, and whether the process that a lock names still lives. Knows no file of ours.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** One process, told apart from every other one, across reboots, containers and reused numbers. */
export interface ProcessIdentity {
  pid: number;
  hostname: string;
  /** Changes with every boot; null where the system does not say. */
  boot: string | null;
  /** The space that process numbers are counted in (a container has its own). */
  space: string | null;
  /** When the process started, in the system's own counting. */
  started: string | null;
}

export interface Host {
  platform: NodeJS.Platform;
  /** Owner of the files we make; undefined where there are no user ids (Windows). */
  uid: number | undefined;
  self: ProcessIdentity;
  /** `ada@desk`: the user's name, or number where it has none, and the machine's. */
  who(): string;
  /** `unknown`: another machine or container, which cannot be asked from here. */
  judge(other: ProcessIdentity): 'running' | 'gone' | 'unknown';
}

/** The ports that files and locks need, together. */
export interface Machine {
  clock: Clock;
  random: Random;
  host: Host;
}

/** The part of Node's `process` that is needed. */
export interface ProcessLike {
  readonly pid: number;
  readonly platform: NodeJS.Platform;
  geteuid?: () => number;
  kill(pid: number, signal: 0): unknown;
}

/** `proc`: where the system tells of its processes; where there is none, less can be judged. */
export function hostOf(node: ProcessLike, proc = '/proc'): Host {
  let known: ProcessIdentity | undefined;
  /** Looked up when a lock or a record first needs it. */
  const ourself = (): ProcessIdentity =>
    (known ??= {
      pid: node.pid,
      hostname: hostname(),
      boot: textOf(() => readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim()),
      space: textOf(() => readlinkSync(`${proc}/self/ns/pid`)),
      started: startOf(node.pid, proc),
    });
  return {
    platform: node.platform,
    uid: node.geteuid?.(),
    get self() {
      return ourself();
    },
    who() {
      const name = textOf(() => userInfo().username) ?? node.geteuid?.().toString() ?? 'unknown';
      return `${name}@${ourself().hostname}`;
    },
    judge(other) {
      const self = ourself();
      if (self.boot !== other.boot) {
        const rebooted = self.hostname === other.hostname && self.boot !== null && other.boot !== null;
        return rebooted ? 'gone' : 'unknown';
      }
      if (self.space !== other.space) return 'unknown';
      if (self.started !== null && other.started !== null) {
        return startOf(other.pid, proc) === other.started ? 'running' : 'gone';
      }
      // Without /proc only the number can be asked for, and only on the machine that gave it.
      if (self.hostname !== other.hostname) return 'unknown';
      return answers(node, other.pid) ? 'running' : 'gone';
    },
  };
}

/** Start of a process in clock ticks since boot; null when it is gone, dead but not yet buried, or unknown. */
function startOf(pid: number, proc: string): string | null {
  const stat = textOf(() => readFileSync(`${proc}/${pid.toString()}/stat`, 'utf8'));
  if (stat === null) return null;
  // The command's name comes second, in brackets, and may itself hold blanks and brackets.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? null : (rest[STARTTIME_AFTER_STATE] ?? null);
}

const STARTTIME_AFTER_STATE = 18;

function answers(node: ProcessLike, pid: number): boolean {
  try {
    node.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function textOf(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

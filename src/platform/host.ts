/** The user, the process and the machine, for files and locks: who owns a file, and whether a process still runs. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { unless } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** Identifies a process across reboots, containers and reused PIDs. */
export interface ProcessIdentity {
  pid: number;
  hostname: string;
  /** Changes with every boot; null where the system does not say. */
  boot: string | null;
  /** The PID namespace (a container has its own). */
  space: string | null;
  /** Start time in the system's units. */
  started: string | null;
}

export interface Host {
  platform: NodeJS.Platform;
  /** Undefined on Windows. */
  uid: number | undefined;
  self: ProcessIdentity;
  /** The first process of the login session or terminal; undefined where the system does not say, or it is this one. */
  session(): ProcessIdentity | undefined;
  /** User name, or number without one. */
  user(): string;
  /** `ada@desk`: user and host name. */
  who(): string;
  /** `unknown`: on another machine or in another container. */
  judge(other: ProcessIdentity): 'running' | 'gone' | 'unknown';
}

/** Who is recorded, apart from a name. */
export const userAt = (host: Pick<Host, 'user' | 'self'>): { user: string; host: string } => ({
  user: host.user(),
  host: host.self.hostname || 'unknown',
});

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

/** `proc`: the proc file system, if there is one. */
export function hostOf(node: ProcessLike, proc = '/proc'): Host {
  let known: ProcessIdentity | undefined;
  /** Memoized when first needed. */
  const own = (): ProcessIdentity =>
    (known ??= {
      pid: node.pid,
      hostname: hostname(),
      boot: textOf(() => readFileSync(`${proc}/sys/kernel/random/boot_id`, 'utf8').trim()),
      space: textOf(() => readlinkSync(`${proc}/self/ns/pid`)),
      started: startOf(node.pid, proc),
    });
  const user = (): string => textOf(() => userInfo().username) || node.geteuid?.().toString() || 'unknown';
  return {
    platform: node.platform,
    uid: node.geteuid?.(),
    get self() {
      return own();
    },
    session() {
      const pid = Number(statOf(node.pid, proc)?.[SESSION_AFTER_STATE] ?? '0');
      const started = startOf(pid, proc);
      return pid === 0 || pid === node.pid || started === null ? undefined : { ...own(), pid, started };
    },
    user,
    who: () => `${user()}@${own().hostname}`,
    judge(other) {
      const self = own();
      if (self.boot !== other.boot) {
        const rebooted = self.hostname === other.hostname && self.boot !== null && other.boot !== null;
        return rebooted ? 'gone' : 'unknown';
      }
      if (self.space !== other.space) return 'unknown';
      if (self.started !== null && other.started !== null) {
        return startOf(other.pid, proc) === other.started ? 'running' : 'gone';
      }
      // Without /proc only the PID can be checked, and only on the same machine.
      if (self.hostname !== other.hostname) return 'unknown';
      return answers(node, other.pid) ? 'running' : 'gone';
    },
  };
}

/** In clock ticks since boot; null when the process is gone, a zombie, or unknown. */
const startOf = (pid: number, proc: string): string | null =>
  statOf(pid, proc)?.[STARTTIME_AFTER_STATE] ?? null;

/** The fields after its state; undefined when the process is gone, a zombie, or unknown. */
function statOf(pid: number, proc: string): readonly string[] | undefined {
  const stat = textOf(() => readFileSync(`${proc}/${pid.toString()}/stat`, 'utf8'));
  if (stat === null) return undefined;
  // The command name is second, in brackets, and may itself contain spaces and brackets.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : rest;
}

const SESSION_AFTER_STATE = 2;
const STARTTIME_AFTER_STATE = 18;

function answers(node: ProcessLike, pid: number): boolean {
  try {
    node.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const textOf = (read: () => string): string | null => unless(Error, read) ?? null;

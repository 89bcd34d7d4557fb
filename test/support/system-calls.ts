/**
 * A program under strace: every system call by which it changes a file below a folder, sends bytes or prints some; killed
 * at one of them if one is given.
 *
 * Measured with strace 6.1: `inject=CALL:when=N` counts the calls of one name, of each thread apart, from the start of that
 * thread, failed ones included, and kills before the call does anything (not with `--seccomp-bpf`). All changes of files and
 * all sends are made by the main thread. The numbers of `pwrite64`, `fsync`, `rename`, `link` and `unlink` are the same in
 * every run; those of `write` and `openat` are not always, because V8 wakes its threads by a write to a pipe.
 */
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuiltRun, runProgram } from './built.ts';
import { DiskModel, filesBelow } from './disk-model.ts';
import { callsIn, LOG_OPTIONS, type SystemCall } from './strace-log.ts';

/** Each of them on a file, a socket, or the output; `?`: where the machine has it. */
const CHANGES =
  'write writev pwrite64 pwritev pwritev2 sendto sendmsg sendmmsg sendfile copy_file_range fallocate fsync fdatasync sync_file_range rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat rmdir ftruncate truncate mkdir mkdirat chmod fchmod fchmodat io_uring_enter'.split(
    ' ',
  );
const TRACED = [...CHANGES, 'openat', 'close', 'connect', 'access', 'faccessat', 'exit_group'];
const WRITES = /^(p?writev?(64|2)?|send(to|msg|mmsg|file))$/;

/** Tells a call in every run of the same command. */
export interface CallPlace {
  call: string;
  /** The file below the folder, random digits and times as `*`; `POST /hedges`; `the service`, `the output`, `the process`. */
  on: string;
  /** The how-manieth such call on that, from 1. */
  times: number;
}

export interface PlacedCall extends CallPlace {
  /** What strace counts: the how-manieth call of this name, whatever it is on. */
  nth: number;
  /** Undefined: the process was killed there. */
  result: number | undefined;
  isMainThread: boolean;
}

export const placeText = ({ call, on, times }: CallPlace): string => `${call} ${on} ${times.toString()}`;

export interface TracedRun {
  run: BuiltRun;
  /** Those that change a file below the folder, send or print something, or end the process; in order. */
  calls: readonly PlacedCall[];
  /** Where it was killed; undefined when it ended by itself. */
  killedAt: PlacedCall | undefined;
  /** Each of the calls, with the disk just before it. The disk goes on changing: look at it before the next one. */
  moments(): Generator<{ call: PlacedCall; disk: DiskModel }>;
  /** The disk at the end, as the calls left it. */
  disk: DiskModel;
  /** Files that the program left otherwise than its calls say. */
  others: readonly string[];
}

export interface TraceOptions {
  env: Readonly<Record<string, string>>;
  /** Whose files are looked at; absolute. */
  folder: string;
  /** Of the log; not below `folder`. */
  log: string;
  kill?: Pick<PlacedCall, 'call' | 'nth'> | undefined;
  /** What it writes is never synced, and it is told that it was. */
  noSync?: boolean;
  preload?: readonly string[];
}

export const preloaded = (name: string): string =>
  `--require=${fileURLToPath(new URL(`./preload/${name}.cjs`, import.meta.url))}`;

/** Runs the program; its test says that it `needs('strace')`. */
export async function runTraced(program: readonly string[], options: TraceOptions): Promise<TracedRun> {
  const { env, folder, log, kill, noSync = false, preload = [] } = options;
  const injected = [
    kill && `inject=${kill.call}:signal=SIGKILL:when=${kill.nth.toString()}`,
    noSync ? 'inject=fsync,fdatasync:retval=0' : undefined,
  ];
  const traced = `trace=${TRACED.map((each) => `?${each}`).join()}`;
  const before = filesBelow(folder);
  const words = [traced, ...injected].flatMap((each) => (each === undefined ? [] : ['-e', each]));
  const run = await runProgram('strace', [...LOG_OPTIONS, '-o', log, ...words, ...program], {
    env: { ...env, NODE_OPTIONS: ['requests', ...preload].map(preloaded).join(' ') },
  });
  const logged = callsIn(readFileSync(log, 'utf8'));
  rmSync(log);
  const disk = new DiskModel(folder, before);
  const places = placesOf(logged, disk);
  const isKilled = ({ call, nth, result }: PlacedCall): boolean =>
    call === kill?.call && nth === kill.nth && result === undefined;
  return {
    run,
    calls: places.filter(({ on }) => on !== NOISE),
    killedAt: run.signal === 'SIGKILL' ? places.find(isKilled) : undefined,
    disk,
    // SQLite writes to its shared memory without a call.
    others: disk.differences(/-shm$/),
    *moments() {
      const running = new DiskModel(folder, before);
      for (const [at, call] of places.entries()) {
        if (call.on !== NOISE) yield { call, disk: running };
        const made = logged[at];
        if (made !== undefined) running.apply(made);
      }
    },
  };
}

const NOISE = 'nothing';
/** In the name of a file. */
const NEW_EACH_TIME = /\d{4}-\d\d-\d\dT[\d-]+Z-\w{4}|[0-9a-f]{8,}/g;

/** Of every call of the log; applies each to the disk. */
function placesOf(logged: readonly SystemCall[], disk: DiskModel): readonly PlacedCall[] {
  const [main] = logged;
  const numbers = new Map<string, number>();
  const next = (key: string): number => {
    const number = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, number);
    return number;
  };
  const socketOf = new Sockets();
  return logged.map((call) => {
    const { name, thread, result } = call;
    const path = disk.changes(call) && (result ?? 0) >= 0 ? disk.pathOf(call) : undefined;
    const on = socketOf.label(call) ?? path?.replace(NEW_EACH_TIME, '*') ?? NOISE;
    disk.apply(call);
    return {
      call: name,
      on,
      times: next(`${name} ${on}`),
      nth: next(`${thread.toString()} ${name}`),
      result,
      isMainThread: thread === main?.thread,
    };
  });
}

/** What leaves the process: over which connections, and which request it is. */
class Sockets {
  readonly #open = new Set<number>();
  /** A request that was announced and has not left. */
  #request: { length: number; line: string } | undefined;

  label(call: SystemCall): string | undefined {
    const { name, fd = -1, quoted, text } = call;
    if (name === 'exit_group') return 'the process';
    if (name === 'access' || name === 'faccessat') this.#announced(quoted[0]?.toString() ?? '');
    if (name === 'close') this.#open.delete(fd);
    if (name === 'connect' && text.includes('AF_INET')) {
      this.#open.add(fd);
      return 'the service';
    }
    if (!WRITES.test(name)) return undefined;
    if (fd === 1 || fd === 2) return 'the output';
    if (!this.#open.has(fd)) return undefined;
    const request = this.#request;
    const length = quoted.reduce((sum, bytes) => sum + bytes.length, 0);
    if (request === undefined || length < request.length) return 'the service';
    this.#request = undefined;
    return request.line;
  }

  #announced(path: string): void {
    const [, length, line] = /^\/request\/(\d+)\/(.*)$/.exec(path) ?? [];
    if (line !== undefined) this.#request = { length: Number(length), line };
  }
}

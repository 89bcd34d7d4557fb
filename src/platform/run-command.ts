/** Runs a program without a shell and returns its output, with limits on time and size. Its standard error is dropped. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from './clock.ts';
import { codeOf } from './file-errors.ts';

export type ProcessResult =
  /** `code` is null when a signal ended it. */
  | { outcome: 'ended'; code: number | null; signal: string | null; stdout: string }
  /** `errno`: the system's code, `ENOENT`. */
  | { outcome: 'not_started'; errno: string }
  | { outcome: 'timed_out' }
  | { outcome: 'too_long' }
  | { outcome: 'interrupted' };

export interface ProcessLimits {
  clock: Clock;
  /** The child's whole environment. */
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  maxBytes: number;
  /** The working folder; by default this process's. */
  folder?: string | undefined;
  /** Its standard input; without it there is none. */
  stdin?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Never rejects. A timeout or the signal kills the program. */
export function runCommand(
  argv: readonly [string, ...string[]],
  limits: ProcessLimits,
): Promise<ProcessResult> {
  const { clock, timeoutMs, signal } = limits;
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve({ outcome: 'interrupted' });
      return;
    }
    const settle = (result: ProcessResult): void => {
      cancel();
      signal?.removeEventListener('abort', onSignal);
      resolve(result);
    };
    const stop = start(argv, limits, settle);
    const cancel = clock.after(timeoutMs, () => {
      stop();
      settle({ outcome: 'timed_out' });
    });
    const onSignal = (): void => {
      stop();
      settle({ outcome: 'interrupted' });
    };
    signal?.addEventListener('abort', onSignal);
  });
}

/** Starts the program and returns its kill. `settle` may be called again: the first call counts. */
function start(
  [program, ...rest]: readonly [string, ...string[]],
  { env, folder, maxBytes, stdin }: ProcessLimits,
  settle: (result: ProcessResult) => void,
): () => void {
  const child = spawned(program, rest, { env, folder, stdin });
  if (child === undefined) {
    queueMicrotask(() => settle({ outcome: 'not_started', errno: '' }));
    return () => undefined;
  }
  const stop = (): void => {
    child.kill('SIGKILL');
    // A grandchild may keep the pipe open.
    child.stdout?.destroy();
    child.unref();
  };
  const chunks: Buffer[] = [];
  let length = 0;
  child.on('error', (error) => settle({ outcome: 'not_started', errno: codeOf(error) }));
  // The exit code tells why a program ended before it read its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin);
  child.stdout?.on('data', (chunk: Buffer) => {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= maxBytes) return;
    stop();
    settle({ outcome: 'too_long' });
  });
  child.on('close', (code, signal) =>
    settle({ outcome: 'ended', code, signal, stdout: Buffer.concat(chunks).toString('utf8') }),
  );
  return stop;
}

/** Undefined when spawn rejects the arguments (a zero byte). */
function spawned(
  program: string,
  rest: readonly string[],
  { env, folder: cwd, stdin }: Pick<ProcessLimits, 'env' | 'folder' | 'stdin'>,
): ChildProcess | undefined {
  try {
    const input = stdin === undefined ? 'ignore' : 'pipe';
    const stdio = [input, 'pipe', 'ignore'] as const;
    return spawn(program, rest, { env: { ...env }, cwd, stdio: [...stdio], windowsHide: true });
  } catch {
    return undefined;
  }
}

/** Runs another program on the terminal of this one, and forwards the signals that end this one. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { quoted } from '../domain/quoted.ts';
import { InterruptedError, UsageError } from '../errors.ts';
import { codeOf, failureReason } from '../platform/file-errors.ts';

const SIGNALED = 128;

/** Its exit code, or 128 and the number of the signal that ended it. @throws UsageError if it cannot be started. */
export function runChildProgram(
  [program, ...words]: readonly [string, ...string[]],
  { env, signal, onTerminal }: { env: NodeJS.ProcessEnv; signal: AbortSignal; onTerminal: boolean },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { env, stdio: 'inherit' });
    const forward = (): void => {
      const { reason } = signal;
      // A terminal sends Ctrl-C to every program on it.
      if (reason instanceof InterruptedError && !(onTerminal && reason.signal === 'SIGINT'))
        child.kill(reason.signal);
    };
    if (signal.aborted) forward();
    else signal.addEventListener('abort', forward, { once: true });
    const done = (): void => signal.removeEventListener('abort', forward);
    child.on('error', (error) => {
      done();
      const missing = codeOf(error) === 'ENOENT';
      reject(
        new UsageError(
          `${quoted(program)} cannot be started: ${missing ? 'there is no such program' : failureReason(error)}.`,
          'Write the command after --, as in a shell: -- pytest -q',
        ),
      );
    });
    child.on('exit', (code, killedBy) => {
      done();
      resolve(code ?? SIGNALED + (killedBy === null ? 0 : constants.signals[killedBy]));
    });
  });
}

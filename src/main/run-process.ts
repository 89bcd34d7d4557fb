/**
 * The composition root: makes a world of what the process has, runs one invocation in it, and says how the
 * process ends. Tests compose the same world with a clock, streams and folders of their own.
 */
import { homedir } from 'node:os';
import { scanGlobalOptions } from '../cli/global-options.ts';
import { runInvocation } from '../cli/pipeline.ts';
import { platformKeychain } from '../config/keychain.ts';
import { systemClock } from '../platform/clock.ts';
import { hostOf } from '../platform/host.ts';
import { systemRandom } from '../platform/random.ts';
import { watchSignals } from '../terminal/signals.ts';
import { openTerminal } from '../terminal/streams.ts';
import { DESCRIPTORS } from '../terminal/sync-write.ts';
import { composeWorld } from './world.ts';
/** What the build knows of itself. */
export interface Build {
  readonly version: string;
  readonly commit: string | null;
  /** Another one for other files. */
  readonly files: string;
}

export interface HowStarted {
  /** From the single executable, or by a Node of the machine. */
  executable: boolean;
  /** The program that speaks to the keychain. */
  speaker: readonly [string, ...string[]];
}

/** Runs the process's own command line and gives the exit code, once everything has been written. */
export async function runProcess(process: NodeJS.Process, build: Build, how: HowStarted): Promise<number> {
  const argv = process.argv.slice(2);
  const glance = scanGlobalOptions(argv);
  const signals = watchSignals(process);
  const terminal = openTerminal({
    process,
    env: process.env,
    descriptors: DESCRIPTORS,
    flags: { quiet: glance.quiet, ...(glance.noColor ? { color: 'never' } : {}) },
  });
  const code = await runInvocation(
    composeWorld({
      argv,
      env: process.env,
      nodeOptions: process.execArgv,
      home: homedir(),
      version: build.version,
      runtime: {
        node: process.versions.node,
        openssl: process.versions.openssl,
        platform: `${process.platform}-${process.arch}`,
        commit: build.commit,
        executable: how.executable,
      },
      terminal,
      signals,
      machine: { clock: systemClock, random: systemRandom, host: hostOf(process) },
      keychain: platformKeychain({
        speaker: how.speaker,
        clock: systemClock,
        env: process.env,
        signal: signals.signal,
      }),
    }),
  );
  await terminal.drained();
  await signals.conclude(code);
  return code;
}

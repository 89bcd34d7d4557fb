/** Composition root: builds the runtime of one invocation from the process, runs it and returns the exit code. */
import { homedir } from 'node:os';
import { scanGlobalOptions } from '../cli/global-options.ts';
import { type OpenCommandContext, type Runtime, runInvocation } from '../cli/pipeline.ts';
import { platformKeychain } from '../config/keychain.ts';
import { readEnvironmentVariables } from '../config/resolve.ts';
import { once } from '../domain/once.ts';
import { systemClock } from '../platform/clock.ts';
import { hostOf } from '../platform/host.ts';
import { pathsOf } from '../platform/paths.ts';
import { systemRandom } from '../platform/random.ts';
import { watchSignals } from '../terminal/signals.ts';
import { openTerminal } from '../terminal/streams.ts';
import { DESCRIPTORS } from '../terminal/sync-write.ts';
import type { RuntimeContext } from './runtime-context.ts';

export interface Build {
  readonly version: string;
  readonly commit: string | null;
}

/** Runs the process's command line; returns the exit code once all output is written. */
export async function runProcess(
  process: NodeJS.Process,
  build: Build,
  installed: {
    executable: boolean;
    keychainCommand: readonly [string, ...string[]];
    agentCommand: readonly [string, ...string[]];
  },
): Promise<number> {
  const argv = process.argv.slice(2);
  const scanned = scanGlobalOptions(argv);
  const signals = watchSignals(process);
  const terminal = openTerminal({
    process,
    env: process.env,
    descriptors: DESCRIPTORS,
    flags: { quiet: scanned.quiet, ...(scanned.noColor ? { color: 'never' } : {}) },
  });
  const code = await runInvocation(
    createRuntime({
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
        executable: installed.executable,
      },
      terminal,
      signals,
      machine: { clock: systemClock, random: systemRandom, host: hostOf(process) },
      agentCommand: installed.agentCommand,
      keychain: platformKeychain({
        speaker: installed.keychainCommand,
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

/** Reads the environment once. Opens nothing until a command needs it. */
export function createRuntime(context: RuntimeContext): Runtime {
  const { argv, env, home, terminal, signals, machine } = context;
  const settings = readEnvironmentVariables(env, context.nodeOptions);
  const places = once(() => pathsOf({ env, host: machine.host, home }));
  return {
    argv,
    terminal,
    signals,
    clock: machine.clock,
    async openCommandContext(globals, { pooled }): Promise<OpenCommandContext> {
      const { openCommandContext } = await import('./open-context.ts');
      return openCommandContext({ ...context, settings, places, globals, pooled });
    },
  };
}

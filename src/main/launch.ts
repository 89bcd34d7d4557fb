/**
 * Runs the program's own files, from compiled code where an earlier start kept it, and keeps it for the next.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { bareWords, scanGlobalOptions } from '../cli/global-options.ts';
import { systemClock } from '../platform/clock.ts';
import { hostOf } from '../platform/host.ts';
import { pathsOf } from '../platform/paths.ts';
import { systemRandom } from '../platform/random.ts';
import { type CompiledCode, compiledCodeIn } from './compiled-code.ts';
import { type ProgramFiles, programFiles } from './program-files.ts';
import type { Build, HowStarted, runProcess } from './run-process.ts';
/** Where the files of the program are, and Node's way to everything else. */
export interface Installed {
  folder: string;
  require: (id: string) => unknown;
  /** The text of a file of the program, where they are in the executable itself. */
  read?: (name: string) => string;
  /** The program that speaks to the keychain, where it is not the one in bin/. */
  speaker?: readonly [string, ...string[]];
}

interface Program {
  runProcess: typeof runProcess;
}

const PROGRAM = 'run-process.cjs';
const USAGE = 2;

/** Runs the process's own command line and gives the exit code, once everything has been written. */
export async function launch(process: NodeJS.Process, build: Build, installed: Installed): Promise<number> {
  const argv = process.argv.slice(2);
  const { folder, read } = installed;
  const how: HowStarted = {
    executable: read !== undefined,
    speaker: installed.speaker ?? [process.execPath, join(folder, '..', '..', 'bin', 'keychain.js')],
  };
  if (read === undefined && scanGlobalOptions(argv).verbose) {
    // The trace of a fault then names the source: Node reads the maps of what it loads itself from now on.
    process.setSourceMapsEnabled(true);
    const program = programIn(installed.require(join(folder, PROGRAM)));
    return program.runProcess(process, build, how);
  }
  const code = compiledCode(process, argv, build.files);
  const files = programFiles({ ...installed, kept: code?.read() ?? new Map() });
  const program = programIn(files.load(PROGRAM));
  const exitCode = await program.runProcess(process, build, how);
  if (code !== undefined && exitCode !== USAGE) keep(files, code);
  return exitCode;
}

function programIn(exports: unknown): Program {
  if (isProgram(exports)) return exports;
  throw new Error(`${PROGRAM} is not of this build`);
}

const isProgram = (exports: unknown): exports is Program =>
  typeof exports === 'object' && exports !== null && 'runProcess' in exports;

/** Where the compiled code of this command is kept; undefined where it is switched off, or has no place. */
function compiledCode(
  process: NodeJS.Process,
  argv: readonly string[],
  files: string,
): CompiledCode | undefined {
  const { env, versions, arch } = process;
  const host = hostOf(process);
  if (env['HEDGE_COMPILED_CODE'] === 'off') return undefined;
  const words = [bareWords(argv)[0] ?? 'hedge', ...argv.filter((word) => OF_ITS_OWN.includes(word))];
  try {
    return compiledCodeIn(pathsOf({ env, host, home: homedir() }).cache, {
      variant: `${files}-${versions.node}-${arch}`,
      use: words.join('').replace(/[^a-z-]/gi, ''),
      machine: { clock: systemClock, random: systemRandom, host },
    });
  } catch {
    return undefined;
  }
}

/** With these a command runs other code. */
const OF_ITS_OWN: readonly string[] = ['--help', '--json'];

function keep(files: ProgramFiles, code: CompiledCode): void {
  try {
    const compiled = files.compiled();
    if (compiled !== undefined) code.write(compiled);
  } catch {
    // The next start compiles it again.
  }
}

/**
 * Entry of the built program: answers --version and the shell's completion at once, and loads the rest for everything
 * else.
 */
import type { Build, runProcess } from './main/run-process.ts';
import { type Installed, loadProgram } from './startup/load-program.ts';
import { writeAllSync } from './terminal/sync-write.ts';

/** Defined by .build/bundle.mjs; `id` differs for other files of the program. */
declare const BUILD: Build & { readonly id: string };

/** The internal commands of completion scripts; no help shows them. */
const COMPLETE = '__complete';
const COMPLETE_LINE = '__complete-line';
/** The internal command of an agent's process. */
const AGENT = '__agent';
const PROGRAM = 'run-process.cjs';
const USAGE_ERROR = 2;

/** Runs the process's own command line and gives the exit code, once everything has been written. */
export async function main(process: NodeJS.Process, installed: Installed): Promise<number> {
  const [word, ...more] = process.argv.slice(2);
  if ((word === '--version' || word === 'version') && more.length === 0 && writeAllSync(`${BUILD.version}\n`))
    return 0;
  if (word === COMPLETE || word === COMPLETE_LINE) {
    const { complete } = await import('./main/complete.ts');
    await complete(process, word === COMPLETE ? { words: more } : { line: more[0] ?? '' });
    return 0;
  }
  if (word === AGENT) {
    const { serveAgent } = await import('./main/run-agent.ts');
    return serveAgent(process, installed);
  }
  const program = loadProgram(process, installed, { file: PROGRAM, buildId: BUILD.id });
  const { exports } = program;
  if (!isProgram(exports)) throw new Error(`${PROGRAM} does not belong to this build`);
  const exitCode = await exports.runProcess(process, BUILD, {
    executable: installed.read !== undefined,
    keychainCommand: installed.keychainCommand,
    agentCommand: [
      process.execPath,
      ...(installed.read === undefined ? process.argv.slice(1, 2) : []),
      AGENT,
    ],
  });
  if (exitCode !== USAGE_ERROR) program.keepCode();
  return exitCode;
}

const isProgram = (exports: unknown): exports is { runProcess: typeof runProcess } =>
  typeof exports === 'object' && exports !== null && 'runProcess' in exports;

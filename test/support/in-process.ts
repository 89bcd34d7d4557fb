/**
 * `hedge` in this process, behind the same functions that start it: what is typed, shown and left behind is the same, and
 * it costs a tenth. For tests that need no process of their own; for `npm run test:full` they start the built program.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { scanGlobalOptions } from '../../src/cli/global-options.ts';
import type { RuntimeContext } from '../../src/main/runtime-context.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Host, hostOf } from '../../src/platform/host.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { watchSignals } from '../../src/terminal/signals.ts';
import type { TerminalFlags } from '../../src/terminal/streams.ts';
import {
  type BuiltOptions,
  type BuiltRun,
  bareEnvironment,
  isExecutable,
  runBuilt,
  toStart,
} from './built.ts';
import { checkDocuments } from './documents.ts';
import { IN_FULL } from './goal.ts';
import { emulator, openScreen, type Screen, type ScreenOptions } from './pty.ts';
import { recordingTerminal } from './recording-terminal.ts';
import { invoked, quickClock, testKeychain } from './test-cli.ts';

const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;

/** Of each home: waiting costs nothing, and its next program begins when the last has ended. */
const clocks = new Map<string, Clock>();
const clockOf = (home = ''): Clock => {
  const clock = clocks.get(home) ?? quickClock();
  clocks.set(home, clock);
  return clock;
};

/** Whether they start the built program. */
export const isStarted = IN_FULL || isExecutable;

/** Runs `hedge` with these words to its end. */
export const runHedge = isStarted ? runBuilt : runHere;

/** The built program with these words on a terminal. */
export const openBuilt = (words: readonly string[], options?: ScreenOptions): Screen =>
  openScreen(...toStart(...words), options);

/** `hedge` with these words on a terminal. */
export const openHedge = isStarted ? openBuilt : screenHere;

async function runHere(
  words: readonly string[],
  { env = {}, stdin, from }: Omit<BuiltOptions, 'uid'> = {},
): Promise<BuiltRun> {
  // What completion asks is answered before the program is loaded.
  if (words[0]?.startsWith('__complete') === true) return runBuilt(words, { env });
  const surroundings = bareEnvironment(env);
  const recording = recordingTerminal({ env: surroundings, flags: flagsIn(words) });
  recording.type(stdin ?? '');
  recording.endInput();
  const code = await invokedHere(words, surroundings, {
    terminal: recording.terminal,
    signals: { signal: new AbortController().signal, untilStopped: () => Promise.resolve() },
    from,
  });
  checkDocuments(recording.out());
  return { code, signal: null, out: recording.out(), err: recording.err() };
}

function screenHere(words: readonly string[], options: ScreenOptions = {}): Screen {
  const { columns = 80, rows = 24, from, inRealTime = false } = options;
  const shown = emulator(options);
  const source = new ProcessHere();
  const env = bareEnvironment({ TERM: 'xterm-256color' });
  for (const [name, value] of Object.entries(options.env ?? {}))
    if (value === null) delete env[name];
    else env[name] = value;
  const recording = recordingTerminal({
    isTTY: true,
    width: columns,
    rows,
    env,
    flags: flagsIn(words),
    // As a terminal ends lines.
    shows: (text) => shown.write(text.replaceAll('\n', '\r\n')),
    process: source,
  });
  shown.onAnswer(recording.type);
  const signals = watchSignals(Object.assign(source, { stderr: recording.terminal.streams.drawing }));
  const ended = invokedHere(words, env, { terminal: recording.terminal, signals, from, inRealTime }).then(
    async (code) => {
      await signals.conclude(code);
      return { code, signal: null };
    },
  );
  return {
    ...shown.asked,
    send(text) {
      text.split(CTRL_C).forEach((typed, at) => {
        if (at > 0 && source.isRaw) recording.type(CTRL_C);
        if (at > 0 && !source.isRaw) source.kill(source.pid, 'SIGINT');
        if (typed !== '') recording.type(typed);
      });
    },
    resize(width, height) {
      recording.resize(width, height);
      shown.resize(width, height);
    },
    kill: (signal) => source.kill(source.pid, signal),
    pid: source.pid,
    exit: Promise.race([source.death, ended.then(async (end) => (source.died ? source.death : end))]).then(
      async (end) => {
        // A signal that nothing waited for: what runs here does not end by it.
        leave(from);
        await shown.end();
        return end;
      },
    ),
  };
}

async function invokedHere(
  words: readonly string[],
  env: Record<string, string>,
  how: Pick<RuntimeContext, 'terminal' | 'signals'> & { from?: string | undefined; inRealTime?: boolean },
): Promise<number> {
  const { terminal, signals, from, inRealTime } = how;
  const clock = inRealTime === true ? systemClock : clockOf(env['HEDGE_HOME']);
  const { host, ends } = aProcess();
  enter(from);
  const code = await invoked({
    argv: words,
    version: VERSION,
    env,
    home: env['HOME'] ?? env['HEDGE_HOME'] ?? '',
    terminal,
    signals,
    machine: { clock, random: systemRandom, host },
    keychain: testKeychain().keychain,
  });
  await terminal.drained();
  leave(from);
  ends();
  return code;
}

const ROOT = process.cwd();
/** One at a time has a folder of its own. */
let entered: string | undefined;

function enter(folder: string | undefined): void {
  if (folder === undefined) return;
  process.chdir(folder);
  entered = folder;
}

function leave(folder: string | undefined): void {
  if (folder === undefined || folder !== entered) return;
  process.chdir(ROOT);
  entered = undefined;
}

const running = new Set<string>();
let begun = 0;

/** It ran once it has ended, as others see it. */
function aProcess(): { host: Host; ends: () => void } {
  const own = hostOf(process);
  begun += 1;
  const started = `here ${begun.toString()}`;
  running.add(started);
  return {
    host: {
      ...own,
      self: { ...own.self, started },
      judge: (other) =>
        other.started?.startsWith('here') === true
          ? running.has(other.started)
            ? 'running'
            : 'gone'
          : own.judge(other),
    },
    ends: () => void running.delete(started),
  };
}

const flagsIn = (words: readonly string[]): TerminalFlags => {
  const { quiet, noColor } = scanGlobalOptions(words);
  return { quiet, ...(noColor ? { color: 'never' } : {}) };
};

const CTRL_C = '\u0003';

/** What a signal finds: those who wait for it, or the end. */
class ProcessHere extends EventEmitter {
  readonly pid = process.pid;
  isRaw = false;
  died = false;
  #die: (by: NodeJS.Signals) => void = () => undefined;
  readonly death = new Promise<{ code: null; signal: NodeJS.Signals }>((resolve) => {
    this.#die = (signal) => resolve({ code: null, signal });
  });

  setRawMode = (mode: boolean): void => {
    this.isRaw = mode;
  };

  kill = (_pid: number, signal: NodeJS.Signals): void => {
    if (this.emit(signal)) return;
    this.died = true;
    this.#die(signal);
  };
}

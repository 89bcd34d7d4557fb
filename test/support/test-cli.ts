/** The whole program in this process: a home of its own, a terminal made of buffers, a clock that steps. */
import { runInvocation } from '../../src/cli/pipeline.ts';
import type { Keychain } from '../../src/config/keychain.ts';
import { createRuntime } from '../../src/main/run-process.ts';
import type { RuntimeContext } from '../../src/main/runtime-context.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Host, hostOf } from '../../src/platform/host.ts';
import { type Random, systemRandom } from '../../src/platform/random.ts';
import { checkDocuments } from './documents.ts';
import { temporaryFolder } from './own-folder.ts';
import { type Recording, type RecordingOptions, recordingTerminal } from './recording-terminal.ts';
export interface Ran {
  code: number;
  out: string;
  err: string;
  /** Standard output as the one document it must be. */
  document(): unknown;
}

/** A function is called once it is asked. */
type Answer = string | (() => Promise<string>);

export interface RunOptions {
  env?: Readonly<Record<string, string>>;
  terminal?: RecordingOptions;
  stdin?: string;
  /** Typed once each question that asks for a yes stands on the terminal: one each, the last for all that follow. */
  answer?: Answer | readonly Answer[];
  /** What Ctrl-C, TERM or HUP would abort. */
  signal?: AbortSignal;
  /** Ctrl-C once this holds of what the command has shown on either stream. */
  stopWhen?: (shown: string) => boolean;
}

/** Standard output is a terminal without colour: times are in the zone and the words of a person. */
export const ON_A_TERMINAL: RunOptions = {
  terminal: { isTTY: { stdout: true }, env: { NO_COLOR: '1' } },
};

export interface TestCli {
  home: string;
  /** Runs `hedge` with these words: a line split at blanks, or the words themselves. */
  run(words: string | readonly string[], options?: RunOptions): Promise<Ran>;
}

/** Real time that only sleeps move: certificates stay valid, waiting costs nothing. `now`: another time than the real one. */
export function quickClock(now: () => number = Date.now): Clock {
  let ahead = 0;
  return {
    now: () => Math.floor(now() + ahead),
    monotonic: () => performance.now() + ahead,
    async sleep(ms) {
      ahead += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
    after: systemClock.after,
  };
}

/** A keychain of a test's own, and what it holds. */
export function testKeychain(): { keychain: Keychain; held: Map<string, string> } {
  const held = new Map<string, string>();
  return {
    held,
    keychain: {
      read: async (entry) => held.get(entry),
      async keep(entry, secret) {
        held.set(entry, secret);
      },
      forget: async (entry) => held.delete(entry),
    },
  };
}

/** The exit code of one invocation, before this process's Node. */
export const invoked = (context: Omit<RuntimeContext, 'runtime'>): Promise<number> =>
  runInvocation(
    createRuntime({
      ...context,
      runtime: {
        node: process.versions.node,
        openssl: '',
        platform: 'linux-x64',
        commit: null,
        executable: false,
      },
    }),
  );

export function testCli({
  env = {},
  clock = quickClock(),
  random = systemRandom,
  keychain = testKeychain().keychain,
  home = temporaryFolder(),
  host = hostOf(process),
}: {
  env?: Readonly<Record<string, string>>;
  clock?: Clock;
  random?: Random;
  keychain?: Keychain;
  home?: string;
  host?: Host;
} = {}): TestCli {
  return {
    home,
    async run(words, options = {}) {
      const argv = typeof words === 'string' ? words.split(' ').filter((word) => word !== '') : [...words];
      const surroundings = { HEDGE_HOME: home, ...env, ...options.env };
      const quiet = argv.includes('-q') || argv.includes('--quiet');
      const recording = recordingTerminal({
        flags: { quiet },
        ...options.terminal,
        env: { ...surroundings, ...options.terminal?.env },
      });
      if (options.stdin !== undefined) recording.type(options.stdin);
      if (options.terminal?.isTTY === undefined) recording.endInput();
      const stopped = new AbortController();
      const running = invoked({
        argv,
        env: { ...surroundings },
        home,
        version: '0.0.0',
        terminal: recording.terminal,
        signals: {
          signal: AbortSignal.any([
            stopped.signal,
            ...(options.signal === undefined ? [] : [options.signal]),
          ]),
          untilStopped: () => Promise.resolve(),
        },
        machine: { clock, random, host },
        keychain,
      });
      const { stopWhen } = options;
      if (stopWhen !== undefined) {
        const ended = running.then(() => true);
        while (!(await Promise.race([ended, nextTurn()])))
          if (stopWhen(recording.out() + recording.err())) stopped.abort();
      }
      const code = await answering(running, recording, options.answer);
      await recording.terminal.drained();
      checkDocuments(recording.out());
      return {
        code,
        out: recording.out(),
        err: recording.err(),
        document: (): unknown => JSON.parse(recording.out()),
      };
    },
  };
}

const nextTurn = (): Promise<false> => new Promise((resolve) => setImmediate(resolve, false));

/** The line may break inside of it. */
const QUESTION = /y\/N\)|Type "/;
/** A terminal is asked to mark what is pasted. */
const BEGINS_TO_ASK = '\u001b[?2004h';

async function answering(
  running: Promise<number>,
  { err, type }: Recording,
  answer: RunOptions['answer'],
): Promise<number> {
  if (answer === undefined) return running;
  const answers = typeof answer === 'object' ? answer : [answer];
  const ended = new AbortController();
  const end = running.finally(() => ended.abort());
  for (let answered = 0; !ended.signal.aborted; ) {
    await nextTurn();
    const questions = err().split(BEGINS_TO_ASK);
    if (questions.length - 1 <= answered || !QUESTION.test(questions.at(-1) ?? '')) continue;
    const next = answers[Math.min(answered, answers.length - 1)] ?? '';
    type(typeof next === 'string' ? next : await next());
    answered = questions.length - 1;
  }
  return end;
}

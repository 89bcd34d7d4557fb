/**
 * The built program killed at a numbered point of its life: each change of a file, connect, send, answer and
 * word is one. The numbering is done inside the program by a preload, whose docstring says what it cannot see.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { type BuiltRun, runBuilt } from './built.ts';
import { temporaryFolder } from './own-folder.ts';

const pointSchema = z.object({
  /** From 1. */
  number: z.number(),
  /** `write`, `fsync`, `rename`, `link`, …: of a file. `connect`, `send`, `answer`, `say`, `exit`. */
  call: z.string(),
  /** The file below the home, runs of hexadecimal digits as `*`; or the request's line. */
  on: z.string(),
  /** The how-manieth such call on that, from 1: the same in every run, as the number need not be. */
  times: z.number(),
  /** Of what is written: whether there is a half of it. */
  halves: z.optional(z.boolean()),
});
export type Point = z.infer<typeof pointSchema>;

/** `part`: half of the bytes are out. `after`: all of them, and no answer yet. */
export type How = 'before' | 'part' | 'after';

/** Tells a point in every run of the same command. */
export type Place = Pick<Point, 'call' | 'on' | 'times'>;

export const isAt = (point: Point, { call, on, times }: Place): boolean =>
  point.call === call && point.on === on && point.times === times;

export const placeOf = ({ call, on, times }: Point): Place => ({ call, on, times });

export interface Kill {
  at: Place;
  how: How;
  /** `power`: what was not synced is lost too. */
  loses: 'nothing' | 'power';
}

/** Faults that are put into the program, to see that they are found. */
export type Fault = 'late-journal' | 'no-sync';

export interface Numbered {
  run: BuiltRun;
  points: readonly Point[];
}

const preload = (name: string): string =>
  `--require=${fileURLToPath(new URL(`./preload/${name}.cjs`, import.meta.url))}`;

/** Sent at a point, just before its call, which then goes on. */
export interface Interruption {
  at: Place;
  signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP';
  /** To the whole process group, as a terminal does with Ctrl-C. */
  group: boolean;
}

/** At the point with this number, whatever it is in that run. */
export interface KillAtNumber {
  number: number;
  how: 'before' | 'part';
}

/** What a program must find in its environment for its points to be numbered into the file `trace`. */
export const numbering = (
  trace: string,
  home: string,
  plan: { kill?: Kill | Interruption | KillAtNumber | undefined; fault?: Fault | undefined } = {},
): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: ['kill-points', plan.fault ?? []].flat().map(preload).join(' '),
  KILL_POINTS: JSON.stringify({ trace, home, ...plan.kill }),
});

export const pointsIn = (trace: string): readonly Point[] =>
  readFileSync(trace, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => pointSchema.parse(JSON.parse(line)));

/** Runs `hedge` with its points numbered, and kills it at one of them if one is given. */
export async function runNumbered(
  words: readonly string[],
  options: {
    env: Readonly<Record<string, string>> & { HEDGE_HOME: string };
    kill?: Kill | Interruption | undefined;
    fault?: Fault | undefined;
    /** Where the trace goes; a folder of the test's own when left out. */
    folder?: string;
  },
): Promise<Numbered> {
  const { env, kill, fault } = options;
  const trace = join(options.folder ?? temporaryFolder(), `trace-${Math.random().toString(16).slice(2)}`);
  const run = await runBuilt(words, {
    // Compiled code may be lost at any point.
    env: { HEDGE_COMPILED_CODE: 'off', ...env, ...numbering(trace, env.HEDGE_HOME, { kill, fault }) },
  });
  return { run, points: pointsIn(trace) };
}

/** Every way to die from the first point that is about `from` to the end. */
export function killsOf(points: readonly Point[], from = 'journal'): readonly Kill[] {
  const first = points.findIndex(({ on }) => on.includes(from));
  if (first < 0) throw new Error(`nothing was done to ${from}`);
  return points.slice(first).flatMap((point) => {
    const hows: How[] = ['before'];
    if (point.halves === true) hows.push('part');
    if (point.call === 'send') hows.push('after');
    return hows.flatMap((how) =>
      (['nothing', 'power'] as const).map((loses) => ({ at: placeOf(point), how, loses })),
    );
  });
}

/** `send POST /hedges 1`, for a test's name or a failure. */
export const pointText = ({ call, on, times }: Place): string => `${call} ${on} ${times.toString()}`;

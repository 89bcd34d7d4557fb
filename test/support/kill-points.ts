/**
 * The built program sent a signal at a numbered point of its life: each change of a file, transaction, connect, send, answer
 * and word is one. The numbering is done inside the program by a preload, whose docstring says what it cannot see.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type BuiltRun, runBuilt } from './built.ts';
import { temporaryFolder } from './own-folder.ts';
import { preloaded } from './system-calls.ts';

const pointSchema = z.object({
  /** From 1. */
  number: z.number(),
  /** `write`, `fsync`, `rename`, `link`, …: of a file. `begin`, `commit`. `connect`, `send`, `answer`, `say`, `exit`. */
  call: z.string(),
  /** The file below the home, runs of hexadecimal digits as `*`; or the request's line. */
  on: z.string(),
  /** The how-manieth such call on that, from 1: the same in every run, as the number need not be. */
  times: z.number(),
  /** Of what is written: whether there is a half of it. */
  halves: z.optional(z.boolean()),
});
export type Point = z.infer<typeof pointSchema>;

/** Tells a point in every run of the same command. */
export type Place = Pick<Point, 'call' | 'on' | 'times'>;

export const isAt = (point: Point, { call, on, times }: Place): boolean =>
  point.call === call && point.on === on && point.times === times;

export const placeOf = ({ call, on, times }: Point): Place => ({ call, on, times });

/** SIGKILL; `part`: half of the bytes are out. */
export interface KillAtPoint {
  at: Place;
  how: 'before' | 'part';
}

/** At the point with this number, whatever it is in that run. */
export interface KillAtNumber {
  number: number;
  how: 'before' | 'part';
}

/** Sent at a point, just before its call, which then goes on. */
export interface Interruption {
  at: Place;
  signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP';
  /** To the whole process group, as a terminal does with Ctrl-C. */
  group: boolean;
}

export interface Numbered {
  run: BuiltRun;
  points: readonly Point[];
}

/** What a program must find in its environment for its points to be numbered into the file `trace`. */
export const numbering = (
  trace: string,
  home: string,
  { kill }: { kill?: KillAtPoint | Interruption | KillAtNumber | undefined } = {},
): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: preloaded('kill-points'),
  KILL_POINTS: JSON.stringify({ trace, home, ...kill }),
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
    kill?: KillAtPoint | undefined;
    /** Where the trace goes; a folder of the test's own when left out. */
    folder?: string;
  },
): Promise<Numbered> {
  const { env, kill } = options;
  const trace = join(options.folder ?? temporaryFolder(), `trace-${Math.random().toString(16).slice(2)}`);
  const run = await runBuilt(words, {
    // Compiled code may be lost at any point.
    env: { HEDGE_COMPILED_CODE: 'off', ...env, ...numbering(trace, env.HEDGE_HOME, { kill }) },
  });
  return { run, points: pointsIn(trace) };
}

/** `send POST /hedges 1`, for a test's name or a failure. */
export const pointText = ({ call, on, times }: Place): string => `${call} ${on} ${times.toString()}`;

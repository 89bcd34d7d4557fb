/**
 * Many of the built program at once, each in a process of its own, and what must hold of them and of what reached the
 * service: in words what must never be and was.
 */
import { fileURLToPath } from 'node:url';
import { type BuiltRun, runBuilt } from '../built.ts';
import type { Arrival } from './unwell-service.ts';

const PRELOAD = fileURLToPath(new URL('../preload/crowd.cjs', import.meta.url));

export interface CrowdRun extends BuiltRun {
  /** From before its start to after its end, in milliseconds. */
  ms: number;
}

export interface Crowd {
  size: number;
  words: (n: number) => string;
  env: (n: number) => Readonly<Record<string, string>>;
  /** `none`: without jitter. */
  seed?: number | 'none';
  /** How many times faster its waits pass. */
  times?: number;
}

/** Of all crowds of one run of a test: a word to slow down may outlast the crowd that was told. */
const EPOCH = Date.now();

/** All of them begun together. */
export function crowd({ size, words, env, seed = 1, times = 1 }: Crowd): Promise<readonly CrowdRun[]> {
  return Promise.all(
    Array.from({ length: size }, async (_, n) => {
      const own = {
        NODE_OPTIONS: `--require ${PRELOAD}`,
        CROWD_SEED: seed === 'none' ? seed : (seed * 10_000 + n).toString(),
        CROWD_TIMES: times.toString(),
        CROWD_EPOCH: EPOCH.toString(),
      };
      const startedAt = performance.now();
      const ran = await runBuilt(words(n).split(' '), { env: { ...env(n), ...own } });
      return { ...ran, ms: performance.now() - startedAt };
    }),
  );
}

/** `withinMs`: for a whole process. `mostEach`: requests of one, told apart by `who`. */
export function againstRuns(
  runs: readonly CrowdRun[],
  { codes, withinMs }: { codes: readonly number[]; withinMs: number },
): readonly string[] {
  return runs.flatMap(({ code, ms, out, err }, n) => {
    const wrong: string[] = [];
    if (code === null || !codes.includes(code))
      wrong.push(`process ${n.toString()} ended with ${String(code)}: ${out}\n${err}`);
    if (ms > withinMs)
      wrong.push(`process ${n.toString()} took ${ms.toFixed(0)} ms of ${withinMs.toFixed(0)}`);
    return wrong;
  });
}

/** At most so many requests of each that says who it is, and of an action one key. */
export function againstArrivals(
  arrivals: readonly Arrival[],
  { line, mostEach }: { line: string; mostEach: number },
): readonly string[] {
  return [...byWho(arrivals, line)].flatMap(([who, own]) => {
    const keys = new Set(own.map(({ idempotencyKey }) => idempotencyKey));
    const wrong: string[] = [];
    if (own.length > mostEach) wrong.push(`${who} sent ${line} ${own.length.toString()} times`);
    if (keys.size > 1) wrong.push(`${who} sent ${line} under ${keys.size.toString()} keys`);
    return wrong;
  });
}

function byWho(arrivals: readonly Arrival[], line: string): ReadonlyMap<string, readonly Arrival[]> {
  const found = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const { who } = arrival;
    if (arrival.line !== line || who === undefined) continue;
    found.set(who, [...(found.get(who) ?? []), arrival]);
  }
  return found;
}

const BIN_MS = 250;

/** Of delays that are drawn evenly from `windowMs`, over bins of 250 ms; the shortest is the machine's way, and taken off. */
export function chiSquared(delays: readonly number[], windowMs: number): number {
  const shortest = Math.min(...delays);
  const bins = Array.from({ length: windowMs / BIN_MS }, () => 0);
  for (const delay of delays) {
    const bin = Math.min(bins.length - 1, Math.floor((delay - shortest) / BIN_MS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const expected = delays.length / bins.length;
  return bins.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0);
}

/**
 * Of a chi-squared with 11 degrees of freedom (two, four and eight bins), one value in a million is above 49. As much
 * again is left for a loaded machine, which shifts arrivals by tens of milliseconds from one bin to the next. All in
 * step, twelve come to 132 and a hundred to 1,100.
 */
const MOST_CHI_SQUARED = 98;

/**
 * Whether retries come in step. Had all been told at the same instant, their next requests would come as long after
 * it as each comes after its own last answer: drawn evenly from `windowsMs`, which are the retry policy's own for the
 * first, second and third time.
 */
export function againstSteps(
  arrivals: readonly Arrival[],
  { line, windowsMs }: { line: string; windowsMs: readonly number[] },
): readonly string[] {
  const each = [...byWho(arrivals, line).values()];
  const found = windowsMs.map((windowMs, nth) => {
    const delays = each.flatMap((own) => {
      const [from, to] = [own[nth]?.answeredAt, own[nth + 1]?.at];
      return from === undefined || to === undefined ? [] : [to - from];
    });
    return chiSquared(delays, windowMs);
  });
  const sum = found.reduce((one, other) => one + other, 0);
  return sum <= MOST_CHI_SQUARED ? [] : [`retries come in step: chi-squared is ${sum.toFixed(0)}`];
}

/** What the first was told, from when on and until when, by when the service said so. */
export interface Told {
  from: number;
  until: number;
}

/** Nobody comes while it stands. */
export function againstWord(arrivals: readonly Arrival[], { from, until }: Told): readonly string[] {
  const early = arrivals.filter(({ at }) => at > from && at < until);
  return early.length === 0 ? [] : [`${early.length.toString()} came while all were to slow down`];
}

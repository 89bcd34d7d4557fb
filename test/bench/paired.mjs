/**
 * Whole processes timed against a bare `node -e 0` of the same round: every round runs every subject once, in
 * an order of its own, so that whatever else the machine does falls on all of them alike.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PEAK = fileURLToPath(new URL('peak-memory.cjs', import.meta.url));

/** The environment of every subject: nothing of this shell but the path. NODE_EXTRA_CA_CERTS costs Node 20 three starts. */
export const bareEnvironment = (env = {}) => ({ PATH: process.env.PATH, LANG: 'C.UTF-8', ...env });

/**
 * Runs every subject `rounds` times and gives, a subject, the median of its ratios to the bare start of the same
 * round and its fastest run. A subject that fails stops the bench: a fast error is no figure.
 */
export function pairedRuns(bare, subjects, rounds) {
  const times = new Map([bare, ...subjects].map((subject) => [subject.name, []]));
  for (const subject of [bare, ...subjects]) runOnce(subject);
  for (let round = 0; round < rounds; round++) {
    for (const subject of shuffled([bare, ...subjects])) times.get(subject.name).push(runOnce(subject));
  }
  const base = times.get(bare.name);
  return [bare, ...subjects].map(({ name }) => {
    const own = times.get(name);
    return { name, ratio: median(own.map((ms, round) => ms / base[round])), fastestMs: Math.min(...own) };
  });
}

/** Milliseconds from the start of a process to its end. */
function runOnce({ name, command, args, env, input, codes = [0] }) {
  const began = performance.now();
  const ended = spawnSync(command, args, { env: bareEnvironment(env), input: input ?? '', timeout: 60_000 });
  const took = performance.now() - began;
  if (!codes.includes(ended.status)) {
    throw new Error(
      `${name} ended with ${ended.status ?? ended.signal ?? ended.error}: ${String(ended.stderr)}${String(ended.stdout)}`,
    );
  }
  return took;
}

/** Peak resident memory of a Node process in MiB: the middle of five runs. */
export function peakMemory({ command, args, env }) {
  const runs = Array.from({ length: 5 }, () => {
    const ended = spawnSync(command, ['--require', PEAK, ...args], { env: bareEnvironment(env) });
    return Number(/peak (\d+) kB/.exec(ended.stderr.toString())?.[1]) / 1024;
  });
  return median(runs);
}

export function median(figures) {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function shuffled(list) {
  const left = [...list];
  return list.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
}

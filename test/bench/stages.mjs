/**
 * The time of one command by stage, so that the next gain is found by looking: the runtime's own start, loading the program,
 * its modules and arguments, profile and key, the connection, the service's answer, the result, and its output and end.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareEnvironment, median } from './paired.mjs';

const MARKS = fileURLToPath(new URL('stage-marks.cjs', import.meta.url));
/** Each ends where the next begins. */
export const STAGES = ['runtime', 'load', 'arguments', 'profile', 'connection', 'answer', 'result', 'output'];

/** Median milliseconds of each stage over so many runs, and of the whole process. */
export function stagesOf({ command, args, env }, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-stages-'));
  const file = join(folder, 'marks.json');
  const runs = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      const own = bareEnvironment({ ...env, HEDGE_BENCH_STAGES: file });
      const ended = spawnSync(command, ['--require', MARKS, ...args], { env: own, timeout: 60_000 });
      const tookMs = performance.now() - began;
      if (ended.status !== 0) throw new Error(`${args.join(' ')} ended so: ${String(ended.stderr)}`);
      runs.push(stagesIn(JSON.parse(readFileSync(file, 'utf8')), tookMs));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return Object.fromEntries([...STAGES, 'whole'].map((name) => [name, median(runs.map((run) => run[name]))]));
}

/** A stage that is not there, as the profile where variables name the service, takes no time. */
function stagesIn(marks, tookMs) {
  const begins = (at) =>
    at === 0 ? 0 : (marks[STAGES[at]] ?? (at + 1 < STAGES.length ? begins(at + 1) : marks.end));
  const stages = { whole: tookMs };
  STAGES.forEach((name, at) => {
    const next = at + 1 < STAGES.length ? begins(at + 1) : marks.end;
    stages[name] = next - begins(at);
  });
  // What the process takes before its own clock begins, and after it was read last.
  stages.runtime += tookMs - marks.end;
  return stages;
}

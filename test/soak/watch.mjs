/**
 * A watch left running: ten thousand readings of the practice service, at a terminal and in a pipe, their hours
 * pressed into minutes. Fails when the process is 10 MB larger in the second half, or its heap 5 MB, or it needs half
 * as much processor time again for a reading; how long that takes on a busy machine does not count. Usage, after a build:
 *
 *   node test/soak/watch.mjs [--polls 10000] [--times 500]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { bareEnvironment } from '../bench/paired.mjs';
import { servePractice } from '../bench/practice.mjs';

const { values: asked } = parseArgs({
  options: { polls: { type: 'string', default: '10000' }, times: { type: 'string', default: '500' } },
});
const POLLS = Number(asked.polls);
const HEDGE = fileURLToPath(new URL('../../bin/hedge.js', import.meta.url));
const QUICK = fileURLToPath(new URL('quick-time.cjs', import.meta.url));
/** `rss`: all of the process. */
const MOST_GROWTH_MB = { rss: 10, heapUsed: 5 };
const SLOWEST = 1.5;
/** Milliseconds: a reading that takes longer waits in real time, which is at least a second. */
const LONGEST_READING = 900;
const MB = 1_048_576;

/** `requests`: of one reading. A shell between makes standard output a pipe that is read. */
const SUBJECTS = [
  { name: 'hedge watch, at a terminal', words: 'watch --every 1.5', requests: 4, piped: false },
  {
    name: 'hedge price --watch 1, at a terminal',
    words: 'price USDTNGN --watch 1',
    requests: 1,
    piped: false,
  },
  {
    name: 'hedge positions --watch 1, in a pipe',
    words: 'positions --watch 1',
    requests: 1,
    piped: true,
  },
  { name: 'hedge watch --json, in a pipe', words: 'watch --every 1.5 --json', requests: 4, piped: true },
];

const home = mkdtempSync(join(tmpdir(), 'hedge-soak-'));
const service = await servePractice([process.execPath, HEDGE], home);
let failed = false;
try {
  for (const subject of SUBJECTS) failed = !(await soaked(subject)) || failed;
} finally {
  await service.stop();
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

async function soaked({ name, words, requests, piped }) {
  const out = join(home, `${words.replaceAll(/\W+/g, '-')}.jsonl`);
  const env = bareEnvironment({
    ...service.env,
    HEDGE_HOME: join(home, 'client'),
    TERM: 'xterm-256color',
    SOAK_OUT: out,
    SOAK_TIMES: asked.times,
    SOAK_REQUESTS_EACH: String((requests * POLLS) / 10),
  });
  const program = [process.execPath, '--expose-gc', '--require', QUICK, HEDGE, ...words.split(' ')];
  const line = program.map((word) => `'${word}'`).join(' ');
  const child = piped
    ? spawn('sh', ['-c', `${line} | cat > /dev/null`], { env, cols: 100, rows: 30 })
    : spawn(program[0], program.slice(1), { env, cols: 100, rows: 30 });
  let said = '';
  child.onData((text) => {
    said = (said + text).slice(-2_000);
  });
  const ended = new Promise((resolve) => child.onExit(resolve));
  const full = (async () => {
    for (const startedAt = Date.now(); ; ) {
      const lines = linesOf(out);
      if (lines.length >= 10) return lines;
      if (Date.now() - startedAt > ((lines.length + 1) * POLLS * LONGEST_READING) / 10) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  const samples = await Promise.race([full, ended.then(() => undefined)]);
  // As an operator ends it; a shell between passes a signal of its own on to nobody.
  child.write('\u0003');
  await ended;
  if (samples === undefined) {
    process.stderr.write(`${name} ended by itself, or its time did not go any faster:\n${said}\n`);
    return false;
  }
  return judged(name, samples);
}

function judged(name, samples) {
  const paces = samples.slice(1).map(({ cpuMs }, index) => cpuMs - samples[index].cpuMs);
  const [before, after] = halvesOf(paces).map((half) => Math.min(...half));
  const slowed = after / before;
  const grown = Object.entries(MOST_GROWTH_MB).map(([part, most]) => {
    const sizes = samples.map((sample) => sample[part] / MB);
    const [first, second] = halvesOf(sizes).map(middle);
    const line = sizes.map((mb) => mb.toFixed(0)).join(' ');
    return { isGood: second - first < most, words: `${part} in MB ${line} (${(second - first).toFixed(1)})` };
  });
  const good = grown.every(({ isGood }) => isGood) && slowed < SLOWEST;
  process.stdout.write(
    `${[
      `${good ? 'good' : 'BAD '}  ${name}: ${POLLS} readings`,
      ...grown.map(({ words }) => words),
      `processor seconds for each tenth ${paces.map((ms) => (ms / 1_000).toFixed(1)).join(' ')}`,
    ].join(', ')}\n`,
  );
  return good;
}

function halvesOf(values) {
  const half = Math.ceil(values.length / 2);
  return [values.slice(0, half), values.slice(half)];
}

/** Single samples are too large by what the collector has yet to give back, or too small by what the system took for others. */
function middle(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

function linesOf(path) {
  try {
    return readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each));
  } catch {
    return [];
  }
}

/**
 * The goals of trust at their full length, as a table: what was tried, how often, and what was found against it.
 * Ends with 1 on a violation, when a goal of goals.json was not tried, or when a test that tells of no violation
 * failed. Usage, after a build:
 *
 *   node test/soak/run.mjs [TEST-FILE...]      these alone; else all, and the watches left running
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ALL = [
  'test/trust',
  ...[
    'kill-sweep',
    'halt-kills',
    'random-moments',
    'interrupted',
    'many-at-once',
    'completion',
    'deals',
    'roll-kills',
  ].map((name) => `test/acceptance/${name}.`),
  ...['disk', 'killed', 'power-cut'].map((name) => `test/journal/${name}.program.`),
  'test/practice/load.',
  'test/practice/kills.',
];
const GOALS = JSON.parse(readFileSync(new URL('goals.json', import.meta.url), 'utf8'));
const WATCH = fileURLToPath(new URL('watch.mjs', import.meta.url));
const asked = process.argv.slice(2);
const started = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'hedge-soak-'));
const report = join(folder, 'report.jsonl');

const run = (program, args) =>
  new Promise((resolve) => {
    const env = { ...process.env, HEDGE_SOAK: 'all', HEDGE_SOAK_REPORT: report };
    spawn(program, args, { stdio: 'inherit', env }).on('close', resolve);
  });

const VITEST = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'full*'];
const tests = (...words) => run('npx', [...VITEST, ...words]);
const code = await tests(...(asked.length === 0 ? ALL : asked));
const goals = new Map();
for (const line of linesOf(report)) {
  const { goal, runs, violations } = JSON.parse(line);
  const so = goals.get(goal) ?? { runs: 0, violations: 0 };
  goals.set(goal, { runs: so.runs + runs, violations: so.violations + violations });
}
if (asked.length === 0)
  goals.set('R14 watches left running', {
    runs: 4,
    violations: (await run(process.execPath, [WATCH])) === 0 ? 0 : 1,
  });
rmSync(folder, { recursive: true, force: true });

const wide = Math.max(4, ...[...goals.keys()].map((goal) => goal.length));
const row = (goal, runs, violations) =>
  console.log(`${goal.padEnd(wide)}  ${String(runs).padStart(8)}  ${String(violations).padStart(10)}`);
console.log('');
row('GOAL', 'RUNS', 'VIOLATIONS');
for (const [goal, { runs, violations }] of [...goals].toSorted(([one], [other]) =>
  one.localeCompare(other, 'en', { numeric: true }),
))
  row(goal, runs, violations);
console.log(`\n${((Date.now() - started) / 60_000).toFixed(1)} minutes; the tests ended with ${code}.`);
const lettersOf = (goal) => goal.split(' ').filter((word) => Object.hasOwn(GOALS, word));
const tried = new Set([...goals.keys()].flatMap(lettersOf));
const untried = asked.length === 0 ? Object.keys(GOALS).filter((letter) => !tried.has(letter)) : [];
for (const letter of untried) console.log(`${letter} was not tried: ${GOALS[letter]}`);
const violated = [...goals.values()].some(({ violations }) => violations > 0);
process.exitCode = violated || untried.length > 0 || code !== 0 || goals.size === 0 ? 1 : 0;

function linesOf(path) {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

/**
 * What a large journal costs: CPU time and memory of commands with a large, a small and an empty journal in pairs, and the
 * audit. Usage, after a build:
 *
 *   node test/bench/journal-size.mjs [actions] [--rounds 15] [--only COMMAND] [--folder DIR]
 *   node test/bench/journal-size.mjs write HOME [actions]
 *
 * --folder keeps the journal for the next run. `write` only writes the journal.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeLargeJournal } from './large-journal.mjs';
import { bareEnvironment, median } from './paired.mjs';
import { servePractice } from './practice.mjs';

const HEDGE = fileURLToPath(new URL('../../bin/hedge.js', import.meta.url));
const PEAK = fileURLToPath(new URL('peak-memory.cjs', import.meta.url));

/** The open comes last: what it leaves in flight is no part of the others. */
const COMMANDS = [
  'check --json',
  'journal --json',
  'open USDTNGN buy 10 --tenor 3 --yes --no-wait --any-price --allow-duplicate --json',
];
const UNRESOLVED = 5;
const MOST_RATIO = 1.15;
const MOST_MORE_MB = 20;
const LEAST_MB_PER_SECOND = 100;

/** CPU seconds and peak memory (MB) of one run. */
function measured(words, env, codes = [0]) {
  const ended = spawnSync(process.execPath, ['--require', PEAK, HEDGE, ...words.split(' ')], {
    env: bareEnvironment(env),
    input: '',
    maxBuffer: 256 * 1024 * 1024,
  });
  const [, kilobytes, seconds] = /peak (\d+) kB, CPU ([\d.]+) s/.exec(ended.stderr.toString()) ?? [];
  if (!codes.includes(ended.status) || seconds === undefined)
    throw new Error(`${words} ended with ${ended.status}: ${ended.stderr.toString()}`);
  return { cpu: Number(seconds), peak: Number(kilobytes) / 1024, out: ended.stdout.toString() };
}

const row = (name, ...figures) =>
  console.log(`${name.padEnd(34)}${figures.map((figure) => String(figure).padStart(10)).join('')}`);
const ms = (seconds) => `${(seconds * 1000).toFixed(0)} ms`;
const mb = (megabytes) => `${megabytes.toFixed(0)} MB`;
const missed = (isMissed) => (isMissed ? 'MISSED' : '');

/** `small`: of one page of actions, with as many unresolved ones as the large one. The rest is what its size costs. */
const KINDS = ['empty', 'small', 'large'];

function pairs(homes, env, { rounds, only }) {
  console.log('');
  row(`${rounds} rounds, medians`, ...KINDS, '/ empty', '/ small', ...KINDS);
  for (const words of COMMANDS.filter((each) => each.startsWith(only))) {
    const runs = { empty: [], small: [], large: [] };
    for (let round = -1; round < rounds; round += 1) {
      const order = KINDS.toSorted(() => Math.random() - 0.5);
      for (const kind of order) {
        const run = measured(words, { ...env, HEDGE_HOME: homes[kind] });
        if (round >= 0) runs[kind].push(run);
      }
    }
    const middle = (kind, figure) => median(runs[kind].map((run) => run[figure]));
    const ratioTo = (kind) => median(runs.large.map(({ cpu }, round) => cpu / runs[kind][round].cpu));
    const more = middle('large', 'peak') - middle('empty', 'peak');
    row(
      words.split(' ').slice(0, 1).join(' '),
      ...KINDS.map((kind) => ms(middle(kind, 'cpu'))),
      ratioTo('empty').toFixed(3),
      ratioTo('small').toFixed(3),
      ...KINDS.map((kind) => mb(middle(kind, 'peak'))),
      missed(ratioTo('empty') > MOST_RATIO || more > MOST_MORE_MB),
    );
  }
}

/** The account that the practice service's key and address have in the journal. */
const identityOf = ({ HEDGE_API_KEY: key, HEDGE_BASE_URL: url }) => ({
  environment: 'sandbox',
  base_url: url,
  account: null,
  key_fingerprint: createHash('sha256').update(key).digest('hex').slice(0, 8),
});

/** The actions of a journal that was kept are of the account at that address. */
const portOf = (folder) =>
  existsSync(join(folder, 'port')) ? Number(readFileSync(join(folder, 'port'), 'utf8')) : 0;

async function bench(actions, { rounds, only, kept }) {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'hedge-journal-'));
  mkdirSync(folder, { recursive: true });
  const homes = Object.fromEntries(KINDS.map((kind) => [kind, join(folder, kind)]));
  for (const home of [homes.empty, homes.small]) rmSync(home, { recursive: true, force: true });
  // Each round opens two hedges on one side; the next run begins without any.
  rmSync(join(folder, 'practice'), { recursive: true, force: true });
  const practice = await servePractice([process.execPath, HEDGE], join(folder, 'practice'), {
    port: portOf(folder),
  });
  try {
    const { env } = practice;
    writeFileSync(join(folder, 'port'), new URL(env.HEDGE_BASE_URL).port);
    const identity = identityOf(env);
    await writeLargeJournal({ home: homes.small, actions: 25, months: 1, identity, unresolved: UNRESOLVED });
    const facts = join(folder, 'written.json');
    if (!existsSync(facts)) {
      rmSync(homes.large, { recursive: true, force: true });
      const began = performance.now();
      const written = await writeLargeJournal({
        home: homes.large,
        actions,
        identity,
        unresolved: UNRESOLVED,
      });
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      writeFileSync(facts, JSON.stringify({ ...written, seconds }));
    }
    const { records, bytes, fileBytes, seconds } = JSON.parse(readFileSync(facts, 'utf8'));
    console.log(
      `node ${process.version}: ${actions} actions, ${records} records of ${mb(bytes / 1e6)}, a database of ${mb(fileBytes / 1e6)}, written in ${seconds} s`,
    );
    row('', 'CPU', 'peak');
    const own = { ...env, HEDGE_HOME: homes.large };
    const audit = measured('audit verify --json', own);
    const speed = fileBytes / 1e6 / audit.cpu;
    row(
      'audit verify',
      `${audit.cpu.toFixed(1)} s`,
      mb(audit.peak),
      `${speed.toFixed(0)} MB/s`,
      missed(speed < LEAST_MB_PER_SECOND),
    );
    // What the pairs add is no part of the next run.
    const copy = join(folder, 'large-copy');
    rmSync(copy, { recursive: true, force: true });
    execFileSync('cp', ['-a', homes.large, copy]);
    try {
      pairs({ ...homes, large: copy }, env, { rounds, only });
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  } finally {
    await practice.stop();
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
    folder: { type: 'string' },
  },
});
if (positionals[0] === 'write') {
  const [, home, actions] = positionals;
  console.log(await writeLargeJournal({ home, actions: Number(actions ?? 1_000_000) }));
} else
  await bench(Number(positionals[0] ?? 1_000_000), {
    rounds: Number(values.rounds),
    only: values.only,
    kept: values.folder,
  });

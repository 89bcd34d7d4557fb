/**
 * What starting and answering costs: whole processes as ratios to a bare `node -e 0` of the same round, with
 * other programs that an operator might use. Usage, after a build:
 *
 *   node test/bench/start-up.mjs [--node FILE]... [--rounds 15] [--only WORD] [--hedge FILE]
 *
 * --node: the Node to start everything with, and may be given several times. --hedge: another bin/hedge.js, or
 * a program that needs no Node. --only: the rows whose name has this word.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchBatch } from './batch.mjs';
import { companions, succeeds } from './companions.mjs';
import { bareEnvironment, pairedRuns, peakMemory } from './paired.mjs';
import { servePractice } from './practice.mjs';
import { STAGES, stagesOf } from './stages.mjs';

const { values: asked } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: [process.execPath] },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
    hedge: { type: 'string', default: fileURLToPath(new URL('../../bin/hedge.js', import.meta.url)) },
  },
});

const QUOTE = ['quote', 'USDTNGN', 'buy', '10000', '--tenor', '3', '--json'];
const READINGS = ['markets', 'price USDTNGN', 'account', 'positions', 'hedges', 'history'];
const OPEN = [
  'open',
  'USDTNGN',
  'buy',
  '10',
  '--tenor',
  '3',
  '--yes',
  '--no-wait',
  '--allow-duplicate',
  '--json',
];

const hedgeWith = (node) => (asked.hedge.endsWith('js') ? [node, asked.hedge] : [asked.hedge]);

/** `leasing`: the environment of a home with an agent. */
function subjects(node, env, leasing) {
  const [command, ...first] = hedgeWith(node);
  const hedge = (words, own = env) => ({
    name: `hedge ${words.join(' ')}`,
    command,
    args: [...first, ...words],
    env: own,
  });
  const alone = { HEDGE_HOME: env.HEDGE_HOME };
  const all = [
    hedge(['--version'], alone),
    hedge(['__complete', 'quote', 'U'], alone),
    hedge(['--help'], alone),
    hedge(['quote', '--help'], alone),
    hedge(QUOTE),
    { ...hedge(QUOTE, { ...env, HEDGE_TLS_SESSIONS: 'off' }), name: 'the same quote, no TLS session kept' },
    hedge(['quote', 'USDTNGN', 'buy', '10000', '--json']),
    ...READINGS.map((words) => hedge([...words.split(' '), '--json'])),
    hedge(OPEN),
    { ...hedge(QUOTE, leasing), name: 'the same quote, with hedge agent' },
    { ...hedge(OPEN, leasing), name: 'the same open, with hedge agent' },
    ...companions(env),
  ];
  const deals = /^ +open /m.test(succeeds(command, [...first, '--help']) ?? '');
  return all.filter(({ name }) => name.includes(asked.only) && (deals || !name.startsWith('hedge open')));
}

const rowOf = (name, figures) => `${name.padEnd(58)}${figures.map((figure) => figure.padStart(11)).join('')}`;

/** Milliseconds. */
function benchStages(node, { env, leasing }) {
  const subjectsOf = [
    ['hedge quote', QUOTE, env],
    ['hedge quote, with hedge agent', QUOTE, leasing],
    ['hedge open', OPEN, env],
    ['hedge open, with hedge agent', OPEN, leasing],
  ];
  console.log(`\n${rowOf('milliseconds by stage, medians', [...STAGES, 'whole'])}`);
  for (const [name, words, own] of subjectsOf) {
    const found = stagesOf({ command: node, args: [asked.hedge, ...words], env: own }, Number(asked.rounds));
    console.log(
      rowOf(
        name,
        [...STAGES, 'whole'].map((stage) => found[stage].toFixed(1)),
      ),
    );
  }
}

async function bench(node) {
  const serving = mkdtempSync(join(tmpdir(), 'hedge-bench-'));
  const asking = mkdtempSync(join(tmpdir(), 'hedge-bench-'));
  const keeping = mkdtempSync(join(tmpdir(), 'hedge-bench-'));
  const practice = await servePractice(hedgeWith(node), serving);
  try {
    const env = { ...practice.env, HEDGE_HOME: asking };
    const leasing = { ...practice.env, HEDGE_HOME: keeping };
    const [command, ...first] = hedgeWith(node);
    spawnSync(command, [...first, 'agent', 'start'], { env: bareEnvironment(leasing) });
    const version = succeeds(node, ['--version']);
    const bare = { name: `node ${version} -e 0`, command: node, args: ['-e', '0'] };
    console.log(`\n${rowOf(`${asked.rounds} rounds, medians`, ['ratio', 'min ms'])}`);
    for (const { name, ratio, fastestMs } of pairedRuns(
      bare,
      subjects(node, env, leasing),
      Number(asked.rounds),
    )) {
      console.log(rowOf(name, [ratio.toFixed(2), fastestMs.toFixed(0)]));
    }
    if ('hedge batch'.includes(asked.only)) {
      const rounds = Math.ceil(Number(asked.rounds) / 3);
      console.log(`\n${rowOf('a hundred quotes in one process', ['ratio', 'min ms'])}`);
      const runs = benchBatch(node, hedgeWith(node), { env, serving, rounds });
      for (const { name, ratio, fastestMs } of runs)
        console.log(rowOf(name, [ratio.toFixed(2), fastestMs.toFixed(0)]));
    }
    if ('stages'.includes(asked.only) && command === node) benchStages(node, { env, leasing });
    if (command !== node || asked.only !== '') return;
    const base = peakMemory(bare);
    const quote = peakMemory({ command, args: [...first, ...QUOTE], env });
    console.log(
      rowOf(`peak memory of that quote (bare ${base.toFixed(0)} MiB)`, [(quote / base).toFixed(2)]),
    );
  } finally {
    const [command, ...first] = hedgeWith(node);
    spawnSync(command, [...first, 'agent', 'stop'], { env: bareEnvironment({ HEDGE_HOME: keeping }) });
    await practice.stop();
    for (const folder of [serving, asking, keeping]) rmSync(folder, { recursive: true, force: true });
  }
}

for (const node of asked.node) await bench(node);

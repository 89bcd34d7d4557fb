/**
 * How many round trips a command takes to a distant service: the difference between a run over a link with a fixed delay
 * and one over the same link without, divided by the delay; the median of paired runs. Usage, after a build:
 *
 *   node test/bench/round-trips.mjs [--rounds 9] [--ms 150] [--only WORD] [--hedge FILE]
 *
 * Also the connections that are made during a run, and the milliseconds of a whole run at that delay. `open` and `close` run against
 * the practice service, whose book they change.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { companions } from './companions.mjs';
import { bareEnvironment, median } from './paired.mjs';
import { servePractice } from './practice.mjs';

const { values: asked } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    ms: { type: 'string', default: '150' },
    only: { type: 'string', default: '' },
    hedge: { type: 'string', default: fileURLToPath(new URL('../../bin/hedge.js', import.meta.url)) },
  },
});
const LINK = fileURLToPath(new URL('delayed-link.mjs', import.meta.url));
const delayMs = Number(asked.ms);

/** `taken()`: the connections since it was asked last. */
async function link(servicePort, ms) {
  const child = spawn(process.execPath, [LINK, String(servicePort), String(ms)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => Number((await lines.next()).value);
  const port = await next();
  return {
    port,
    taken() {
      child.stdin.write('\n');
      return next();
    },
    async stop() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

const OPEN = 'open USDTNGN buy 10 --tenor 3 --yes --no-wait --allow-duplicate --json'.split(' ');
const QUOTES = [1, 2, 3, 4].map((size) => `quote USDTNGN buy ${size}000 --tenor 3\n`).join('');

/** `before` is outside the measured time. */
const HEDGE = [
  { name: 'quote --tenor 3', words: 'quote USDTNGN buy 10000 --tenor 3 --json'.split(' ') },
  { name: 'quote of every tenor', words: 'quote USDTNGN buy 10000 --json'.split(' ') },
  { name: 'positions', words: ['positions', '--json'] },
  { name: 'open --no-wait', words: OPEN },
  {
    name: 'close --no-wait',
    words: 'close USDTNGN sell --yes --no-wait --json'.split(' '),
    before: 'open USDTNGN sell 10 --tenor 3 --yes --allow-duplicate --json'.split(' '),
  },
  { name: 'batch of four quotes', words: ['batch', '-', '--parallel', '4', '--json'], input: QUOTES },
];

async function run({ command, args, input = '' }, env) {
  const began = performance.now();
  const child = spawn(command, args, { env: bareEnvironment(env), stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  child.stdin.on('error', () => undefined).end(input);
  const [code] = await once(child, 'close');
  const tookMs = performance.now() - began;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${printed}`);
  return tookMs;
}

const serving = mkdtempSync(join(tmpdir(), 'hedge-trips-'));
const asking = mkdtempSync(join(tmpdir(), 'hedge-trips-'));
const hedge = [process.execPath, asked.hedge];
const practice = await servePractice(hedge, serving);
const url = new URL(practice.env.HEDGE_BASE_URL);
const links = { far: await link(url.port, delayMs), near: await link(url.port, 0) };
const envOver = ({ port }) => {
  const base = new URL(url);
  base.port = String(port);
  return { ...practice.env, HEDGE_BASE_URL: base.href.replace(/\/$/, '') };
};

const [command, first] = hedge;
const program = (words, input) => ({ command, args: [first, ...words], input });

const hedgeIn = (env) => (words) => run(program(words), env);
/** Until its connections are open again. */
async function warmAgent(env) {
  await hedgeIn(env)(['agent', 'start']);
  for (let open = 0; open < 8; ) {
    const { args } = program(['agent', 'status', '--json']);
    const { stdout } = spawnSync(command, args, { env: bareEnvironment(env) });
    open = JSON.parse(stdout).data.find(({ is_used }) => is_used).connections.open;
  }
}

/** One measured run over `by`. */
async function measure({ over, before, agent }, by) {
  const home = before === undefined ? asking : mkdtempSync(join(asking, 'fresh-'));
  const env = { ...envOver(by), HEDGE_HOME: home, ...(agent === true ? {} : { HEDGE_AGENT: 'off' }) };
  // A long list of hedges takes one more reading.
  await hedgeIn({ HEDGE_HOME: serving })(['practice', 'reset', '--yes']);
  if (before !== undefined) await hedgeIn(env)(before);
  if (agent === true) await warmAgent(env);
  await by.taken();
  const tookMs = await run(over(env), env);
  const connections = await by.taken();
  if (before !== undefined && agent === true) await hedgeIn(env)(['agent', 'stop']);
  return { tookMs, connections };
}

try {
  const subjects = [
    ...HEDGE.flatMap(({ name, words, input, ...more }) => {
      const one = { ...more, name: `hedge ${name}`, over: () => program(words, input) };
      return [one, { ...one, name: `${one.name}, with hedge agent`, agent: true }];
    }),
    ...companions(envOver(links.far)).map(({ name }, at) => ({ name, over: (env) => companions(env)[at] })),
  ].filter(({ name }) => name.includes(asked.only));
  const rounds = Number(asked.rounds);
  const figures = new Map(subjects.map((subject) => [subject, []]));
  // The first round fills the caches.
  for (let round = -1; round < rounds; round++) {
    for (const subject of subjects) {
      const near = await measure(subject, links.near);
      const far = await measure(subject, links.far);
      const trips = (far.tookMs - near.tookMs) / delayMs;
      if (round >= 0) figures.get(subject).push({ ...far, trips });
    }
  }
  const row = (name, ...cells) =>
    console.log(name.padEnd(46) + cells.map((cell) => cell.padStart(13)).join(''));
  row(`${rounds} pairs, a round trip of ${delayMs} ms`, 'round trips', 'connections', 'ms');
  for (const [{ name }, runs] of figures) {
    const of = (figure) => median(runs.map((each) => each[figure]));
    row(name, of('trips').toFixed(2), of('connections').toFixed(0), of('tookMs').toFixed(0));
  }
} finally {
  await hedgeIn({ HEDGE_HOME: asking })(['agent', 'stop']);
  for (const each of Object.values(links)) await each.stop();
  await practice.stop();
  for (const folder of [serving, asking]) rmSync(folder, { recursive: true, force: true });
}

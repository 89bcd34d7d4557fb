/**
 * What a batch of a hundred quotes adds to the service's own time: the whole process, start included, against
 * the same requests over two kept connections by a client that does nothing else. After a build:
 *
 *   node test/bench/batch.mjs [--lines 100] [--latency 0,5,20] [--rounds 5]
 *
 * --latency: milliseconds that the practice service takes longer for each answer.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bareEnvironment } from './paired.mjs';
import { servePractice } from './practice.mjs';

const HEDGE = fileURLToPath(new URL('../../bin/hedge.js', import.meta.url));
const { values: asked } = parseArgs({
  options: {
    lines: { type: 'string', default: '100' },
    latency: { type: 'string', default: '0,5,20' },
    rounds: { type: 'string', default: '5' },
  },
});
const SIZES = Array.from({ length: Number(asked.lines) }, (_, index) => 1_000 + index);
const LINES = SIZES.map((size) => `quote USDTNGN buy ${size} --tenor 3`).join('\n');

async function timed(task) {
  const from = performance.now();
  await task();
  return performance.now() - from;
}

const median = (figures) => figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)];

/** A quote and the account beside it for each size, one size after the other: what the batch asks. */
function bareClient({ HEDGE_BASE_URL: base, HEDGE_CA_FILE: file, HEDGE_API_KEY: key }) {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(file) });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = (method, path, body) =>
    new Promise((resolve, reject) => {
      request(`${base}${path}`, { agent, method, headers }, (answer) => resolve(text(answer)))
        .on('error', reject)
        .end(body);
    });
  return {
    async run() {
      for (const size of SIZES) {
        const body = JSON.stringify({ market: 'USDTNGN', side: 'buy', notional_usd: size, tenor_days: 3 });
        await Promise.all([ask('POST', '/quotes', body), ask('GET', '/account')]);
      }
    },
    close: () => agent.destroy(),
  };
}

function runBatch(env, words) {
  const ran = spawnSync(process.execPath, [HEDGE, 'batch', '-', '-q', ...words], { env, input: LINES });
  const answers = ran.stdout.toString().trimEnd().split('\n').length;
  if (ran.status !== 0 || answers !== SIZES.length)
    throw new Error(`exit ${ran.status}, ${answers} answers\n${ran.stderr}`);
}

const serving = mkdtempSync(join(tmpdir(), 'hedge-bench-'));
const asking = mkdtempSync(join(tmpdir(), 'hedge-bench-'));
const practice = await servePractice([process.execPath, HEDGE], serving);
try {
  const env = bareEnvironment({ ...practice.env, HEDGE_HOME: asking });
  console.log(`${SIZES.length} quotes, medians in ms`.padEnd(32), '  service   batch  ratio  --parallel 4');
  for (const latency of asked.latency.split(',')) {
    const weather = ['practice', 'weather', '--latency', latency];
    spawnSync(process.execPath, [HEDGE, ...weather], { env: bareEnvironment({ HEDGE_HOME: serving }) });
    const client = bareClient(practice.env);
    const rounds = { service: [], batch: [], parallel: [] };
    await client.run();
    runBatch(env, []);
    for (let round = 0; round < Number(asked.rounds); round += 1) {
      rounds.service.push(await timed(() => client.run()));
      rounds.batch.push(await timed(() => runBatch(env, [])));
      rounds.parallel.push(await timed(() => runBatch(env, ['--parallel', '4'])));
    }
    client.close();
    const [service, batch, parallel] = Object.values(rounds).map(median);
    const cells = [service.toFixed(0), batch.toFixed(0), (batch / service).toFixed(2), parallel.toFixed(0)];
    console.log(`latency ${latency} ms`.padEnd(32), cells.map((cell) => cell.padStart(8)).join(''));
  }
} finally {
  practice.stop();
  for (const folder of [serving, asking]) rmSync(folder, { recursive: true, force: true });
}

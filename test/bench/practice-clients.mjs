/**
 * 100,000 requests from ten clients to `hedge practice serve --memory`: requests a second, CPU time of the service for each
 * request, and its peak memory. With another hedge both serve at the same time and are loaded in turns, batch by batch:
 * another program on the machine slows both. Usage, after `npm run build`:
 * node test/bench/practice-clients.mjs [--requests N] [--clients N] [--other .../bin/hedge.js]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    clients: { type: 'string', default: '10' },
    own: { type: 'string', default: fileURLToPath(new URL('../../bin/hedge.js', import.meta.url)) },
    other: { type: 'string' },
  },
});
const [requests, clients] = [values.requests, values.clients].map(Number);
const SERVE = ['practice', 'serve', '--memory', '--seed', '7', '--clock', 'manual', '--json'];
const TICKS_A_SECOND = 100;
/** Small enough that no connection is idle until the other service ends it. */
const BATCH = 250;
/** The service compiles its code meanwhile. */
const WARM_UP = 5_000;
const TERMS = { market: 'USDTNGN', notional_usd: 1, tenor_days: 7 };

async function start(hedge) {
  const home = mkdtempSync(join(tmpdir(), 'hedge-clients-'));
  const child = spawn(process.execPath, [hedge, ...SERVE], {
    env: { ...process.env, HEDGE_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed] = await once(child.stdout, 'data');
  const { data: served } = JSON.parse(String(printed));
  const agent = new Agent({ keepAlive: true, maxSockets: clients, ca: readFileSync(served.ca_file) });
  const statuses = new Map();
  let id = '';
  let sent = 0;
  const send = (base, key, method, path, { body, idempotencyKey } = {}) =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? undefined : JSON.stringify(body);
      const headers = { authorization: `Bearer ${key}` };
      if (content !== undefined) {
        headers['content-type'] = 'application/json';
        headers['content-length'] = Buffer.byteLength(content);
      }
      if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
      const call = request(`${base}${path}`, { method, agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => {
          statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1);
          resolve(text);
        });
      });
      call.on('error', reject);
      call.end(content);
    });
  const one = async (number) => {
    const to = (method, path, more) => send(served.base_url, served.keys.test, method, path, more);
    if (number % BATCH === BATCH - 1)
      return send(served.control.base_url, served.control.key, 'POST', '/clock/advance', {
        body: { seconds: 5 },
      });
    if (number % 5 < 2) {
      const reference = `client-${number}`;
      const body = { ...TERMS, side: number % 2 === 0 ? 'buy' : 'sell', client_reference: reference };
      id = JSON.parse(await to('POST', '/hedges', { body, idempotencyKey: reference })).data.hedge_id;
      return undefined;
    }
    if (number % 5 === 2 && id !== '') return to('GET', `/hedges/${id}`);
    return to('GET', number % 5 === 3 ? '/account' : '/hedges?limit=10');
  };
  const total = { seconds: 0, cpu: 0, count: 0 };
  return {
    total,
    /** So many requests, by all clients together. */
    async load(count) {
      const [began, cpu] = [performance.now(), cpuSeconds(child.pid)];
      const until = sent + count;
      const client = async () => {
        while (sent < until) await one((sent += 1));
      };
      await Promise.all(Array.from({ length: clients }, client));
      const took = { seconds: (performance.now() - began) / 1_000, cpu: cpuSeconds(child.pid) - cpu };
      if (sent > WARM_UP) {
        total.seconds += took.seconds;
        total.cpu += took.cpu;
        total.count += count;
      }
      return took;
    },
    told() {
      const seen = [...statuses].map(([status, number]) => `${number} × ${status}`).join(', ');
      const rate = (total.count / total.seconds).toFixed(0);
      const each = ((total.cpu / total.count) * 1e6).toFixed(0);
      return `${rate} a second, ${each} µs CPU each, peak ${peakMb(child.pid).toFixed(0)} MB (${seen})`;
    },
    async stop() {
      agent.destroy();
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const statOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
const cpuSeconds = (pid) => (Number(statOf(pid)[11]) + Number(statOf(pid)[12])) / TICKS_A_SECOND;
const peakMb = (pid) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;

const own = await start(values.own);
const other = values.other === undefined ? undefined : await start(values.other);
const ratios = [];
for (let done = 0; done < requests; done += BATCH) {
  const isFirst = (done / BATCH) % 2 === 0;
  const before = isFirst ? undefined : await other?.load(BATCH);
  const mine = await own.load(BATCH);
  const theirs = isFirst ? await other?.load(BATCH) : before;
  if (theirs !== undefined && done >= WARM_UP) ratios.push(theirs.seconds / mine.seconds);
}
console.log(`own:   ${own.told()}`);
if (other !== undefined) {
  console.log(`other: ${other.told()}`);
  const [cpu, ofOther] = [own.total.cpu / own.total.count, other.total.cpu / other.total.count];
  const median = ratios.toSorted((a, b) => a - b)[ratios.length >> 1];
  console.log(
    `own to other: throughput ${median.toFixed(3)} (median of ${ratios.length} batches in turn), CPU time ${(cpu / ofOther).toFixed(3)}`,
  );
}
await own.stop();
await other?.stop();

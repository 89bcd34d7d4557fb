/**
 * Requests a second of the practice service on this machine: its own process, real HTTPS, rate limit out of the
 * way. Usage, after `npm run build`: node test/bench/practice-throughput.mjs [seconds per figure]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SECONDS = Number(process.argv[2] ?? 3);
const CONNECTIONS = 8;
const ISLAND = new URL('../../dist/practice/index.js', import.meta.url).href;

const SETTINGS = {
  rate_limit: { burst: 1_000_000, per_second: 1_000_000 },
  opening_balance_usdc: 1_000_000_000,
  exposure_cap_usd: 1_000_000_000,
  impact_bps_per_10k_usd: 0,
  markets: { USDTNGN: { headroom_usd: 1_000_000_000 } },
};

const SERVE = `
  import { randomBytes } from 'node:crypto';
  import { setTimeout as wait } from 'node:timers/promises';
  const began = performance.now();
  const { startPracticeService } = await import(${JSON.stringify(ISLAND)});
  const loaded = performance.now();
  const service = await startPracticeService({
    store: process.argv[1],
    settings: ${JSON.stringify(SETTINGS)},
    clock: { now: () => Date.now(), sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined) },
    random: { fraction: () => Math.random(), bytes: (count) => randomBytes(count) },
  });
  const { url, ca, keys } = service;
  process.on('SIGTERM', async () => { await service.close(); console.log(JSON.stringify({ rss: process.resourceUsage().maxRSS })); });
  console.log(JSON.stringify({ url, ca, keys, loadMs: loaded - began, startMs: performance.now() - loaded }));
`;

function start(store) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SERVE, store], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  const lines = [];
  const waiting = [];
  child.stdout.on('data', (chunk) => {
    text += chunk;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      lines.push(JSON.parse(text.slice(0, end)));
      text = text.slice(end + 1);
      waiting.shift()?.();
    }
  });
  const line = async () => {
    if (lines.length === 0) await new Promise((resolve) => waiting.push(resolve));
    return lines.shift();
  };
  return { child, line };
}

function send(agent, service, { method = 'GET', path, body, key }) {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = { authorization: `Bearer ${service.keys.test}` };
  if (content !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = Buffer.byteLength(content);
  }
  if (key !== undefined) headers['idempotency-key'] = key;
  return new Promise((resolve, reject) => {
    const call = request(`${service.url}${path}`, { method, agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    call.on('error', reject);
    call.end(content);
  });
}

async function measure(service, name, next) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ca: service.ca });
  const times = [];
  const statuses = new Map();
  let count = 0;
  const began = performance.now();
  const until = began + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) {
        const sent = performance.now();
        count += 1;
        const status = await send(agent, service, next(count));
        times.push(performance.now() - sent);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  const took = (performance.now() - began) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1);
  const seen = [...statuses].map(([status, of]) => `${of} × ${status}`).join(', ');
  console.log(
    `${name.padEnd(34)}${Math.round(times.length / took)
      .toString()
      .padStart(6)} a second   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   ${seen}`,
  );
}

const store = mkdtempSync(join(tmpdir(), 'hedge-bench-'));
try {
  console.log(
    `node ${process.version}, ${CONNECTIONS} connections, ${SECONDS} s each (client and service share the machine)`,
  );
  for (const which of ['first start, empty store', 'start again']) {
    const { child, line } = start(store);
    const service = await line();
    console.log(`${which}: load ${service.loadMs.toFixed(0)} ms, start ${service.startMs.toFixed(0)} ms`);
    if (which === 'start again') {
      const body = { market: 'USDTNGN', side: 'buy', notional_usd: 100, tenor_days: 3 };
      await measure(service, 'GET /account, empty book', () => ({ path: '/account' }));
      await measure(service, 'GET /markets', () => ({ path: '/markets' }));
      await measure(service, 'POST /quotes', () => ({ method: 'POST', path: '/quotes', body }));
      await measure(service, 'POST /hedges, each with a key', (count) => ({
        method: 'POST',
        path: '/hedges',
        body,
        key: `k${count}`,
      }));
      await measure(service, 'POST /hedges, the same key again', () => ({
        method: 'POST',
        path: '/hedges',
        body,
        key: 'k1',
      }));
      await measure(service, 'GET /hedges?limit=20', () => ({ path: '/hedges?limit=20' }));
      await measure(service, 'GET /positions, that many hedges', () => ({ path: '/positions' }));
    }
    child.kill('SIGTERM');
    const { rss } = await line();
    console.log(`peak RSS ${Math.round(rss / 1024)} MiB`);
  }
} finally {
  rmSync(store, { recursive: true, force: true });
}

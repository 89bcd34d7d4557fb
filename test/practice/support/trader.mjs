/**
 * A process that trades on a store as fast as it gets responses: a built practice service and its HTTPS client.
 * Usage: node trader.mjs STORE SEED REQUESTS SETTINGS. Prints each request and each response on a line of stdout.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { startPracticeService } from '../../../dist/practice/index.js';

const [store = '', seedText = '1', requestsText = '100', settings = '{}'] = process.argv.slice(2);

let state = Number(seedText) >>> 0;
function fraction() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 4_294_967_296;
}
const pick = (list) => list[Math.floor(fraction() * list.length)];

const service = await startPracticeService({
  store,
  settings: JSON.parse(settings),
  clock: {
    now: () => Date.now(),
    sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
  },
  random: { fraction: () => Math.random(), bytes: (count) => randomBytes(count) },
});
const agent = new Agent({ keepAlive: true, ca: service.ca });

function send(method, path, { as, body, key }) {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${service.keys[as]}`,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(content === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  return new Promise((resolve, reject) => {
    const call = request(`${service.url}${path}`, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
    call.on('error', reject);
    call.end(content);
  });
}

function nextRequest(count) {
  const as = pick(['live', 'test']);
  const on = { market: 'USDTNGN', side: pick(['buy', 'sell']) };
  const size = 1 + Math.floor(fraction() * 300_000) / 100;
  const key = `${seedText}-${count}`;
  switch (pick(['open', 'open', 'open', 'add', 'add', 'reduce', 'reduce', 'close', 'read', 'read'])) {
    case 'open':
      return {
        method: 'POST',
        path: '/hedges',
        as,
        key,
        body: { ...on, notional_usd: size, tenor_days: pick([1, 3, 7]), client_reference: key },
      };
    case 'add':
      return { method: 'POST', path: '/hedges/add', as, key, body: { ...on, notional_usd: size } };
    case 'reduce':
      return { method: 'POST', path: '/hedges/reduce', as, key, body: { ...on, notional_usd: size } };
    case 'close':
      return { method: 'POST', path: '/hedges/close', as, key, body: on };
    default:
      return {
        method: 'GET',
        path: pick(['/account', '/positions', '/hedges?limit=20', '/hedges/history?limit=20']),
        as,
      };
  }
}

process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
for (let count = 0; count < Number(requestsText); count += 1) {
  const asked = nextRequest(count);
  process.stdout.write(`${JSON.stringify({ sending: asked })}\n`);
  const began = performance.now();
  const { status, body } = await send(asked.method, asked.path, asked);
  const answered = {
    asked,
    status,
    code: body.error?.code ?? null,
    data: asked.method === 'POST' ? body.data : null,
    ms: performance.now() - began,
  };
  process.stdout.write(`${JSON.stringify({ answered })}\n`);
}
agent.destroy();
await service.close();

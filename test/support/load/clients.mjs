/**
 * Many clients of a practice service in one process, each with a connection of its own, each asking again as soon as it
 * is answered. Writes down every answer, a line each. Usage: node clients.mjs '{"url":…,"keys":…,"ca":…,"out":…}'
 */
import { createWriteStream } from 'node:fs';
import { Agent, request } from 'node:https';
import { finished } from 'node:stream/promises';

/** `seconds`: how long they ask. `worker`: tells its keys from those of others. `readings`: nothing but these. */
const { url, keys, ca, out, worker, clients, seconds, readings = false } = JSON.parse(process.argv[2]);

let state = (worker + 1) * 7919;
function fraction() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
const pick = (list) => list[Math.floor(fraction() * list.length)];

const READINGS = ['/account', '/positions', '/markets', '/hedges?limit=20', '/hedges/history?limit=20'];
const ACTIONS = ['open', 'open', 'open', 'add', 'add', 'reduce', 'reduce', 'reduce', 'close'];
const SAME_AGAIN = 0.1;
const AT_ONCE = 0.1;
const OTHER_UNDER_IT = 0.02;
const SHARED = 0.05;

const log = createWriteStream(out);
const until = Date.now() + seconds * 1_000;
let count = 0;
/** Those that all workers send: what stands under each follows from its number alone. */
let shared = 0;

function action() {
  if (fraction() < SHARED) {
    const number = shared++;
    const side = number % 2 === 0 ? 'buy' : 'sell';
    const body = { market: 'USDTNGN', side, notional_usd: 100 + number, tenor_days: 3 };
    const key = `shared-${number}`;
    const as = number % 3 === 0 ? 'live' : 'test';
    return { method: 'POST', path: '/hedges', as, key, body: { ...body, client_reference: key } };
  }
  const what = pick(ACTIONS);
  const key = `w${worker}-${count++}`;
  const on = { market: 'USDTNGN', side: pick(['buy', 'sell']) };
  const sized = { ...on, notional_usd: (100 + Math.floor(fraction() * 400_000)) / 100 };
  const as = pick(['live', 'test']);
  if (what === 'open') {
    const body = { ...sized, tenor_days: pick([1, 3, 7]), client_reference: key };
    return { method: 'POST', path: '/hedges', as, key, body };
  }
  return { method: 'POST', path: `/hedges/${what}`, as, key, body: what === 'close' ? on : sized };
}

function next() {
  if (!readings && fraction() < 0.55) return action();
  return { method: 'GET', path: pick(READINGS), as: pick(['live', 'test']) };
}

function send(agent, asked) {
  const { method, path, as, key, body } = asked;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${keys[as]}`,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(content === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  const at = Date.now();
  const began = performance.now();
  const tell = (what) => {
    const line = { worker, at, ms: performance.now() - began, method, path, as, key, body, ...what };
    log.write(`${JSON.stringify(line)}\n`);
    return what;
  };
  return new Promise((resolve) => {
    const call = request(`${url}${path}`, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', (error) => resolve(tell({ lost: error.code ?? error.message })));
      response.on('end', () => {
        if (!response.complete) return resolve(tell({ lost: 'cut' }));
        const { data, error } = JSON.parse(text);
        const retryAfter = response.headers['retry-after'];
        return resolve(
          tell({
            status: response.statusCode,
            code: error?.code ?? null,
            details: error?.details ?? null,
            data: path.startsWith('/hedges?') || path.startsWith('/hedges/history') ? null : data,
            ...(retryAfter === undefined ? {} : { retryAfter }),
          }),
        );
      });
    });
    call.on('error', (error) => {
      // A connection that was left alone is closed by the service just as it is used again: HTTP's own race, on both sides.
      if (call.reusedSocket && error.code === 'ECONNRESET') resolve(send(agent, asked));
      else resolve(tell({ lost: error.code ?? error.message }));
    });
    call.end(content);
  });
}

async function client() {
  const agent = new Agent({ keepAlive: true, ca, maxSockets: 2 });
  let lost = 0;
  while (Date.now() < until && lost < 3) {
    const asked = next();
    const twice = asked.key !== undefined && fraction() < AT_ONCE;
    const [said] = await Promise.all(twice ? [send(agent, asked), send(agent, asked)] : [send(agent, asked)]);
    // Whoever is gone stays gone.
    lost = said.lost === undefined ? 0 : lost + 1;
    const done = asked.key !== undefined && said.status < 300;
    if (done && fraction() < SAME_AGAIN) await send(agent, asked);
    if (done && fraction() < OTHER_UNDER_IT)
      await send(agent, { ...asked, body: { ...asked.body, market: 'USDTKES' } });
  }
  agent.destroy();
}

await Promise.all(Array.from({ length: clients }, client));
log.end();
await finished(log);

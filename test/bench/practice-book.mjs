/**
 * CPU time and memory of the practice service over a large book: its own process, real HTTPS, rate limit and caps out of
 * the way. Usage, after `npm run build`: node test/bench/practice-book.mjs [hedges] [times] [seconds until given up]
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const built = (path) => new URL(`../../dist/practice/${path}`, import.meta.url).href;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SETTINGS = {
  rate_limit: { burst: 1_000_000, per_second: 1_000_000 },
  opening_balance_usdc: 1_000_000_000,
  exposure_cap_usd: 1_000_000_000,
  impact_bps_per_10k_usd: 0,
  markets: { USDTNGN: { headroom_usd: 1_000_000_000 } },
};

/** The measured process: the parent reads its CPU time and moves its clock. */
async function serve(store) {
  let aheadMs = 0;
  const { startPracticeService } = await import(built('index.js'));
  const service = await startPracticeService({
    store,
    settings: SETTINGS,
    clock: {
      now: () => Date.now() + aheadMs,
      sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
    },
    random: { fraction: () => Math.random(), bytes: (count) => randomBytes(count) },
  });
  const answer = async ({ id, call, value }) => {
    let result;
    if (call === 'pass') aheadMs += value;
    if (call === 'status') await service.admin.status();
    if (call === 'advance') result = (await service.admin.advance(value)).environments.test.balance_usdc;
    process.send({ id, result, cpu: process.cpuUsage(), rss: process.resourceUsage().maxRSS });
  };
  process.on('message', (message) => void answer(message));
  process.send({ url: service.url, ca: service.ca, keys: service.keys, cpu: process.cpuUsage() });
}

class GivenUp extends Error {}

async function startOn(store, seconds) {
  const child = fork(fileURLToPath(import.meta.url), ['serve', store]);
  const waiting = new Map();
  const started = new Promise((resolve) => {
    child.on('message', (message) =>
      message.id === undefined ? resolve(message) : waiting.get(message.id)?.(message),
    );
  });
  let next = 0;
  const within = (work) =>
    Promise.race([
      work,
      wait(seconds * 1000, undefined, { ref: false }).then(() => {
        throw new GivenUp();
      }),
    ]);
  const call = (name, value) =>
    within(
      new Promise((resolve) => {
        const id = (next += 1);
        waiting.set(id, resolve);
        child.send({ id, call: name, value });
      }),
    );
  const service = await within(started);
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: service.ca });
  const send = (method, path, body) =>
    within(
      new Promise((resolve, reject) => {
        const content = body === undefined ? undefined : JSON.stringify(body);
        const headers = { authorization: `Bearer ${service.keys.test}` };
        if (content !== undefined) {
          headers['content-type'] = 'application/json';
          headers['content-length'] = Buffer.byteLength(content);
        }
        const sent = request(`${service.url}${path}`, { method, agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
          response.on('end', () => {
            if (response.statusCode < 300) resolve(JSON.parse(text));
            else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
          });
        });
        sent.on('error', reject);
        sent.end(content);
      }),
    );
  return {
    call,
    send,
    startMs: totalMs(service.cpu),
    stop() {
      agent.destroy();
      child.kill('SIGKILL');
    },
  };
}

const totalMs = ({ user, system }) => (user + system) / 1000;

/** CPU milliseconds of each run of `work`. */
async function cpuTimes(running, times, work) {
  const taken = [];
  for (let count = 0; count < times; count += 1) {
    const before = totalMs((await running.call('cpu')).cpu);
    await work(count);
    taken.push(totalMs((await running.call('cpu')).cpu) - before);
  }
  return taken.toSorted((a, b) => a - b);
}

function report(name, taken) {
  const at = (share) =>
    taken[Math.min(taken.length - 1, Math.floor(taken.length * share))].toFixed(1).padStart(9);
  console.log(`${name.padEnd(46)}${at(0.5)}${at(1)}${String(taken.length).padStart(5)}`);
}

async function measureAll(hedges, times, seconds) {
  const folder = mkdtempSync(join(tmpdir(), 'hedge-book-'));
  try {
    const template = join(folder, 'template');
    await fill(template, hedges);
    console.log(`node ${process.version}, ${hedges} open and ${hedges} closed hedges, CPU ms`);
    console.log(`${''.padEnd(46)}   median    worst    n`);
    let copies = 0;
    const onCopy = async (name, work) => {
      const store = join(folder, `copy${(copies += 1)}`);
      cpSync(template, store, { recursive: true });
      const running = await startOn(store, seconds);
      try {
        await work(running);
      } catch (error) {
        if (!(error instanceof GivenUp)) throw error;
        console.log(`${name.padEnd(46)}no answer in ${seconds} s`);
      } finally {
        running.stop();
        rmSync(store, { recursive: true });
      }
    };
    const one = (name, prepare) =>
      onCopy(name, async (running) => {
        const work = await prepare(running);
        await work(-1);
        report(name, await cpuTimes(running, times, work));
      });
    await readings(one, onCopy);
    await actions(one, onCopy, { hedges, times });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readings(one, onCopy) {
  const get = (path) => (running) => () => running.send('GET', path);
  await onCopy('start', (running) => report('start', [running.startMs]));
  for (const path of ['/markets', '/prices', '/hedges?limit=500', '/hedges?status=filled&limit=500'])
    await one(`GET ${path}`, get(path));
  await one('GET /hedges?client_reference=R77', get('/hedges?client_reference=R77'));
  await one('GET /hedges/{id}', async (running) => {
    const { data } = await running.send('GET', '/hedges?limit=1');
    return () => running.send('GET', `/hedges/${data[0].id}`);
  });
  await one('GET /hedges/history', get('/hedges/history'));
  await one('GET /hedges/history?limit=500', get('/hedges/history?limit=500'));
  const quote = { market: 'USDTNGN', side: 'buy', notional_usd: 100, tenor_days: 3 };
  await one('POST /quotes', (running) => () => running.send('POST', '/quotes', quote));
  await one('GET /positions', get('/positions'));
  await one('GET /account', get('/account'));
  await one('practice status', (running) => () => running.call('status'));
}

async function actions(one, onCopy, { hedges, times }) {
  const on = { market: 'USDTNGN', side: 'buy' };
  const executed = async (running) => {
    await running.call('pass', 5_000);
    await running.send('GET', '/prices');
  };
  const acting = (path, body) => (running) => async () => {
    await running.send('POST', path, body);
    await executed(running);
  };
  await one('open, and its fill', acting('/hedges', { ...on, notional_usd: 100, tenor_days: 3 }));
  await one('add, and its fill', acting('/hedges/add', { ...on, notional_usd: 100 }));
  const large = (name, count, prepare) =>
    onCopy(name, async (running) => {
      report(name, await cpuTimes(running, count, prepare(running)));
      const { rss } = await running.call('cpu');
      console.log(`${'  peak memory'.padEnd(46)}${String(Math.round(rss / 1024)).padStart(9)} MB`);
    });
  const reduce = acting('/hedges/reduce', { ...on, notional_usd: 100_000 });
  await large(`reduce of ${hedges} hedges`, Math.max(1, Math.round(times / 10)), reduce);
  await large(`close of ${hedges} hedges`, 1, acting('/hedges/close', on));
  await large(`advance over ${hedges} maturities`, 1, (running) => () => running.call('advance', 8 * DAY));
}

/** A book with all open hedges on one side, written straight into the database. */
async function fill(store, hedges) {
  mkdirSync(store, { mode: 0o700 });
  const running = await startOn(store, 60);
  await running.send('GET', '/account');
  running.stop();
  const { insertRow, openDatabase } = await import(built('store/database.js'));
  const { rebuildSums } = await import(built('control/fixture.js'));
  const db = openDatabase(join(store, 'practice.sqlite'));
  const now = Date.now();
  const hash = `0x${'a'.repeat(64)}`;
  const row = {
    environment: 'test',
    market: 'USDTNGN',
    side: 'buy',
    order_tx_hash: hash,
    fill_tx_hash: hash,
    order_key: hash,
    platform_fees: 1_000_000n,
    carry_daily: 50_000n,
    margin_rate: 10_000_000n,
    platform_fee: 100_000n,
    close_fee: 50_000n,
  };
  db.exec('BEGIN IMMEDIATE');
  for (let index = 0; index < 2 * hedges; index += 1) {
    const isOpen = index % 2 === 1;
    const age = Math.floor(((2 * hedges - index) / (2 * hedges)) * 12 * HOUR);
    const openedAt = now - (isOpen ? age : age + 8 * DAY);
    const tenor = [1, 3, 7][index % 3];
    const notional = 1_000_000_000n + BigInt(index % 997) * 10_000n;
    insertRow(db, 'hedge_records', {
      ...row,
      id: `hdg_${String(index).padStart(16, '0')}`,
      client_reference: `R${index}`,
      tenor_days: tenor,
      status: isOpen ? 'filled' : 'closed',
      notional,
      struck: 153_000_000_000n + BigInt(index % 1_009) * 1_000_000n,
      margin: isOpen ? notional / 10n : 0n,
      opened_at: openedAt,
      filled_at: openedAt + 1_500 + (index % 2_500),
      maturity_at: openedAt + tenor * DAY,
      closed_at: isOpen ? null : openedAt + tenor * DAY,
      close_reason: isOpen ? null : 'maturity',
      done_notional: isOpen ? 0n : notional,
      done_entry: String(isOpen ? 0n : notional * 153_000_000_000n),
      done_exit: String(isOpen ? 0n : (notional * 10n ** 24n) / 1531n),
      done_gross: isOpen ? 0n : 650_000n,
      done_carry: isOpen ? 0n : 1_500_000n,
      done_fees: 0n,
    });
  }
  const locked = `(SELECT SUM(margin) FROM hedge_records WHERE environment = 'test' AND status = 'filled')`;
  db.exec(`UPDATE accounts SET margin = ${locked}, balance = balance - ${locked} WHERE environment = 'test'`);
  rebuildSums(db);
  db.exec('COMMIT');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

if (process.argv[2] === 'serve') await serve(process.argv[3]);
else
  await measureAll(
    Number(process.argv[2] ?? 100_000),
    Number(process.argv[3] ?? 50),
    Number(process.argv[4] ?? 60),
  );

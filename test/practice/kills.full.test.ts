/** `hedge practice serve` over a book of ten thousand hedges, killed again and again under load. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as passes } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decimalOf } from '../../src/practice/domain/scaled-decimals.ts';
import { openDatabase } from '../../src/practice/store/database.ts';
import { DATABASE_NAME } from '../../src/practice/store/open-store.ts';
import { bareEnvironment, toStart } from '../support/built.ts';
import { expectHeld, SOAKING } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { auditBook } from './support/book-audit.ts';
import { expectBalanced } from './support/book-checks.ts';
import { OPENING_BALANCE, placeHedges } from './support/large-book.ts';
import { startPractice, testClock, testRandom } from './support/practice-service.ts';

const HEDGES = 10_000;
/** Each part begins with a whole book. */
const PARTS = SOAKING ? 10 : 1;
const KILLS_A_PART = SOAKING ? 20 : 6;
const CLIENTS = 8;
/** After the first response under load. */
const LATEST_KILL_MS = 700;

interface Asked {
  method: 'GET' | 'POST';
  path: string;
  as: 'live' | 'test' | 'control';
  key?: string;
  body?: Record<string, unknown>;
}

interface Reply {
  status: number;
  replayed: boolean;
  body: { data: unknown; error: { code: string; details?: { position_usd?: number } } | null };
}

interface Running {
  child: ChildProcess;
  /** Undefined if no whole response came. */
  send(asked: Asked): Promise<Reply | undefined>;
  kill(): Promise<void>;
}

async function serve(home: string): Promise<Running> {
  const child = spawn(...toStart('practice', 'serve', '--rate-limit', 'off', '--json'), {
    env: bareEnvironment({ HEDGE_HOME: home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let complaint = '';
  child.stderr.on('data', (part: Buffer) => {
    complaint += part.toString();
  });
  const [printed]: (Buffer | undefined)[] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'close').then(() => []),
  ]);
  if (printed === undefined) throw new Error(`practice serve ended: ${complaint}`);
  const { data: served } = JSON.parse(printed.toString());
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS, ca: readFileSync(served.ca_file, 'utf8') });
  const bearer = { ...served.keys, control: served.control.key };
  const bases = { live: served.base_url, test: served.base_url, control: served.control.base_url };
  return {
    child,
    send: ({ method, path, as, key, body }) =>
      new Promise((resolve) => {
        const content = body === undefined ? undefined : JSON.stringify(body);
        const headers = {
          authorization: `Bearer ${bearer[as]}`,
          ...(key === undefined ? {} : { 'idempotency-key': key }),
          ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        };
        const call = request(`${bases[as]}${path}`, { method, agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('error', () => resolve(undefined));
          response.on('close', () => {
            if (!response.complete) resolve(undefined);
            else
              resolve({
                status: response.statusCode ?? 0,
                replayed: response.headers['idempotency-replayed'] === 'true',
                body: JSON.parse(text),
              });
          });
        });
        call.on('error', () => resolve(undefined));
        call.end(content);
      }),
    async kill() {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      agent.destroy();
    },
  };
}

type Random = ReturnType<typeof testRandom>;

const READINGS = ['/account', '/positions', '/hedges?limit=50', '/hedges/history?limit=50', '/markets'];

/** Closes of a large side come late in a part: after them its book is small. */
function draw({ fraction }: Random, key: string, mayClose: boolean): Asked {
  const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(fraction() * list.length)] ?? list[0];
  const as = pick(['live', 'live', 'test'] as const);
  const on = { market: 'USDTNGN', side: as === 'test' ? 'buy' : pick(['buy', 'buy', 'sell']) };
  const small = { market: 'USDTKES', side: pick(['buy', 'sell']) };
  const usd = (10_000 + Math.floor(fraction() * 190_000)) / 100;
  const post = (path: string, body: Record<string, unknown>): Asked => ({
    method: 'POST',
    path,
    as,
    key,
    body,
  });
  const kind = fraction();
  if (kind < 0.45)
    return post('/hedges', {
      ...pick([on, small]),
      notional_usd: usd,
      tenor_days: pick([1, 3, 7]),
      client_reference: key,
    });
  if (kind < 0.65) return post('/hedges/add', { ...on, notional_usd: usd });
  if (kind < 0.69) return post('/hedges/reduce', { ...on, notional_usd: Math.floor(usd) * 20 });
  if (kind < 0.72) return post('/hedges/close', small);
  if (kind < 0.722 && mayClose) return post('/hedges/close', on);
  if (kind < 0.74)
    return {
      method: 'POST',
      path: '/clock/advance',
      as: 'control',
      body: { seconds: Math.ceil(fraction() * 1_800) },
    };
  return { method: 'GET', path: pick(['/account', ...READINGS]), as };
}

interface Told {
  asked: Asked;
  reply: Reply;
}

/** What the clients of one start know when it is killed. */
interface Load {
  accepted: Told[];
  inDoubt: Asked[];
  /** Latest book time that an advance reported. */
  bookTime: number;
  responses: number;
  wrong: string[];
}

async function loadUntilKilled(running: Running, random: Random, load: { keys: string; mayClose: boolean }) {
  const told: Load = { accepted: [], inDoubt: [], bookTime: 0, responses: 0, wrong: [] };
  let count = 0;
  let killed = false;
  let first = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    first = resolve;
  });
  const trade = async () => {
    for (;;) {
      const again = random.fraction() < 0.05 ? told.accepted.at(-1) : undefined;
      count += 1;
      const asked = again?.asked ?? draw(random, `${load.keys}-${String(count)}`, load.mayClose);
      const reply = await running.send(asked);
      if (reply === undefined) {
        if (asked.key !== undefined && again === undefined) told.inDoubt.push(asked);
        if (!killed) told.wrong.push(`no response before the kill: ${asked.method} ${asked.path}`);
        return;
      }
      told.responses += 1;
      first();
      const { status, body } = reply;
      if (again !== undefined) told.wrong.push(...differs(again, reply));
      else if (status < 300 && asked.key !== undefined) told.accepted.push({ asked, reply });
      else if (status >= 300 && !isAfterClose(body))
        told.wrong.push(`${asked.method} ${asked.path}: ${String(status)} ${JSON.stringify(body.error)}`);
      if (asked.path === '/clock/advance') told.bookTime = Math.max(told.bookTime, timeOf(body.data, 'to'));
    }
  };
  const clients = Array.from({ length: CLIENTS }, trade);
  await answered;
  await passes(random.fraction() * LATEST_KILL_MS);
  killed = true;
  await running.kill();
  await Promise.all(clients);
  return told;
}

/** A rejection that follows from a close: nothing is left on the side, or less than was to be reduced. */
const isAfterClose = ({ error }: Reply['body']): boolean =>
  error?.code === 'no_open_hedge' || error?.details?.position_usd !== undefined;

function timeOf(data: unknown, name: string): number {
  return typeof data === 'object' && data !== null
    ? Date.parse(String(Object.entries(data).find(([key]) => key === name)?.[1]))
    : 0;
}

function differs({ asked, reply }: Told, again: Reply | undefined): string[] {
  const same =
    again !== undefined &&
    again.replayed &&
    again.status === reply.status &&
    JSON.stringify(again.body.data) === JSON.stringify(reply.body.data);
  return same
    ? []
    : [`${asked.path} ${String(asked.key)} was ${JSON.stringify(reply)} and is ${JSON.stringify(again)}`];
}

/** After a start: what was accepted is there, what is in doubt executes once at most. */
async function checkKept(running: Running, before: Load): Promise<string[]> {
  const wrong: string[] = [];
  const clock = await running.send({ method: 'GET', path: '/clock', as: 'control' });
  if (timeOf(clock?.body.data, 'book_time') < before.bookTime) wrong.push('book time went back');
  for (const told of before.accepted) wrong.push(...differs(told, await running.send(told.asked)));
  for (const asked of before.inDoubt) {
    const first = await running.send(asked);
    if (first === undefined || (first.status >= 300 && !isAfterClose(first.body))) {
      wrong.push(`${asked.path} in doubt: ${JSON.stringify(first)}`);
    } else if (first.status < 300) {
      wrong.push(...differs({ asked, reply: first }, await running.send(asked)));
    }
  }
  const opens = [...before.accepted.map(({ asked }) => asked), ...before.inDoubt].filter(
    ({ path }) => path === '/hedges',
  );
  for (const { key = '', as } of opens) {
    const found = await running.send({ method: 'GET', path: `/hedges?client_reference=${key}`, as });
    const hedges: unknown = found?.body.data;
    if (!Array.isArray(hedges) || hedges.length !== 1) wrong.push(`${key}: ${JSON.stringify(hedges)}`);
  }
  return wrong;
}

/** With nothing in flight: account and positions are the sums of the rows, to the micro-USDC. */
async function checkSums(running: Running, path: string): Promise<string[]> {
  await running.send({ method: 'POST', path: '/clock/advance', as: 'control', body: { seconds: 10 } });
  const wrong: string[] = [];
  const db = openDatabase(path);
  const sum = (what: string, where: string): bigint =>
    BigInt(String(db.values(`SELECT COALESCE(SUM(${what}), 0) FROM ${where}`)[0]?.[0]));
  try {
    for (const as of ['live', 'test'] as const) {
      const account = await running.send({ method: 'GET', path: '/account', as });
      const positions = await running.send({ method: 'GET', path: '/positions', as });
      const held = `hedge_records WHERE environment = '${as}' AND status = 'filled'`;
      const shown: unknown[] = Array.isArray(positions?.body.data) ? positions.body.data : [];
      const got = {
        ...figures(account?.body.data, [
          'balance_usdc',
          'margin_in_use_usdc',
          'reserved_usdc',
          'open_exposure_usd',
        ]),
        positions: shown.map((line) => figures(line, ['notional_usd', 'margin_usdc'])),
      };
      const due = {
        balance_usdc: sum('balance', `postings WHERE environment = '${as}'`),
        margin_in_use_usdc: sum('margin', held),
        reserved_usdc: 0n,
        open_exposure_usd: sum('notional', held),
        positions: db
          .values(
            `SELECT SUM(notional), SUM(margin) FROM ${held} GROUP BY market, side ORDER BY market, side`,
          )
          .map(([notional, margin]) => ({ notional_usd: notional, margin_usdc: margin })),
      };
      if (inText(got) !== inText(due)) wrong.push(`${as}: ${inText(got)} is not ${inText(due)}`);
    }
  } finally {
    db.close();
  }
  return wrong;
}

const inText = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));

function figures(data: unknown, names: readonly string[]): Record<string, bigint | undefined> {
  const fields = new Map<string, unknown>(
    typeof data === 'object' && data !== null ? Object.entries(data) : [],
  );
  return Object.fromEntries(names.map((name) => [name, decimalOf(String(fields.get(name)), 6)]));
}

/** A copy, so that the next start recovers the write-ahead log itself. */
function auditCopy(store: string, ordersBefore: number) {
  const folder = temporaryFolder(() => undefined);
  try {
    for (const name of [DATABASE_NAME, `${DATABASE_NAME}-wal`])
      if (existsSync(join(store, name))) copyFileSync(join(store, name), join(folder, name));
    return auditBook(join(folder, DATABASE_NAME), ordersBefore);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('kill -9 under load', () => {
  it.each(Array.from({ length: PARTS }, (_, part) => part + 1))(
    'kills: nothing acknowledged is lost and nothing is half-applied in a book of ten thousand hedges, part %s',
    async (part) => {
      const random = testRandom(Date.now() + part);
      const home = temporaryFolder();
      const store = join(home, 'state', 'practice');
      mkdirSync(store, { recursive: true, mode: 0o700 });
      await placeHedges(store, HEDGES, Date.now());
      const path = join(store, DATABASE_NAME);
      const placed = auditBook(path, HEDGES);
      expect({ wrong: placed.wrong, hedges: placed.hedges }).toEqual({ wrong: [], hedges: HEDGES });
      const [lost, broken]: [string[], string[]] = [[], []];
      let acknowledged = 0;
      let before: Load | undefined;
      for (let kill = 0; kill <= KILLS_A_PART && lost.length + broken.length === 0; kill += 1) {
        const running = await serve(home);
        if (before !== undefined) {
          lost.push(...(await checkKept(running, before)));
          broken.push(...(await checkSums(running, path)));
        }
        if (kill === KILLS_A_PART) {
          await running.kill();
          break;
        }
        before = await loadUntilKilled(running, random, {
          keys: `${String(part)}-${String(kill)}`,
          mayClose: kill >= KILLS_A_PART * 0.7,
        });
        acknowledged += before.accepted.length;
        broken.push(...before.wrong, ...auditCopy(store, placed.lastOrder).wrong);
      }
      expectHeld('R20 what was acknowledged before a kill is there after it', {
        runs: acknowledged,
        wrong: lost,
      });
      expectHeld('R20 kills under load: nothing is half-applied', { runs: KILLS_A_PART, wrong: broken });
      const practice = await startPractice({
        store,
        clock: testClock(Date.now()),
        settings: null,
        modes: { rateLimit: false },
      });
      await expectBalanced(practice, OPENING_BALANCE);
    },
  );
});

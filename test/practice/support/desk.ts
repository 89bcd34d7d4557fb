/** A practice service for one test: its own folder, a manual clock, seeded randomness, HTTPS only. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { PracticeOptions, PracticeService, RequestLogEntry } from '../../../src/practice/index.ts';
import { startPracticeService } from '../../../src/practice/index.ts';

/** Friday 20 November 2026, 09:00:00 UTC. */
export const NINE = Date.UTC(2026, 10, 20, 9, 0, 0);
export const DAY = 86_400_000;

export interface TestClock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  pass(ms: number): void;
}

/** Time moves only when the test says so, or when the service waits. */
export function testClock(start: number = NINE): TestClock {
  let now = start;
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    pass: (ms) => {
      now += ms;
    },
  };
}

/** Mulberry32: small, seeded, good enough for draws. */
export function testRandom(seed: number) {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const bytes = (count: number): Uint8Array =>
    Uint8Array.from({ length: count }, () => Math.floor(fraction() * 256));
  return { fraction, bytes };
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // The envelope, read loosely: tests look at whatever field they are about.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export interface Sent {
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string | Buffer;
  key?: string;
  headers?: Record<string, string>;
  /** Which key: `live` unless said; any other text is sent as the bearer; null sends none. */
  as?: 'live' | 'test' | { bearer: string } | null;
}

export interface PracticeDesk {
  service: PracticeService;
  clock: TestClock;
  store: string;
  log: RequestLogEntry[];
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  get(path: string, sent?: Sent): Promise<Reply>;
  post(path: string, body: unknown, sent?: Sent): Promise<Reply>;
  close(): Promise<void>;
}

export interface DeskOptions {
  seed?: number;
  start?: number;
  store?: string;
  /** What `settings.json` says besides a rate limit that never bites; null leaves the file alone. */
  settings?: Record<string, unknown> | null;
  faults?: PracticeOptions['faults'];
  clock?: TestClock;
  /** In the place of one from `seed`. */
  random?: PracticeOptions['random'];
}

export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hedge-practice-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A service that closes with the test. */
export async function aDesk(options: DeskOptions = {}): Promise<PracticeDesk> {
  const store = options.store ?? (await aFolder());
  const desk = await openDesk(store, options);
  onTestFinished(() => desk.close());
  return desk;
}

export async function openDesk(store: string, options: DeskOptions = {}): Promise<PracticeDesk> {
  if (options.settings !== null) {
    const settings = { rate_limit: { burst: 1_000_000, per_second: 1_000_000 }, ...options.settings };
    await writeFile(join(store, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  }
  const clock = options.clock ?? testClock(options.start);
  const log: RequestLogEntry[] = [];
  const service = await startPracticeService({
    clock,
    random: options.random ?? testRandom(options.seed ?? 1),
    store,
    onRequest: (entry) => log.push(entry),
    ...(options.faults === undefined ? {} : { faults: options.faults }),
  });
  const agent = new Agent({ keepAlive: true, ca: service.ca });
  let open = true;
  const send = (method: string, path: string, sent: Sent = {}) =>
    roundTrip(agent, `${service.url}${path}`, { ...sent, method, bearer: bearerOf(service, sent.as) });
  return {
    service,
    clock,
    store,
    log,
    send,
    get: (path, sent) => send('GET', path, sent),
    post: (path, body, sent) => send('POST', path, { body, ...sent }),
    async close() {
      if (!open) return;
      open = false;
      agent.destroy();
      await service.close();
    },
  };
}

function bearerOf(service: PracticeService, as: Sent['as']): string | undefined {
  if (as === null) return undefined;
  if (as === undefined) return service.keys.live;
  return typeof as === 'string' ? service.keys[as] : as.bearer;
}

function roundTrip(
  agent: Agent,
  url: string,
  sent: Sent & { method: string; bearer: string | undefined },
): Promise<Reply> {
  const content = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
  const headers: Record<string, string> = {
    ...(sent.bearer === undefined ? {} : { authorization: `Bearer ${sent.bearer}` }),
    ...(sent.key === undefined ? {} : { 'idempotency-key': sent.key }),
    ...(content === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) }),
    ...sent.headers,
  };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: sent.method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode = 0, headers: answered } = response;
        resolve({
          status: statusCode,
          headers: answered,
          text,
          body: text === '' ? undefined : JSON.parse(text),
        });
      });
    });
    call.on('error', reject);
    call.end(content);
  });
}

/** Sends, and says that no answer came. */
export async function expectLost(reply: Promise<Reply>): Promise<void> {
  await expect(reply).rejects.toMatchObject({ code: 'ECONNRESET' });
}

/** Fails with the whole answer in sight. */
export function expectAccepted(reply: Reply): Reply {
  expect({ status: reply.status, error: reply.body?.error }).toEqual({
    status: expect.toSatisfy((status: number) => status === 200 || status === 201),
    error: null,
  });
  return reply;
}

export function expectRefused(reply: Reply, status: number, code: string): Reply {
  expect({ status: reply.status, code: reply.body?.error?.code, data: reply.body?.data }).toEqual({
    status,
    code,
    data: null,
  });
  return reply;
}

/** A market that stands still at a rate, and fills after exactly two seconds: sums can be done by hand. */
export function flatAt(baseRate: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    markets: { USDTNGN: { base_rate: baseRate, swing: 0, drift_yearly_pct: 0 } },
    fill_seconds: { min: 2, max: 2 },
    ...more,
  };
}

/** Opens on the default desk's first market and lets it fill. */
export async function opened(desk: PracticeDesk, asked: Record<string, unknown> = {}, sent: Sent = {}) {
  const body = { market: 'USDTNGN', side: 'buy', notional_usd: 10_000, tenor_days: 3, ...asked };
  const reply = expectAccepted(await desk.post('/hedges', body, sent));
  desk.clock.pass(4_001);
  const read = expectAccepted(
    await desk.get(`/hedges/${reply.body.data.hedge_id}`, { as: sent.as ?? 'live' }),
  );
  return read.body.data;
}

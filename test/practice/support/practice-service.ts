/** A practice service for one test, over HTTPS, with its own folder, a manual clock and seeded randomness. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  makeCertificates,
  type PracticeOptions,
  type PracticeService,
  parseSettings,
  type RequestLogEntry,
  startPracticeService,
} from '../../../src/practice/index.ts';
import { openBook } from '../../../src/practice/open-book.ts';

/** Friday 20 November 2026, 09:00:00 UTC. */
export const NINE = Date.UTC(2026, 10, 20, 9, 0, 0);
export const DAY = 86_400_000;
const VALID_MS = 365 * DAY;

export interface TestClock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  pass(ms: number): void;
}

/** Time passes only by `pass` and when the service sleeps. */
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

/** Mulberry32. */
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

let shared: ReturnType<typeof makeCertificates> | undefined;

/** The same for all services of this process, as long as they are valid: to make them takes as long as all else at a start. */
const sharedCertificates: typeof makeCertificates = async (wallNow, serials) => {
  // TLS judges them by the real time, not by that of a test.
  shared ??= makeCertificates(Date.now(), serials);
  const made = await shared;
  return made.until - wallNow > VALID_MS ? made : makeCertificates(wallNow, serials);
};

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // The envelope, untyped: each test reads other fields.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export interface Sent {
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Buffer;
  key?: string;
  headers?: Record<string, string>;
  /** The API key: default `live`; null sends none. */
  as?: 'live' | 'test' | { bearer: string } | null;
  /** Of a further book, with the key of that book. */
  book?: string;
  /** The client gives up. */
  signal?: AbortSignal;
  /** Another address than that of the API. */
  at?: string;
  /** The response is no JSON. */
  plain?: boolean;
}

export interface TestPractice {
  service: PracticeService;
  admin: PracticeService['admin'];
  clock: TestClock;
  store: string;
  log: RequestLogEntry[];
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  get(path: string, sent?: Sent): Promise<Reply>;
  post(path: string, body: unknown, sent?: Sent): Promise<Reply>;
  /** The control API, with its key. */
  control(method: string, path: string, body?: unknown, sent?: Sent): Promise<Reply>;
  close(): Promise<void>;
}

export interface TestPracticeOptions {
  seed?: number;
  start?: number;
  store?: string;
  /** Settings of the book, without a rate limit unless they have one; null: its own, or the defaults. */
  settings?: Record<string, unknown> | null;
  faults?: PracticeOptions['faults'];
  clock?: TestClock;
  /** Instead of `seed`. */
  random?: PracticeOptions['random'];
  /** How the books run, and which there are. */
  modes?: Partial<PracticeOptions>;
}

export async function storeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hedge-practice-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** It closes when the test ends. */
export async function startPractice(options: TestPracticeOptions = {}): Promise<TestPractice> {
  const store = options.store ?? (await storeFolder());
  const practice = await openPractice(store, options);
  onTestFinished(() => practice.close());
  return practice;
}

export async function openPractice(store: string, options: TestPracticeOptions = {}): Promise<TestPractice> {
  const settings =
    options.settings === null
      ? {}
      : { settings: { rate_limit: { burst: 1_000_000, per_second: 1_000_000 }, ...options.settings } };
  const clock = options.clock ?? testClock(options.start);
  const log: RequestLogEntry[] = [];
  const service = await startPracticeService({
    clock,
    random: options.random ?? testRandom(options.seed ?? 1),
    store,
    certificates: sharedCertificates,
    onRequest: (entry) => log.push(entry),
    ...settings,
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    ...options.modes,
  });
  // For a book that was there already.
  if (options.settings !== null) await service.admin.restoreSettings();
  const agent = new Agent({ keepAlive: true, ca: service.ca });
  let open = true;
  const send = (method: string, path: string, sent: Sent = {}) => {
    const book = service.books.find((each) => each.name === sent.book) ?? service;
    return roundTrip(agent, `${book.url}${path}`, { ...sent, method, bearer: bearerOf(book, sent.as) });
  };
  return {
    service,
    admin: service.admin,
    clock,
    store,
    log,
    send,
    get: (path, sent) => send('GET', path, sent),
    post: (path, body, sent) => send('POST', path, { body, ...sent }),
    control: (method, path, body, sent) =>
      roundTrip(agent, sent?.at ?? `${service.control.url}${path}`, {
        body,
        ...sent,
        method,
        bearer:
          sent?.as === null ? undefined : bearerOf(service, sent?.as ?? { bearer: service.control.key }),
      }),
    async close() {
      if (!open) return;
      open = false;
      agent.destroy();
      await service.close();
    },
  };
}

/** A book with these settings, for programs that open this store. */
export async function createBook(store: string, settings: unknown): Promise<void> {
  const random = { fraction: () => Math.random(), bytes: (count: number) => randomBytes(count) };
  const clock = testClock(Date.now());
  const book = await openBook({ store, clock, random, settings: parseSettings(settings) });
  book.close();
}

function bearerOf(service: Pick<PracticeService, 'keys'>, as: Sent['as']): string | undefined {
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
    // Otherwise Node would expect the certificate to be for the Host header.
    const servername = headers['host'] === undefined ? {} : { servername: 'localhost' };
    const { method, signal } = sent;
    const call = request(
      url,
      { method, agent, headers, ...servername, ...(signal && { signal }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { statusCode = 0, headers: received } = response;
          resolve({
            status: statusCode,
            headers: received,
            text,
            body: text === '' || sent.plain === true ? undefined : JSON.parse(text),
          });
        });
      },
    );
    call.on('error', reject);
    call.end(content);
  });
}

/** Expects a cut connection without a response. */
export async function expectLost(reply: Promise<Reply>): Promise<void> {
  await expect(reply).rejects.toMatchObject({ code: 'ECONNRESET' });
}

/** Shows the error of the response when it fails. */
export function expectAccepted(reply: Reply): Reply {
  expect({ status: reply.status, error: reply.body?.error }).toEqual({
    status: expect.toSatisfy((status: number) => status === 200 || status === 201),
    error: null,
  });
  return reply;
}

export function expectRejected(reply: Reply, status: number, code: string): Reply {
  expect({ status: reply.status, code: reply.body?.error?.code, data: reply.body?.data }).toEqual({
    status,
    code,
    data: null,
  });
  return reply;
}

/** A constant rate, and fills after exactly two seconds: figures can be computed by hand. */
export function flatAt(baseRate: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    markets: { USDTNGN: { base_rate: baseRate, swing: 0, drift_yearly_pct: 0 } },
    fill_seconds: { min: 2, max: 2 },
    ...more,
  };
}

/** Opens a hedge and waits for the fill. */
export async function opened(practice: TestPractice, asked: Record<string, unknown> = {}, sent: Sent = {}) {
  const body = { market: 'USDTNGN', side: 'buy', notional_usd: 10_000, tenor_days: 3, ...asked };
  const reply = expectAccepted(await practice.post('/hedges', body, sent));
  practice.clock.pass(4_001);
  const read = expectAccepted(
    await practice.get(`/hedges/${reply.body.data.hedge_id}`, { as: sent.as ?? 'live' }),
  );
  return read.body.data;
}

/** Checks of the connection to the service, its clock, and unspecified fields in its responses. Pure. */

import type { HedgeApi } from '../client/hedge-api.ts';
import type { Certificate, Handshake } from '../client/tls-probe.ts';
import { isLoopback } from '../client/transport/proxy.ts';
import {
  hasSpecifiedNames,
  isSpecifiedCode,
  type Resource,
  unspecifiedIn,
} from '../client/unspecified-fields.ts';
import { counted } from '../domain/exposure.ts';
import { say, shell } from '../domain/hint.ts';
import { DAY_MS, exactInstant } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { HedgeError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import {
  type Answered,
  answered,
  attemptWithin,
  type Check,
  checkOf,
  failedCheck,
  notChecked,
  within,
} from './checks.ts';

const EXPIRES_SOON_DAYS = 21;

export function checkTls({ protocol, chain }: Handshake, host: string, now: number): Check {
  const [own] = chain;
  const facts = {
    host,
    protocol,
    chain: chain.map(({ subject, issuer, validTo }) => ({
      subject,
      issuer,
      valid_to: Number.isNaN(validTo) ? null : exactInstant(validTo),
      days: daysTo(validTo, now),
    })),
  };
  const found = checkOf('tls', facts);
  if (own === undefined) return found('warn', `${host} sent no certificate.`, 'Report it.');
  const first = soonest(chain);
  const days = daysTo(first.validTo, now) ?? 0;
  const via = chain.map(({ issuer }) => quoted(issuer)).join(', issued by ');
  const message = `${protocol} with ${host}, issued by ${via}; valid for ${counted(days, 'more day')}${first === own ? '' : ` (${quoted(first.subject)})`}.`;
  return days >= EXPIRES_SOON_DAYS
    ? found('pass', message)
    : found('warn', message, 'Ask the partner when it will be renewed.');
}

const soonest = (chain: readonly Certificate[]): Certificate =>
  chain.reduce((one, other) => (other.validTo < one.validTo ? other : one));

const daysTo = (validTo: number, now: number): number | null =>
  Number.isNaN(validTo) ? null : Math.floor((validTo - now) / DAY_MS);

export function checkAddresses(host: string, addresses: readonly string[]): Check {
  const found = checkOf('dns', { host, addresses });
  return addresses.length > 0
    ? found('pass', `${host} resolves to ${addresses.join(', ')}.`)
    : found(
        'fail',
        `${host} has no address.`,
        say`Check the host of the base URL: ${shell`hedge profile show`}`,
      );
}

export const checkProxy = (name: string | undefined): Check =>
  checkOf('proxy', { proxy: name ?? null })(
    'pass',
    name === undefined ? 'None: direct connection.' : `Through ${name} (HTTPS_PROXY).`,
  );

/** Whether commands take their connections from an agent. `rejected`: why its socket is not used. */
export type AgentUse =
  | { use: 'off' }
  | { use: 'none' }
  | { use: 'rejected'; path: string; why: string }
  | { use: 'running'; pid: number; ready: number; leases: number };

export function checkAgent(seen: AgentUse): Check {
  const found = checkOf('agent', { ...seen });
  if (seen.use === 'off') return found('pass', 'Not used.');
  if (seen.use === 'none') return found('pass', 'None: each command connects by itself.');
  if (seen.use === 'rejected')
    return found(
      'warn',
      `Not used: ${seen.why}.`,
      say`Remove ${quoted(seen.path)}, then: ${shell`hedge agent start`}`,
    );
  const open = counted(seen.ready, 'connection');
  return found(
    'pass',
    `Commands use its connections: ${open} open, ${counted(seen.leases, 'lease')} so far.`,
  );
}

/** Request and response by this machine's clock, and the service's Date. Milliseconds. */
export interface Timed {
  sentAt: number;
  receivedAt: number;
  servedAt: number | undefined;
}

const SLOW_MS = 3_000;

export function checkReading({ sentAt, receivedAt }: Timed): Check {
  const ms = receivedAt - sentAt;
  const message = `GET /account took ${ms.toString()} ms.`;
  const found = checkOf('reading', { ms });
  return ms <= SLOW_MS
    ? found('pass', message)
    : found('warn', message, 'This is slow. Try again with -v to see each attempt.');
}

const OFF_MS = 5_000;
const FAR_OFF_MS = 60_000;
/** The Date header has whole seconds. */
const GRAIN_MS = 1_000;

/** `local`: the service runs on this machine, as `practice serve` does. */
export function checkClock(
  { sentAt, receivedAt, servedAt }: Timed,
  { environment, local }: { environment: Environment; local: boolean },
): Check {
  if (servedAt === undefined)
    return checkOf('clock')(
      'warn',
      'The service did not send its time.',
      say`Check this machine's clock: ${shell`date -u`}`,
    );
  // Ignores a difference that the response time explains.
  const off = servedAt > receivedAt ? servedAt - receivedAt : Math.min(0, servedAt + GRAIN_MS - sentAt);
  const found = checkOf('clock', { served_at: exactInstant(servedAt), off_ms: off });
  if (Math.abs(off) <= OFF_MS) return found('pass', "This machine's clock agrees with the service's.");
  if (environment === 'practice')
    return found('pass', `Practice has its own clock, ${inWords(off)} this machine's.`);
  if (local)
    return found(
      'warn',
      `The service on this machine has its own clock, ${inWords(off)} this machine's.`,
      say`Expected with ${shell`hedge practice serve`}, whose clock can be advanced. Otherwise check this machine's clock: ${shell`date -u`}`,
    );
  return found(
    Math.abs(off) > FAR_OFF_MS ? 'fail' : 'warn',
    `The service's clock is ${inWords(off)} this machine's.`,
    "Set this machine's clock (NTP): maturities and idempotency keys depend on it.",
  );
}

function inWords(off: number): string {
  const seconds = Math.round(Math.abs(off) / 1_000);
  const spelled =
    seconds < 120
      ? counted(seconds, 'second')
      : seconds < 7_200
        ? counted(Math.round(seconds / 60), 'minute')
        : counted(Math.round(seconds / 3_600), 'hour');
  return `${spelled} ${off > 0 ? 'ahead of' : 'behind'}`;
}

export interface ServiceResponses {
  /** Endpoints that were read: `GET /markets`. */
  read: readonly string[];
  /** Unspecified fields and statuses: `hedge.leverage`. */
  strange: readonly string[];
  /** The same of resources whose fields the specification does not name. */
  unnamed: readonly string[];
  /** Unspecified error codes. */
  codes: readonly string[];
  /** Failed reads, each in a sentence. */
  unreadable: readonly string[];
}

export function checkResponses({ read, strange, unnamed, codes, unreadable }: ServiceResponses): Check {
  const found = checkOf('answers', { read, fields: strange, unnamed_fields: unnamed, codes });
  if (unreadable.length > 0)
    return found(
      'fail',
      unreadable.join(' '),
      say`Check the base URL (${shell`hedge profile show`}). If it is right, send this list to the partner.`,
    );
  const also =
    unnamed.length === 0
      ? ''
      : ` Fields that the specification does not name: ${unnamed.map(quoted).join(', ')}.`;
  if (strange.length === 0 && codes.length === 0)
    return found('pass', `${counted(read.length, 'response')} as specified.${also}`);
  const sentences = [
    strange.length === 0 ? [] : `Unspecified fields or values: ${strange.map(quoted).join(', ')}.`,
    codes.length === 0 ? [] : `Unspecified error codes: ${codes.map(quoted).join(', ')}.`,
  ];
  return found(
    'warn',
    sentences.flat().join(' '),
    'hedge shows them as sent and does not use them. Ask the partner, or look for a newer version of hedge.',
  );
}

const READING_MS = 12_000;

export async function checkReadings(
  account: Answered<{ api: HedgeApi; environment: Environment }>,
  host: string | undefined,
  clock: Clock,
): Promise<{ checks: readonly Check[]; servedMs?: number | undefined }> {
  if ('error' in account) {
    const why = 'there is no API key';
    return { checks: [notChecked('reading', why), notChecked('clock', why), notChecked('answers', why)] };
  }
  const { api, environment } = account.value;
  const read = await answered(() => timed(api, clock));
  if ('error' in read) {
    const why = 'the service did not respond';
    return {
      checks: [failedCheck('reading', read.error), notChecked('clock', why), notChecked('answers', why)],
    };
  }
  const { data, ...time } = read.value;
  const checks = [
    checkReading(time),
    checkClock(time, { environment, local: host !== undefined && isLoopback(host) }),
    await attemptWithin('answers', () => checkFields(api, data, clock)),
  ];
  return { checks, servedMs: time.servedAt };
}

async function timed(api: HedgeApi, clock: Clock): Promise<Timed & { data: unknown }> {
  const sentAt = clock.now();
  const { data, servedAt } = await within(clock, READING_MS, (signal) => api.account({ signal }));
  return { sentAt, receivedAt: clock.now(), servedAt: servedAt?.getTime(), data };
}

async function checkFields(api: HedgeApi, account: unknown, clock: Clock): Promise<Check> {
  const asked: readonly {
    line: string;
    of: Resource;
    read: (signal: AbortSignal) => Promise<readonly unknown[]>;
  }[] = [
    { line: 'GET /account', of: 'account', read: async () => [account] },
    { line: 'GET /markets', of: 'market', read: async (signal) => (await api.markets({ signal })).data },
    {
      line: 'GET /positions',
      of: 'position',
      read: async (signal) => (await api.positions({ signal })).data,
    },
    { line: 'GET /hedges', of: 'hedge', read: async (signal) => (await api.hedges({}, { signal })).data },
    {
      line: 'GET /hedges/history',
      of: 'closed hedge',
      read: async (signal) => (await api.history({ signal })).data,
    },
  ];
  const results = await Promise.all(
    asked.map(async ({ line, of, read }) => ({
      line,
      of,
      got: await answered(() => within(clock, READING_MS, read)),
    })),
  );
  const failed = results.flatMap(({ line, got }) => ('error' in got ? [{ line, error: got.error }] : []));
  const found = results.map(({ of, got }) => ({
    of,
    names: 'value' in got ? unspecifiedIn(of, got.value) : [],
  }));
  return checkResponses({
    read: results.flatMap(({ line, got }) => ('value' in got ? [line] : [])),
    strange: found.flatMap(({ of, names }) => (hasSpecifiedNames(of) ? names : [])),
    unnamed: found.flatMap(({ of, names }) => (hasSpecifiedNames(of) ? [] : names)),
    codes: failed.flatMap(({ error }) => unspecifiedCode(error)),
    unreadable: failed.map(
      ({ line, error }) => `${line}: ${error instanceof HedgeError ? error.what : quoted(String(error))}`,
    ),
  });
}

/** An error with an HTTP status has the service's code. */
const unspecifiedCode = (error: unknown): readonly string[] =>
  error instanceof HedgeError &&
  error.httpStatus !== undefined &&
  !isSpecifiedCode(error.serviceCode ?? error.code)
    ? [error.serviceCode ?? error.code]
    : [];

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
  if (own === undefined)
    return {
      check: 'tls',
      verdict: 'warn',
      message: `${host} sent no certificate.`,
      todo: 'Report it.',
      facts,
    };
  const first = soonest(chain);
  const days = daysTo(first.validTo, now) ?? 0;
  const via = chain.map(({ issuer }) => quoted(issuer)).join(', issued by ');
  const message = `${protocol} with ${host}, issued by ${via}; valid for ${counted(days, 'more day')}${first === own ? '' : ` (${quoted(first.subject)})`}.`;
  if (days >= EXPIRES_SOON_DAYS) return { check: 'tls', verdict: 'pass', message, facts };
  return { check: 'tls', verdict: 'warn', message, todo: 'Ask the partner when it will be renewed.', facts };
}

const soonest = (chain: readonly Certificate[]): Certificate =>
  chain.reduce((one, other) => (other.validTo < one.validTo ? other : one));

const daysTo = (validTo: number, now: number): number | null =>
  Number.isNaN(validTo) ? null : Math.floor((validTo - now) / DAY_MS);

export function checkAddresses(host: string, addresses: readonly string[]): Check {
  const facts = { host, addresses };
  if (addresses.length > 0)
    return { check: 'dns', verdict: 'pass', message: `${host} resolves to ${addresses.join(', ')}.`, facts };
  return {
    check: 'dns',
    verdict: 'fail',
    message: `${host} has no address.`,
    todo: say`Check the host of the base URL: ${shell`hedge profile show`}`,
    facts,
  };
}

export const checkProxy = (name: string | undefined): Check => ({
  check: 'proxy',
  verdict: 'pass',
  message: name === undefined ? 'None: direct connection.' : `Through ${name} (HTTPS_PROXY).`,
  facts: { proxy: name ?? null },
});

/** Whether commands take their connections from an agent. `rejected`: why its socket is not used. */
export type AgentUse =
  | { use: 'off' }
  | { use: 'none' }
  | { use: 'rejected'; path: string; why: string }
  | { use: 'running'; pid: number; ready: number; leases: number };

export function checkAgent(seen: AgentUse): Check {
  const facts = { ...seen };
  if (seen.use === 'off') return { check: 'agent', verdict: 'pass', message: 'Not used.', facts };
  if (seen.use === 'none')
    return { check: 'agent', verdict: 'pass', message: 'None: each command connects by itself.', facts };
  if (seen.use === 'rejected')
    return {
      check: 'agent',
      verdict: 'warn',
      message: `Not used: ${seen.why}.`,
      todo: say`Remove ${quoted(seen.path)}, then: ${shell`hedge agent start`}`,
      facts,
    };
  const open = counted(seen.ready, 'connection');
  const message = `Commands use its connections: ${open} open, ${counted(seen.leases, 'lease')} so far.`;
  return { check: 'agent', verdict: 'pass', message, facts };
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
  const facts = { ms };
  if (ms <= SLOW_MS) return { check: 'reading', verdict: 'pass', message, facts };
  return {
    check: 'reading',
    verdict: 'warn',
    message,
    todo: 'This is slow. Try again with -v to see each attempt.',
    facts,
  };
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
    return {
      check: 'clock',
      verdict: 'warn',
      message: 'The service did not send its time.',
      todo: say`Check this machine's clock: ${shell`date -u`}`,
    };
  // Ignores a difference that the response time explains.
  const off = servedAt > receivedAt ? servedAt - receivedAt : Math.min(0, servedAt + GRAIN_MS - sentAt);
  const facts = { served_at: exactInstant(servedAt), off_ms: off };
  if (environment === 'practice' && Math.abs(off) > OFF_MS)
    return {
      check: 'clock',
      verdict: 'pass',
      message: `Practice has its own clock, ${inWords(off)} this machine's.`,
      facts,
    };
  if (Math.abs(off) <= OFF_MS)
    return {
      check: 'clock',
      verdict: 'pass',
      message: "This machine's clock agrees with the service's.",
      facts,
    };
  if (local)
    return {
      check: 'clock',
      verdict: 'warn',
      message: `The service on this machine has its own clock, ${inWords(off)} this machine's.`,
      todo: say`Expected with ${shell`hedge practice serve`}, whose clock can be advanced. Otherwise check this machine's clock: ${shell`date -u`}`,
      facts,
    };
  return {
    check: 'clock',
    verdict: Math.abs(off) > FAR_OFF_MS ? 'fail' : 'warn',
    message: `The service's clock is ${inWords(off)} this machine's.`,
    todo: "Set this machine's clock (NTP): maturities and idempotency keys depend on it.",
    facts,
  };
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
  const facts = { read, fields: strange, unnamed_fields: unnamed, codes };
  if (unreadable.length > 0)
    return {
      check: 'answers',
      verdict: 'fail',
      message: unreadable.join(' '),
      todo: say`Check the base URL (${shell`hedge profile show`}). If it is right, send this list to the partner.`,
      facts,
    };
  const also =
    unnamed.length === 0
      ? ''
      : ` Fields that the specification does not name: ${unnamed.map(quoted).join(', ')}.`;
  if (strange.length === 0 && codes.length === 0)
    return {
      check: 'answers',
      verdict: 'pass',
      message: `${counted(read.length, 'response')} as specified.${also}`,
      facts,
    };
  const findings = [
    strange.length === 0 ? '' : `Unspecified fields or values: ${strange.map(quoted).join(', ')}.`,
    codes.length === 0 ? '' : `Unspecified error codes: ${codes.map(quoted).join(', ')}.`,
  ];
  return {
    check: 'answers',
    verdict: 'warn',
    message: findings.filter((each) => each !== '').join(' '),
    todo: 'hedge shows them as sent and does not use them. Ask the partner, or look for a newer version of hedge.',
    facts,
  };
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

/** Checks of the connection to the service and of its responses. Pure. */
import type { Certificate, Handshake } from '../client/tls-probe.ts';
import { exactInstant } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { type Check, pluralize } from './checks.ts';

const DAY_MS = 86_400_000;
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
      says: `${host} sent no certificate.`,
      todo: 'Report it.',
      facts,
    };
  const first = soonest(chain);
  const days = daysTo(first.validTo, now) ?? 0;
  const via = chain.map(({ issuer }) => quoted(issuer)).join(', issued by ');
  const says = `${protocol} with ${host}, issued by ${via}; valid for ${pluralize(days, 'more day')}${first === own ? '' : ` (${quoted(first.subject)})`}.`;
  if (days >= EXPIRES_SOON_DAYS) return { check: 'tls', verdict: 'pass', says, facts };
  return { check: 'tls', verdict: 'warn', says, todo: 'Ask the partner when it will be renewed.', facts };
}

const soonest = (chain: readonly Certificate[]): Certificate =>
  chain.reduce((one, other) => (other.validTo < one.validTo ? other : one));

const daysTo = (validTo: number, now: number): number | null =>
  Number.isNaN(validTo) ? null : Math.floor((validTo - now) / DAY_MS);

export function checkAddresses(host: string, addresses: readonly string[]): Check {
  const facts = { host, addresses };
  if (addresses.length > 0)
    return { check: 'dns', verdict: 'pass', says: `${host} resolves to ${addresses.join(', ')}.`, facts };
  return {
    check: 'dns',
    verdict: 'fail',
    says: `${host} has no address.`,
    todo: 'Check the host of the base URL: hedge profile show',
    facts,
  };
}

export const checkProxy = (name: string | undefined): Check => ({
  check: 'proxy',
  verdict: 'pass',
  says: name === undefined ? 'None: direct connection.' : `Through ${name} (HTTPS_PROXY).`,
  facts: { proxy: name ?? null },
});

/** Request and response by this machine's clock, and the service's Date. Milliseconds. */
export interface Timed {
  askedAt: number;
  answeredAt: number;
  servedAt: number | undefined;
}

const SLOW_MS = 3_000;

export function checkReading({ askedAt, answeredAt }: Timed): Check {
  const ms = answeredAt - askedAt;
  const says = `GET /account took ${ms.toString()} ms.`;
  const facts = { ms };
  if (ms <= SLOW_MS) return { check: 'reading', verdict: 'pass', says, facts };
  return {
    check: 'reading',
    verdict: 'warn',
    says,
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
  { askedAt, answeredAt, servedAt }: Timed,
  { environment, local }: { environment: Environment; local: boolean },
): Check {
  if (servedAt === undefined)
    return {
      check: 'clock',
      verdict: 'warn',
      says: 'The service did not send its time.',
      todo: "Check this machine's clock: date -u",
    };
  // Ignores a difference that the response time explains.
  const off = servedAt > answeredAt ? servedAt - answeredAt : Math.min(0, servedAt + GRAIN_MS - askedAt);
  const facts = { served_at: exactInstant(servedAt), off_ms: off };
  if (environment === 'practice' && Math.abs(off) > OFF_MS)
    return {
      check: 'clock',
      verdict: 'pass',
      says: `Practice has its own clock, ${inWords(off)} this machine's.`,
      facts,
    };
  if (Math.abs(off) <= OFF_MS)
    return {
      check: 'clock',
      verdict: 'pass',
      says: "This machine's clock agrees with the service's.",
      facts,
    };
  if (local)
    return {
      check: 'clock',
      verdict: 'warn',
      says: `The service on this machine has its own clock, ${inWords(off)} this machine's.`,
      todo: "Expected with hedge practice serve, whose clock can be advanced. Otherwise check this machine's clock: date -u",
      facts,
    };
  return {
    check: 'clock',
    verdict: Math.abs(off) > FAR_OFF_MS ? 'fail' : 'warn',
    says: `The service's clock is ${inWords(off)} this machine's.`,
    todo: "Set this machine's clock (NTP): maturities and idempotency keys depend on it.",
    facts,
  };
}

function inWords(off: number): string {
  const seconds = Math.round(Math.abs(off) / 1_000);
  const spelled =
    seconds < 120
      ? pluralize(seconds, 'second')
      : seconds < 7_200
        ? pluralize(Math.round(seconds / 60), 'minute')
        : pluralize(Math.round(seconds / 3_600), 'hour');
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
      says: unreadable.join(' '),
      todo: 'Check the base URL (hedge profile show). If it is right, send this list to the partner.',
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
      says: `${pluralize(read.length, 'response')} as specified.${also}`,
      facts,
    };
  const findings = [
    strange.length === 0 ? '' : `Unspecified fields or values: ${strange.map(quoted).join(', ')}.`,
    codes.length === 0 ? '' : `Unspecified error codes: ${codes.map(quoted).join(', ')}.`,
  ];
  return {
    check: 'answers',
    verdict: 'warn',
    says: findings.filter((each) => each !== '').join(' '),
    todo: 'hedge shows them as sent and does not use them. Ask the partner, or look for a newer version of hedge.',
    facts,
  };
}

/** Verdicts on the way to the service and on what it answered. Pure: facts come in. */
import type { Certificate, Handshake } from '../client/tls-probe.ts';
import { exactInstant } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { type Check, counted } from './checks.ts';

const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 21;

export function judgeTls({ protocol, chain }: Handshake, host: string, now: number): Check {
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
      says: `${host} showed no certificate.`,
      todo: 'Report it.',
      facts,
    };
  const first = soonest(chain);
  const days = daysTo(first.validTo, now) ?? 0;
  const via = chain.map(({ issuer }) => quoted(issuer)).join(', vouched for by ');
  const says = `${protocol} with ${host}, vouched for by ${via}; valid for ${counted(days, 'more day')}${first === own ? '' : ` (${quoted(first.subject)})`}.`;
  if (days >= EXPIRES_SOON_DAYS) return { check: 'tls', verdict: 'pass', says, facts };
  return { check: 'tls', verdict: 'warn', says, todo: 'Ask the partner when it is renewed.', facts };
}

const soonest = (chain: readonly Certificate[]): Certificate =>
  chain.reduce((one, other) => (other.validTo < one.validTo ? other : one));

const daysTo = (validTo: number, now: number): number | null =>
  Number.isNaN(validTo) ? null : Math.floor((validTo - now) / DAY_MS);

export function judgeDns(host: string, addresses: readonly string[]): Check {
  const facts = { host, addresses };
  if (addresses.length > 0)
    return { check: 'dns', verdict: 'pass', says: `${host} is ${addresses.join(', ')}.`, facts };
  return {
    check: 'dns',
    verdict: 'fail',
    says: `${host} has no address.`,
    todo: 'Check the host of the base address: hedge profile show',
    facts,
  };
}

export const judgeProxy = (name: string | undefined): Check => ({
  check: 'proxy',
  verdict: 'pass',
  says: name === undefined ? 'None: the connection is direct.' : `Through ${name} (HTTPS_PROXY).`,
  facts: { proxy: name ?? null },
});

/** When an answer was asked for and came, by this machine's clock, and the service's own Date. Milliseconds. */
export interface Timed {
  askedAt: number;
  answeredAt: number;
  servedAt: number | undefined;
}

const SLOW_MS = 3_000;

export function judgeReading({ askedAt, answeredAt }: Timed): Check {
  const ms = answeredAt - askedAt;
  const says = `GET /account answered in ${ms.toString()} ms.`;
  const facts = { ms };
  if (ms <= SLOW_MS) return { check: 'reading', verdict: 'pass', says, facts };
  return {
    check: 'reading',
    verdict: 'warn',
    says,
    todo: 'That is slow: try again, with -v for each attempt.',
    facts,
  };
}

/** Beyond these, in ms. */
const OFF_MS = 5_000;
const FAR_OFF_MS = 60_000;
/** The Date header has whole seconds. */
const GRAIN_MS = 1_000;

/** `here`: the service is at an address of this machine, as that of `practice serve` is. */
export function judgeClock(
  { askedAt, answeredAt, servedAt }: Timed,
  { environment, here }: { environment: Environment; here: boolean },
): Check {
  if (servedAt === undefined)
    return {
      check: 'clock',
      verdict: 'warn',
      says: 'The service did not say what time it is.',
      todo: 'Compare the clock of this machine by hand: date -u',
    };
  // Only what the time of the answer cannot explain is the clock's.
  const off = servedAt > answeredAt ? servedAt - answeredAt : Math.min(0, servedAt + GRAIN_MS - askedAt);
  const facts = { served_at: exactInstant(servedAt), off_ms: off };
  if (environment === 'practice' && Math.abs(off) > OFF_MS)
    return {
      check: 'clock',
      verdict: 'pass',
      says: `Practice keeps a time of its own, ${inWords(off)} this machine's.`,
      facts,
    };
  if (Math.abs(off) <= OFF_MS)
    return {
      check: 'clock',
      verdict: 'pass',
      says: 'This machine and the service tell the same time.',
      facts,
    };
  if (here)
    return {
      check: 'clock',
      verdict: 'warn',
      says: `The service on this machine keeps a time of its own, ${inWords(off)} this machine's.`,
      todo: "As it should be where it is hedge practice serve, whose time can be advanced. Where it leads elsewhere: compare this machine's clock, date -u",
      facts,
    };
  return {
    check: 'clock',
    verdict: Math.abs(off) > FAR_OFF_MS ? 'fail' : 'warn',
    says: `The service's time is ${inWords(off)} this machine's.`,
    todo: 'Set the clock of this machine (NTP): maturities and the age of keys are counted by it.',
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

/** What was read to look for strange things in it. */
export interface ServiceAnswers {
  /** `GET /markets`: what was read whole. */
  read: readonly string[];
  /** `hedge.leverage`: as client/unspecified.ts names them. */
  strange: readonly string[];
  /** The same of resources whose names the specification does not show. */
  unnamed: readonly string[];
  /** Error codes that the specification does not have. */
  codes: readonly string[];
  /** What could not be read, each in a sentence. */
  unreadable: readonly string[];
}

export function judgeAnswers({ read, strange, unnamed, codes, unreadable }: ServiceAnswers): Check {
  const facts = { read, fields: strange, unnamed_fields: unnamed, codes };
  if (unreadable.length > 0)
    return {
      check: 'answers',
      verdict: 'fail',
      says: unreadable.join(' '),
      todo: 'Check the base address (hedge profile show); if it is right, hand this list to the partner.',
      facts,
    };
  const besides =
    unnamed.length === 0
      ? ''
      : ` Also sent, of what the specification gives no names to: ${unnamed.map(quoted).join(', ')}.`;
  if (strange.length === 0 && codes.length === 0)
    return {
      check: 'answers',
      verdict: 'pass',
      says: `${counted(read.length, 'answer')}: nothing that the specification does not have.${besides}`,
      facts,
    };
  const said = [
    strange.length === 0
      ? ''
      : `Fields or words that are not in the specification: ${strange.map(quoted).join(', ')}.`,
    codes.length === 0 ? '' : `Error codes that are not in it: ${codes.map(quoted).join(', ')}.`,
  ];
  return {
    check: 'answers',
    verdict: 'warn',
    says: said.filter((each) => each !== '').join(' '),
    todo: 'They are shown as they come and mean nothing to hedge: ask the partner, or look for a newer hedge.',
    facts,
  };
}

/** Checks with the API key: one timed read, the service's clock, and unspecified fields in its responses. */
import type { HedgeApi } from '../client/hedge-api.ts';
import { isLoopback } from '../client/transport/proxy.ts';
import {
  hasSpecifiedNames,
  isSpecifiedCode,
  type Resource,
  unspecifiedIn,
} from '../client/unspecified-fields.ts';
import { quoted } from '../domain/quoted.ts';
import type { Environment } from '../domain/vocabulary.ts';
import { HedgeError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import {
  attemptWithin,
  type Check,
  failedCheck,
  notChecked,
  type Settled,
  settled,
  within,
} from './checks.ts';
import { checkClock, checkReading, checkResponses, type Timed } from './service-checks.ts';

const READING_MS = 12_000;

export async function checkReadings(
  account: Settled<{ api: HedgeApi; environment: Environment }>,
  host: string | undefined,
  clock: Clock,
): Promise<readonly [reading: Check, clock: Check, answers: Check]> {
  if ('error' in account) {
    const why = 'there is no API key';
    return [notChecked('reading', why), notChecked('clock', why), notChecked('answers', why)];
  }
  const { api, environment } = account.value;
  const read = await settled(() => timed(api, clock));
  if ('error' in read) {
    const why = 'the service did not respond';
    return [failedCheck('reading', read.error), notChecked('clock', why), notChecked('answers', why)];
  }
  const { data, ...time } = read.value;
  return [
    checkReading(time),
    checkClock(time, { environment, local: host !== undefined && isLoopback(host) }),
    await attemptWithin('answers', () => checkAnswers(api, data, clock)),
  ];
}

async function timed(api: HedgeApi, clock: Clock): Promise<Timed & { data: unknown }> {
  const askedAt = clock.now();
  const { data, servedAt } = await within(clock, READING_MS, (signal) => api.account({ signal }));
  return { askedAt, answeredAt: clock.now(), servedAt: servedAt?.getTime(), data };
}

async function checkAnswers(api: HedgeApi, account: unknown, clock: Clock): Promise<Check> {
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
  const answered = await Promise.all(
    asked.map(async ({ line, of, read }) => ({
      line,
      of,
      got: await settled(() => within(clock, READING_MS, read)),
    })),
  );
  const failed = answered.flatMap(({ line, got }) => ('error' in got ? [{ line, error: got.error }] : []));
  const found = answered.map(({ of, got }) => ({
    of,
    names: 'value' in got ? unspecifiedIn(of, got.value) : [],
  }));
  return checkResponses({
    read: answered.flatMap(({ line, got }) => ('value' in got ? [line] : [])),
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
  error instanceof HedgeError && error.httpStatus !== undefined && !isSpecifiedCode(error.code)
    ? [error.code]
    : [];

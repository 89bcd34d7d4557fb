/**
 * The innermost handler: one request, one complete answer or a Failure that knows whether anything left. No
 * redirects, no content encodings, a cap on size and on time, whatever the road. It knows no envelope and no
 * key.
 *
 * Puts the key on a request, as the last handler before the wire, and takes it out of the headers that come back: an
 * answer that repeats the key must not carry it into a screen, a log or a file. Its body is masked once it is read
 * (envelope.ts).
 *
 * The wire as `-v` shows it: a few lines an attempt. It stands above the bearer handler, so it never sees the
 * key; bodies are not shown.
 */

import { type ApiKey, type KeyMask } from '../../domain/api-key.ts';
import type { ClockReadings } from '../../domain/instants.ts';
import { redactKeys } from '../../domain/redact.ts';
import { forScreen } from '../../domain/sanitize.ts';
import { type Clock, readClocks } from '../../platform/clock.ts';
import { exchangeFailure } from './classify-error.ts';
import { DeadlineExceeded, withDeadline } from './deadline.ts';
import { type FailureKind, type FailureParts, RequestFailure } from './request-failure.ts';
import type { Attempt, Exchange, Send, Transport, WireAnswer, WireRequest } from './transport.ts';
/** Time for one attempt, from its start to the last byte of the answer. */
export const ATTEMPT_MS = 10_000;
export const LARGEST_BODY = 1_048_576;

export function sendOver(parts: {
  /** Called at the first send: what a road loads, `--help` need not pay for. */
  road: () => Promise<Transport>;
  /** Path of the base address, without a slash at its end. */
  pathPrefix: string;
  clock: Clock;
}): Send {
  return async (request, attempt) => {
    const limit = withDeadline(parts.clock, ATTEMPT_MS, attempt.signal);
    try {
      const { exchange } = await parts.road();
      return await answerTo(
        { ...request, path: `${parts.pathPrefix}${request.path}` },
        { exchange, signal: limit.signal, mayLeave: attempt.mayLeave, clock: parts.clock },
      );
    } finally {
      limit.release();
    }
  };
}

interface Way {
  exchange: Exchange;
  signal: AbortSignal;
  mayLeave: Attempt['mayLeave'];
  clock: Clock;
}

function answerTo(request: WireRequest, { exchange, signal, mayLeave, clock }: Way): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    let started = false;
    let settled = false;
    let giveUp: ((reason: Error) => void) | undefined;
    let status = 0;
    let headers: WireAnswer['headers'] = {};
    let clocks: ClockReadings = readClocks(clock);
    const chunks: Uint8Array[] = [];
    let size = 0;

    const settle = (outcome: () => void): void => {
      if (settled) return;
      settled = true;
      signal.removeEventListener('abort', stop);
      outcome();
    };
    const fail = (failure: RequestFailure): void => {
      settle(() => reject(failure));
      giveUp?.(failure);
    };
    const stop = (): void => fail(stoppedFailure(signal.reason, started));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) return stop();

    giveUp = exchange(request, signal, {
      started() {
        const withheld = mayLeave?.();
        if (withheld === undefined) started = true;
        else settle(() => reject(withheld));
        return withheld;
      },
      head(received, fields) {
        status = received;
        headers = joinHeaders(fields);
        clocks = { ...readClocks(clock), service: realDate(headers) };
        const refusal = refusalOf(status, headers);
        if (refusal !== undefined) fail(refusal);
      },
      data(chunk) {
        if (settled) return;
        size += chunk.length;
        if (size > LARGEST_BODY) fail(unreadable(status, 'the answer is larger than 1 MiB'));
        else chunks.push(chunk);
      },
      end() {
        if (settled) return;
        const body = decodeUtf8(chunks);
        if (body === undefined) fail(unreadable(status, 'the answer is not UTF-8 text'));
        else settle(() => resolve({ status, headers, body, clocks }));
      },
      failed(error) {
        settle(() => reject(exchangeFailure(error, started)));
      },
    });
    return undefined;
  });
}

/** What can be refused by status line and headers alone, before a body is read. */
function refusalOf(status: number, headers: WireAnswer['headers']): RequestFailure | undefined {
  // A parser lets `000` pass, and undefined and 0 are what it makes of it.
  if (status < 200 || status > 599) return unreadable(status, 'the answer is not HTTP');
  if (status >= 300 && status < 400) {
    return unreadable(status, `the answer is a redirect (${status}), which is never followed`);
  }
  const encoding = headers['content-encoding'];
  return encoding === undefined || /^(identity)?$/i.test(encoding.trim())
    ? undefined
    : unreadable(status, 'the answer is compressed, which was not asked for');
}

const unreadable = (status: number, says: string): RequestFailure =>
  new RequestFailure({ phase: 'no_answer', kind: 'unreadable', reason: says, status });

function stoppedFailure(reason: unknown, started: boolean): RequestFailure {
  const kind: FailureKind = reason instanceof DeadlineExceeded ? 'timeout' : 'stopped';
  const says: FailureParts['reason'] = kind === 'timeout' ? 'no answer in time' : 'stopped';
  return new RequestFailure({
    phase: started ? 'no_answer' : 'never_sent',
    kind,
    reason: says,
    cause: reason,
  });
}

function joinHeaders(
  received: Readonly<Record<string, string | string[] | undefined>>,
): WireAnswer['headers'] {
  return Object.fromEntries(
    Object.entries(received).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Practice's Date is book time, which can be advanced: it says so, and tells nothing of how long anything took. */
function realDate({ date = '', 'x-practice-clock': practice }: WireAnswer['headers']): number | undefined {
  const at = practice === 'book' ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? undefined : at;
}

/** Undefined when the bytes are not UTF-8. A byte order mark at the start is dropped. */
function decodeUtf8(chunks: readonly Uint8Array[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}

export function withBearer(key: ApiKey, mask: KeyMask, send: Send): Send {
  return async (request, attempt) => {
    const answer = await send(
      { ...request, headers: { ...request.headers, authorization: `Bearer ${key.reveal()}` } },
      attempt,
    );
    const headers: WireAnswer['headers'] = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [mask.text(name), mask.text(value)]),
    );
    return { ...answer, headers };
  };
}

export type Trace = (line: string) => void;

/** `masked` is the key's mask, shown in the place of the bearer. */
export function withTrace(parts: { trace: Trace; clock: Clock; masked: string }, send: Send): Send {
  const { clock, masked } = parts;
  const say = (line: string): void => parts.trace(redactKeys(forScreen(line)));
  return async (request, attempt) => {
    say(`> ${request.method} ${request.path} attempt ${attempt.number}`);
    for (const line of headerLines(request, masked)) say(`> ${line}`);
    const startedAt = clock.monotonic();
    const took = (): string => `${Math.round(clock.monotonic() - startedAt)} ms`;
    try {
      const answer = await send(request, attempt);
      say(`< ${answer.status} in ${took()}`);
      for (const [name, value] of Object.entries(answer.headers)) say(`< ${name}: ${value}`);
      return answer;
    } catch (error) {
      const says = error instanceof RequestFailure ? error.parts.reason : 'an error';
      const status = error instanceof RequestFailure ? error.parts.status : undefined;
      say(`< ${status ?? 'nothing'} in ${took()}: ${says}`);
      throw error;
    }
  };
}

const headerLines = (request: WireRequest, masked: string): string[] => [
  ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
  `authorization: Bearer ${masked}`,
];

/**
 * The innermost handlers: one exchange with its limits on time and size, the bearer header, and the `-v` trace.
 * The trace wraps the bearer handler, so it never sees the API key.
 */

import type { ApiKey, KeyMask } from '../../domain/api-key.ts';
import type { ClockReadings } from '../../domain/instants.ts';
import { forScreen, redactKeys } from '../../domain/sanitize.ts';
import { type Clock, readClocks } from '../../platform/clock.ts';
import { exchangeFailure, type FailureParts, RequestFailure } from './request-failure.ts';
import {
  type Attempt,
  DeadlineExceeded,
  type Exchange,
  type Send,
  type Transport,
  type WireRequest,
  type WireResponse,
  withDeadline,
} from './transport.ts';

/** For one attempt, from its start to the last byte of the response. */
export const ATTEMPT_MS = 10_000;
/** The history has no pages and grows for years: some 7,500 hedges. */
export const LARGEST_BODY = 4 * 1_048_576;

export function sendOver(parts: {
  /** Called at the first send, so that `--help` does not load a transport. */
  transport: () => Promise<Transport>;
  /** Path of the base URL, without a slash at its end. */
  pathPrefix: string;
  clock: Clock;
}): Send {
  return async (request, attempt) => {
    const limit = withDeadline(parts.clock, ATTEMPT_MS, attempt.signal);
    try {
      const { exchange } = await parts.transport();
      return await responseTo(
        { ...request, path: `${parts.pathPrefix}${request.path}` },
        { exchange, signal: limit.signal, mayLeave: attempt.mayLeave, clock: parts.clock },
      );
    } finally {
      limit.release();
    }
  };
}

interface ExchangeContext {
  exchange: Exchange;
  signal: AbortSignal;
  mayLeave: Attempt['mayLeave'];
  clock: Clock;
}

function responseTo(
  request: WireRequest,
  { exchange, signal, mayLeave, clock }: ExchangeContext,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    let started = false;
    let responseBegun = false;
    let ended = false;
    let giveUp: ((reason: Error) => void) | undefined;
    let status = 0;
    let headers: WireResponse['headers'] = {};
    let clocks: ClockReadings = readClocks(clock);
    const chunks: Uint8Array[] = [];
    let size = 0;

    const finish = (outcome: () => void): void => {
      if (ended) return;
      ended = true;
      signal.removeEventListener('abort', stop);
      outcome();
    };
    const fail = (failure: RequestFailure): void => {
      finish(() => reject(failure));
      giveUp?.(failure);
    };
    const stop = (): void => fail(stoppedFailure(signal.reason, { started, responseBegun }));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) return stop();

    giveUp = exchange(request, signal, {
      started() {
        const withheld = mayLeave?.();
        if (withheld === undefined) started = true;
        else finish(() => reject(withheld));
        return withheld;
      },
      head(received, fields) {
        responseBegun = true;
        status = received;
        headers = joinHeaders(fields);
        clocks = { ...readClocks(clock), service: realDate(headers) };
        const rejection = rejectionOf(status, headers);
        if (rejection !== undefined) fail(rejection);
      },
      data(chunk) {
        if (ended) return;
        size += chunk.length;
        if (size > LARGEST_BODY) fail(unreadable(status, 'larger than 4 MiB'));
        else chunks.push(chunk);
      },
      end() {
        if (ended) return;
        const body = decodeUtf8(chunks);
        if (body === undefined) fail(unreadable(status, 'not UTF-8 text'));
        else finish(() => resolve({ status, headers, body, clocks }));
      },
      failed(error) {
        finish(() => reject(exchangeFailure(error, { started, responseBegun })));
      },
    });
    return undefined;
  });
}

/** Why a response is rejected by its status and headers, before its body is read. */
function rejectionOf(status: number, headers: WireResponse['headers']): RequestFailure | undefined {
  // Parsers let a status of `000` pass, as 0 or undefined.
  if (status < 200 || status > 599) return unreadable(status, 'not HTTP');
  if (status >= 300 && status < 400) {
    return unreadable(status, `a redirect (${status}), which is not followed`);
  }
  const encoding = headers['content-encoding'];
  return encoding === undefined || /^(identity)?$/i.test(encoding.trim())
    ? undefined
    : unreadable(status, 'compressed, which was not requested');
}

const unreadable = (status: number, reason: string): RequestFailure =>
  new RequestFailure({ phase: 'no_answer', kind: 'unreadable', reason, status });

function stoppedFailure(
  cause: unknown,
  { started, responseBegun }: { started: boolean; responseBegun: boolean },
): RequestFailure {
  const timedOut = cause instanceof DeadlineExceeded;
  return new RequestFailure({
    phase: started ? 'no_answer' : 'never_sent',
    kind: timedOut ? 'timeout' : 'stopped',
    reason: timedOut ? 'timed out' : 'stopped',
    responseBegun,
    cause,
  });
}

function joinHeaders(
  received: Readonly<Record<string, string | string[] | undefined>>,
): WireResponse['headers'] {
  return Object.fromEntries(
    Object.entries(received).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Undefined for practice, whose clock can be advanced and so measures no real time. */
function realDate({ date = '', 'x-practice-clock': practice }: WireResponse['headers']): number | undefined {
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

/** Adds the key, and masks it in the response's headers: a response that repeats it must not reach a screen or a log. */
export function withBearer(key: ApiKey, mask: KeyMask, send: Send): Send {
  return async (request, attempt) => {
    const response = await send(
      { ...request, headers: { ...request.headers, authorization: `Bearer ${key.reveal()}` } },
      attempt,
    );
    const headers: WireResponse['headers'] = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [mask.text(name), mask.text(value)]),
    );
    return { ...response, headers };
  };
}

export type Trace = (line: string) => void;

/** The lines of `-v`, without bodies. `masked`: the key's mask, shown instead of the key. `host`: `api.test:443`. */
export function withTrace(
  parts: { trace: Trace; clock: Clock; masked: string; host: string },
  send: Send,
): Send {
  const { clock, masked, host } = parts;
  const write = (line: string): void => parts.trace(redactKeys(forScreen(line)));
  return async (request, attempt) => {
    write(`> ${request.method} ${request.path} attempt ${attempt.number}`);
    for (const line of headerLines(request, masked)) write(`> ${line}`);
    const startedAt = clock.monotonic();
    const took = (): string => `${Math.round(clock.monotonic() - startedAt)} ms`;
    try {
      const response = await send(request, attempt);
      write(`< ${response.status} in ${took()}`);
      for (const [name, value] of Object.entries(response.headers)) write(`< ${name}: ${value}`);
      return response;
    } catch (error) {
      const failed: Partial<FailureParts> = error instanceof RequestFailure ? error.parts : {};
      const { reason = 'an error', status, internals } = failed;
      const more = internals === undefined ? '' : ` (${internals})`;
      write(`< ${status ?? `no response from ${host}`} in ${took()}: ${reason}${more}`);
      throw error;
    }
  };
}

const headerLines = (request: WireRequest, masked: string): string[] => [
  ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
  `authorization: Bearer ${masked}`,
];

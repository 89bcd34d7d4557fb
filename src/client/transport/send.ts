/**
 * The innermost handler: one request over undici, one complete answer or a Failure that knows whether anything
 * left. No redirects, no content encodings, a cap on size and on time. It knows no envelope and no key.
 *
 * It dispatches to undici directly: `request` and `fetch` cannot say whether a request had started when it
 * failed, and cannot be aborted while the connection is being made.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { Failure, type FailureParts, type Kind } from './failure.ts';
import { limitBy, TimeIsUp } from './limit.ts';
import { exchangeFailure } from './read-failure.ts';
import type { Attempt, Send, WireAnswer, WireRequest } from './wire.ts';

/** Time for one attempt, from its start to the last byte of the answer. */
export const ATTEMPT_MS = 10_000;
export const LARGEST_BODY = 1_048_576;

const FIRST_FINAL_STATUS = 200;

export function sendOver(parts: {
  /** Called at the first send: loading undici is a tenth of a second that `--help` need not pay. */
  dispatcher: () => Promise<Dispatcher>;
  origin: string;
  /** Path of the base address, without a slash at its end. */
  pathPrefix: string;
  clock: Clock;
}): Send {
  return async (request, attempt) => {
    const limit = limitBy(parts.clock, ATTEMPT_MS, attempt.signal);
    try {
      const dispatcher = await parts.dispatcher();
      const head = { origin: parts.origin, path: `${parts.pathPrefix}${request.path}` };
      return await exchange(dispatcher, head, request, limit.signal);
    } finally {
      limit.release();
    }
  };
}

function exchange(
  dispatcher: Dispatcher,
  head: { origin: string; path: string },
  request: WireRequest,
  signal: Attempt['signal'],
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: WireAnswer['headers'] = {};
    const chunks: Uint8Array[] = [];
    let size = 0;

    const finish = (outcome: () => void): void => {
      signal.removeEventListener('abort', stop);
      outcome();
    };
    const fail = (failure: Failure): void => {
      finish(() => reject(failure));
      controller?.abort(failure);
    };
    const stop = (): void => fail(stoppedFailure(signal.reason, controller !== undefined));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) return stop();

    dispatcher.dispatch(
      {
        ...head,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        // The clock port keeps the time: see limit.ts.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          // Given up while it waited for its connection: it must not leave now.
          if (signal.aborted) started.abort(toError(signal.reason));
          else controller = started;
        },
        onResponseStart(_, statusCode, received) {
          if (statusCode < FIRST_FINAL_STATUS) return;
          status = statusCode;
          headers = joinHeaders(received);
          const refusal = refusalOf(status, headers);
          if (refusal !== undefined) fail(refusal);
        },
        onResponseData(_, chunk) {
          size += chunk.length;
          if (size > LARGEST_BODY) fail(unreadable(status, 'the answer is larger than 1 MiB'));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          const body = decodeUtf8(chunks);
          if (body === undefined) fail(unreadable(status, 'the answer is not UTF-8 text'));
          else finish(() => resolve({ status, headers, body }));
        },
        onResponseError(_, error) {
          finish(() => reject(exchangeFailure(error, controller !== undefined)));
        },
      },
    );
    return undefined;
  });
}

/** What can be refused by status line and headers alone, before a body is read. */
function refusalOf(status: number, headers: WireAnswer['headers']): Failure | undefined {
  if (status >= 300 && status < 400) {
    return unreadable(status, `the answer is a redirect (${status}), which is never followed`);
  }
  const encoding = headers['content-encoding'];
  return encoding === undefined || /^(identity)?$/i.test(encoding.trim())
    ? undefined
    : unreadable(status, 'the answer is compressed, which was not asked for');
}

const unreadable = (status: number, says: string): Failure =>
  new Failure({ phase: 'no_answer', kind: 'unreadable', says, status });

function stoppedFailure(reason: unknown, started: boolean): Failure {
  const kind: Kind = reason instanceof TimeIsUp ? 'timeout' : 'stopped';
  const says: FailureParts['says'] = kind === 'timeout' ? 'no answer in time' : 'stopped';
  return new Failure({ phase: started ? 'no_answer' : 'never_sent', kind, says, cause: reason });
}

const toError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('stopped'));

function joinHeaders(
  received: Readonly<Record<string, string | string[] | undefined>>,
): WireAnswer['headers'] {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(received)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return joined;
}

/** Undefined when the bytes are not UTF-8. A byte order mark at the start is dropped. */
function decodeUtf8(chunks: readonly Uint8Array[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}
